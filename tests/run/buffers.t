#!/usr/bin/env python3
"""Buffers: state of layers that methods write; on both back-ends, with passes and without, against
numbers worked out by hand."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

import dclpy

PROGRAM = """
layer Counter(n: int) {
  buffer count: i64 = 0
  buffer seen: f32[n] ~ zeros
  param w: f32[n] ~ ones
  fn forward(x: f32[n]) -> f32[n] {
    old = seen
    count = count + 1
    seen = seen + x
    map i { seen[i] += 0.5 }
    x * f32(count) + old
  }
  fn bump() -> f32[n] {
    seen += 100
    seen
  }
  fn mixed() -> f32[n] { seen + bump() }
  fn counted() -> i64 { count + up() }
  fn up() -> i64 {
    count += 1
    count
  }
  fn listed() -> (f32[n], f32[n]) { (seen, bump()) }
  fn pair(a: f32[n], b: f32[n]) -> f32[n] { a - b }
  fn given() -> f32[n] { pair(seen, bump()) }
  fn reset(k: f32[n]) -> f32[n] {
    seen = 7
    k
  }
  fn passed() -> f32[n] { reset(seen) }
  fn chosen(c: bool) -> f32[n] {
    if c { seen = seen + 1 } else { seen[0] = 0 }
    if c { return seen }
    seen = seen * 2
    seen
  }
  fn repeated(most: f32) {
    while seen[0] < most { seen = seen * 2 }
    for t in 0:3 { count = count * 2 }
  }
  fn whole() { put(seen) }
}
fn put(inout c: f32[_]) { c = 3 }
layer Outer(n: int) {
  a = Counter(n)
  fn forward(x: f32[n]) -> f32[n] { a(x) + a(x) }
}
fn both(o: Outer, x: f32[2]) -> f32[2] { o(x) + o.a(x) }
fn set(o: Outer, v: f32) { o.a.seen[1] = v }
net = Outer(2)
x: f32[2] = 1
"""

STEPS = (
    ("print(net(x))", "[4.5 4.5]  f32[2]", "an instance used twice in one expression"),
    ("print(net.a.count, net.a.seen)", "2 [3. 3.]  f32[2]", "... has done both"),
    ("print(both(net, x))", "[25.5 25.5]  f32[2]", "buffers of members of arguments"),
    ("y = net.a.seen\nnet.a.seen = x * 3\nnet.a.seen[1] = 5\nnet.a.count += 10\n"
     "print(y, net.a.seen, net.a.count)", "[7.5 7.5]  f32[2] [3. 5.]  f32[2] 15",
     "assigned to outside; what was read before stays"),
    ("print(net.a.mixed(), net.a.seen)", "[106. 110.]  f32[2] [103. 105.]  f32[2]",
     "an operand that is read before the other writes"),
    ("print(net.a.counted())", "31", "... that is a scalar"),
    ("print(net.a.listed())", "([103. 105.]  f32[2], [203. 205.]  f32[2])", "... in a tuple"),
    ("print(net.a.given())", "[-100. -100.]  f32[2]", "... as an argument"),
    ("print(net.a.passed(), net.a.seen)", "[303. 305.]  f32[2] [7. 7.]  f32[2]",
     "an argument that the method writes"),
    ("print(net.a.chosen(true), net.a.chosen(false))",
     "[8. 8.]  f32[2] [ 0. 16.]  f32[2]", "in branches"),
    ("net.a.seen = 1\nnet.a.count = 1\nnet.a.repeated(f32(9))\nprint(net.a.seen, net.a.count)",
     "[16. 16.]  f32[2] 8", "in loops"),
    ("net.a.whole()\nset(net, f32(4))\nprint(net.a.seen)", "[3. 4.]  f32[2]",
     "given to an inout parameter; written by a function"),
    ('save(net, "net.npz")\nother = Outer(2)\nload(other, "net.npz")\nnet(x)\n'
     "print(other.a.seen, other.a.count, net.a.count)", "[3. 4.]  f32[2] 8 10",
     "saved and loaded"),
    ("k = 0\nwhile k < 3 { net.a.count = net.a.count + 1;  k += 1 }\nprint(net.a.count)", "13",
     "in a script's loop"),
    ("print(len(params(net)), params(net)[0].shape)", "1 [2]", "they are no params"),
)

for options in ("backend=ref", "verify=1", "verify=1 passes=none", "verify=1 threads=2"):
    s = dclpy.Session(options)
    s.run(PROGRAM)
    for text, want, what in STEPS:
        s.output = ""
        s.run(text)
        tap.is_str(s.output, want + "\n", f"{what} ({options})")
    # An error in a line takes back what it wrote.
s = dclpy.Session("")
s.run(PROGRAM)
try:
    s.run("net.a.count = 5\nassert(net.a.count == 6)")
except dclpy.Error:
    pass
s.output = ""
s.run("print(net.a.count)")
tap.is_str(s.output, "5\n", "a file that fails keeps what it did before")

# What is subscripted is evaluated once.
for backend in "cpu", "ref":
    status, out, err = tap.dcl("--backend", backend, input="""
layer Counter(n: int) {
  buffer count: i64 = 0
  fn forward(x: f32[n]) -> f32[n] {
    count = count + 1
    x
  }
}
fn second(c: Counter, x: f32[2]) -> f32 { c(x)[1] }
c = Counter(2)
x: f32[2] = 1
a = c(x)[0]
a = c(x)[0:1]
a = second(c, x)
c.count
""")
    tap.is_str(out + err, "3\n", backend + ": a call with subscripts is one call")
tap.done_testing()
