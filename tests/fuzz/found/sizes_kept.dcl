# A fusion that is tried and not taken renames no size that the run finds.
# sizes: N = 2
fn by9(a: f64, b: f64) -> f64 { b - a * 0.25 }
fn f(x1: f32[N, N, N*2 + 1]) -> y12: f32[17] {
  c7: f64[N, 3] = -inf
  v8 = c7
  map l, i in 3 {
    if (l != -0.5) {
    } else {
      map k in N*2 + 1 {
        v8[k, i] >> c7[l, i] (by9)
      }
    }
    g10: bf16[?]
      prod([i, l*l, l]) >> g10[?]
  }
  d, e = if false { N } else { (N*N, N) }
  map l in 17 {
    y12[l] = e
  }
}
