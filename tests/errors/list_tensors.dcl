# run
# Lists that stand for tensors, and lists that do not.
fn total(x: f32[*S]) -> s: f32 { map *i in S { s += x[*i] } }
fn pair() -> (f32, f32) { (f32(1), f32(2)) }
x: f32[2] = 1
i: i64[2] = 1
#---
a: f32[2, 2] = [[1, 2], [3]]
#---
b: f32[3] = [1, 2]
#---
c: f32[2] = [1, "two"]
#---
d: bool[2] = [true, 1]
#---
print(total([[1], 2]))
#---
print(total([1, none]))
#---
e: f32[2] = pair()
#---
print(x * [1, 2, 3])
#---
print(x + [i, i])
#---
print(i * [1, 2.5])
#---
fn doubled(l: list, n: i64) -> list { if n == 0 { l } else { doubled([l, l], n - 1) } }
print(relu(doubled([1, 2], 22)))
