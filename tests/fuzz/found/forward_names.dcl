# What stands for a read that goes does not reach a sibling of the same name.
# sizes: K = 4
fn f(x: f32[5, K]) -> y: f32[5, 8] {
  b: f32[5] << x[:, 3]
  map k in 5 {
    c: f32[8]
    map j in 8 { c[j] = b[k] + b[k] }
    c[k] >> b[k]
    c[k] = b[k] * b[k]
    map j in 8 { y[k, j] = c[j] + b[k] }
  }
}
