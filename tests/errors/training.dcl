# run
# Layers as values, their states, gradients and training.
layer Dense(n: int, m: int) {
  param W: f32[m, n] ~ ones
  buffer count: i64 = 0
  fn forward(x: f32[B, n]) -> f32[B, m] { x @ W.T }
}
fn total(x: f32[*S]) -> s: f32 { map *i in S { s += x[*i] } }
fn train(net: Dense, opt: SGD, x: f32[_, _]) -> f32 { minimize total(net(x)) over net with opt }
fn vector(net: Dense, opt: SGD, x: f32[_, _]) -> f32 { minimize net(x) over net with opt }
fn loop(x: f32[N]) -> y: f32[N] {
  y = x
  map i in N { while y[i] > 1 { y[i] = y[i] / 2 } }
}
net = Dense(3, 2)
x: f32[4, 3] = 1
v: f32[4] = 1
k: i64[3] = 1
#---
net(v)
#---
net(x.T)
#---
net = Dense(3)
#---
net = Dense(3, v)
#---
net = Dense(-3, 2)
net(x)
#---
print(net.w)
#---
net.W = x
#---
net.W[0, 0] = 1
#---
net.count = x
#---
net.forward2(x)
#---
l, g = gradient total(net(x)) over net.count
#---
l, g = gradient total(net(x)) over 3
#---
l, g = gradient net(x) over net
#---
l, g = gradient total(x) over k
#---
l, g = gradient sum(k) over x
#---
l, g = gradient total(loop(v)) over v
#---
train(net, 3, x)
#---
train(3, SGD(0.1), x)
#---
vector(net, SGD(0.1), x)
#---
minimize total(net(x)) over net with net
#---
update net by 3 with SGD(0.1)
#---
l, g = gradient total(net(x)) over net
print(g.V)
#---
map i in 3 { l, g = gradient total(x) over x }
#---
print(params(3))
#---
load(net, "missing.safetensors")
#---
other = Dense(2, 2)
save(other, "other.safetensors")
load(net, "other.safetensors")
#---
save("x.safetensors", x)
load(net, "x.safetensors")
#---
layer Bad(n: int) {
  param W: f32[n] = "a"
  fn forward(x: f32[n]) -> f32[n] { x * W }
}
b = Bad(3)
#---
layer Shape(n: int) {
  param W: f32[n] = [1, 2]
  fn forward(x: f32[n]) -> f32[n] { x * W }
}
b = Shape(3)
#---
layer Start(n: int) {
  param W: f32[n] ~ uniform(1, 2)
  fn forward(x: f32[n]) -> f32[n] { x * W }
}
b = Start(3)
#---
layer Endless(n: int) { inner = Endless(n) }
b = Endless(3)
#---
layer Silent(n: int) { param W: f32[n] }
b = Silent(3)
b(x)
#---
layer Slip(n: int) { fn froward(x: f32[*B, n]) -> f32[*B, n] { x } }
b = Slip(3)
b(x)
#---
layer Other(n: int) { fn encode(x: f32[*B, n]) -> f32[*B, n] { x } }
b = Other(3)
x |> b
#---
map i in 3 { net.count = 1 }
#---
layer Small() {
  buffer b: u8[2] = 300
  fn forward(x: u8[2]) -> u8[2] { x + b }
}
l = Small()
#---
layer Small(v) {
  param w: f32[2] = v
  fn forward(x: f32[2]) -> f32[2] { x + w }
}
l = Small(true)
#---
constant: f32[3] = 1
l, g = gradient sum(constant) over v
#---
l, g = gradient total(v) over v * 2
#---
layer Unused() { param w: f32[3] ~ ones }
unused = Unused()
l, g = gradient total(v) over unused
