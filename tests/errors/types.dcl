# Element types and type variables.
fn free(x: T[N], y: T[N]) -> T[N] { x + y }
fn slip(x: f23[N]) -> flaot[N] { x }
fn unbound(x: f32[N]) -> T[N] { x }
fn unused(x: f32[N]) -> f32[N] where T: float { x }
fn no_class(x: T[N]) -> T[N] where T: real { x }
fn statics(n: int[3], f: Leyer) -> int { n }
fn container(x: f32[N]) -> f32[N] {
  n: int = 3
  c: i46[N] = 0
  l: Layer = 0
  x
}
fn dim_as_type(x: f32[N], y: N) -> f32[N] { x }
layer Layer(n: int) {
  param k: int = 3
  fn forward(x: f32[N]) -> f32[N] { x }
}
fn root(x: f32[N], y: z.T[N]) -> x.T[N] { x }
