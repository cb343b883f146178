# check
# Schedules and storage that contradict each other, each in a function of its own.
fn factor(x: f32[N]) -> y: f32[N] { map i in N seq(4) { y[i] = x[i] } }
fn block(x: f32[N]) -> y: f32[N] { map i in N block { y[i] = x[i] } }
fn below(x: f32[N, M]) -> y: f32[N, M] {
  map i in N parallel { map j in M grid { y[i, j] = x[i, j] } }
}
fn global(x: f32[N]) -> y: f32[N] {
  c: f32[N] in global = 0
  y = x
}
fn order(x: f32[N], k: i64[N]) -> y: f32[N] {
  y = 0
  map i in N parallel { y[k[i]] = x[i] }
}
fn vectors(x: f32[N]) -> y: f32[N] { map i in N vector { map j in 1 parallel { y[i] = x[i] } } }
layer Run(x: f32[3]) { k = 3 }
layer Dims(n: int) {
  param W: f32[n, *S]
  buffer b: f32[m]
}
