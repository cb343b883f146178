# run
# What only the running program shows: checks, subscripts, sizes, files, assert.
x: f32[3] = 1
k: i64[3] = 2
k[0] = 7
fn take(x: f32[_], k: i64[M]) -> y: f32[M] { map i { y[i] = x[k[i]] } }
fn put(x: f32[N], k: i64[N]) -> y: f32[N] {
  y = 0
  map i { x[i] >> y[k[i]] (sum) }
}
fn at(x: f32[_], n: i64) -> f32 { x[n] }
fn part(x: f32[_], n: i64) -> f32[n] { x[0:n] }
fn shrink(x: f32[N]) -> y: f32[N - 4] { y = 0 }
fn huge(n: i64) -> y: f32[n, n] { y = 0 }
fn inner(x: f32[_], n: i64) -> f32 {
  c: f32[n - 5] = 1
  sum(c) + x[0]
}
fn checked(x: f32[N]; k: int) -> f32[N] {
  if k < 0 { error("k is", k, "and may not be negative") }
  x
}
#---
print(take(x, k))
#---
print(put(x, k))
#---
print(at(x, 3))
#---
print(at(x, -1))
#---
print(part(x, 4))
#---
print(shrink(x))
#---
print(huge(10000000))
#---
print(inner(x, 2))
#---
print(checked(x, k = -2))
#---
assert(x[0] > 1)
#---
assert(1 > 2, "one is not more than two")
#---
assert(3)
#---
assert()
#---
x[3] = 0
#---
print(x[1:5])
#---
n = 3
print(x[n])
#---
print(load("missing.npy"))
#---
print(load("running.dcl"))
#---
print(load("missing.xyz"))
#---
print(load(3))
#---
save("nowhere/x.npy", x)
#---
save("x.txt", x)
#---
save("x.npy", "text")
#---
save("x.npz", x)
print(load("x.npz", name = "y"))
#---
seed("a")
#---
time(3)
#---
y = zeros([2, 2])
print(x + y)
#---
y: f32[3, 3] = 0
map i { y[i] = x[i] }
#---
map i in 1:3 { x[i] = x[i - 1] + 1 }
#---
map i in 0:4 { x[i] = 1 }
#---
map i in x { x[i] = 1 }
#---
map i in 0:3:-1 { x[i] = 1 }
#---
map i in 0:n { x[i] = 1 }
n = 3
#---
c: f32[100000000, 100000000] = 0
#---
fn some(x: f32[_], n: i64[_]) -> y: f32[?] {
  k << n[0]
  y: f32[k]
  map i in k { y[i] = x[i] }
}
print(some(x, k - 9))
#---
fn over_2(x: f32[N]) -> y: f32[?] { map i in N { if x[i] > 2 { x[i] >> y[?] } } }
fn without_first(x: f32[_]) -> f32[?] { over_2(x)[1:] }
print(without_first(x))
#---
fn over_2(x: f32[N]) -> y: f32[?] { map i in N { if x[i] > 2 { x[i] >> y[?] } } }
fn last(x: f32[_]) -> f32 {
  n = over_2(x).shape[0]
  c: f32[n - 1, 3] in heap = 1
  c[0, n]
}
print(last(x))
#---
fn square(n: i64) -> f32 {
  c: f32[n*n] = 1
  sum(c + 1)
}
k: i64 = 4294967296
print(square(k))
#---
fn data_square(k: i64[_]) -> f32 {
  n << k[0]
  c: f32[n*n] = 1
  sum(c + 1)
}
k[0] = 4294967296
print(data_square(k))
