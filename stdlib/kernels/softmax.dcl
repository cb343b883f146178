## softmax over the last dimension. The largest element of a row is found while the row before it is
## exponentiated, so that reading from memory and computing overlap.
fn softmax_rows(x: f32[R, N]) -> y: f32[R, N] {
  map bo in 0:R:32 parallel {
    m: f32 in register = -inf
    map i in N vector(4) { x[bo, i] >> m (max) }
    for b in bo:min(bo + 32, R) {
      next: f32 in register = -inf
      s: f32 in register = 0
      t << m
      map i in N vector {
        v << x[b, i];  e = exp(v - t);  e >> y[b, i];  e >> s (sum)
        u << x[min(b + 1, R - 1), i];  u >> next (max)
      }
      z << s
      r = 1 / z
      map i in N vector(4) { e << y[b, i];  e * r >> y[b, i] }
      n << next
      n >> m
    }
  }
}
