# run on both
# What an assert tells where it fails: both sides, of tensors the elements.
layer Counts() {
  buffer count: i64 = 0
  fn forward(x: f32) -> f32 {
    count = count + 1
    x * f32(count)
  }
}
x: f32 = 4
n = 3
y: f32[2, 3] = 1
y[1, 2] = 5
y[0, 1] = 2
z: f32[3] = 1
k: bool[3] = true
k[2] = false
counts = Counts()
assert(x == 4)
assert(y == y)
assert(z == 1, "ones")
assert(x > f32(counts.count), "the name in a message is no value")
assert([n, 2] == [3, 2] and k[0])
#---
assert(x == 3)
#---
assert(n == 4, "a text")
#---
assert(4 < n + 1)
#---
assert(y == 1)
#---
assert(y <= z)
#---
assert(y != z)
#---
assert(z == x)
#---
assert(x == y[0, 0:2])
#---
assert(max(abs(y - z)) < 1e-3)
#---
assert([n, 2] == [4, 2])
#---
assert([1, 2] == [1, 3])
#---
assert(y == z and x > 5)
#---
assert(k)
#---
assert(k and true, "all of k")
#---
assert(z)
#---
assert(counts(x) + counts(x) == 11)
#---
for i in 0:4 { assert(counts(x) * 2 > 8 * i * i) }
#---
for i in 0:5 { assert(n > i) }
#---
if n == 3 { assert(x > n + 1) }
#---
assert(z == y[:, 0])
#---
assert(x - 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 == 3)
#---
assert(y * 2 ==
  y)
#---
assert(y == 0 * y + nan)
