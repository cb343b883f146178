# A result without elements keeps the map that would write it.
# sizes: N = 0, M = 3
fn f(x: f32[N], z: f32[M]) -> (y: f32[N, M], w: f32[M, 0]) {
  map i in N, j in M { y[i, j] = x[i] }
  map i in M, j in 0 { w[i, j] = z[i] }
  map k in 1:M { z[k] >> y[0, k, else _] (sum) }
  map k in M { 1 >> w[k, 0, else _] (max) }
}
