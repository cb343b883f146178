# A reduction does not move below an index that runs in parallel.
# sizes: K = 16
fn f(x: f32[K]) -> (c: f32[K], m: f32, s: f32) {
  map j parallel { c[j] = x[j // 4] }
  map i in K { c[i] >> m (max) }
  d: f32[K]
  map j vector { d[j] = x[j] }
  map i in K { d[i] >> s (sum) }
}
