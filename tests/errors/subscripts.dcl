# As many subscripts as dimensions.
fn count(x: f32[N, M], s: f32, p: f32[*S, N], M2: f32[N, M]) -> y: f32[N, M] {
  a = x[0]
  b = x[0, :, 1]
  c = s[0]
  map *b2 in S, i in N { y[i, *b2] = p[*b2, i] + x[*b2, 0, 0, i] }
  x = p
  d = x[0]
  e = M2[0, 0, else 0] + M2[0, else 0]
  y[0] += 1
}
fn new_axis(x: f32[N]) -> f32[N, 1] { x[:, _] }
