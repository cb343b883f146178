# A partial result goes to its element after the loop, where what branches and inner maps know does
# not hold.
# sizes: M = 1, K = 2, L = 3, p = 0
fn f(x: f64[K], c: bool[L, 8], p: i64, inout y: f64[L], inout w: f64[M]) -> s: f64[2] {
  map k in 0:L, j in K vector {
    map i in 0:M:16 {
      if k - 1 < M {
        if c[k, i + 2] { x[j] >> y[k + k, else _] (min) }
      }
    }
  }
  map j in K vector {
    map i in 0:p { x[j] >> w[p - 1] (max) }
    map i in 0:p { x[j] >> s[p - 1, else _] (max) }
  }
}
