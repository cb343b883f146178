# run --backend ref
# What the reference evaluator finds: the element that is outside, or was never written.
x: f32[3] = 1
k: i64[3] = 7
fn take(x: f32[_], k: i64[M]) -> y: f32[M] { map i { y[i] = x[k[i]] } }
fn some(x: f32[N]) -> y: f32[N] { map i in N { if x[i] > 2 { y[i] = 1 } } }
fn sized(x: f32[_], n: i64) -> y: f32[n] { y = 0 }
fn total(x: f32[*S]) -> s: f32 { map *i in S { s += x[*i] * x[*i] } }
fn slope(x: f32[*S]) -> f32 {
  l, g = gradient total(x) over x
  total(g)
}
#---
print(take(x, k))
#---
x[5] = 1
#---
print(x[1:5])
#---
print(some(x))
#---
print(sized(x, -1))
#---
print(sized(x, 1000000000000000000))
#---
l, h = gradient slope(x) over x
