#!/usr/bin/env python3
"""recall.t: statements of loops whose surroundings change from round to round: what is compiled and
recalled says what the reference says, which evaluates every statement anew."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

HEAD = """
fn twice(x: f32[*S]) -> f32[*S] { x * 2 }
fn plus(a: f32[*S], b: f32[*S]) -> f32[*S] { a + b }
fn both(a: f32[N]) -> (l: f32, h: f32) { map i { l min= a[i];  h max= a[i] } }
fn add_to(inout a: f32[N], b: f32[N]) { map i in N { a[i] = a[i] + b[i] } }
fn scaled(x: f32[N]; k: float = 1) -> f32[N] { x * k }
layer Scale(k: float) {
  param w: f32[2] = k
  fn forward(x: f32[2]) -> f32[2] { x * w }
}
x: f32[2] = 1
y: f32[2] = 3
"""
CASES = {
    "a value goes round": "v = x + 0\nfor k in 0:5 { v = twice(v) }\nprint(v)",
    "its shape changes": "for k in 0:6 {\n  if k > 3 { z: f32[3] = 1 } else { z: f32[2] = 1 }\n"
                         "  v = twice(z)\n  print(v)\n}",
    "a static value changes": "c = 1.5\nfor k in 0:6 {\n  v = scaled(x, k = c)\n  print(v)\n"
                              "  if k == 3 { c = 7.0 }\n}",
    "two names, then one tensor": "a = x + 0\nb = y + 0\nfor k in 0:6 {\n  v = plus(a, b)\n"
                                  "  print(v)\n  if k == 2 { b = a }\n  a = a + 1\n}",
    "one tensor, then two": "a = x + 0\nb = a\nfor k in 0:6 {\n  v = plus(a, b)\n  print(v)\n"
                            "  b = b + 1\n}",
    "a container is written": "c: f32[2] = 0\nfor k in 0:5 { add_to(c, x) }\nprint(c)",
    "a container is assigned to": "c: f32[2] = 0\nfor k in 0:5 { c = plus(c, y) }\nprint(c)",
    "a value becomes a container": "c = x + 0\nfor k in 0:5 {\n  c = plus(c, y)\n  d = c\n"
                                   "  if k == 2 { c: f32[2] = 9 }\n  print(c, d)\n}",
    "two results": "for k in 0:5 {\n  l, h = both(y)\n  y = y + x * h\n  print(l, h)\n}",
    "exchanged": "a = x + 0\nb = y + 0\nfor k in 0:5 { a, b = (b, a) }\nprint(a, b)",
    "another instance": "net = Scale(2)\nfor k in 0:6 {\n  v = net(x)\n  print(v)\n"
                        "  if k == 3 { net = Scale(5) }\n}",
    "a choice by a value": "for k in 0:6 {\n  v = if x[0] > 4 { twice(y) } else { x }\n"
                           "  x = x + 1\n  print(v)\n}",
    "a truth by a value": "for k in 0:6 {\n  b = if x[0] > 4 { false } else { true }\n  x = x + 1\n"
                          "  print(b)\n}",
    "the index": "for k in 0:6 {\n  v = x * k\n  print(v)\n}",
    "loops in loops": "for k in 0:3 {\n  for j in 0:4 { x = plus(x, y) }\n  y = twice(y)\n}\n"
                      "print(x, y)",
    "elements": "c: f32[4] = 0\nfor k in 0:4 { c[k] = f32(k)\n  c[0] += 1 }\nprint(c)",
    "maps": "c: f32[2] = 0\nfor k in 0:4 {\n  map i { c[i] += x[i] }\n}\nprint(c)",
    "an update": "v = x + 0\nfor k in 0:5 { v += y }\nprint(v)",
    "a call that fails": "z: f32[3] = 1\nfor k in 0:5 {\n  v = plus(x, y)\n"
                         "  if k == 3 { x: f32[3] = 1 }\n}",
    "dropped": "for k in 0:4 { twice(x) }\nprint(x)",
}
for name, text in CASES.items():
    with open("case.dcl", "w", encoding="ascii") as stream:
        stream.write(HEAD + text + "\n")
    want = tap.dcl("run", "case.dcl", "--backend", "ref")
    tap.ok(tap.dcl("run", "case.dcl") == want, name, *want[1:])

NET = """
layer Net { param w: f32[2] ~ ones
  fn forward(x: f32[2]) -> f32[2] { x * w } }
fn energy(x: f32[N]) -> e: f32 { map i { e += x[i] * x[i] } }
fn step(net: Net, opt: SGD, x: f32[2]) -> f32 { minimize energy(net(x)) over net with opt }
net = Net()
opt = SGD(0.25)
x: f32[2] = 1
"""
with open("train.dcl", "w", encoding="ascii") as stream:
    stream.write(NET + """
for k in 0:5 {
  loss = step(net, opt, x)
  print(loss, net.w)
}
""")
status, output, errors = tap.dcl("run", "train.dcl")
want = "".join("%.10g %s\n" % (2 * 0.25 ** k, 0.5 ** (k + 1)) for k in range(5))
got = "".join("%.10g %s\n" % (float(line.split()[0]), float(line.split()[1].strip("[")))
              for line in output.splitlines())
tap.ok(status == 0 and got == want, "training goes on", output, errors)

# An error takes back what a loop has written: containers and states.
LINES = NET + """
fn add_to(inout a: f32[N], b: f32[N]) { map i in N { a[i] = a[i] + b[i] } }
c: f32[2] = 5
for k in 0:5 { add_to(c, x);  loss = step(net, opt, x);  assert(k < 4) }
print(c, net.w)
"""
status, output, errors = tap.dcl(input=LINES)
tap.ok("[5. 5.]  f32[2] [1. 1.]  f32[2]" in output, "an error takes all rounds back",
       output, errors)


# However many the rounds are, nothing of them stays.
def peak(rounds):
    """The most memory in use, in kB, by a process that runs so many."""
    with open("rounds.dcl", "w", encoding="ascii") as f:
        f.write("x: f32[2, 2] = 1\nfor k in 0:%d { x = x + 1 }\n" % rounds)
    process = os.posix_spawn(tap.DCL, [tap.DCL, "run", "--cache", "off", "rounds.dcl"],
                             os.environ)
    _, status, usage = os.wait4(process, 0)
    return usage.ru_maxrss if status == 0 else 1e9


if os.environ.get("DCL_ASAN"):
    tap.skip("the sanitizers keep what is freed")
else:
    few, many = peak(2000), peak(800000)
    tap.ok(many < few + 4000, "800,000 rounds take no more memory than 2,000", few, many)
tap.done_testing()
