#!/usr/bin/env python3
"""progress.t: what takes longer than a second shows one line on a terminal, which is gone when
something else is written and at the end; elsewhere there is nothing."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "repl"))
import pseudo
import tap

ERASED = "\r\x1b[K"
WAIT = "while time() < start + %s { n = time() }"


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def shown(*words, term="xterm"):
    """All that a command writes to its terminal."""
    terminal = pseudo.Terminal(tap.DCL, *words, term=term)
    try:
        terminal.until("\0", timeout=60)
    except EOFError:
        return terminal.seen


def screen(text):
    """What is left to be seen of it."""
    lines = [line.split(ERASED)[-1] for line in text.split("\r\n")]
    return "\n".join(lines)


write("slow.dcl", "start = time()\nn = start\nfor e in 0:2 {\n  print(e)\n"
      "  stop = time() + 1.5\n  while time() < stop { n = time() }\n}\n"
      "print(1)\nassert(n < 0)\n")
write("fast.dcl", "print(1)\n")
text = shown("run", "slow.dcl")
drawn = re.findall(re.escape(ERASED) + r"(\d+) s  ([^\r]*)", text)
tap.ok(4 <= len(drawn) <= 16, "the line is drawn some times", text)
tap.ok(("1", "slow.dcl:6, statement 3 of 5, e = 0") in drawn and
       ("2", "slow.dcl:6, statement 3 of 5, e = 1") in drawn,
       "the place, which statement of how many, the iteration, the time", text)
tap.ok(ERASED + "0 s" not in text, "not before the first second", text)
tap.ok(screen(text).startswith("0\n1\n1\n") and "slow.dcl:9:1:" in screen(text) and
       "statement" not in screen(text), "outputs and messages stand on clean lines", screen(text))
tap.is_str(shown("run", "fast.dcl"), "1\r\n", "nothing of what is fast")
tap.ok(ERASED not in shown("run", "slow.dcl", term="dumb"), "nothing on a dumb terminal")
status, output, errors = tap.dcl("run", "slow.dcl")
tap.ok(output == "0\n1\n1\n" and errors.startswith("slow.dcl:9:1: error"), "nothing in a file",
       errors)
with open("out.txt", "w", encoding="ascii") as out:  # standard output elsewhere
    command = "exec %s run slow.dcl > out.txt" % tap.DCL
    terminal = pseudo.Terminal("/bin/sh", "-c", command, term="xterm")
    terminal.until("statement 3 of 5", timeout=60)
    try:
        terminal.until("\0", timeout=60)
    except EOFError:
        pass
with open("out.txt", encoding="ascii") as out:
    tap.is_str(out.read(), "0\n1\n1\n", "a file gets the output alone")

write("f.dcl", "fn f(x: f32[1]) -> f32 {\n  s = 0.0\n"
      "  for t in 0:200000000 { s = s * x[0] + 1 }\n  s\n}\n")
text = shown("bench", "f.dcl", "--entry", "f")
tap.ok(re.search(r"\d s  measuring f", text) and screen(text).startswith("f"), "dcl bench", text)

write("t.dcl", "start = time()\nn = start\nassert(n > 0)\n" + WAIT % 2 + "\nassert(n > 0)\n")
text = shown("test", "t.dcl")
tap.ok(re.search(r"s  .*t\.dcl:4", text) and re.match(r"ok +t.dcl:3: .*\nok +t.dcl:5: ",
                                                   screen(text)), "dcl test", text)

# At the prompt: the time of a line, nothing while it waits for keys.
terminal = pseudo.Terminal(tap.DCL, term="xterm", env={"DCL_HISTORY": ""})
terminal.prompt()
terminal.type("start = time(); n = start\n")
terminal.prompt()
terminal.type(WAIT % 3 + "\n")
got = terminal.prompt()
tap.ok("\x1b[K1 s  <input 2>:1" in got or re.search(r"1 s  <input 2>:1", got), "at the prompt", got)
terminal.type("n - n\n")
got = terminal.prompt()
tap.ok("0.0" in got and " s  " not in got, "a line that is fast shows nothing", got)
terminal.type(":quit\n")
tap.done_testing()
