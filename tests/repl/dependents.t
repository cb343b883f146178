#!/usr/bin/env python3
"""dependents.t: what uses a definition that is defined anew is checked again: what no longer fits
is told at once, once, and nothing else is said."""
# test: timed

import os
import re
import subprocess
import time

import tap

BASE = """fn f(x: f32[N]) -> f32[N] { x + x }
fn g(x: f32[N]) -> f32[N] { f(x) }
fn apart(x: f32[N]) -> f32[N] { f = x; f + x }
layer L(n: int) {
  inner = Linear(n, n)
  fn forward(x: f32[n]) -> f32[n] { x |> f }
}
layer M(n: int) { l = L(n)
  fn forward(x: f32[n]) -> f32[n] { l(x) } }
"""


def warnings(text, name, *want, options=(), before=BASE):
    """The names of what no longer fits, each with the line and what it no longer fits."""
    status, out, err = tap.dcl("--backend", "ref", *options, input=before + text)
    found = ["%s %s %s" % x for x in re.findall(
        r"^(.+:\d+):\d+: warning: (\w+) no longer fits (\w+):", err, re.M)]
    tap.ok(found == list(want) and err.count("warning") == len(want), name, status, err)
    return err


TWO = "fn f(x: f32[N], y: f32[N]) -> f32[N] { x + y }\n"
SAME = "fn f(x: f32[N]) -> f32[N] { x + 3.0 }\n"
err = warnings(TWO, "an argument more", "<input 2>:1 g f", "<input 4>:3 L f")
tap.ok(err.count("y is declared here: <input 6>:1:") == 2 and err.count("note:") == 2,
       "with the place of the new definition", err)
warnings(SAME, "another body")
warnings(TWO + "x: f32[2] = 1\nf(x, x)\n", "the new definition stands", "<input 2>:1 g f",
         "<input 4>:3 L f")
warnings(TWO + TWO.replace("+", "-"), "the same mistake is told once", "<input 2>:1 g f",
         "<input 4>:3 L f")
warnings(TWO + SAME + TWO, "again after it was right", *2 * ("<input 2>:1 g f", "<input 4>:3 L f"))
err = warnings("fn f(x: f32[N]) -> f64[N] { f64(x) }\n", "another element type", "<input 2>:1 g f")
tap.ok("note: f is defined anew here: <input 6>:1:1" in err, "with a note", err)
err = warnings("fn f(x: f32[N, N]) -> f32[N] { x[0, :] }\n", "other dimensions", "<input 2>:1 g f")
err = warnings("fn f(x: f32[N]) -> f32[N] { y: f32[3] = 1\nx + y[0:2] + x[0:4] }\n", "wrong itself")
warnings(TWO + "fn g(x: f32[N]) -> f32[N] { f(x, x) }\n" + SAME, "mended in between",
         "<input 2>:1 g f", "<input 4>:3 L f", "<input 7>:1 g f")
warnings("layer L(n: int, k: int) { inner = Linear(n, k)\n"
         "fn forward(x: f32[n]) -> f32[k] { inner(x) } }\n", "a layer", "<input 5>:1 M L")
warnings("fn relu(x: f32[N], y: f32[N]) -> f32[N] { x }\n", "a function of the library",
         "<input 6>:1 h relu", before=BASE + "fn h(x: f32[N]) -> f32[N] { relu(x) }\n")
warnings("nosuch; " + TWO, "a line that fails takes its definition back")
warnings(TWO.replace("}", "}; oops(1)") + "\n" + TWO, "and is told with the next",
         "<input 2>:1 g f", "<input 4>:3 L f")
many = "".join("fn g%d(x: f32[N]) -> f32[N] { f(x) }\n" % i for i in range(30))
err = warnings(TWO, "a few of many", *("<input %d>:1 g%d f" % (i + 2, i) for i in range(3)),
               before=SAME + many)
tap.ok("27 more no longer fit" in err, "the others are counted", err)

with open("one.dcl", "w", encoding="ascii") as file:
    file.write(BASE)
with open("two.dcl", "w", encoding="ascii") as file:
    file.write(TWO + BASE.split("\n", 1)[1].replace("f(x)", "f(x, x)"))
warnings(":load one.dcl\n:load one.dcl\n", "a file that is loaded again", before="")
warnings(":load one.dcl\n:load two.dcl\n", "in a text itself: an error, not a warning", before="")
warnings(":load one.dcl\n" + TWO, "in a file", "one.dcl:2 g f", "one.dcl:6 L f", before="")

# What a redefinition costs does not grow with the session.
repl = subprocess.Popen([tap.DCL, "--backend", "ref"], stdin=subprocess.PIPE, text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def ask(text):
    begin = time.monotonic()
    repl.stdin.write(text + '\nprint("end")\n')
    repl.stdin.flush()
    while repl.stdout.readline() != "end\n":
        pass
    return time.monotonic() - begin


ask(BASE + "".join("fn h%d(x: f32[N]) -> f32[N] { f(x) + tanh(x) }\n" % i for i in range(5)))
most = 0.4 if os.environ.get("DCL_ASAN") else 0.05
took = []
for i in range(1000):
    took.append(ask("fn f(x: f32[N]) -> f32[N] { x + %d }" % i))
    ask("fn alone%d(x: f32[N]) -> f32[N] { x }" % i)
took.sort()
tap.ok(took[950] < most, "a thousand redefinitions take less than 50 ms each", took[950], took[-1])
repl.communicate()
tap.done_testing()
