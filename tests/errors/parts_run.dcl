# run on both
# The same, when they are called.
fn symbol(a: f32[N, C] layout(n, c => n, c//N, c%N)) -> f32[N, C] { a }
fn pack(a: f32[*S, C] layout(n, c => c, n)) -> f32[*S, C] { a }
fn at(a: f32[_] layout(n => n//4, n%4), i: i64) -> f32 { a[i] }
layer L(n: int, block: int) {
  param w: f32[n] layout(i => i//block, i%8) ~ zeros
  fn forward(x: f32[n]) -> f32[n] { w }
}
x: f32[3, 5] = 1
y: f32[5] = 1
#---
print(symbol(x))
z: i64[1] = 2
fn run(a: f32[N], z: i64[1]) -> f32[N] {
  k << z[0]
  b: f32[N] layout(n => n//k, n%k)
  a
}
print(run(y, z))
#---
print(pack(x))
print(pack(x[0, :]))
#---
net = L(8, 8)
net = L(8, 4)
#---
print(at(y, 6))
#---
print(at(y, -1))
#---
fn every(x: f32[N, M] layout(n, m => m//4, n, m%4)) -> y: f32[N] {
  map n in N, k in M { y[n] += x[n, k + n] }
}
print(every(x))
