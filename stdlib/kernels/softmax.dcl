## softmax over the last dimension, one pass of a row after the other while it is in cache.
fn softmax_rows(x: f32[*S, N]) -> y: f32[*S, N] {
  map *b in S parallel {
    m: f32 in register = -inf
    s: f32 in register = 0
    map i in N vector(4) { v << x[*b, i];  v >> m (max) }
    t << m
    map i in N vector(4) { v << x[*b, i];  e = exp(v - t);  e >> y[*b, i];  e >> s (sum) }
    z << s
    r = 1 / z
    map i in N vector(4) { e << y[*b, i];  e * r >> y[*b, i] }
  }
}
