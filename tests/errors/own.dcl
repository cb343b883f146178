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
