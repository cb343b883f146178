# check
# Names and shapes: what is wrong in one function does not hide what is wrong in others.
fn a(x: f32[N]) -> f32[N] { x + yy }
fn b(x: f32[3], y: f32[4]) -> f32[3] { x + y }
fn c(x: f32[3]) -> f32[3] { a(x) + b(x, x) }
fn d(x: f32[3]) -> f32[3] { x[0] }
fn e(x: f32[3]) -> f32[3] { d(x) + d(x) }
fn f(x: f32[3]) -> y: f32[3] { map i { y[2 * i] = x[3 * i] } }
fn g(x: f32[3]) -> f32[3] { f(x) }
layer L(n: int) {
  param W: f32[n]
  fn forward(x: f32[n]) -> f32[n] { x * w }
}
