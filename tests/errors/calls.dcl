# Number and names of arguments.
fn add(a: f32[N], b: f32[N]) -> f32[N] { a + b }
fn one(a: f32[N]; factor: float = 1.0, offset: float) -> f32[N] { a * factor + offset }
fn some(a: f32[N], b: float = 1.0) -> f32[N] { a * b }
fn none() -> f32 { 1.0 }
fn fill(inout c: f32[N], value: f32) { c[:] = value }
layer Linear(inputs: int, outputs: int, bias: bool = true) {
  fn forward(x: f32[N]) -> f32[N] { scale(x, 1.0) }
  fn scale(x: f32[N], by: f32) -> f32[N] { x * by }
  fn twice(x: f32[N]) -> f32[N] { scale(x) }
}
fn few(x: f32[N]) -> f32[N] {
  a = add(x)
  b = one()
  c = x |> add
  d = Linear()
  a
}
fn many(x: f32[N]) -> f32[N] {
  a = add(x, x, x, x)
  b = one(x, 2.0, offset = 1.0)
  c = x |> some(1.0, 2.0)
  d = none(1)
  e = x |> none
  a
}
fn named(x: f32[N]) -> f32[N] {
  a = add(x, c = x)
  b = one(x, offset = 1.0, fcator = 2.0)
  c = add(x, a = x)
  d = add(a = x, a = x, b = x)
  e = some(x, b = 1.0, b = 2.0)
  a
}
fn known(x: f32[N], xs: list) -> f32[N] {
  a = add(*xs)
  b = add(b = x, a = x)
  c = one(*xs)
  a
}
fn callable(x: f32[N], k: int, f: Linear, inout z: f32[N]) -> f32[N] {
  c: f32[N] = 0
  a = f(x) + x(3) + c(1) + N(2) + z(1)
  b = f32(k) + k(1)
  map i in N { c[i] = i(1) }
  a
}
fn inouts(x: f32[N], inout y: f32[N]) -> f32[N] {
  c: f32[N] = 0
  v = x + 1
  fill(c, 1.0)
  fill(y, 1.0)
  fill(x, 1.0)
  fill(v, 1.0)
  fill(x + 1, 1.0)
  c
}
