#!/usr/bin/env python3
"""Rewrites: where a rule is applied and where not, and that rules which state what is true change
no result, by generated programs."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

# --- where a rule is applied: it gives 1000 more -------------------------------------------------

RULES = """
fn mark(x: f32[*S]) -> f32[*S] { x + 1000 }
fn pair(x: f32[*S], y: f32[*S]; k: int = 2, how: str = "a", n: int? = none) -> f32[*S] {
  x + 0*y + k
}
fn maybe(x: f32[*S], b: f32[*S]?) -> f32[*S] { if b == none { x } else { x + b } }
fn bump(inout c: f32[_]) { c += 1 }
fn own(x: f32[*S]) -> f32[*S] { through(x) }
fn through(x: f32[*S]) -> f32[*S] { tanh(x) * x }
rewrite marks {
  x * sigmoid(x) => mark(x)
  exp(x) / 2 => mark(x)
  pair(x, x) => mark(x)
  pair(x, y, k = 5, attrs = m) => mark(pair(y, x, attrs = m))
  maybe(x, b) => mark(b)
  sqrt(x) + y => mark(y) when y.rank == 1
  abs(x) + y * k => mark(x) when k > 2
  log(x) * s + log(x) * t => mark(u + v) where u = s * 1, v = u * t
  [1, a] == [b, 2] => true
  max(x, 0.1) => mark(x)
  -(-x) => mark(x)
  x @ y => mark(x @ y + 0)
  tanh(x) * x => own(x)
}
layer Gate {
  buffer s: f32[2] = 1
  fn sigmoid(x: f32[2]) -> f32[2] { 0 * x }
  fn forward(x: f32[2]) -> f32[2] { x * sigmoid(x) }
  fn steps(x: f32[2]) -> f32[2] {
    y = s
    s = s + 1
    y * logistic(s - 1) + y
  }
}
fn logistic(x: f32[*S]) -> f32[*S] { sigmoid(x) }
"""
YES, NO = "applied", "not applied"
CASES = [
    (YES, "x * sigmoid(x)"),
    (YES, "sigmoid(x) * x"),
    (YES, "x |> pair(x)"), (YES, "x |> pair(x, k = 2) |> exp"), (YES, "s = x |> sigmoid; s * x"),
    (NO, "x * sigmoid(z)"),
    (NO, "x * sigmoid(x + 0)"),
    (YES, "s = sigmoid(x); t = x; t * s"),
    (YES, "s = x + z; t = sigmoid(s); u = t * s; u"),
    (YES, "t = sigmoid(x + z); (x + z) * t"),
    (NO, "s = sigmoid(x); s = s + 0; x * s"),
    (NO, "y: f32[2] = x; s = sigmoid(y); y[0] = 5; y * s"),
    (NO, "y: f32[2] = x; s = sigmoid(y); bump(y); y * s"),
    (NO, "s: f32[2] = sigmoid(x); x * s"),
    (YES, "s = sigmoid(x); y = x; for i in 0:1 { y = x * s }; y"),
    (NO, "y = x; for i in 0:2 { s = sigmoid(y); y = y + 1; z = y * s }; z"),
    (YES, "y: f32[2] = 0; if n > 0 { s = sigmoid(x); y = x * s }; y"),
    (YES, "y: f32[2]; map i { y[i] = x[i] * sigmoid(x[i]) }; y"),
    (NO, "y: f32[2]; map i { y[i] = x[i] * sigmoid(x[1 - i]) }; y"),
    (NO, "sigmoid = logistic; x * sigmoid(x)"),
    (YES, "exp(x) / 2"), (YES, "exp(x) / 2.0"), (YES, "exp(x) / f32(2)"), (NO, "exp(x) / 2.001"),
    (YES, "k = 2.0; exp(x) / k"), (YES, "exp(x) / 2.00000001"), (NO, "exp(x) / n"),
    (YES, "pair(x, x)"), (YES, "pair(y = x, x = x)"), (NO, "pair(x, z)"),
    (YES, "pair(x, x, k = 2)"), (NO, "pair(x, x, k = 3)"), (NO, 'pair(x, x, how = "b")'),
    (YES, 'pair(x, x, how = "a")'), (NO, "pair(x, x, n = 1)"), (YES, "pair(x, x, n = none)"),
    (YES, 'pair(x, z, k = 5, how = "b")'), (YES, "pair(x, z, k = 5)"), (NO, "pair(x, z, k = 6)"),
    (NO, "pair(*[x, x])"),
    (YES, "maybe(x, z)"), (NO, "maybe(x)"), (NO, "maybe(x, none)"),
    (YES, "sqrt(x) + z"), (NO, "sqrt(x) + w"), (NO, "sqrt(x) + 1"),
    (YES, "abs(x) + z * 3"), (NO, "abs(x) + z * 2"), (NO, "abs(x) + z * n"), (NO, "abs(x) + z * z"),
    (YES, "log(x) * z + log(x) * x"), (NO, "log(x) * z - log(x) * x"),
    (YES, "log(x) * (z + 1) + (x + 1) * log(x)"),
    (YES, "max(x, 0.1)"), (NO, "max(x, 0.2)"), (NO, "max(0.1, x)"),
    (YES, "-(-x)"), (NO, "-x"),
    (YES, "w @ w"), (NO, "matmul(w, w)"),
    (NO, "tanh(x) * x"),
]


def program(rules):
    """A function for each case, and what each gives."""
    text = rules
    for i, (_, body) in enumerate(CASES):
        body = body.replace("; ", "\n  ")
        text += "fn case%d(x: f32[2], z: f32[2], w: f32[2, 2], n: f32) -> any {" % i
        text += "\n  %s\n}\n" % body
    text += "x = stack([0.5, 0.25])\nz = stack([1.5, 2])\nw: f32[2, 2] = 1\n"
    for i in range(len(CASES)):
        text += "print(case%d(x, z, w, f32(2)))\n" % i
    text += "net = Gate()\nprint(net(x))\nprint(net.steps(x))\nprint(through(x), own(x))\n"
    return text


PLAIN = RULES[:RULES.index("rewrite")] + RULES[RULES.index("layer"):]


def lines(text, backend):
    with open("p.dcl", "w") as f:
        f.write(text)
    status, out, err = tap.dcl("run", "p.dcl", "--backend", backend)
    tap.ok(status == 0, "runs on " + backend, err)
    return [line for line in out.splitlines() if "f32" in line or line[:1] in "-0123456789("]


for backend in "ref", "cpu":
    plain, ruled = lines(program(PLAIN), backend), lines(program(RULES), backend)
    if not tap.is_int(len(ruled), len(plain), "a line for each"):
        continue
    at = 0
    for want, body in CASES + [(NO, "a method hides a function"), (NO, "a buffer changes"),
                               (NO, "not in what the replacement calls")]:
        tap.ok((plain[at] != ruled[at]) == (want == YES), "%s: %s: %s" % (backend, want, body),
               plain[at], ruled[at])
        at += 1

# --- values --------------------------------------------------------------------------------------


def prints(name, text, want, *options):
    for backend in "ref", "cpu":
        status, out, err = tap.dcl("--backend", backend, *options, input=text)
        tap.is_str((status, out), (0, want), "%s, on %s: %s" % (name, backend, err))


prints("a chain of rules", """
rewrite r { sin(x) => cos(x) + 0; cos(x) => sqrt(x); sqrt(x) => x * 2 }
fn f(x: f32) -> f32 { sin(x) }
f(3)
""", "6.0\n")
prints("a rule that always fits ends", """
rewrite r { a + b => b + a + 1 }
fn f(x: f32) -> f32 { x + 2 }
f(3) > 5 and f(3) < 1000
""", "true\n")
prints("what is used twice is computed once", """
fn next(inout c: f32[1]) -> f32 { c[0] = c[0] + 1; 1 * c[0] }
rewrite r { sin(a) + 1 => a + a }
fn f(x: f32) -> f32 {
  c: f32[1] = x
  y = sin(next(c)) + 1
  y + c[0]
}
f(1)
""", "6.0\n")
prints("names of the rule are its own", """
rewrite r { sin(a) => k + a where k = a * 10 }
fn f(k: f32) -> f32 { a = k + 1; sin(k) + sin(a) }
f(1)
""", "33.0\n")
prints("what a method reads may change, and what writes is no value", """
fn f(x: f32[N]) -> f32[N] { x * 2 }
fn next(inout c: f32[1]) -> f32 { c[0] = c[0] + 1; 1 * c[0] }
rewrite r { f(x) + 1 => k where k = x * 2 + 1; a - a => f32(0) }
layer L(n: int) {
  buffer q: f32[n] = 1
  fn own() -> f32[n] { q * 1 }
  fn forward(x: f32[n]) -> f32[n] {
    b = f(own())
    q = x
    b + 1
  }
}
fn two(x: f32) -> f32 {
  c: f32[1] = x
  next(c) - next(c)
}
L(2)(stack([1.0, 2]))
two(1)
""", "[3. 3.]  f32[2]\n-1.0\n")
prints("not in what any replacement leads to", """
fn f(x: f32) -> f32 { sin(x) + 1 }
fn g(x: f32) -> f32 { cos(x) + 1 }
rewrite r { sin(x) + 1 => k * 1 where k = x |> f; cos(x) + 1 => f(x) + g(x) }
f(0)
g(0)
""", "1.0\n2.0\n")
prints("a gradient is of what stands in it", """
layer L { param w: f32[2] = 1 }
fn en(x: f32[2]) -> f32 { sum(x * x) }
rewrite r { en(x * 2) => 4 * en(x) }
fn t(net: L) -> any {
  y = net.w * 2
  v, g = gradient en(y) + sum(net.w) over net
  v
}
t(L())
""", "10.0\n")
prints("a rule given anew, and a text that is taken back", """
rewrite r { sin(a) => a }
fn f(x: f32) -> f32 { sin(x) }
f(1)
rewrite r { sin(a) => 2 * a }
f(1)
rewrite r { }
f(0)
""", "1.0\n2.0\n0.0\n")
prints("a gradient goes through what is computed", """
rewrite r { sin(a) => 3 * a * a }
fn f(x: f32) -> f32 { sin(x) }
x: f32 = 2
v, g = gradient f(x) over x
print(v, g)
""", "12.0 12.0\n")
with open("rules.dcl", "w") as file:
    file.write("fn five(x: f32) -> f32 { x * 5 }\nfn six(x: f32) -> f32 { x * 6 }\n"
               "rewrite far { sin(x) => five(x); cos(x) => six(x) }\n")
prints("rules of a file that is used, whose functions mean the same", """
use "rules.dcl"
fn six(x: f32) -> f32 { x }
fn f(x: f32) -> f32 { sin(x) }
fn g(x: f32) -> f32 { cos(x) }
f(1)
g(0)
sin(f32(0))
""", "5.0\n1.0\n0.0\n")
prints("not in the library", "rewrite r { exp(x) => x }\nsoftmax(stack([1.0, 1]))\n",
       "[0.5 0.5]  f32[2]\n")

# --- rules that are true change nothing ----------------------------------------------------------
# Of whole numbers, which wrap: a ring, in which these rules hold exactly.

TRUE = """
rewrite ring {
  a * b + a * c => a * (b + c)
  twice(a) => a + a
  a - b => a + -b
  a + a => a * 2
  -(a * b) => a * -b
  a * (b + c) => a * b + a * c when b.rank == 1
  pick(a, b, n = k) => pick(b, a, n = 1 - k)
  a + (b + c) => s + c where s = a + b
}
"""
FALSE = "rewrite ring { a + b => a + b + 1 }\n"
SHARED = """
fn twice(a: i64[*S]) -> i64[*S] { a - -a }
fn pick(a: i64[*S], b: i64[*S]; n: int = 0) -> i64[*S] { if n == 0 { a } else { b } }
fn stir(inout c: i64[N]) { map i { c[i] = c[i] * 3 + 1 } }
"""


class Grower:
    """A function of random statements, of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.values, self.containers, self.made = [], ["x", "y"], [], 0

    def expression(self, depth=0):
        r = self.random
        if depth > 3 or r.random() < 0.25:
            return r.choice(self.values + self.containers + [str(r.randrange(-3, 9))])
        a, b = self.expression(depth + 1), self.expression(depth + 1)
        return r.choice(["%s + %s", "%s - %s", "%s * %s", "(%s + %s)", "(%s) * (%s)", "%s - (%s)",
                         "pick(y*0 + %s, y*0 + %s)", "pick(x*0 + %s, x*0 + %s, n = 1)",
                         "twice(x*0 + %s) + %s", "-(%s) * (%s)"]) % (a, b)

    def new(self):
        self.made += 1
        return "v%d" % self.made

    def block(self, indent, depth):
        """Statements; what they name is gone behind them."""
        kept = list(self.values), list(self.containers)
        for _ in range(self.random.randrange(1, 4)):
            self.statement(indent, depth)
        self.values, self.containers = kept

    def add(self, indent, text):
        self.lines.append("  " * indent + text)

    def statement(self, indent, depth):
        r = self.random
        kind = r.randrange(12 if depth < 2 else 9)
        own = [v for v in self.values if v not in "xy"]
        if kind < 5 or (kind == 5 and not own):
            name, value = self.new(), self.expression()
            self.add(indent, "%s = x*0 + (%s)" % (name, value) if r.random() < 0.3 else
                     "%s = y + (%s)" % (name, value))
            self.values.append(name)
        elif kind == 5:
            self.add(indent, "%s = y + (%s)" % (r.choice(own), self.expression()))
        elif kind == 6 or (kind < 9 and not self.containers):
            name = self.new()
            self.add(indent, "%s: i64[3] = x*0 + (%s)" % (name, self.expression()))
            self.containers.append(name)
        elif kind == 7:
            c = r.choice(self.containers)
            form = r.choice(["%s += y*0 + (%s)", "%s = y*0 + (%s)"])
            self.add(indent, form % (c, self.expression()))
        elif kind == 8:
            c = r.choice(self.containers)
            form = r.choice(["stir(%s)", "%s[1] = 7", "map i { %s[i] = y[i] - x[i] * 2 }"])
            self.add(indent, form % c)
        elif kind == 9:
            self.add(indent, "for t%d in 0:%d {" % (self.made, r.randrange(1, 4)))
            self.made += 1
            self.block(indent + 1, depth + 1)
            self.add(indent, "}")
        else:
            self.add(indent, "if y[%d] %s 4 {" % (r.randrange(3), r.choice("<>")))
            self.block(indent + 1, depth + 1)
            self.add(indent, "} else {")
            self.block(indent + 1, depth + 1)
            self.add(indent, "}")

    def function(self, name):
        for _ in range(self.random.randrange(3, 9)):
            self.statement(1, 0)
        result = " + ".join(self.random.choice(["%s", "(%s) * 3"]) % v
                            for v in self.values[-3:] + self.containers[-1:])
        return "fn %s(x: i64[3], y: i64[3]) -> i64[3] {\n%s\n  %s\n}\n" % (
            name, "\n".join(self.lines), result)


COUNT = 120
functions = "".join(Grower(seed).function("g%d" % seed) for seed in range(COUNT))
calls = "x = stack([1, 5, -2])\ny = stack([3, 7, 4])\n" + "".join(
    "print(g%d(x, y))\n" % seed for seed in range(COUNT))
expected = None
for backend in "ref", "cpu":
    for what, rules in (("without rules", ""), ("with true rules", TRUE),
                        ("with a wrong rule", FALSE)):
        with open("g.dcl", "w") as file:
            file.write(SHARED + rules + functions + calls)
        status, out, err = tap.dcl("run", "g.dcl", "--backend", backend, timeout=250)
        if not tap.ok(status == 0, "%s on %s" % (what, backend), err[-2000:]):
            continue
        got = out.splitlines()
        expected = expected or got
        wrong = [k for k in range(COUNT) if got[k] != expected[k]]
        if rules == FALSE:
            tap.ok(len(wrong) > COUNT * 0.5, "a wrong rule is seen in most programs", len(wrong))
        else:
            tap.is_str(wrong, [], "%s, %d programs on %s give the same" % (what, COUNT, backend))
tap.done_testing()
