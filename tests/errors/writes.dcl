# Only containers are written into.
fn parameter(x: f32[N], n: int) -> y: f32[N] {
  x[0] = 1
  x += 1                             # names a new value
  n += 1
  x[0] = 1
  x[0] += n
  y[:] = x
}
fn value(x: f32[N]) -> f32[N] {
  v = x + 1
  v[0] = 2
  v += 1
  3 >> v[1] (sum)
  v
}
fn others(x: f32[N]) -> y: f32[N] {
  N[0] = 1
  parameter[0] = 2
  x >> z
  map i { i += 1; y[i] = x[i] }
  map i { x[i] >> y[i] (avg) }
}
fn started(x: f32[N]) -> (y: f32[N], z: f32) {
  map i in N { x[i] >> y[i] (bit_and) }
  map i in N { x[i] >> z (bit_and) }
  z += 1
}
layer Counter(n: int) {
  param W: f32[n]
  fn forward(x: f32[n]) -> f32[n] {
    W[0] = 1
    W = x
    n[0] = 1
    x
  }
}
