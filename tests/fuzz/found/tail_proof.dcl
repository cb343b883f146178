# What is proved where whole vectors run says nothing of the rest.
# sizes: M = 7
fn f(x0: f32[M]) -> (y: f32, z: f32[M], w: f32) {
  c: f32 = 0
  map j { c += max(x0[10, else 1], x0[j]) }
  y = c
  map j in M vector(2) { z[j] = x0[j] + x0[9, else 0.5] }
  d: f32 = 0
  map j in M unroll(4) {
    if x0[j] > 0 { d += x0[8, else 0.25] }
  }
  w = d
}
