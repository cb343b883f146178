# A container without rows keeps the dimension that says so: what reads it never runs.
# sizes: M = 2, K = 9
fn f(x: f32[M], z: u8[K]) -> y: u32[K] {
  map i in 0:K {
    g: f32[?, M]
    c: f32[M] = 0.75
    map a in g.shape[0], b in M { g[a, b] >> c[b] (sum) }
    y[i] = u32(c[i % 1]) + u32(z[i]) + u32(x[i % M] > 0)
  }
}
