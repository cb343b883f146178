# What fuses into one map may use the same names at any depth.
# sizes: K = 5, L = 3
fn f(x: f32[K, L], z: i32[K]) -> (y: f32[K, L], s: f32[K], w: i32[K]) {
  map k, l { y[k, l] = x[k, l] * 2 }
  map i in K {
    v << z[i]
    v >> w[i]
    map l in L { u << y[i, l];  u >> s[i] (sum) }
    map k in L { x[i, k] + 1 >> s[i] (sum) }
  }
  map l in K { map i in L { z[l] + 1 >> w[l] (max) } }
}
