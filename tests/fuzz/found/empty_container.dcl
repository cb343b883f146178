# Nothing conflicts on a container without elements: one pass proved it, the verifier did not.
# sizes: K = 0, L = 2, B = 1
fn f(x0: f32[K], x1: f16[65, L], i1: bf16[B]) -> i0: f32[K, K, L] {
  c2: i64[L, K]
  map l in L, i in K {
    c2[l, i] = l*l
  }
  map k, j, l {
    for j_3 in 0:K {
      c2[l, j_3] += j_3
      a = if (l + 1 < L) {
        i1[k // 4]
      } else {
        -j*j
      }
    }
    0.125*x0[j] >> i0[j, j, k] (prod)
    k >> c2[k // 2, j] (sum)
  }
  v5 = -x0
}
