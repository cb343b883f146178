#!/usr/bin/env python3
"""given.t: names on the command line that the file has not are told before it runs."""

import tap

with open("f.dcl", "w", encoding="ascii") as f:
    f.write("""
fn clip(x: f32[N]; top: float = 6) -> (low: f32[N], high: f32[N]) {
  low = max(x, -top)
  high = min(x, top)
}
print("it runs")
epochs = 3
factors = [rate * k for k in 0:epochs]
for round, name in [(1, "a")] { width = round + depth }
size: f32[start] = 0
first = bits[1]
count += 1
map i in 2 { size[i] = i + bits[0] }
net = Linear(3, 2)
""")
with open("e.dcl", "w", encoding="ascii") as f:
    f.write("""use "helper.dcl"
fn clip(x: f32[N]; top: float = 6) -> (low: f32[N], high: f32[N]) {
  low = max(x, -top)
  high = min(x, top)
}
print("it runs")
net = Linear(3, 2)
""")
with open("helper.dcl", "w", encoding="ascii") as f:
    f.write("fn helper(x: f32[N]) -> f32[N] { x + 1 }\n")

with open("g.dcl", "w", encoding="ascii") as f:
    f.write('print("it runs")\nnet = Linear(3, 2)\nk = 3\n')

GIVEN = ["--set", "rate=2", "--set", "depth=1", "--set", "start=2", "--set", "count=1",
         "--set", "bits=stack([1.0, 2])"]


def told(arguments, *words, status=2, runs=False):
    """What is said of ARGUMENTS has WORDS, and the file has not been run."""
    got, out, err = tap.dcl(*arguments)
    tap.ok(got == status and ("it runs" in out + err) == runs and all(w in err for w in words),
           "dcl " + " ".join(arguments), got, out, err)


told(["run", "f.dcl", *GIVEN], status=0, runs=True)
for name in "epochs", "round", "name", "width", "size", "net":
    told(["run", "f.dcl", *GIVEN, "--set", name + "=3"], "--set %s: the script gives" % name,
         "%s gets its value here: f.dcl:" % name)
for name, near in (("epoch", "epochs"), ("sized", "size"), ("nett", "net")):
    told(["run", "f.dcl", *GIVEN, "--set", name + "=3"],
         "error: --set %s: the script has no such variable\n" % name, "did you mean %s?" % near)
# What only functions have, what only strings say, and members are no variables.
for name in "top", "x", "a", "k", "i", "clip":
    told(["run", "f.dcl", *GIVEN, "--set", name + "=3"], "--set " + name)
told(["run", "f.dcl", *GIVEN, "--input", "epok=3"], "--input epok: the script has no such")
told(["run", "f.dcl"], "unknown name rate", "help: it can be given: --set rate=VALUE, or --input",
     status=1)
with open("l.dcl", "w", encoding="ascii") as f:
    f.write("""layer Block(n: int) {
  a = Linear(n, n)
  fn forward(x: f32[B, n]) -> f32[B, n] { x |> a }
}
net = [Block(4)]
""")
for entry in "net[0]", "net[0].forward", "net[0](x: f32[B, n])":
    got, out, err = tap.dcl("show", "l.dcl", "--entry", entry)
    tap.ok(got == 0 and "x: f32[B, 4]" in out and "where" not in out,
           "a size that is the layer's is a number: " + entry, out, err)
told(["run", "f.dcl", "--set", "rat=2"], "unknown name rate",
     "error: --set rat: the script has no such variable\n   help: did you mean rate?\n")
told(["run", "f.dcl", *GIVEN, "--set", "width=3"], "   help: what a script takes it reads without "
     "setting it: leave this statement out\n")
told(["run", "f.dcl", *GIVEN, "--set", "nothing=3"], "error: --set nothing: the script has no such "
     "variable\n   help: it leaves open rate, depth, start, bits, count\n")
told(["run", "g.dcl", "--set", "nothing=3"], "   help: it leaves none open: all that it reads it "
     "sets before\n")
told(["run", "f.dcl", "--set", "rate=fast"], "<command line>:1:8: error: unknown name fast\n",
     "dcl: --set gives an expression; text has quotes of its own, as in --set 'NAME=\"text\"'\n",
     status=1)

told(["run", "e.dcl", "--entry", "clip", "--input", "x=x.npy", "--set", "to=1"],
     "error: --set to: clip has no such parameter\n", "clip is declared here: e.dcl:2:1")
told(["run", "e.dcl", "--entry", "clip", "--input", "q=x.npy", "--set", "topp=1"],
     "--input q: clip has", "it takes x, top", "--set topp: clip has", "did you mean top?")
told(["run", "e.dcl", "--entry", "clip", "--input", "x=x.npy", "--output", "hihg=y.npy"],
     "--output hihg: clip has no such result", "did you mean high?")
told(["run", "e.dcl", "--entry", "clip", "--input", "x=x.npy", "--output", "2=y.npy"],
     "--output 2: clip has no such result", "it gives low, high")

for command in "run", "show", "movement", "bench", "profile":
    told([command, "e.dcl", "--entry", "clpi"], "--entry clpi: neither a function nor a variable",
         "did you mean clip?")
    told([command, "e.dcl", "--entry", "nets.forward"], "--entry nets:", "did you mean net?")
    told([command, "e.dcl", "--entry", "helpr(x: f32[3])"], "--entry helpr:",
         "did you mean helper?")
    told([command, "e.dcl", "--entry", "zzzzzz"], "--entry zzzzzz: neither")
for command in "show", "bench", "profile":
    told([command, "e.dcl", "--entry", "clip", "--shape", "y=f32[3]"], "--shape y: clip has",
         "it takes x, top")
    told([command, "e.dcl", "--entry", "clip(y: f32[3])"], "clip has no parameter y", status=1)
    told([command, "e.dcl", "--entry", "clip(x: f32[3], tob = 2)"], "clip has no parameter tob",
         "did you mean top?", status=1)
for command in "bench", "profile":
    told([command, "e.dcl", "--entry", "clip", "--shape", "x=f32[3]", "--input", "y=3"],
         "--input y: clip has")

# What the script makes is known after it has run.
told(["run", "g.dcl", "--entry", "net", "--set", "inptu=3"], "no parameter inptu", status=1,
     runs=True)
told(["show", "g.dcl", "--entry", "net.forwrad"], "no member forwrad", "did you mean forward?",
     status=1, runs=True)
told(["show", "g.dcl", "--entry", "k"], "k is not a function", status=1, runs=True)
told(["bench", "g.dcl", "--entry", "net", "--shape", "x=f32[1, 3]", "--input", "y=3"],
     "--input y: there is no such argument", status=1, runs=True)

tap.done_testing()
