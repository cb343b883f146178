use optim
use "lib/blocks.dcl"

## A mean over the last dimension.
##
## Two results.
fn mean(x: T[*S, N]; eps: T = 1e-5, keep = false) -> (y: T[*S], z: f32) where T: float, N > 0 {
  total: T[*S] in stack
  map *b in *S, i in N { total[*b] += x[*b, i] }
  map *b { total[*b] / N >> y[*b] }
}

fn nothing() {}

fn packed(x: f32[N] layout(n => n % 4, n // 4) = 1, k) -> y: f32[N] layout(n => n // k, n % k) {
  a: f32[N] layout(n => n) in stack = 0
  y = a
}

fn advance(inout s: f32[N], a, b: int = 1; c: bool = true) -> f32[N // 2, *S] {
  tile: f32[4, 8] in register << s[i:i + 4, :, 0:8:2, ::3, else 0]
  v << s[*b, i]
  v * 2.0 >> s[i, else _] (max)
  net.state >> s
  s[i] max= v
  s[i] and= v > 0
  x, y = if a { b } else if c { d } else { (1, 2) }
  while not done and i < 10 { i = i + 1 }
  for x, y in batches(data, size = 32, *rest) {
    loss = step(x, y)
    print(loss, "a \"quoted\" line\n", nan, -inf, true)
  }
  map i in 0:N:16 parallel, j in 16 vector(2), k unroll unique { s[i + j] >> t[idx[k]] }
  for k in 0:N:4 unroll(4) { x = x + k }
  map i in N {
    map j in M { a[i, j] = 0 }
  }
  if a == b {
    return
  } else {
    map i in N seq { c[i] = -a[i] ** -2 }
    return (-a) ** 2 - (b - c) + -(1) * (d @ w.T)
  }
  [f(i) for i in 0:n:2] |> g |> h(1, x[])
}

layer Net(depth: int) where depth > 0 {
  param W: f32[depth, 4] ~ uniform
  param b: f32[4] = 0
  param scale: f32
  param packed: f32[depth, 4] layout(i, j => j, i // 8, i // 2 % 4, i % 2) ~ zeros
  buffer last: f32[4] layout(i => i % 2, i // 2) = 0
  buffer seen: i64 = 0
  inner = [Linear(4, 4) for i in 0:depth]

  fn forward(x: f32[B, 4]) -> f32[B, 4] {
    for l in inner { x = l(x) }
    (a, (b,), (), [], x)[0][1].in
  }
}

net = Net(2)
loss = minimize cross_entropy(net(x), y) over net.inner with opt
l, g = gradient { y = net(x);  mean(y) } over net
minimize net(x) over net.a with b, net.c with (if d { e } else { f })
f((minimize a over b with c), gradient a over b)
update net by g * 0.5 with opt
(gradient a |> f over b)[0] + (minimize a over b with (if c { d } else { e }))
loss = not (a and b) or (if a { b;  c } else { d }) < 1
compile net.blocks[0].peek(x: f32[B, 784], y: i64, k = 2, opt)
