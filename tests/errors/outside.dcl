# run on both
# Subscripts that are outside in a run: compiled code and the reference say the same.
fn rows(w: f32[_, _], k: i64[L]) -> f32[L, 4] { embedding(k, w) }
fn at(w: f32[_], j: i64) -> f32 { w[j] }
fn ahead(w: f32[N]) -> y: f32[N] { map i in N { y[i] = w[i + 2] } }
fn outer(w: f32[N]) -> f32[N] {
  a = ahead(w)
  a + 1
}
fn mark(inout a: f32[_], k: i64[_]) { map i in k.shape[0] { a[k[i]] = 1 } }
fn squares(x: f32[N, M]) -> y: f32[N] {
  map i in N, j in 0:M:2 { y[i] += x[i, j] * x[i, j + 1 + i] * x[3 * i + 2, j] }
}
fn chosen(x: f32[N], n: i64) -> y: f32[N] {
  y = 0
  map i in n { if x[i] > 0 { y[i] = 1 } }
}
layer Table(n: int) {
  buffer w: f32[n] = 1
  fn forward(k: i64) -> f32 { w[k] }
}
fn slope(x: f32[_], k: i64[_]) -> f32 {
  l, g = gradient at(x, k[0]) over x
  sum(g)
}
x: f32[3, 4] = 1
k: i64[2] = 5
#---
print(rows(x, k))
#---
print(embedding(k, x))
#---
print(embedding(k, x * 2))
#---
print(at(x[0, :], 4))
#---
print(outer(x[:, 1]))
#---
mark(x[0, 1:3], k)
#---
print(squares(x))
#---
print(chosen(x[0, :], 7))
#---
x[1, k[0]] = 2
#---
x[k[0], :] = 2
#---
print(x[0, 1:k[1]])
#---
table = Table(3)
tables = [table]
print(tables[0](k[0]))
#---
tables = [Table(3)]
print(tables[0].w[k[0] - 2])
#---
for i in 0:9 { k[i] = i }
#---
big: f32[1500000] = 1
map i in 0:1500000:3 { big[i + 20] = 2 }
#---
map i in 0:4 { x[i, 3 - 2*i] = 1 }
#---
big: f32[3000] = 1
s: f32 = 0
map i in 0:3000, j in 0:3000 { s += big[i] * big[j + 1] }
#---
print(slope(x[0, :], k))
#---
print(x[k[0], 0] + x[k[1], 1], x[0,
  k[0]])
