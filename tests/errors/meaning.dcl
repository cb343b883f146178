# check
# What a function means: conflicts, what is unwritten, subscripts, loops; without sizes.
fn conflict(x: f32[N]) -> y: f32[N] { map i in 1:N { y[0] = x[i] } }
fn neighbours(inout x: f32[N]) { map i in 1:N { x[i] = x[i - 1] + 1 } }
fn resolutions(x: f32[_]) -> s: f32 {
  map i { x[i] >> s (sum);  x[i] >> s (max) }
}
fn unwritten(x: f32[N]) -> y: f32[N] { x }
fn unwritten_local(x: f32[N]) -> f32[N] {
  c: f32[N]
  x + c
}
fn negative(x: f32[_]) -> f32 { x[-1] }
fn outside(x: f32[4]) -> f32 { x[4] }
fn range(x: f32[4]) -> f32[3] { x[2:5] }
fn step(x: f32[N]) -> y: f32[N] { map i in 0:N:0 { y[i] = x[i] } }
fn ranges(x: f32[N, 3], y: f32[4]) -> z: f32[N, 3] { map i, j { z[i, j] = x[i, j] * y[j] } }
fn masked(x: f32[N]) -> f32 { x[N, else _] }
fn carried_shape(x: f32[N]) -> f32[N] {
  for t in 0:3 { x = x[1:] }
  x
}
fn carried_type(x: f32) -> f32 {
  s = 0
  for t in 0:3 { s = s + x }
  s
}
fn while_type(x: f32) -> f32 {
  while x { x = x - 1 }
  x
}
fn logic(x: f32[_]) -> y: f32 { map i { y and= x[i] } }
fn loop_return(x: f32[N]) -> f32[N] {
  for t in 0:3 { return x }
  x
}
fn branch_return(x: f32) -> f32 {
  if x > 0 { return 1 }
}
fn read_masked(x: f32[N]) -> y: f32[N] { map i { y[i, else 0] = x[i] } }
fn data(x: f32[N], k: f32[N]) -> y: f32[N] { map i { y[i] = x[k[i]] } }
fn size(x: f32[_], k: f32) -> y: f32[k] { y = 0 }
fn grow(x: f32[N]) -> f32[N - N - 1] { x }
fn deep(x: f32[N]) -> f32[N] { deep(x) }
