# run
# Lists, strings and ranges whose parts must be known, or are something else.
x: f32[3] = 1
k: i64[3] = 1
fn pick(l: list, n: i64) -> f32 { l[n] }
fn ranged(n: i64) -> list { [i for i in 0:n] }
fn stepped(x: f32[N], s: i64) -> f32 { sum(x[0:N:s]) }
#---
print([*3])
#---
print(max([]))
#---
print(min([]))
#---
pick([1, 2], k[0])
#---
ranged(k[0])
#---
stepped(x, k[0])
#---
x[0:3:-1]
#---
x[0:3:0]
#---
x[*3]
#---
x[*[1, 2]]
#---
print(true + 1)
#---
print("a" * 2)
#---
print([1] * 2)
#---
print([1] + 2)
#---
print(1 in x)
#---
if x > 0 { print(1) }
#---
assert(x)
#---
if 1 > 0 { fn inner(x: f32) -> f32 { x } }
#---
map i in [1, 2] { x[i] = 1 }
#---
map i in "ab" { x[i] = 1 }
#---
x += "a"
#---
x[0] += k[0]
#---
x and= true
#---
y: bool[3] = true
y += true
#---
y: bool[3] = 2
#---
y: i32[3] = 1.5
#---
y: u8[3] = 1
y = k
#---
y: f32[2] = x
#---
y: f32[3] << k[0:3]
#---
y: f32[2] << x[0:3]
#---
d = x
d[0] = 2
#---
x.shape = [4]
#---
print(x.shape[3])
#---
print(x.dtype + 1)
#---
print(len(x[0]))
#---
print(f32)
f32(x, k)
#---
print(shl(x, 1))
#---
print(bit_not(true))
#---
print(x % k)
#---
print(k / k)
#---
print(k ** 0.5)
#---
y: u8[3] = 256
#---
y: i8[3] = -129
#---
y: i16[2] = 40000.0
#---
y: u8[2] = 1
print(y + 255, y + 256)
