# check
# Schedules and storage.
fn inner(x: f32[N, M]) -> y: f32[N, M] { map i in N vector, j in M { y[i, j] = x[i, j] } }
fn twice(x: f32[N, M]) -> y: f32[N, M] {
  map i in N parallel { map j in M parallel { y[i, j] = x[i, j] } }
}
fn below(x: f32[N, 2]) -> y: f32[N, 2] {
  map i in N vector { map j in 2 vector { y[i, j] = x[i, j] } }
}
fn shares(x: f32[N]) -> s: f32 { map i in N parallel { x[i] >> s (sum) } }
fn register(x: f32[N]) -> f32[N] {
  c: f32[N] in register = 0
  x + c
}
fn thread(x: f32[N]) -> y: f32[N] { map i in N warp { y[i] = x[i] } }
fn gpu(x: f32[N]) -> y: f32[N] {
  c: f32[4] in shared = 0
  y = x
}
