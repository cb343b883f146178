# What is never reached is not folded: by what would be known there, any subscript would do.
# sizes: M = 0, K = 3
fn f(x: f32[M, K], B: f32[K, 16]) -> y: f32[M, 16] {
  map io in 0:M:6 {
    acc: f32[6, 16] in register = 0
    map k in K seq, i in 6 unroll, j in 16 vector {
      acc[i, j] += x[min(io + i, M - 1), k] * B[k, j]
    }
    map i in 6 unroll, j in 16 vector { acc[i, j] >> y[io + i, j, else _] }
  }
}
