# run
# Gradient functions that do not fit their function, and calls where they cannot be used.
fn halve(x: f32[N]) -> y: f32[N] { map i { y[i] = x[i] / 2 } }
fn pair(x: f32[N], k: i64; by: float = 1) -> (f32[N], f32) { (x * by, f32(k)) }
fn change(inout x: f32[_]) { x[0] = 1 }
fn step(x: f32) -> y: f32 { y = round(x) }
grad step(x: f32, dy: f32) -> dx: f32 { dx = dy }
fn steps(x: f32[N]) -> y: f32[N] { map i { y[i] = step(x[i]) } }
x: f32[3] = 1
#---
grad nothing(x: f32[N]) -> dx: f32[N] { dx = x }
#---
grad halve(y: f32[N], dz: f32[N]) -> dx: f32[N] { dx = y + dz }
#---
grad halve(dy: f32[N]) -> f32[N] { dy }
#---
grad halve(dy: f32[N]) -> dq: f32[N] { dq = dy }
#---
grad pair(k: i64) -> dby: f32 { dby = f32(k) }
#---
grad change(x: f32[_]) -> dx: f32[1] { dx = 1 }
#---
grad halve(dy: f32[N]) -> dx: f64[N] { dx = f64(dy) }
l, g = gradient sum(halve(x)) over x
#---
grad halve(dy: f32[N]) -> dx: f32[2] { dx = dy[0:2] }
l, g = gradient sum(halve(x)) over x
#---
grad halve(dy: f32[N, N]) -> dx: f32[N] { dx = dy[0, :] }
l, g = gradient sum(halve(x)) over x
#---
l, g = gradient sum(steps(x)) over x
#---
fn late(x: f32[N]) -> f32 {
  c: f32[N] = x
  s = sum(halve(c))
  c[0] = 5
  s + sum(c)
}
grad halve(x: f32[N], dy: f32[N]) -> dx: f32[N] { dx = x * dy }
l, g = gradient late(x) over x
#---
layer L() {
  fn f(x: f32) -> y: f32 { y = x }
  grad f(dy: f32) -> dx: f32 { dx = dy }
}
#---
grad = 3
#---
fn of_list(xs: list, x: f32[N]) -> y: f32[N] { y = xs[0] * x }
grad of_list(dy: f32[N]) -> dx: f32[N] { dx = dy }
l, g = gradient sum(of_list([x], x)) over x
#---
layer Gain() {
  param w: f32[3] = 1
  fn forward(x: f32[3]) -> f32[3] { x * w }
}
fn applied(f, x: f32[N]) -> y: f32[N] { y = f(x) }
grad applied(dy: f32[N]) -> dx: f32[N] { dx = dy }
net = Gain()
l, g = gradient sum(applied(net, x)) over net
#---
layer Gain() {
  param w: f32[3] = 1
  fn forward(x: f32[3]) -> f32[3] { x * w }
}
fn applied(fs: list, x: f32[N]) -> y: f32[N] { y = fs[0](x) }
grad applied(dy: f32[N]) -> dx: f32[N] { dx = dy }
net = Gain()
l, g = gradient sum(applied([net.forward], x)) over net
#---
fn moved(z: f32[N]) -> y: f32[N] { y = z }
grad moved(dy: f32[N]) -> dx: f32[N] { dx = dy }
fn moved(x: f32[N]) -> y: f32[N] { y = x }
