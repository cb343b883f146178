#!/usr/bin/env python3
"""lines.t: the REPL through a pipe: what it prints, how it goes on after errors, how fast it is,
and that its memory does not grow."""
# test: timed

import os
import subprocess
import time

import tap

tap.need_numpy()


class Repl:
    """Lines go in one by one; a mark that is printed tells when the answer is complete."""

    def __init__(self, *options):
        # pylint: disable=consider-using-with
        self.p = subprocess.Popen([tap.DCL, *options], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ask(self, line):
        self.p.stdin.write(line + '\nprint("<end>")\n')
        self.p.stdin.flush()
        answer = ""
        while not answer.endswith("<end>\n"):
            more = self.p.stdout.readline()
            if not more:
                break
            answer += more
        return answer.replace("<end>\n", "")

    def memory(self):
        with open("/proc/%d/status" % self.p.pid, encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))

    def close(self):
        self.p.stdin.close()
        return self.p.wait()


for backend in "ref", "cpu":
    r = Repl("--backend", backend)

    def check(line, want, name):
        tap.is_str(r.ask(line), want, "%s: %s" % (backend, name))

    check("1 + 2", "3\n", "the value of an expression")
    check("a = 4", "", "a statement is silent")
    check("a; a * 2.5", "4\n10.0\n", "several on a line")
    check("", "", "an empty line")
    check("# nothing", "", "a comment")
    check("fn f(x: f32[N]) -> f32[N] {\n  x +\n  x\n}", "", "several lines")
    check("c: f32[3] = 2\nf(c)", "[4. 4. 4.]  f32[3]\n", "a container, a call")
    check("[1,\n2]", "[1, 2]\n", "an open bracket")
    check('if a > 3 {\n  "big"\n}', "big\n", "the value of a block")
    tap.ok("did you mean" in r.ask(":hepl"), backend + ": a misspelt command")
    tap.ok(":quit" in r.ask(":help"), backend + ": help")
    tap.ok("  x +\n  x\n}" in r.ask(":source f"), backend + ": a definition is shown")

    r.ask("## Adds.\n##  Twice.\nfn g(x: f32[N])\n  -> f32[N] {\n  x + x\n}")
    check(":help g", "fn g(x: f32[N]) -> f32[N]\n  Adds.\n   Twice.\n  <input 22>:3\n",
          "documentation waits for what it documents")

    # An error leaves everything as it was before the line.
    answer = r.ask("a = 5; d = 6; undefined")
    tap.ok("unknown name undefined" in answer, backend + ": an error", answer)
    check("a", "4\n", "variables are as before")
    tap.ok("unknown name d" in r.ask("d"), backend + ": no new ones")
    r.ask("a = 7; c[0] = 9; assert(a == 8)")
    check("a; c", "4\n[2. 2. 2.]  f32[3]\n", "containers too")
    r.ask("fn f(x: f32[N]) -> f32[N] { x + y }")
    check("f(c)", "[4. 4. 4.]  f32[3]\n", "a wrong definition replaces nothing")
    r.ask("fn f(x: f32[N]) -> f32[N] { x * 3 }; nothing")
    check("f(c)", "[4. 4. 4.]  f32[3]\n", "nor does one on a wrong line")
    r.ask("layer L() { param w: f32[2] = 1\n fn forward(x: f32[2]) -> f32[2] { x + w } }\nl = L()")
    r.ask('m = L()\nsave(m, "l.npz")')
    check("c[0] = 5; c", "[5. 2. 2.]  f32[3]\n", "a line without errors counts")
    check("fn f(x: f32[N]) -> f32[N] { x * 3 }\nf(c)", "[15.  6.  6.]  f32[3]\n", "a redefinition")

    # A file that a wrong line uses is used again by the next.
    with open("lib.dcl", "w", encoding="ascii") as f:
        f.write("use inner\nfn twice(x: f32[N]) -> f32[N] { double(x) }\n")
    with open("inner.dcl", "w", encoding="ascii") as f:
        f.write("fn double(x: f32[N]) -> f32[N] { x + x }\n")
    r.ask("use lib; print(nosuch)")
    tap.ok("unknown name" in r.ask("twice(c)"), backend + ": a wrong line uses nothing")
    check("use lib; print(twice(c))", "[10.  4.  4.]  f32[3]\n", "the next line uses the file")
    r.ask("use lib; print(nosuch)")
    check("twice(c)", "[10.  4.  4.]  f32[3]\n", "a file that was used before stays")
    with open("wrong.dcl", "w", encoding="ascii") as f:
        f.write("fn three() -> i64 { 3 }\nprint(1)\n")
    for _ in range(2):
        tap.ok("definitions only" in r.ask("use wrong"), backend + ": a file with statements")
    tap.is_int(r.close(), 1, backend + ": the exit status tells of errors")

status, out, err = tap.dcl(
    input="x = 3\nx |> print\nfn f(a: i64)\n  -> i64 {\n a }\nf(4)\n:quit\n1/0")
tap.ok(status == 0 and not err, "a pipe without errors", status, out, err)
with open("in.dcl", "w", encoding="ascii") as f:
    f.write("x = 3\nfn f(a: i64)\n    -> i64 {\n  a + 1 }\nx\n  |> f\nif x > 4 { 1 }\nelse { 2 }\n")
with open("in.dcl", encoding="ascii") as f:
    done = subprocess.run([tap.DCL], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
tap.is_str(done.stdout, "4\n2\n", "a file's lines go on where the language says so")
status, out, err = tap.dcl(input="(1,")
tap.ok(status == 1 and "never closed" in err, "an end inside a bracket", status, out, err)
status, out, err = tap.dcl(input="x = 1")
tap.ok(status == 0 and not out and not err, "a last line without its end")

# How long an answer takes, with new code in each line.
r = Repl("--cache", "off")
r.ask("x: f32[100] = 1")
times = []
for i in range(40):
    begin = time.monotonic()
    r.ask("y = x * %d + %d; y[%d]" % (i, 2 * i, i))
    times.append(time.monotonic() - begin)
times.sort()
tap.diag("an answer takes %.1f ms" % (1e3 * times[20]))
if os.environ.get("DCL_ASAN"):
    tap.skip("sanitizers slow it")
else:
    tap.ok(times[20] < 0.05, "an answer takes less than 50 ms", times)

# Lines and lines: memory does not grow.
r.close()
r = Repl()
r.ask("layer Net(n: int) { param w: f32[n, n] ~ normal\n"
      "fn forward(x: f32[n]) -> f32[n] { w @ x } }")


def many(n):
    for i in range(n):
        r.ask("net = Net(50); x: f32[50] = %d; y = net(x); xs = [x, y, y + x]" % (i % 5))
        r.ask("fn f(x: f32[N]) -> f32[N] { x * %d }" % (i % 7))
        r.ask("z = f(xs[1]); x[0] = %d; oops" % i)


if os.environ.get("DCL_ASAN"):
    many(60)
    tap.skip("sanitizers keep freed memory")
else:
    many(700)
    before = r.memory()
    many(400)
    after = r.memory()
    tap.ok(after < before + 3000, "1200 lines more need no more memory", before, after)
    tap.diag("memory: %d kB, then %d kB" % (before, after))
r.close()
tap.done_testing()
