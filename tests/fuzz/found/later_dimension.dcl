# A dimension that is computed from one further to the right.
# sizes: N = 3
fn f(x: f32[N*2 + 1, 2], y: f32[N]) -> z: f32[N] {
  map i { z[i] = y[i] + x[2*i, 1] }
}
