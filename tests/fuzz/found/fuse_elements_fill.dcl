# A consumer that moves up takes the declarations of what it reads along.
# sizes: K = 16
fn f(x: f32[K]) -> y: f32[K, K] {
  v: f32[K]
  map i { v[i] = x[i] }
  c: f32[K, K] = 0.25
  map l in K, i in 13:15:4 { v[l] + c[l, l] >> y[l, i] (sum) }
}
