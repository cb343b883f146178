#!/usr/bin/env python3
"""blocks.t: gradients of blocks in a script, whose names are their own; what follows a gradient in
the same function or statement."""
import tap

SOURCE = """
x: f32[2] = 3
l, g = gradient { y = x * x; sum(y) } over x
print(l, g)
l, g = gradient { s = x[0] * x[1]; z = if x[0] > 1 { s } else { x[0] }; z } over x
print(l, g)
net = Linear(2, 2)
t: f32[3, 2] = 1
for k in 0:50 { loss = minimize { y = net(t); mse(y, 0*t) } over net with SGD(0.2) }
print(loss < 1e-4)
layer Counted(n: int) {
  buffer c: i64 = 0
  param w: f32[n] ~ ones
  fn forward(x: f32[n]) -> f32[n] { c = c + 1; x * w }
}
a = Counted(2)
l, g = gradient { y = a(x); sum(y) } over a
print(g.w, a.c)
b = BatchNorm(4)
z: f32[2, 4, 3] = 1
minimize { y = b(z); sum(y*y) } over b with SGD(0.1)
m = MultiheadAttention(8, 2)
w: f32[4, 5, 8] = 1
minimize sum(m(w)) over m with Adam(m, 0.01)
fn again(x: f32[3]) -> s: f32 {
  l, g = gradient max(x) over x
  map k in 0:3 { n = max(x); n + g[k] >> s (sum) }
}
fn twice(x: f32[3]) -> f32[3] {
  l, g = gradient max(x) over x
  m, h = gradient max(x + g) over x
  h
}
v: f32[3] = 1
print(again(v), twice(v))
"""
WANT = """18.0 [6. 6.]  f32[2]
9.0 [3. 3.]  f32[2]
true
[3. 3.]  f32[2] 1
4.0 [1. 0. 0.]  f32[3]
"""
with open("blocks.dcl", "w", encoding="ascii") as stream:
    stream.write(SOURCE)
status, output, errors = tap.dcl("run", "blocks.dcl")
tap.ok(status == 0 and output == WANT, "blocks and what follows", output, errors)
with open("outer.dcl", "w", encoding="ascii") as stream:
    stream.write("x: f32[2] = 3\nv = x + 0\n"
                 "l, g = gradient { for k in 0:2 { v = v * x }; sum(v) } over x\n")
status, output, errors = tap.dcl("run", "outer.dcl")
tap.ok(status != 0 and "is a variable of the script" in errors, "a variable of the script is told",
       output, errors)
tap.done_testing()
