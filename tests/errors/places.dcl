# Constructs in places where they have no meaning: see also layers.dcl, maps.dcl, scripts.dcl.
fn blanks(x: f32[_, N]) -> f32[N] {
  y = x[0, _]
  _ = y
  map _ in N, i in N { _ = x[0, i] }
  f(_)
}
fn f(x: f32[N]) -> f32[N] { x }
