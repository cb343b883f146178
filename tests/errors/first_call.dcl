# run
# What a function with static parts, or a run-time kind, shows at its first call.
x: f32[3] = 1
k: i64[3] = 1
fn nothing(x: f32[3]) -> f32[3] { if x[0] > 0 { x } }
fn condition(x: f32[3]) -> f32[3] { if x { x } else { x } }
fn number(x: f32) -> f32 { if x { 1.0 } else { 2.0 } }
fn masked(x: f32[_]) -> f32 { x[1, else _] }
fn carried_shape(x: f32[N]) -> f32[N] {
  for t in 0:3 { x = x[1:] }
  x
}
fn while_type(x: f32) -> f32 {
  while x { x = x - 1 }
  x
}
fn loop_return(x: f32[N]) -> f32[N] {
  for t in 0:3 { return x }
  x
}
fn branch_return(x: f32) -> f32 {
  if x > 0 { return 1 }
}
fn write_else(x: f32[N]) -> y: f32[N] { map i { y[i, else 0] = x[i] } }
fn data(x: f32[N], k: f32[N]) -> y: f32[N] { map i { y[i] = x[k[i]] } }
fn size(x: f32[_], k: f32) -> y: f32[k] { y = 0 }
fn deep(x: f32[N]) -> f32[N] { deep(x) }
fn outside(x: f32[4]) -> f32 { x[4] }
fn step(x: f32[N]) -> y: f32[N] { map i in 0:N:0 { y[i] = x[i] } }
fn transposed(x: f32[N]) -> f32[N] { x.T }
fn member(x: f32[N]) -> f32[N] { x.size }
fn generic(x: T[N]) -> T[N] where T: int { x }
fn pairs(x: f32[N]; k: int = 2) -> y: f32[N // k] where N % k == 0 {
  map i { y[i] = x[k * i] }
}
fn square(x: f32[K, K]) -> f32[K] { x[0, :] }
fn same(x: f32[N], y: f32[N]) -> f32[N] { x + y }
fn fixed(x: f32[4]) -> f32[4] { x }
fn runtime(n: i64) -> y: f32[n] { y = 0 }
fn packed(xs: T[*S][]) -> T[*S] where T: number { xs[0] }
fn optional(x: f32[N], b: f32[N]?) -> f32[N] { x + b }
fn axis(x: T[*S]; a: int) -> y: T[S[a]] where T: number { y = 0 }
fn static(x: f32[N]; n: int) -> f32[N] { x * n }
fn word(s: str) -> str { s + 1 }
fn list_of(l: list) -> list { l[3] }
#---
nothing(x)
#---
condition(x)
#---
number(f32(1))
#---
masked(x)
#---
carried_shape(x)
#---
while_type(f32(1))
#---
loop_return(x)
#---
branch_return(f32(1))
#---
write_else(x)
#---
data(x, x)
#---
size(x, f32(2))
#---
deep(x)
#---
y: f32[4] = 0
outside(y)
#---
step(x)
#---
transposed(x)
#---
member(x)
#---
generic(x)
#---
pairs(x)
#---
y: f32[2, 3] = 0
square(y)
#---
y: f32[4] = 0
same(x, y)
#---
fixed(x)
#---
runtime(-1)
#---
packed([])
#---
packed(x)
#---
packed([x, k])
#---
y: f32[4] = 0
packed([x, y])
#---
optional(x)
#---
axis(x, a = 1)
#---
static(x, n = 1.5)
#---
static(x, n = k[0])
#---
word("a")
#---
list_of([1, 2])
#---
same(1, x)
#---
same("a", x)
#---
same(k, x)
#---
k + x
#---
same(same, x)
#---
runtime(2.5)
#---
runtime(x)
