# A result without a name takes none that the wider sums have given to an index.
# sizes: K = 3, L = 4
fn f(i0: i8[K, L], inout io0: f16[K, L]) -> i8[K, L] {
  map i {
    for k in 0:3 { map l in L, j in 0:L { f16(k) >> io0[i, j] (sum) } }
  }
  i0
}
