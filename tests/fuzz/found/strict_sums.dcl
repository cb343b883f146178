# In a strict program a sum is that of the iterations in their order.
# sizes: N = 33, D = 3
fn f(x: f32[N], z: f32[N, D]) -> (y: f32, w: f32) {
  map i in N vector(2) { y += x[i];  y += 0.1*x[i] }
  map i in N vector { map j in D { w += z[i, j] } }
}
