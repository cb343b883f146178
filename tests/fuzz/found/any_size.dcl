# A size without a name is a symbol with one.
# sizes: A = 5, B = 3
fn g(x: f32[_], y: f32[_]) -> (low: f32, high: f32) {
  map i { x[i] >> low (min) }
  map i { y[i] >> high (max) }
}
fn f(x: f32[A], y: f32[B]) -> (low: f32, high: f32) {
  a, b = g(x, y)
  low = a
  high = b
}
