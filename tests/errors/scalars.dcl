# run
# Static values: numbers, lists, strings, and what is done to them.
x: f32[3] = 1
#---
print("a" + 1)
#---
print([1, 2][2])
#---
print([1, 2][-1])
#---
print([1, 2][1:4])
#---
print([1, 2][1.5])
#---
print([1, 2][x])
#---
print([1, 2][0, 1])
#---
print("a" < 1)
#---
print(3 in 4)
#---
print([a for a in 3])
#---
print([a for a, b in [1, 2]])
#---
print([a for a in 0:3 if a])
#---
print([a for a in 0:3 if x[0] > 0])
#---
print([a for a in 0:10000000])
#---
print(max([1, "a"]))
#---
print(all([1, 2]))
#---
print(len(3))
#---
print(bit_and(1.5, 1))
#---
print(sqrt("a"))
#---
print(not 3)
#---
print(3 and true)
#---
print(-"a")
#---
print(1 @ 2)
#---
print(x @ x)
#---
print(select(1, 2, 3))
#---
print(i64("a"))
#---
print(f32(1, 2))
#---
print(f32(["a"]))
#---
print(x(1))
#---
n = 3
print(n[0])
#---
print(n.size)
n = 3
#---
n = 3
print(n.size)
#---
a, b, c = (1, 2)
#---
a, b = 3
#---
a = print(1)
#---
f = [1, 2]
f[0] = 3
#---
if 3 { print(1) }
#---
while x { x = x - 1 }
#---
for i in 0:x { print(i) }
#---
for i in x { print(i) }
#---
for i in 0:3:0 { print(i) }
#---
for a, b in [1, 2] { print(a) }
#---
print(x.T)
#---
print(list(3))
#---
print(str(1, 2))
#---
print(kind(1, 2))
#---
x[0] = "a"
#---
x = [1, 2]
y: f32[2] = x
#---
y: f32[2] = "a"
#---
y: f32[-1] = 0
#---
y: f32[1.5] = 0
#---
y: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] = 0
#---
y: f32[x] = 0
#---
error("n is", 3)
#---
print(lanes(3), registers(1))
