# Three digits of one index in a layout: that they tell it follows from two of them first.
# sizes: B = 3
fn f(x2: u64[B]) -> y5: u64[B, B, B] {
  map k in 0:B {
    map l in 1 {
      if (k + 1 >= B) {
      } else {
        if (l + 1 >= 1) {
          c8: f16[B, B] layout(a, b => a%2, b%2, b//2%3, b//6, a//2)
          map i in B, j in B vector {
            c8[i, j] = k
          }
        } else {
        }
      }
    }
  }
  map j in B, i in B, k in 0:B {
     i >> y5[j, i, k]
  }
}
