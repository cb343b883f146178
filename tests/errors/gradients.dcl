# run
# What has no gradient, and what cannot be updated.
layer Pair(n: int) {
  param a: f32[n] ~ ones
  param b: f32[n] ~ ones
  fn forward(x: f32[n]) -> f32[n] { x * a + b }
}
layer Frozen(n: int) {
  param k: i64[n] = 1
  fn forward(x: f32[n]) -> f32[n] { x * f32(k) }
}
layer Odd(rate: float) {
  fn step(w: f32[*S], g: f32[*S]) -> f32[*S] { w - rate * g }
}
fn total(x: f32[*S]) -> s: f32 { map *i in S { s += x[*i] } }
fn halved(x: f32[_]) -> f32 {
  s = total(x)
  while s > 1 { s = s / 2 }
  s
}
fn overwritten(x: f32[N]) -> f32 {
  c: f32[N] = x
  s = total(c * c)
  c[0] = 0
  total(c) + s
}
fn product(x: f32[_]) -> p: f32 { map i { p prod= x[i] } }
net = Pair(3)
x: f32[3] = 1
#---
l, g = gradient halved(x) over x
#---
l, g = gradient overwritten(x) over x
#---
l, g = gradient product(x) over x
#---
l, g = gradient total(net(x)) over net
update net by x with SGD(0.1)
#---
update x by x with SGD(0.1)
#---
minimize total(x) over Frozen(3) with SGD(0.1)
#---
minimize total(net(x)) over net with Odd(0.1)
#---
minimize total(net(x)) over net with 0.1
#---
minimize total(net(x)) over net with SGD
#---
minimize total(net(x)) over net.c with SGD(0.1)
#---
minimize total(net(x)) over net with SGD(rate = "a")
#---
minimize total(net(x)) over net with SGD(rte = 0.1)
#---
l, g = gradient total(net(x)) over net
print(g and true)
#---
l, g = gradient 3 over x
#---
l, g, h = gradient total(x) over x
#---
l, g = gradient { y = total(x) } over x
#---
map i in 3 { update net by net with SGD(0.1) }
