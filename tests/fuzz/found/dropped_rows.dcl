# Passes find that no row is appended: the room is read in no turn, but written nowhere.
# sizes: N = 2
fn f(x: f16[N]) -> y: f16[N] {
  g: f16[?]
  for k in 0:N { if k > N { x[k] >> g[?] } }
  s: f16 = 0
  map i in g.shape[0] { g[i] >> s (sum) }
  map i in N { y[i] = s + x[i] }
}
