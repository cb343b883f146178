#!/usr/bin/env python3
"""editing.t: lines on a terminal: Tab, pasted texts, unfinished definitions, the history file."""
# test: timed

import fcntl
import os
import signal
import time

import tap
from pseudo import Terminal

PASTE = "\x1b[200~%s\x1b[201~"
ENV = {"DCL_HISTORY": os.path.abspath("history"), "NO_COLOR": "1"}


def session(body, term="xterm", env=None):
    """Runs body(terminal, ask) at a prompt; ask types a line and gives what comes up to the next
    prompt."""
    t = Terminal(tap.DCL, term=term, env=env or ENV)

    def ask(line):
        t.type(line + "\r")
        return t.prompt()

    try:
        t.prompt()
        body(t, ask)
        t.type("\x04")
        tap.is_int(t.wait(), 0, "%s: Ctrl-D leaves" % body.__name__)
    except (TimeoutError, EOFError) as e:
        tap.fail(body.__name__, str(e))
        os.kill(t.pid, signal.SIGKILL)


def tabs(t, ask):
    def complete(keys, done, rest=""):
        """After KEYS the line reads DONE: seen by what it gives when it is entered."""
        t.type(keys)
        time.sleep(0.2)
        t.type(rest + "\r")
        got = t.prompt()
        tap.ok(done in got, "Tab after %r" % keys, got)

    os.makedirs("some/folder", exist_ok=True)
    with open("some/folder/file.dcl", "w", encoding="ascii") as f:
        f.write("loaded = 12\n")
    with open("some/folder/text.npy", "w", encoding="ascii") as f:
        f.write("")
    ask("layer Block(c: int) { first = Linear(c, c)\nfn forward(x: f32[B, c]) { } }")
    ask("layer Net(n: int) { blocks = [Block(4) for i in 0:n]; head = Linear(4, 3)\n"
        "fn forward(x: f32[B, 4]) { } }")
    ask("network = Net(2)")
    ask("a_long_name = 41")
    complete("a_lo\t", "42", " + 1")
    complete("softpl\t", "fn softplus")
    complete(":ty\t netw\t", "Net")
    complete(":shape network.hea\t.wei\t", "[3, 4]")
    complete(":shape network.blocks.\t1].fir\t.bi\t", "[4]")
    complete(":load so\tfo\tfi\t", "")
    complete("loaded", "12")
    complete('load("some/folder/te\t', "some/folder/text.npy", '")')
    complete(":help hist\t", "former")
    t.type("soft\t")
    tap.ok("softmax" in t.until("softshrink"), "Tab shows what there is")
    t.until("dcl> soft")
    t.type("\x03")
    t.prompt()
    t.type(":\t")
    tap.ok("movement" in t.until("type"), "commands too")
    t.until("dcl> :")
    t.type("\x03")
    t.prompt()
    t.type("nothing_of_this_name\t\x03")
    t.prompt()
    t.type("network.nosuch.\t\x03")
    t.prompt()


def pasting(t, ask):
    text = """
## Doubles.
fn twice(x: f32[N]) -> f32[N] {


  after(x)   # defined below


}
x: f32[2] = 3
twice(x)
fn after(x: f32[N]) -> f32[N] {
  x *
  2
}
if x[0] > 2 { "big" }
else { "small" }
"""
    t.type(PASTE % text.replace("\n", "\r"))
    got = t.prompt()
    tap.ok("[6. 6.]" in got and "big" in got, "a pasted file means what it means in a file", got)
    tap.ok("Doubles." in ask(":help twice"), "documentation too")
    t.type(PASTE % "y = 1\ry = nosuch\rz = 3\r")
    t.prompt()
    tap.ok("unknown name y" in ask("y"), "an error takes back all of it")
    t.type(PASTE % "y = 20\ry + 1")
    t.prompt()
    tap.ok("22" in ask(" + 1"), "its last line can be gone on with")
    t.type("1 + ")
    t.type(PASTE % "2 + 3")
    tap.ok("6" in ask(""), "within a line")
    t.type(PASTE % "y = 5\r:type y\ry + 2\r")
    tap.ok("int" in t.prompt("dcl> :type y") + t.prompt("dcl> y + 2"), "commands are commands")
    tap.ok("7" in t.prompt(), "and end a text")
    took = []
    for lines in 2000, 20000:
        begin = time.monotonic()
        t.type_slowly(PASTE % ("a = [\r" + "1,\r" * lines + "1]\rlen(a)\r"))
        tap.ok(str(lines + 1) in t.prompt(timeout=100)[-20:], "%d lines at once" % lines)
        took.append(time.monotonic() - begin)
    tap.ok(took[1] < 40 * took[0] + 1, "in time that grows as they do", took)


def fast_lines(t, ask):
    """A terminal without marks: lines that come at once."""
    t.type("fn f(x: int) -> int {\r\r\r\r  x + 2\r}\rf(3)\r")
    t.until("5\r")
    t.prompt()
    tap.ok("4" in ask("f(2)"), "empty lines in a definition that comes at once")


def unfinished(t, ask):
    t.type("fn f(x: int) -> int {\r")
    t.prompt("... ")
    t.type("  x + (\r")
    t.prompt("... ")
    t.type("\r")
    t.prompt("... ")
    t.type("\r")
    got = t.prompt()
    tap.ok("'{' is never closed" in got and "'(' is never closed" in got,
           "two empty lines end it, and it is told what is open", got)
    t.type("fn g(x: int) -> int\r")
    t.prompt("... ")
    t.type("\r")
    tap.ok("error" in t.prompt(), "one ends the head of a definition")
    t.type("fn f(\r")
    t.prompt("... ")
    t.type("half\x03")
    t.prompt()
    tap.ok("8" in ask("3 + 5"), "Ctrl-C drops all of it")
    t.type("y = [1,\r")
    t.prompt("... ")
    got = ask(":type 3")
    tap.ok("'[' is never closed in 'y = [1,'" in got and "int" in got, "so does a command", got)
    tap.ok("8" in ask("3 + 5"), "and the prompt goes on")
    tap.ok("continues the line before" in ask("|> f"), "a line that goes on is told")
    tap.ok("continues the line before" in ask("else { 3 }"), "so is else")


def remembers(t, ask):
    tap.ok("first line" in ask(':history 3'), "the lines of the last session", ask(":history 3"))
    t.type("\x10" * 3 + "\r")
    tap.ok("first line" in t.prompt(), "Ctrl-P brings them back")


def recalled(t, ask):
    """A definition comes back as a whole, also pasted ones and in the next session."""
    t.type("fn f(x: int) -> int {\r")
    t.prompt("... ")
    t.type("  x + 1\r")
    t.prompt("... ")
    t.type("}\r")
    t.prompt()
    tap.ok("4" in ask("f(3)"), "a definition of three lines")
    t.type("\x10\x10" + "\x02" * 2 + "0" + "\r")  # before its last line's end: x + 10
    t.prompt()
    got = ask("f(3)")
    tap.ok("13" in got, "recalled, changed and run as a whole", got)
    t.type(PASTE % "fn g(x: int) -> int {\n  f(x) * 2\n}\n")
    t.prompt()
    t.type("\x10" + "\x7f" * 2 + "0 }\r")
    t.prompt()
    tap.ok("260" in ask("g(3)"), "so is what was pasted")
    got = ask(":history 4")
    tap.ok("fn g(x: int) -> int {\r\n         f(x) * 2" in got, "it is listed with its lines", got)
    t.type("y = (1 +\r")
    t.prompt("... ")
    t.type("\x03")
    t.prompt()
    t.type("\x10 2)\r")
    t.prompt()
    tap.ok("3" in ask("y"), "what Ctrl-C drops comes back, too")


def recalled_later(t, ask):
    t.type("\x10" * 6 + "\r")
    got = t.prompt()
    tap.ok("2:3: error: unknown name f" in got, "a definition of the session before", got)


session(tabs)
session(pasting)
session(fast_lines, term="dumb")
session(unfinished)
if os.path.exists("history"):
    os.remove("history")
session(lambda t, ask: ask('"first line"'))
session(remembers)
session(recalled)
session(recalled_later)
tap.is_str(open("history", encoding="utf-8").readline(), '"first line"\n', "a file of lines")
session(lambda t, ask: ask('"kept"'),
        env={"XDG_STATE_HOME": os.path.abspath("state"), "NO_COLOR": "1"})
tap.ok(os.path.exists("state/dcl/history"), "without DCL_HISTORY in the folder for state")
session(lambda t, ask: ask('"ä"'), env={"HOME": os.path.abspath("home"), "NO_COLOR": "1"})
tap.is_str(open("home/.local/state/dcl/history", encoding="utf-8").read(), '"ä"\n', "or at home")
with open("history", "w", encoding="ascii") as f:
    f.write("".join("%d\n" % i for i in range(6000)))
session(lambda t, ask: ask("1"))
kept = open("history", encoding="ascii").read().split()
tap.ok(len(kept) == 1001 and kept[0] == "5000" and kept[-1] == "1", "a long file is cut", len(kept))


def lines_of_history():
    with open("history", encoding="ascii") as file:
        return file.read().split("\n")[:-1]


# The former file stays where the shorter one finds no room.
many = ["line_%d" % i for i in range(6000)]
with open("history", "w", encoding="ascii") as f:
    f.write("\n".join(many) + "\n")
t = Terminal("/bin/sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$DCL\"", term="xterm",
             env={**ENV, "DCL": tap.DCL})
t.prompt()
t.type("\x04")
tap.is_int(t.wait(), 0, "a prompt on a full disk")
tap.ok(lines_of_history() == many, "loses no line of the history", len(lines_of_history()))

# Another session that writes meanwhile is waited for.
with open("history", "a", encoding="ascii") as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    t = Terminal(tap.DCL, term="xterm", env=ENV)
    time.sleep(1)
    f.write("last_of_others\n")
t.prompt()
t.type("\x04")
tap.is_int(t.wait(), 0, "a prompt that had to wait")
kept = lines_of_history()
tap.ok(len(kept) == 1000 and kept[-1] == "last_of_others", "has the lines of the other",
       len(kept), kept[-1])
session(lambda t, ask: tap.ok("3" in ask("1 + 2"), "a file that cannot be written"),
        env={"DCL_HISTORY": "/proc/nosuch/file"})
tap.done_testing()
