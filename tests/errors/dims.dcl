# Dimensions: symbols are bound where they stand alone in the type of a parameter.
fn compound(x: f32[2 * N]) -> f32[N] { x }
fn result(x: f32[N]) -> f32[M] { x }
fn wild(x: f32[N, _]) -> y: f32[N, _] { y[:, :] = x }
fn local(x: f32[N]) -> f32[N] {
  c: f32[K] = 0
  x + c
}
fn pack(x: f32[N]) -> f32[*S, N] { x }
fn once(x: f32[N, M], y: f32[N, L + N]) -> f32[N] { x }
fn known(x: f32[n, 2 * N + n], y: f32[N, w(3)]; n: int) -> f32[n] { x }
layer Wide(n: int) {
  param W: f32[n, m]
}
