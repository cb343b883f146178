# run on both
# What a rule gives is wrong: its rewrite is named, and what it replaced.
fn twice(x: f32[N]) -> f32[N] { x + x }
fn other(x: f32[N], y: f32[N]) -> f32[N] { x - y }
fn check(x: f32[N]) -> f32[N] {
  error("not this one")
  x
}
fn pick(x: f32[N], k: i64[2]) -> y: f32[N] { map i in N { y[i] = x[i] * x[k[0]] } }
x: f32[3] = 1
#---
rewrite shape { twice(x) => other(x, stack([1.0, 2])) }
fn f(x: f32[N]) -> f32[N] { relu(twice(x)) }
f(x)
#---
rewrite typed { twice(x) => x * k where k = i32(3) when len(x.shape) == 1 }
fn f(x: f32[N]) -> f32[N] { relu(twice(x)) }
f(x)
#---
rewrite result { twice(x) => twice(x[0:2]) }
fn f(x: f32[N]) -> f32[N] { twice(x) }
f(x)
#---
rewrite refused { twice(x) => check(x) }
fn f(x: f32[N]) -> f32[N] { twice(x) }
f(x)
#---
rewrite outside { twice(x) => pick(x, stack([7, 8])) }
fn f(x: f32[N]) -> f32[N] { twice(x) }
fn g(x: f32[N]) -> f32[N] { f(x) + 1 }
g(x)
#---
rewrite narrow { twice(x) => x[0:2] }
layer Net(n: int) { fn forward(x: f32[n], y: f32[n]) -> f32[n] { y + twice(x) } }
net = Net(3)
net(x, x)
#---
rewrite innocent { twice(x) => 2 * x }
fn f(x: f32[N], y: f32[M]) -> f32[N] {
  z = twice(x)
  z + y
}
f(x, x[0:2])
