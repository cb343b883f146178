# run
# Signatures that are compiled.
fn f(x: f32[N, 3], y: f32[N]; k: int = 1) -> f32[N] { y + k * x[:, 0] }
fn small(x: f32[N]) -> f32[N] where N < 5 { x }
fn made(x: f32[_]) -> list { [x] }
layer L(n: int) { fn forward(x: f32[B, n]) -> f32[B, n] { x } }
net = L(3)
n = 3
fn nth(x: f32[_], n: i64) -> f32 { x[n] }
#---
compile g(x: f32[N])
compile f(x: f64[?, 3], y: f33[N])
compile f(inout x: f32[N, 3] = 1, y: f32[len(n)], z)
compile f(x: f32[N, 3][], y: f32[*N]?)
compile f(x: f32[N, 3] layout(n, m => m, n), y: f32[N])
fn inner(x: f32[N]) -> f32[N] {
  compile small(x: f32[N])
  x
}
map i in 3 { compile small(x: f32[N]) }
#---
compile f(x: f32[N, 3])
#---
compile f(x: f32[N, 3], y: f32[N], z = 2)
#---
compile f(x: f32[N, 4], y: f32[N])
#---
compile f(x: f32[N, 3], y: f32[M, 2])
#---
compile f(x: f32[N, 3], y: f32[N], k = 0.5)
#---
compile net(x: f32[B, 4])
#---
compile net.backward(x: f32[B, 3])
#---
compile n(x: f32[B, 3])
#---
compile made(x: f32[3])
#---
compile small(x: f32[7])
#---
x: f32[3] = 1
compile nth(x: f32[N], n: i64)
print(nth(x, 2))
print(nth(x, 3))
