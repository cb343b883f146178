# run
# Containers that grow: where `?` stands, what is appended, when the size is known.
#---
fn f(x: f32[?]) -> y: f32[?] { }
#---
fn f(x: f32[N]) -> y: f32[N] {
  a: f32[2, ?]
  b: f32[?] = 0
  c: f32[?] in heap
  d: f32[?] << x[:]
  y = x
}
#---
fn f(x: f32[N]) -> y: f32[?, ?] { map i { x[i] >> y[?, :] } }
#---
fn f(x: f32[_]) -> y: f32[?, ?] { }
x: f32[3]
z = f(x)
#---
y: f32[?]
if 1 < 2 { z: f32[?] }
#---
layer L(n: int) { param w: f32[?] }
#---
fn f(x: f32[N]) -> y: f32[?, 2] {
  z: f32[N]
  map i { x[i] >> z[?] }
  map i { x[i] >> y[?, 0] }
  map i { x[i] >> y[i, ?] }
  map i { x[i] >> y[?] }
  map i { x[i] >> y[?, :] (sum) }
  map i { x[i] >> y[?, :, else _] }
  a = y[?, :]
  y[?, :] += 1
}
#---
fn f(x: f32[N]) -> y: f32[?] {
  map i in N {
    x[i] >> y[?]
    s = y[0]
  }
}
#---
fn f(x: f32[N]) -> y: f32[?] {
  map i in N { x[i] >> y[?] }
  n = y.shape[0]
  0.0 >> y[?]
}
#---
fn g(inout y: f32[_]) { y[0] = 1 }
fn f(x: f32[N]) -> y: f32[?] {
  map i in N { x[i] >> y[?] }
  g(y)
  y = 1
  for t in 0:3 { y[t] = 1 }
  0.0 >> y[?]
}
#---
fn f(x: f32[N]) -> y: f32[?] { map i in N parallel { x[i] >> y[?] } }
#---
fn f(x: f32[N]) -> f32[?, ?] { x }
#---
fn f(x: f32[N]) -> y: f32[?, 2] {
  y: f32[N, 3] = 0
}
#---
fn f(x: f32[N]) -> y: f32[?] {
  if x[0] > 0 { y: f32[N] = 0 }
}
#---
fn f(x: f32[N], y: f32[N]) -> f32[?] {
  a: f32[?]
  b: f32[?]
  map i { if x[i] > 0 { x[i] >> a[?] } }
  map i { if y[i] > 0 { y[i] >> b[?] } }
  a + b
}
x: f32[3]
z = f(x, x)
#---
fn f(x: f32[_]) -> f32 {
  y: f32[?]
  x[0] * 2 >> y[?]
  x[1] * 3 >> y[?]
  sum(y)
}
x: f32[3] = 1
l, g = gradient f(x) over x
