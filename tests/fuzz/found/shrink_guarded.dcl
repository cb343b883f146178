# A dimension that goes takes its guard along.
# sizes: N = 9
fn f(x: f32[N]) -> y: f32[N] {
  m: f32[N]
  map i in N {
    m[i] = x[i] * 2
    y[i] = m[i, else 0.5] + 1
  }
}
