# run --check
# What a checked run finds, and goes on: at the user's line, with the indices around.
layer Rows(n: int) {
  param w: f32[n, 4] = 0.5
  fn forward(x: f32[B, n]) -> f32[B, 4] { log(x - 1) @ w }
}
fn take(x: f32[_, _], k: i64[M]) -> y: f32[M] {
  y = 0
  for t in 0:2 {
    map io in 0:M:2, i in min(2, M - io) {
      n << k[io + i]
      x[n, t] >> y[io + i]
    }
  }
}
fn twice(x: f32[N], k: i64[N]) -> y: f32[N] {
  y = 0
  map i unique {
    if x[i] > 0 { x[i] >> y[k[i]] } else { 0.5 >> y[0] (sum) }
  }
}
fn ordered(x: f32[N], k: i64[N]) -> y: f32[N] {
  y = x
  map i in N { y[i] = 2 * y[k[i]] }
}
fn shifted(x: f32[N], k: i64[N]) -> y: f32[N] {
  y = x
  map i in N unique { y[k[i]] = y[i] }
}
fn above(x: f32[N, M], least: f32) -> (y: f32[N, M], s: f32) {
  map i, j { if x[i, j] > least { y[i, j] = x[i, j] } }
  map i, j { s += y[i, j] * 2e38 }
}
fn local(x: f32[N], n: i64) -> y: f32[N] {
  map i {
    c: f32[3]
    map j in n { c[j] = x[i] }
    c[1] >> y[i]
  }
}
x: f32[3, 3] = 1
k: i64[3] = 2
map i { k[i] = 4 * i - 1 }
p: i64[3] = 0
#---
print(take(x, k))
#---
print(twice(x[0, :], p), shifted(x[0, :], p), ordered(x[0, :], p))
#---
v, s = above(x, 0.5)
v, s = above(x * 2, 1.5)
v, s = above(x, 1)
#---
for n in 1:3 { print(local(x[0, :], n)) }
#---
net = Rows(3)
for epoch in 0:2 { y = net(x) }
x[1, 2] = 0
print(net(x)[0, 0], k // p, f16(x * 7e4)[0, 0])
print(x[1, k[2]])
#---
for e in 0:3 {
  x[e, :] = e
  r: f32[2] << x[1, e:e + 2]
}
print(embedding(k, x))
#---
map i in 3 { k[i] = i }
map i in 1:3 { k[i] = k[i - 1] + 1 }
#---
fn steps(net: Linear, opt: SGD, x: f32[3, 3]) -> f32 {
  a = minimize sum(net(x)) over net with opt
  minimize sum(net(x)) + a over net with opt
}
net = Linear(3, 2)
opt = SGD(0.1)
loss = steps(net, opt, x)
