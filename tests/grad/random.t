#!/usr/bin/env python3
"""Random programs of maps, sums, largest values, broadcasts, guards, local containers, overwrites:
the gradient is what finite differences in f64 say, or is refused; both happen. DCL_GRAD_SEED and
DCL_GRAD_COUNT choose others."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

SEED = int(os.environ.get("DCL_GRAD_SEED", 1))
COUNT = int(os.environ.get("DCL_GRAD_COUNT", 60))
SIZE = 4


class Program:
    """Statements over vectors of N elements (x and y are given) and scalars."""

    def __init__(self, rng):
        self.rng, self.lines, self.names = rng, [], 0
        self.vectors, self.own, self.scalars = ["x", "y"], [], []
        self.make(rng.choice(["copy", "fill"]))
        for _ in range(rng.randint(2, 6)):
            getattr(self, rng.choice(["elements", "elements", "scalar", "local", "largest", "part",
                                      "again", "again", "matrix", "tiles", "branch"]))()

    def name(self):
        self.names += 1
        return f"n{self.names}"

    def make(self, how="fill"):
        c = self.name()
        start = {"copy": self.rng.choice(self.vectors), "fill": "0.75", "none": ""}[how]
        self.lines.append(f"{c}: f64[N]" + (f" = {start}" if start else ""))
        self.vectors.append(c)
        self.own.append(c)
        return c

    def expr(self, a, b):
        return self.rng.choice(["{a} * {b}", "{a} + {b}", "{a} - 0.5 * {b}", "tanh({a})",
                                "max({a}, {b})", "select({a} < {b}, {a}, {b} * {b})",
                                "{a} / (1 + {b} * {b})", "{b}", "0.5"]).format(a=a, b=b)

    def read(self, at, but=None):
        """Lines that name two values, and an expression of them; of BUT only the element AT."""
        a, b, c = self.name(), self.name(), self.rng.random()
        u = self.rng.choice([v for v in self.vectors if v != but])
        v = self.rng.choice(self.vectors)
        shift = self.rng.choice([f"{at}", f"{at}", f"{at} - 1, else 0", f"{at} + 1, else 0.5",
                                 f"N - 1 - {at}"])
        if c < 0.3 and self.scalars:
            return f"{a} << {u}[{shift}];  {b} << {self.rng.choice(self.scalars)}", self.expr(a, b)
        return f"{a} << {u}[{shift}];  {b} << {v}[{at}]", self.expr(a, b)

    def elements(self):
        reads, e = self.read("i")
        c = self.make("none")
        self.lines.append(f"map i in N {{ {reads};  {e} >> {c}[i] }}")

    def scalar(self):
        s, (reads, e) = self.name(), self.read("i")
        self.lines += [f"{s}: f64 = 0", f"map i in N {{ {reads};  {e} >> {s} (sum) }}"]
        self.scalars.append(s)

    def largest(self):
        s, (reads, e) = self.name(), self.read("i")
        if self.rng.random() < 0.5:
            self.lines += [f"{s}: f64 = -inf", f"map i in N {{ {reads};  {e} >> {s} (max) }}"]
            self.scalars.append(s)
        else:
            c = self.make()
            self.lines.append(f"map j in N, i in N {{ {reads};  {e} >> {c}[j] (min) }}")

    def tiles(self):
        s, (reads, e) = self.name(), self.read("(o + i)")
        self.lines += [f"{s}: f64 = -inf", "map o in 0:N:3 { map i in 0:min(3, N - o) { "
                       f"{reads};  {e} >> {s} (max) }} }}"]
        self.scalars.append(s)

    def local(self):
        t, (reads, e), (more, f) = self.name(), self.read("i"), self.read("i")
        q, p = self.name(), self.name()
        c = self.make("none")
        how = self.rng.choice(["", "(sum)"])
        self.lines += ["map i in N {", f"  {t}: f64 = 0.5", f"  {reads};  {e} >> {t}",
                       f"  {q} << {t};  {more};  {q} * ({f}) >> {t} {how}",
                       f"  {p} << {t};  {p} + {q} >> {c}[i]", "}"]

    def part(self):
        low = self.rng.randint(0, 2)
        c = self.rng.choice(self.own)
        reads, e = self.read("i", c)
        self.lines.append(f"map i in {low}:N {{ {reads};  {e} >> {c}[i] }}")

    def again(self):
        c = self.rng.choice(self.own)
        reads, e = self.read("i", c)
        how = self.rng.choice(["", "(sum)", "(sum)", "(sum)", "(max)"])
        self.lines.append(f"map i in N {{ {reads};  {e} >> {c}[i] {how} }}")

    def matrix(self):
        reads, e = self.read("j")
        c = self.make()
        w = self.name()
        self.lines.append(f"map i in N, j in N {{ {reads};  {w} << {self.rng.choice(['x', 'y'])}[i]"
                          f"\n  {w} * ({e}) >> {c}[i] (sum) }}")

    def branch(self):
        (reads, e), (more, f) = self.read("i"), self.read("i")
        v = self.name()
        c = self.make("none")
        self.lines += ["map i in N {", f"  {v} << y[i]",
                       f"  if {v} > 1.0 {{ {reads};  {e} >> {c}[i] }} "
                       f"else {{ {more};  {f} >> {c}[i] }}", "}"]

    def text(self):
        ends = [f"map i in N {{ q << {c}[i];  q * q >> l (sum) }}" for c in self.vectors[-3:]]
        ends += [f"k{s} << {s}\nk{s} * k{s} >> l (sum)" for s in self.scalars]
        body = "\n".join(self.lines + ["l: f64 = 0"] + ends + ["l"])
        slopes = "".join(f"fn d{p}(x: f64[N], y: f64[N]) -> d: f64[N] {{\n"
                         f"  v, g = gradient value(x, y) over {p}\n  d = g }}\n" for p in "xy")
        return f"fn value(x: f64[N], y: f64[N]) -> f64 {{\n{body}\n}}\n" + slopes


def differences(value, args, which):
    """Finite differences, and where they are the same from both sides."""
    h, out, smooth = 1e-6, np.empty(SIZE), np.empty(SIZE, bool)
    for i in range(SIZE):
        v = []
        for step in (-h, 0, h):
            moved = [a.copy() for a in args]
            moved[which][i] += step
            v.append(float(value.call(*moved)))
        left, right = (v[1] - v[0]) / h, (v[2] - v[1]) / h
        out[i] = (left + right) / 2
        smooth[i] = abs(left - right) <= 1e-3 * max(1, abs(out[i]))
    return out, smooth


same = refused = 0
for k in range(COUNT):
    text = Program(random.Random(SEED * 1000 + k)).text()
    numbers = np.random.default_rng(k)
    args = [numbers.uniform(0.3, 1.7, SIZE), numbers.uniform(0.3, 1.7, SIZE)]
    s = dclpy.Session("verify=1")
    s.run(text)
    value = s.compile("value")
    for which in (0, 1):
        name = f"program {SEED * 1000 + k} by {'xy'[which]}"
        try:
            got = s.call("d" + "xy"[which], *args)
        except dclpy.Error as error:
            if "the value does not depend on" in str(error):
                want, _ = differences(value, args, which)
                tap.ok(np.abs(want).max() == 0, name + ", which it does not depend on", want, text)
                continue
            refused += 1
            tap.ok("this has no derivative here: " in str(error), name + ", refused", error, text)
            continue
        same += 1
        want, smooth = differences(value, args, which)
        error = np.abs(got - want)[smooth] / max(1, np.abs(want).max())
        tap.ok(error.max(initial=0) < 1e-5, name, got, want, text)
tap.ok(COUNT < 60 or (same > COUNT // 2 and refused), "most have a gradient, some have none", same,
       refused)
tap.diag(f"{same} with a gradient, {refused} without")
tap.done_testing()
