# Names that nothing in scope defines.
fn twice(height: f32[N]) -> y: f32[N] {
  map i { y[i] = heigth[i] + height[i] }
}
fn several(x: f32[N]) -> f32[N] {
  a = qqq(x) + qqq(x)                # told once in a function
  b = a + wwwww
  tiwce(b)
}
fn ended(x: f32[N], c: bool) -> f32[N] {
  if c { h = x + 1 }
  h
}
fn inner(x: f32[N]) -> f32[N] {
  map i in N { v << x[i] }
  v
}
fn wild(x: f32[_, N]) -> f32[N] { _ + x }
fn loop(xs: list) -> list { [itme for item in xs] }
