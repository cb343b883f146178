# run
# Functions: results, conditions, packs, optional parameters, inout, returns, lifting.
x: f32[3] = 1
k: i64[3] = 1
fn scale(inout c: f32[N], y: f32[N]) { c = c * y }
fn clip(x: T, most: T) -> T where T: float { min(x, most) }
fn positive(x: f32[N], n: i64) -> f32[N] where n > 0 { x * f32(n) }
fn sized(x: f32[N]) -> f32[N] where N > 4 { x }
fn optional(x: f32[N], b: f32[M]?) -> y: f32[N] {
  y = 0
  map i in M { y[i] = x[i] }
}
fn joined(x: T[*S], y: T[*S[1:]]) -> T[*S] where T: number { x + y }
fn axes(x: T[*S]; perm: list) -> y: T[*perm] where T: number { y = 0 }
fn apply(x: f32[N], f) -> f32[N] { f(x) }
fn two(x: f32[_]) -> (a: f32, b: f32) {
  a = 1
  b = 2
}
#---
scale(x, x)
#---
scale(x + 1, x)
#---
scale(3, x)
#---
clip(x, k)
#---
clip(x, x[1:])
#---
clip(x > 0, x > 0)
#---
clip(x)
#---
positive(x, 0)
#---
positive(x, k[0] - 1)
#---
map i in 3 { x[i] = positive(x, i)[0] }
#---
sized(x)
#---
optional(x)
#---
joined(x, x)
#---
axes(x, perm = 3)
#---
axes(x, perm = [1.5])
#---
axes(x, [1])
#---
apply(x, 3)
#---
apply(x, joined)
#---
a, b, c = two(x)
#---
two(x) + 1
#---
fn empty(x: f32[N]) -> f32[N] { }
empty(x)
#---
fn word(x: f32[N]) -> f32[N] {
  s = "a"
  for i in 0:N { s = "b" }
  x
}
word(x)
#---
fn nothing(x: f32) -> f32 { if x > 0 { x } else { y = x } }
nothing(f32(1))
#---
fn shows(x: f32[N]) -> f32[N] {
  print(x)
  x
}
shows(x)
#---
map i in 3 { print(i) }
#---
map i in 3 { seed(3) }
#---
fn list_result(x: f32[_]) -> list { x }
list_result(x)
#---
fn int_result(x: f32[_]) -> int { x[0] }
int_result(x)
#---
fn where_type(x: T[N], y: T[N]) -> T[N] where T: bool { x and y }
where_type(x, x)
#---
f = 3
f(x)
#---
sqrt(x, x)
#---
max(x, x, x)
#---
print(none + 1)
#---
apply(none, relu)
