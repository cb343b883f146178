# What a branch says of sizes is known to whoever proves something in it.
# sizes: N = 3
fn f(r: f32[N, N], x1: f32[N, N], x0: f32[N]) -> y: f32[N, N] {
  map i in N, j in N { y[i, j] = x0[i] }
  if N > 5 {
  } else {
    v = r @ x1
    y[:, :] = v
  }
}
