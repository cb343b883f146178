#!/usr/bin/env python3
"""compile.t: `compile` in scripts: one variant serves the sizes that its signature leaves open, and
nothing but the number of variants changes: with and without the statement, compiled and by the
reference, a program prints the same."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

tap.need_numpy()
import dclpy

HEAD = """
fn rows(x: f32[B, N]; k: int = 1) -> y: f32[B] { map b, i { y[b] += k * x[b, i] } }
fn sums(x: f32[N], inout c: f32[N]) -> (s: f32, n: i64, any: bool) {
  map i { s += x[i];  x[i] >> c[i] (sum) }
  n = N
  any = N > 2
}
fn plus(a: f32[N, M], b: f32[K, M]) -> f32[N, M] where N == K or K == 1 { a + b }
fn met(a: f32[N, M], b: f32[N, M]) -> f32[N, M] { a + b }
fn nth(x: f32[N], n: i64) -> f32 { x[n] }
fn twice(x: f32) -> f32 { x * 2 }
fn positive(x: f32[N]) -> y: f32[?] { map i in N { if x[i] > 0 { x[i] >> y[?] } } }
layer Count(n: int) {
  param w: f32[n] = 2
  buffer count: i64 = 0
  fn forward(x: f32[B, n]) -> f32[B, n] {
    count = count + 1
    x * w
  }
  fn peek(x: f32[B, n]; k: float = 1) -> f32[B, n] { k * w + x }
}
fn energy(x: f32[*S]) -> e: f32 { map *i in S { e += x[*i] * x[*i] } }
fn step(net: Count, opt: SGD, x: f32[B, 3]) -> f32 { minimize energy(net(x)) over net with opt }
net = Count(3)
opt = SGD(0.25)
xs = []
for b in 1:10 {
  x: f32[b, 3] = b
  xs = xs + [x]
}
one: f32[3] = 1
"""
# Each: what is compiled, then what is done.
CASES = {
    "a function": ("rows(x: f32[B, 3])", "for x in xs { print(rows(x)) }"),
    "in an expression": ("rows(x: f32[B, 3])",
                         "for x in xs { print(rows(x * 2) + rows(x), rows(x + 0)) }"),
    "static arguments": ("rows(x: f32[B, 3], k = 2)",
                         "for x in xs { print(rows(x, k = 2), rows(x), rows(x, k = 3)) }"),
    "a variable as one": ("rows(x: f32[B, 3], k)",
                          "k = 3\nfor x in xs { print(rows(x, k = k)) }\nk = 4\n"
                          "for x in xs { print(rows(x, k = k)) }"),
    "by name, through a pipe": ("rows(x: f32[B, 3])",
                                "for x in xs { print(rows(x = x), x |> rows) }"),
    "several results, one written": ("sums(x: f32[N], c: f32[N])",
                                     "for b in 1:6 {\n  c: f32[b] = b\n  v = c * 2\n"
                                     "  s, n, any = sums(v, c)\n  print(s, n, n / 2, any, c)\n}"),
    "a part is written": ("sums(x: f32[N], c: f32[N])",
                          "c: f32[2, 3] = 1\nprint(sums(one, c[1, :]), c)"),
    "what is read is written": ("sums(x: f32[N], c: f32[N])", "c: f32[3] = 1\nprint(sums(c, c))"),
    "a container is read": ("rows(x: f32[B, 3])",
                            "c: f32[2, 3] = 1\ny = rows(c)\nc[0, 0] = 5\nprint(y, rows(c))"),
    "a size of 1 that broadcasts": ("plus(a: f32[N, 3], b: f32[K, 3])",
                                    "for x in xs { print(plus(x, xs[0])[0, :]) }"),
    "sizes that differ": ("met(a: f32[N, 3], b: f32[N, 3])",
                          "for x in xs { print(met(x, x)) }\nprint(met(xs[1], xs[2]))"),
    "another constant": ("rows(x: f32[B, 4])", "for x in xs { print(rows(x)) }"),
    "a run-time integer": ("nth(x: f32[N], n: i64)",
                           "for b in 0:5 { print(nth(one * 2, b // 2)) }\nprint(nth(one, 3))"),
    "numbers": ("twice(x: f32)",
                "print(twice(3), twice(2.5), twice(one[0]))\ny = twice(1)\nprint(y)"),
    "a function of scalars": ("twice(x: f32[N])",
                              "for b in 1:6 {\n  x: f32[b] = 3\n  print(twice(x))\n}"),
    "a size that the run finds": ("positive(x: f32[N])",
                                  "for b in 1:6 {\n  x: f32[b] = b\n  x[0] = -1\n"
                                  "  y = positive(x)\n  print(y, y.shape)\n}"),
    "an instance": ("net(x: f32[B, 3])", "for x in xs { print(net(x), net.count) }"),
    "twice in a statement": ("net(x: f32[B, 3])",
                             "for x in xs { print(net(x) + net(x), net.count) }"),
    "a state before and after": ("net(x: f32[B, 3])",
                                 "for x in xs { y = (net.count, net(x), net.count)\n  print(y) }"),
    "what is computed of a state before": ("net(x: f32[B, 3])",
                                           "for x in xs { print(f32(net.count) + net(x)) }"),
    "a value that is dropped": ("net(x: f32[B, 3])",
                                "v = xs[1] + 0\nfor b in 0:6 { net(v + 0) }\nprint(net.count)"),
    "between others that write": ("rows(x: f32[B, 3])",
                                  "for x in xs { print(net(x) + 1, rows(net(x)), net.count) }"),
    "a method": ("net.peek(x: f32[B, 3], k = 0.5)",
                 "for x in xs { print(net.peek(x, k = 0.5), net.peek(x)) }"),
    "a step of training": ("step(net, opt, x: f32[B, 3])",
                           "for x in xs[0:3] { l = step(net, opt, x / 64)\n  print(l, net.w) }\n"
                           "other = Count(3)\nprint(step(other, opt, xs[0] / 8), other.w)"),
    "where a gradient is taken": ("energy(x: f32[B, 3])",
                                  "for x in xs {\n  v, g = gradient energy(x) over x\n"
                                  "  print(v, g)\n}"),
    "in a map and a branch": ("nth(x: f32[N], n: i64)",
                              "c: f32[3] = 0\nmap i { c[i] = nth(one, 2) + twice(one[i]) }\n"
                              "y = if c[0] > 1 { nth(c, 1) } else { nth(c, 0) }\nprint(c, y)"),
    "another variable of the name": ("net(x: f32[B, 3])",
                                     "net = Count(3)\nfor x in xs { print(net(x), net.count) }"),
    "in a loop": ("rows(x: f32[B, 3])",
                  "for x in xs { compile rows(x: f32[B, 3])\n  print(rows(x)) }"),
    "other calls around": ("rows(x: f32[B, 3])",
                           "for x in xs { y = rows(met(x, x))\n  z = sum(y)\n"
                           "  print(y, z, len(rows(x))) }"),
}


def said(options, text):
    s = dclpy.Session(options)
    try:
        s.run(HEAD + text)
    except dclpy.Error as error:
        s.output += str(error).split("error: ")[1].split("\n")[0]
    return s.output


for name, (what, then) in CASES.items():
    setup = "k = 3\n" if "k)" in what else ""
    plain = said("backend=ref", setup + then.replace("compile rows(x: f32[B, 3])\n  ", ""))
    compiled = setup + "compile " + what + "\n" + then
    tap.ok(plain and said("verify=1", compiled) == plain, name, plain, said("verify=1", compiled))
    tap.ok(said("backend=ref", compiled) == plain, "... by the reference", plain,
           said("backend=ref", compiled))


def kernels(folder):
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def count(name, statement, loop):
    """How many kernels the statement and then the loop have made."""
    s = dclpy.Session("cache=" + name)
    s.run(HEAD + "ys = []")
    before = kernels(name)
    s.run(statement)
    between = kernels(name)
    s.run(loop)
    return [between - before, kernels(name) - between]


LOOP = "for x in xs { y = rows(x)\n  ys = ys + [y] }"
tap.ok(count("open", "k = 0", LOOP)[1] > 1, "sizes that change are several variants")
for folder, what, call, name in (
        ("one", "rows(x: f32[B, 3])", "rows(x)", "one that is said serves B = 1 to 9"),
        ("net", "net(x: f32[B, 3])", "net(x)", "... of an instance"),
        ("step", "step(net, opt, x: f32[B, 3])", "step(net, opt, x)", "... a step of training"),
        ("scalars", "twice(x: f32[N, 3])", "twice(x)", "... a function of scalars")):
    loop = "for x in xs { y = %s\n  ys = ys + [y] }" % call
    tap.is_str(str(count(folder, "compile " + what, loop)), "[1, 0]", name)
computed = count("part", "compile step(net, opt, x: f32[B, 3])",
                 "for b in 1:10 { l = step(net, opt, xs[8][0:b, :]) }")
tap.ok(computed[0] == 1 and computed[1] <= 4, "arguments that are computed are a few kernels",
       str(computed))

# Definitions that change afterwards.
s = dclpy.Session("cache=again")
s.run(HEAD + "compile rows(x: f32[B, 3])\ncompile net(x: f32[B, 3])")
before = kernels("again")
s.run("fn other(x: f32[N]) -> f32[N] { x + 1 }\nfor x in xs { y = rows(x) }")
tap.is_int(kernels("again") - before, 0, "another definition compiles nothing again")
s.run("fn rows(x: f32[B, N]; k: int = 1) -> y: f32[B] { map b, i { y[b] max= x[b, i] } }\n"
      "for x in xs { y = rows(x) }\nprint(y)")
tap.is_int(kernels("again") - before, 1, "a new one is compiled once more")
s.run("fn rows(x: f32[B], c: f32[N]) -> f32[B] { x }\nprint(rows(one, one))")
s.run("fn rows(x: f32[B, N]) -> y: f32[B] { map b, i { y[b] min= x[b, i] } }\nprint(rows(xs[2]))")
s.run("layer Count(n: int) {\n  param w: f32[n] = 2\n  buffer count: i64 = 0\n"
      "  fn forward(x: f32[B, n]) -> f32[B, n] { x * w + 1 }\n}\nprint(net(xs[0]))")
tap.is_str(s.output, "[9. 9. 9. 9. 9. 9. 9. 9. 9.]  f32[9]\n[1. 1. 1.]  f32[3]\n"
           "[3. 3. 3.]  f32[3]\n[[3. 3. 3.]]  f32[1, 3]\n", "what is defined anew is what runs")

# A line that fails takes its `compile` back.
s = dclpy.Session("cache=line")
s.run(HEAD + "ys = []")
before = kernels("line")
try:
    s.line("compile rows(x: f32[B, 3]); print(unknown[0])")
    tap.fail("a line with an error")
except dclpy.Error:
    pass
try:
    s.line("compile rows(x: f32[B, 3]); print(one[7])")
    tap.fail("a line that fails")
except dclpy.Error:
    tap.ok(kernels("line") > before, "a line that fails had compiled")
s.run("fn other(x: f32[N]) -> f32[N] { x + 2 }")
before = kernels("line")
s.run(LOOP)
tap.ok(kernels("line") > before + 1, "... and it is forgotten")
SMALL = "fn small(n: i8) -> i32 { i32(n) + 1 }\n"
for backend in "ref", "cpu":
    said = [tap.dcl("--backend", backend, input=SMALL + line + "small(300)\nsmall(3)\n")
            for line in ("", "compile small(n: i8)\n")]
    tap.ok(said[0][:2] == said[1][:2] == (1, "4\n") and
           "expected i8, from -128 to 127, found 300" in said[1][2],
           "what an element type cannot hold is told, on " + backend, said)
# What an edit makes impossible is told in one line, when the next statement calls something.
LAYER = "layer L(n: int) { fn forward(x: f32[%s]) -> f32[%s] { x } }\n"
for backend in "ref", "cpu":
    status, out, err = tap.dcl("--backend", backend, input="""
fn f(x: f32[N], k: f32) -> f32[N] { x * k }
fn g(x: f32[N]) -> f32[N] { x * 3 }
fn h(x: f32[N]) -> f32[N] { x * 4 }
fn scalar(x: f32) -> f32 { x * 5 }
compile f(x: f32[B], k: f32)
compile g(x: f32[B])
compile h(x: f32[B])
%s
l = L(3)
compile l(x: f32[B, 3])
x: f32[3] = 1
fn f(x: f32[N]) -> f32[N] { x * 3 }
h(x)
f(x)
f(x)
fn g(x: f32[N], y: f32[N]) -> f32[N] { x * y }
for i in 0:2 { print(g(x, x)) }
%s
l(x)
fn h(x: f64[N]) -> f64[N] { x * 4 }
h(f64(x))
""" % (LAYER % ("B, n", "B, n"), LAYER % ("n", "n")))
    tap.is_str((status, out), (0, "[4. 4. 4.]  f32[3]\n" + 2 * "[3. 3. 3.]  f32[3]\n" +
                               3 * "[1. 1. 1.]  f32[3]\n" + "[4. 4. 4.]  f64[3]\n"),
               "what runs, on " + backend)
    if backend == "ref":  # it uses none
        continue
    tap.is_str(err, "warning: compile f(x: f32[B], k: f32) is forgotten: f has no parameter k\n"
               "warning: compile g(x: f32[B]) is forgotten: g: y is missing\n"
               "warning: compile l(x: f32[B, 3]) is forgotten: x has 2 dimensions, 1 expected\n"
               "warning: compile h(x: f32[B]) is forgotten: x: expected f64, found f32\n",
               "what is forgotten is told once, on " + backend)
tap.done_testing()
