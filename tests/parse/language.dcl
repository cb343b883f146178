## Softmax over the last.
## Second line.
fn softmax(x: T[*S, N]) -> y: T[*S, N] where T: float {
  m: T[*S];  s: T[*S]              # they start at the identity
  map *b in S, i in N { v << x[*b, i];                 v >> m[*b] (max) }
  map *b in S, i in N { v << x[*b, i];  mx << m[*b];  e = exp(v - mx);  e >> y[*b, i]
    e >> s[*b] (sum) }
  map *b in S, i in N { e << y[*b, i];  t << s[*b];    e / t >> y[*b, i] }
}
fn matmul(A: T[*P, M, K], B: T[*P, K, N]) -> C: T[*P, M, N] {
  map *p, i, j, k { C[*p, i, j] += A[*p, i, k] * B[*p, k, j] }
}
fn conv2d(x: T[N, C, H, W], w: T[O, C, R, S], stride: int = 1, pad: int = 0)
    -> y: T[N, O, (H + 2*pad - R) // stride + 1, (W + 2*pad - S) // stride + 1] {
  map n, o, i, j, c, r, s { y[n, o, i, j] += x[n, c, i*stride + r - pad,
    j*stride + s - pad, else 0] * w[o, c, r, s] }
}
fn mlp(x: f32[B, 784], W1: f32[784, 128], b1: f32[128], W2: f32[128, 10], b2: f32[10])
    -> f32[B, 10] {
  h = relu(x @ W1 + b1)
  h @ W2 + b2
}
fn tiles(A: f32[M,K], B: f32[K,N]) {
map io in 0:M:64 parallel, jo in 0:N:16 parallel {
  acc: f32[64, 16] in register = 0
  map k in K seq, i in 64 unroll(4), j in 16 vector unique {
    acc[i, j] += A[io + i, k] * B[k, jo + j] }
  map i in 64 unroll, j in 16 vector { acc[i, j] >> C[io + i, jo + j] }
}
}
fn flash(q: T[*P, S, D], k: T[*P, L, D], v: T[*P, L, D]) -> o: f32[*P, S, D] where T: float {
  map *p, ib in 0:S:64 parallel {
    m: f32[64] in register = -inf
    z: f32[64] in register
    acc: f32[64, D] in stack = 0
    for jb in 0:L:64 {
      s: f32[64, 64] in stack
      map i in min(64, S - ib), j in min(64, L - jb), d in D { s[i, j] +=
        f32(q[*p, ib + i, d]) * f32(k[*p, jb + j, d]) }
      n: f32[64] in register = m
      map i, j { s[i, j] >> n[i] (max) }
      c: f32[64] = exp(m - n)
      z[:] = z * c
      map i, j { e = exp(s[i, j] - n[i]);  e >> s[i, j];  e >> z[i] (sum) }
      map i, d { acc[i, d] = acc[i, d] * c[i] }
      map i, j, d { acc[i, d] += s[i, j] * f32(v[*p, jb + j, d]) }
      m[:] = n
      n[i] max= m[i]
    }
    map i, d { acc[i, d] / z[i] >> o[*p, ib + i, d] }
  }
}
layer Linear(inputs: int, outputs: int, bias: bool = true) {
  param W: f32[outputs, inputs] ~ kaiming_uniform
  param b: f32[outputs] ~ zeros
  fn forward(x: f32[*B, inputs]) -> f32[*B, outputs] { if bias { x @ W.T + b } else { x @ W.T } }
}
layer Block(c: int) {
  conv1 = Conv2d(c, c, 3, pad = 1);  bn1 = BatchNorm2d(c)
  conv2 = Conv2d(c, c, 3, pad = 1);  bn2 = BatchNorm2d(c)
  fn forward(x: f32[N, c, H, W]) -> f32[N, c, H, W] {
    y = x |> conv1 |> bn1 |> relu |> conv2 |> bn2
    relu(x + y)
  }
}
layer Net(depth: int, classes: int) {
  stem   = Conv2d(1, 16, 3, pad = 1)
  blocks = [Block(16) for i in 0:depth]
  head   = Linear(16, classes)
  fn forward(x: f32[N, 1, H, W]) -> f32[N, classes] {
    x = stem(x)
    for b in blocks { x = b(x) }
    x |> global_avg_pool |> flatten |> head
  }
}
net = Net(2, 10);  load(net, "net.safetensors")
fn step(net: Net, opt: Adam, x: f32[B, 1, H, W], y: i64[B]) -> loss: f32 {
  loss = minimize cross_entropy(net(x), y) over net with opt
}
for epoch in 0:10 {
  for x, y in batches(digits.x, digits.y, size = 32, shuffle = true) { loss = step(net, opt, x, y) }
  print(epoch, loss, accuracy(net(digits.test_x), digits.test_y))
}
fn static(x: f32[N]; a: int = 1, b) -> (p: f32[N], q: f32) { p, q = foo(x); return }
x = f(clip(y, min=0, max=1))
Ab: f32[64, K] in stack << A[io:io+64, :]
y[n, else _] = -9223372036854775808 ** -2 + -(1) - -1.5e300
