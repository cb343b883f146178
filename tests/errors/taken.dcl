# One name, one thing.
fn twice_a_parameter(x: f32[N], x: f32[N]) -> f32[N] { x }
fn dim_and_type(x: T[T]) -> T[T] where T: float { x }
fn dim_and_pack(x: f32[*S], y: f32[S]) -> f32[*S] { x + y }
fn pack_and_dim(x: f32[S], y: f32[*S]) -> f32[S] { x }
fn result_and_parameter(x: f32[N]) -> x: f32[N] { x }
fn value_and_dim(x: f32[N]) -> f32[N] {
  N = 3
  x
}
fn container_twice(x: f32[N]) -> f32[N] {
  c: f32[N] = 0
  c: f32[N] = 1
  x + c
}
fn value_and_container(x: f32[N]) -> f32[N] {
  c = x
  c: f32[N] = 1
  x + c
}
fn index_and_value(x: f32[N]) -> y: f32[N] {
  i = 3
  map i { y[i] = x[i] }
}
fn index_and_index(x: f32[N, N]) -> y: f32[N, N] {
  map i in N { map i in N { y[i, i] = x[i, i] } }
}
fn index_and_loop(x: f32[N]) -> y: f32[N] {
  for i in 0:N { i = 3 }
  y[:] = x
}
fn dtypes(f64: f32[N]) -> y: f32[N] {
  f32 = 3
  y[:] = 0
}
fn type_twice(x: T[N]) -> T[N] where T: float, T: int { x }
fn comprehension(xs: list, x: int) -> list { [x for x in xs] }
# Scopes side by side may use one name for several things.
fn fine(x: f32[N]) -> y: f32[N] {
  map i { v << x[i]; v >> y[i] }
  map v in N { i << x[v]; i >> y[v] }
}
fn i64(x: f32[N]) -> f32[N] { x + f32(3) }
