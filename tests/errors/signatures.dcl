# Types of parameters only, and what is called like a builtin.
fn optional(x: f32[N]) -> f32[N]? { x }
fn lists(xs: f32[*_][]) -> f32[*_][] { xs }
fn named(x: f32[N]) -> l: list { x }
fn container(x: f32[N]) -> f32[N] {
  c: f32[N]? = 0
  d: f32[N][] = 0
  x
}
fn min(x: f32[N]) -> y: f32 { map i { y min= x[i] } }
fn calls(x: f32[N], y: f32[N]?) -> f32 {
  optional(x, 1)
  calls()
  min(x, 1, 2) + min(min(x), 2) + calls(x)
}
fn names(l: list) -> list { [a + c for a, b in l if d] }
