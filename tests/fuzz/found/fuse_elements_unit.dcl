# What is dropped in a dimension of size 1 is not stored by a consumer without that index either.
# sizes: K = 7, B = 5
fn f(x: f32[K, B], w: f32[B, 1], b: f32[1]) -> y: f32[K, 1] {
  v = x @ w
  map i in K { y[i, 0] = v[i, 0] + b[0] }
}
