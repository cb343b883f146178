#!/usr/bin/env python3
"""words.t: the commands of the prompt, on both back-ends; an error changes nothing."""

import os
import re

import tap

with open(os.path.join(tap.SRC, "repl/word.def"), encoding="ascii") as table:
    WORDS = re.findall(r"^WORD\((\w+),", table.read(), re.MULTILINE)

BEFORE = """
## Twice x.
##
## `twice(x)` with x: f32[2]
fn twice(x: f32[N]) -> f32[N] {
  x * 2   # a comment
}
layer Net(n: int) {
  blocks = [Linear(n, n), Linear(n, 1, with_bias = false)]
  buffer calls: i64 = 0
  fn forward(x: f32[B, n]) -> f32[B, 1] {
    calls = calls + 1
    x |> blocks[0] |> relu |> blocks[1]
  }
}
x: f32[4] = 1.5
b: f32[2, 3] = 2
net = Net(3)
"""
tried = set()


def prompt(lines, backend="cpu", before=BEFORE):
    """What the last line of LINES prints, on either stream; the words in it count as tried."""
    tried.update(re.findall(r"^:(\w+)", lines, re.MULTILINE))
    *first, last = lines.split("\n")
    text = before + "\n".join(first) + '\nprint("<mark>")\n' + last + "\n"
    status, out, err = tap.run("sh", "-c", '"$0" --backend "$1" 2>&1', tap.DCL, backend, input=text)
    tap.ok(status in (0, 1) and not err, "the prompt survives %r" % last, status, err)
    return out.split("<mark>\n", 1)[-1]


def prints(lines, want, **options):
    tap.is_str(prompt(lines, **options), want, "%r" % lines)


def tells(lines, *parts, **options):
    got = prompt(lines, **options)
    tap.ok(all(part in got for part in parts), "%r tells %s" % (lines, ", ".join(parts)), got)


# Every entry of the table is listed, and told by itself.
listed = prompt(":help")
for word in WORDS:
    tap.ok(re.search(r"^  :%s\b" % word, listed, re.MULTILINE), ":help lists :%s" % word, listed)
    tells(":help :" + word, ":" + word)
tells(":hepl", "no command :hepl", "did you mean :help?")
tells(":xyzzyx", "no command :xyzzyx", "see :help")
tells(":help :hepl", "did you mean :help?")

prints(":q", "there is no command :q; did you mean :quit?\n")
prints(":exit", "there is no command :exit; did you mean :quit?\n")
prints(":sho", "there is no command :sho; did you mean :show?\n")
prints(":s", "there is no command :s; see :help\n")
prints("layer P() { param a: f32[2] = 1;  param b: f32 = 2 }\np = P()\nparams(p)",
       "[[1. 1.]  f32[2], 2.0]\n")

# Variables of the prompt are among what was perhaps meant.
for line in "images = 3\nimges", "images = 3\nfor i in 0:2 { imges }":
    tells(line, "unknown name imges", "did you mean images?")
for word in "type", "help", "movement", "watch":
    tells("images = 3\n:%s imags" % word, "unknown name imags", "did you mean images?")
tells("images = 3\nfn f(x: f32) -> f32 { x * imges }", "unknown name imges")
tap.ok("did you mean" not in prompt("images = 3\nfn f(x: f32) -> f32 { x * imges }"),
       "which functions do not see")

tells("x = 3\n:help xx[0]", "unknown name xx", "did you mean x?")

# Commands without their colon.
for line, command in (("exit", ":quit"), ("quit", ":quit"), (" quit()", ":quit"),
                      ("exit()", ":quit"), ("help", ":help"), ("help relu", ":help"),
                      ("load f.dcl", ":load")):
    tells(line, "error: ", "commands begin with a colon: %s\n" % command)
for line in 'load("nosuch.npy")', "save = 3\nsave + y", "save = 3\nsave(1)", "relu +", "foo":
    tap.ok("colon" not in prompt(line), "%r is no command" % line)

# Words of the language.
with open(os.path.join(tap.SRC, "lang/parse/keyword.def"), encoding="ascii") as table:
    for word in re.findall(r'^KEYWORD\("(\w+)"', table.read(), re.MULTILINE):
        got = prompt(":help " + word)
        tap.ok("error" not in got and len(got.split("\n")) > 2, ":help %s has a page" % word, got)
tells(":help map", "map i in LO:HI:STEP", "  runs its body for all values of its indices")
tells(":help vector", "vector(n)", "lanes")
tells(":help stack", "fn stack(xs: ", "c: f32[64] in stack\n")
prints("vector = 3\n:help vector",
       "vector: int\nmap i in N vector { .. }, vector(n)\n  this index, "
       "the last of its map, runs in lanes, n vectors at a time\n")
prints(":help grad softmax", "softmax has no gradient of its own: it is derived\n")
prints(":help grad nosuch", "error: unknown name nosuch\n")
tells("## Three times.\ngrad twice(dy: f32[N]) -> dx: f32[N] { dx = 3 * dy }\n:help grad twice",
      "grad twice(dy: f32[N]) -> dx: f32[N]\n  Three times.\n  <input")

# A command drops what is not finished.
for lines, why in (("y = [1,\n  2 + (3,", "'(' is never closed in '2 + (3,'"),
                   ("y = [(1,\n  2), (\n  3,", "'(' is never closed in '2), ('"),
                   ("fn f(x: int) -> int {\n  x", "'{' is never closed in 'fn f(x: int) -> int {'"),
                   ("y = 3 +", "nothing follows '+'"), ("fn f(x: int) -> int", "no '{' follows"),
                   ("## Documentation.", "no definition follows")):
    status, out, err = tap.run(tap.DCL, input=lines + "\n :type 3\nprint(4)\n")
    tap.is_str((status, out, err), (1, "int\n4\n", "dropped what is not finished: %s\n" % why),
               "%r is dropped" % lines)
for lines, want in (("n = 2\n[4, 5, 6][\n:n]", "[4, 5]\n"),
                    ("time = 2\n[4, 5, 6][\n:time]", "[4, 5]\n")):
    tap.is_str(tap.run(tap.DCL, input=lines + "\n"), (0, want, ""), "%r is no command" % lines)

for backend in "cpu", "ref":
    on = {"backend": backend}
    tells(":help twice", "fn twice(x: f32[N]) -> f32[N]\n  Twice x.\n", **on)
    tells(":help relu", "fn relu(x: T) -> T where T: number\n", "stdlib/activation.dcl:", **on)
    tells(":help net", "net: Net, fn forward(x: f32[B, n]) -> f32[B, 1]\n", "layer Net(n: int)",
          "  fn forward(", **on)
    tells(":help Linear", "layer Linear(inputs: int, outputs: int", "W^T", **on)
    tells(":help x", "x: f32[4]\n", **on)
    prints(":help sqrt", "sqrt(x)\n  square root, correctly rounded\n", **on)
    tells(":help print", "print(value, ..)", **on)
    tells(":help kind", "kind(value)", **on)
    tells(":help time", "time()", ":time EXPR", **on)
    tells(":help rleu", "unknown name rleu", "did you mean relu?", **on)

    for expression, want in (
            ("twice(x)", "f32[4]"), ("x[0]", "f32"), ("net(b)", "f32[2, 1]"), ("3", "int"),
            ("1.5", "float"), ("x[0] > 1", "bool"), ('"a"', "str"), ("f16", "dtype"),
            ("none", "none"), ("nonzero(x)", "i64[?, 1]" if backend == "cpu" else "i64[4, 1]"),
            ("[1, x, b > 1]", "[int, f32[4], bool[2, 3]]"),
            ("(1, 2.5)", "(int, float)"), ("[i for i in 0:100]", "[int, int, int, int, ..] of 100"),
            ("twice", "fn twice(x: f32[N]) -> f32[N]"), ("Net", "layer Net(n: int)"),
            ("net", "Net, fn forward(x: f32[B, n]) -> f32[B, 1]"), ("print", "fn print")):
        prints(":type " + expression, want + "\n", **on)
    for expression, want in (
            ("net(b)", "[2, 1]"), ("b", "[2, 3]"), ("x[0]", "[]"), ("7", "[]"),
            ("[x, b]", "[4]\n[2, 3]"), ("relu", "none"),
            ("net", "blocks.0.weight: [3, 3]\nblocks.0.bias: [3]\nblocks.1.weight: [1, 3]\n"
             "calls: []")):
        prints(":shape " + expression, want + "\n", **on)
    prints(":source twice", "# <input 1>:4\n## Twice x.\n##\n## `twice(x)` with x: f32[2]\n"
           "fn twice(x: f32[N]) -> f32[N] {\n  x * 2   # a comment\n}\n", **on)
    tells(":source net", "layer Net(n: int) {\n", "buffer calls", **on)
    tells(":source softmax", "stdlib/norm.dcl:", "fn softmax(", **on)
    tells(":source x", "this has no source", **on)

    tells(":time net(b)", "median ", "least ", " of ", " runs", **on)
    tells(":time map i { x[i] = x[i] + 1 }", "median ", **on)
    # An answer leaves no traces: buffers, containers, random numbers, variables.
    prints(":time net(b)\n:type net(b)\n:shape net(b)\nnet.calls", "0\n", **on)
    prints(":time map i { x[i] = x[i] + 1 }\nx", "[1.5 1.5 1.5 1.5]  f32[4]\n", **on)
    prints(":type Linear(2, 2)\nm = Linear(2, 2)\nn = m.weight",
           prompt("m = Linear(2, 2)\nn = m.weight", **on), **on)
    tells(":type y = 3\ny", "unknown name y", **on)

    watched = """layer Two(n: int) {
  parts = [Linear(n, n), Linear(n, n)]
  fn forward(x: f32[n]) -> f32[n] {
    k = n + 1
    h = x + 1
    h = h * 2
    parts[1](h)
  }
}
fn made(x: f32[N]) -> (y: f32[N], s: f32) {
  t: f32[N]
  map i { t[i] = x[i] * 4 }
  s = 0.5
  y = t
}
two = Two(4)
"""
    h = "[5. 5. 5. 5.]  f32[4]\n"
    prints(watched + ":watch h\ny = two(x)", "h: " + h, **on)
    prints(watched + ":watch Two.h\n:watch Two.forward.k\nif two(x)[0] > 100 { 1 }",
           "Two.h: " + h + "Two.forward.k: 5\n", **on)
    for name in "two.h", "two.forward.h":
        prints(watched + ":watch %s\ny = two(x)" % name, name + ": " + h, **on)
    prints(watched + "three = Two(4)\n:watch two.h\ny = three(x)", "", **on)
    prints(watched + ":watch made.t\n:watch s\nmade(x)[1]",
           "made.t: [6. 6. 6. 6.]  f32[4]\ns: 0.5\n0.5\n", **on)
    prints(watched + ":watch h\nfor i in 0:2 { y = two(x * i) }",
           "h: [2. 2. 2. 2.]  f32[4]\nh: " + h, **on)
    got = prompt(watched + ":watch h\nfor i in 0:30 { y = two(x) }", **on)
    tap.is_int(got.count("h: "), 30, backend + ": a statement that comes again and again")
    tells(watched + ":watch two.parts[1]\nprint(two(x)); y = two(x)", "two.parts[1]: [", **on)
    got = prompt(watched + ":watch two.parts[1]\ny = two(x); y", **on)
    shown = got[len("two.parts[1]: "):]
    tap.is_str(shown[:len(shown) // 2], shown[len(shown) // 2:], "what an instance gives")
    prints(watched + ":watch h\n:watch h\ny = two(x)", "", **on)
    prints(watched + ":watch h\n:watch s\n:watch h\n:watch", "s\n", **on)
    prints(watched + ":watch h\n:type two(x)", "f32[4]\n", **on)
    tells(watched + ":watch nosuch", "unknown name nosuch", "what can be watched", **on)
    prints(watched + ":watch h\nz = sum(x)", "", **on)

    with open("loaded.dcl", "w", encoding="ascii") as f:
        f.write("fn four() -> i64 { 4 }\nloaded = four()\nprint(loaded)\n")
    with open("fails.dcl", "w", encoding="ascii") as f:
        f.write("fn twice(x: f32[N]) -> f32[N] { x * 3 }\nx[0] = 7\nassert(1 > 2)\n")
    prints(":load loaded.dcl", "4\n", **on)
    prints(':load "loaded.dcl"\nfour() + loaded', "8\n", **on)
    tells(":load nosuch.dcl", "nosuch.dcl", **on)
    tells(":load fails.dcl", "fails.dcl:3", "assertion failed", **on)
    prints(":load fails.dcl\ntwice(x)", "[3. 3. 3. 3.]  f32[4]\n", **on)

    session = BEFORE + """:load loaded.dcl
y = nosuch
:type x
fn half(x: f32[N]) -> f32[N] { x / 2 }
for i in 0:3 {
  x = half(x)
}
fn half(x: f32[N]) -> f32[N] {
  x / 4 }
print(half(x), net(b), net.calls)
fn quarter(x: f32[N]) -> f32[N] { half(x) }
print(quarter(x))
fn half(x: f32[N], k: f32) -> f32[N] { x / k }
print(half(x, 8))
fn quarter(x: f32[N], k: f32) -> f32[N] { half(x, k) }
print(quarter(x, 2))
rate = 0.1
opt = Momentum(net, rate)
fn step(net: Net, opt: Momentum, b: f32[_, _]) -> f32 { minimize sum(net(b)) over net with opt }
print(step(net, opt, b))
layer Net(n: int, k: int) {
  a = Linear(n, k)
  buffer calls: i64 = 0
  fn forward(x: f32[B, n]) -> f32[B, k] { a(x) }
}
net = Net(3, 2)
rate = 0.2
opt = Momentum(net, rate)
print(step(net, opt, b), step(net, opt, b), opt.lr)
:save saved.dcl
"""
    status, out, err = tap.dcl("--backend", backend, input=session)
    again, saved, wrong = tap.dcl("run", "saved.dcl", "--backend", backend)
    out = out.replace("f32[4]\n", "", 1)  # a question is no statement
    tap.ok(again == 0 and saved == out and "unknown name nosuch" in err and "error" not in wrong,
           backend + ": what :save writes runs again to the same end", out, saved, wrong)
    tried.update(["save", "load", "type"])
    tells(":save /nosuch/file.dcl", "/nosuch/file.dcl cannot be written", **on)

    tells(":reset\nx", "unknown name x", **on)
    prints(":reset\nx = 3\nx", "3\n", **on)
    prints(":reset\n:save empty.dcl\n:load empty.dcl", "", **on)
    tells("first = 1\nsecond = 2\n:history 3", "second = 2", ":history 3", **on)
    tells(":history none", "it is called so: :history [COUNT]", **on)
    prints(":quit\n1 + 1", "", **on)

tells(":show twice", "fn twice(x: f32[N])", "x_v * 2.0")
tells(":show twice(x: f32[8])", "x: f32[8]")
tells(":show twice(x) + 1", "fn expression(", "f32[4]")
tells(":show twice as llvm", "define ")
tells(":show net(b) as asm", "dcl_kernel")
tells(":show twice as dcl", "x_v * 2.0")
tells(":show twice as java", "not java")
tells(":show 1 + 2", "nothing is computed here")
tells(":movement twice(x)", "x: reads 16, writes 0 bytes", "in all: reads 16, writes 16 bytes")
tells(":movement twice", "in all: reads 4*N")
tells(":movement net(b)", "blocks", "in all:")
FORMS = "error: a graph is shown as dcl, llvm, asm, ptx, sm_NUMBER or movement, "
prints(":show twice as", FORMS + "but nothing stands behind `as`\n")
prints(":show twice as ams", FORMS + "not ams\n   help: did you mean asm?\n")
prints(":show as", "it is called so: :show EXPR [as dcl|llvm|asm|ptx]\n")
for word in "show", "movement":
    tells(":%s twice" % word, "the reference evaluator compiles nothing", backend="ref")

# What is wrong is told, and nothing has happened.
for word in "type", "shape", "source", "show", "movement", "time", "load", "save":
    tells(":" + word, "it is called so: :" + word)
for word in "reset", "quit":
    tells(":%s now\nx" % word, "f32[4]")
for word in "type", "shape", "source", "show", "movement", "time":
    tells(":%s nosuch" % word, "unknown name nosuch")
    tells(":%s fn f() -> int { 1 }" % word, "this wants one expression")
    tells(":%s 1 +" % word, "expected an expression")
    prints(":%s nosuch\ntwice(x)" % word, "[3. 3. 3. 3.]  f32[4]\n")

# Questions do not write; statements have no type.
for word in "type", "shape", "source", "show", "movement", "time":
    for call in "print(3)", 'save("no.npy", x)', "plot([1, 2])", "show_image(b)":
        prints(":%s %s" % (word, call), "<question>:1:1: error: %s writes, which is not done to "
               "answer a question\n   1 | %s\n     | %s\n   help: ask about what it is given\n" %
               (call.split("(")[0], call, "^" + "~" * (len(call) - 1)))
for word in "type", "shape", "source", "time":
    tells(":%s compile relu(x: f32[N])" % word, "this wants one expression")
tap.ok(not os.path.exists("no.npy"), "a question has written nothing")
for word, what in ("type", "type"), ("shape", "dimensions"), ("help", "help"):
    prints(":%s y = 3" % word, "<question>:1:1: error: this has no %s\n   1 | y = 3\n     | ^~~~~\n"
           "   help: an expression has one, a statement or a call that gives nothing has not\n" %
           what)
    tells("fn clear(inout x: f32[4]) { x = 0 }\n:%s clear(x)" % word,
          "error: this has no %s\n" % what)
    prints("fn clear(inout x: f32[4]) { x = 0 }\n:%s clear(x)\nx" % word,
           "[1.5 1.5 1.5 1.5]  f32[4]\n")
tells(":source print", "it is built in; :help print tells what it does")
# What README.md has somebody type.
with open(os.path.join(tap.SRC, "README.md"), encoding="utf-8") as readme:
    section = readme.read().split("## At the prompt")[1].split("\n## ")[0]
block = re.search(r"```dcl\n(.*?)```", section, re.DOTALL).group(1)
again = block.split("net =")[0].replace("relu", "tanh")
tap.ok(":movement net(x)" in section and "as asm" in section, "README.md names commands")
tells(":movement net(x)", "in all: reads", before=block)
prints(again + ":shape net(x)", "[64, 10]\n", before=block)
tells(again + ":show net(x)", "tanh(", before=block)
tells(again + ":show net(x) as asm", "dcl_kernel", before=block)
tells(":watch net.a\nnet(x)[0, :]", "net.a: [[", before=block)

tap.is_str(" ".join(sorted(set(WORDS) - tried)), "", "every command has been tried")
tap.done_testing()
