# Statements outside functions, and what functions see of them.
scale = 2.0
fn scaled(x: f32[N]) -> f32[N] { x * scale }
fn later(x: f32[N]) -> f32[N] { x * offset }
print(offset)
offset = scale + scael
print(offset)
return offset
for i in 0:3 { last = i }
print(last, i)
f32 = 3
x: f32[3] = 0
count = 0
map k in 3 {
  x[k] = 1
  count = count + 1
}
scaled[0] = 1
