# run on both
# What a function gives has no name outside but that which it gets there.
fn half(x: f32[N, M]) -> c: f32[N, M] { c = x / 2 }
fn value(x: f32[N, M]) -> f32[N, M] {
  h = x * 3
  h
}
fn line(p: f32[N]) -> f32[N] { p }
x: f32[2, 3] = 1
#---
line(half(x))
#---
line(value(x))
#---
y = half(x)
line(y)
#---
fn named(x: f32[N, M]) -> f32[N] {
  g = half(x)
  line(g)
}
#---
half(x)[0]
#---
half(x)[7, 0]
#---
y = half(x)
y[7, 0]
#---
x.sum()
#---
[1].append(2)
#---
sin(true)
