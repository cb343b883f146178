#!/usr/bin/env python3
"""terminal.t: the REPL on a terminal: prompts, several lines, Ctrl-C, Ctrl-D, history; and Ctrl-C
in dcl run."""
# test: timed

import os
import re
import signal
import subprocess
import time

import tap
from pseudo import Terminal

SPIN = """fn spin(x: f32[N], n: i64) -> y: f32[N] {
  y = x
  for k in 0:n { for i in 0:N { y[i] = y[i] * 0.5 + 1 } }
}
"""
SLOW = 10 if os.environ.get("DCL_ASAN") else 1


for backend in "cpu", "ref":
    t = Terminal(tap.DCL, "repl", "--backend", backend)
    try:
        greeting = t.prompt()
        tap.ok(os.environ["DCL_VERSION"] in greeting, backend + ": a greeting and a prompt",
               repr(greeting))
        t.type("1 + 2\r")
        tap.ok(re.search(r"\b3\r", t.prompt()), backend + ": an answer")
        t.type("fn f(x: i64) -> i64 {\r")
        t.until("... ")
        t.type("x + 1 }\r")
        t.prompt()
        tap.ok(True, backend + ": another prompt for further lines")
        t.type("f(41)\r")
        tap.ok("42" in t.prompt(), backend + ": the function is there")
        t.type("half a li")
        time.sleep(0.3)
        t.type("\x03")
        t.prompt()
        t.type("5 + 5\r")
        tap.ok("10" in t.prompt(), backend + ": Ctrl-C drops the line")
        t.type(SPIN.replace("\n", "\r"))
        t.prompt()
        t.type("x: f32[1000] = 1\r")
        t.prompt()
        t.type("a = 1; y = spin(x, 100000000000)\r")
        time.sleep(1 + 0.5 * SLOW)
        begin = time.monotonic()
        t.type("\x03")
        answer = t.until("interrupted")
        took = time.monotonic() - begin
        tap.ok(took < 0.1 * SLOW, backend + ": Ctrl-C ends what runs within 100 ms", took)
        t.prompt()
        t.type("x[0]\r")
        tap.ok("1.0" in t.prompt(), backend + ": the session goes on")
        t.type("a\r")
        tap.ok("unknown name a" in t.prompt(), backend + ": the line is taken back")
        t.type("\x10\x10\r")  # the line before the last one
        t.until("1.0\r")
        t.prompt()  # what is typed before is lost when the terminal changes its mode
        tap.ok(True, backend + ": history")
        t.type("\x04")
        tap.is_int(t.wait(), 0, backend + ": Ctrl-D leaves")
    except (TimeoutError, EOFError) as e:
        tap.fail(backend + ": the terminal", str(e))
        os.kill(t.pid, signal.SIGKILL)

# While it compiles: the longest step that does not look is the code of one kernel.
t = Terminal(tap.DCL, "repl", "--cache", "off")
try:
    t.prompt()
    t.type("layer B(n: int) { a = Conv2d(n, n, 3, pad = 1)\r"
           "fn forward(x: f32[N, n, H, W]) -> f32[N, n, H, W] { x |> a |> relu } }\r"
           "layer Net(k: int) { bs = [B(8) for i in 0:k]\r"
           "fn forward(x: f32[N, 8, H, W]) -> f32[N, 8, H, W] {\rfor b in bs { x = b(x) }\rx } }\r"
           "x: f32[1, 8, 16, 16] = 1; a = Net(100); b = Net(101); 12345\r")
    t.until("\n12345\r")
    t.prompt()
    begin = time.monotonic()
    t.type("y = a(x)\r")
    t.prompt(timeout=60)
    whole = time.monotonic() - begin
    t.type("y = b(x)\r")
    time.sleep(0.05 * whole)
    begin = time.monotonic()
    t.type("\x03")
    t.until("interrupted", timeout=60)
    took = time.monotonic() - begin
    tap.ok(took < 0.4 * whole, "Ctrl-C ends a compilation", took, whole)
    t.prompt()
    t.type("1 + 1\r")
    tap.ok("2" in t.prompt(), "and the session goes on")
    t.type("\x04")
    t.wait()
except (TimeoutError, EOFError) as e:
    tap.fail("Ctrl-C while it compiles", str(e))
    os.kill(t.pid, signal.SIGKILL)

with open("spin.dcl", "w", encoding="ascii") as f:
    f.write(SPIN + 'x: f32[1000] = 1\nprint("go")\ny = spin(x, 100000000000)\nprint("done")\n')
for backend in "cpu", "ref":
    # On a terminal, so that "go" comes at once.
    t = Terminal(tap.DCL, "run", "spin.dcl", "--backend", backend)
    try:
        t.until("go")
        time.sleep(0.5 * SLOW)
        begin = time.monotonic()
        t.type("\x03")
        t.until("interrupted")
        took = time.monotonic() - begin
        tap.ok(took < 0.1 * SLOW, backend + ": dcl run ends within 100 ms", took)
        tap.is_int(t.wait(), 130, backend + ": with status 130")
    except (TimeoutError, EOFError) as e:
        tap.fail(backend + ": Ctrl-C in dcl run", str(e))
        os.kill(t.pid, signal.SIGKILL)

# A loop of the script itself.
with open("loop.dcl", "w", encoding="ascii") as f:
    f.write("n = 0\nwhile n >= 0 { n = n + 1 }\n")
p = subprocess.Popen([tap.DCL, "run", "loop.dcl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                     text=True)
time.sleep(0.5 * SLOW)
begin = time.monotonic()
p.send_signal(signal.SIGINT)
out, err = p.communicate()
took = time.monotonic() - begin
tap.ok(p.returncode == 130 and "interrupted" in err and took < 0.1 * SLOW,
       "a loop of statements ends within 100 ms", p.returncode, err, took)
tap.done_testing()
