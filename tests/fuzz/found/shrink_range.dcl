# A dimension whose guard drops some iterations does not go.
# sizes: N = 9
fn f(x: f32[N]) -> y: f32[N + 4] {
  m: f32[N]
  map i in 0:N + 4 {
    x[i, else 1] * 2 >> m[i, else _]
    y[i] = m[i, else 0.5] + 1
  }
}
