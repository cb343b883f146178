#!/usr/bin/env python3
"""interrupt.t: Ctrl-C before, between and behind calls: none is lost."""
# test: timed

import os
import signal
import subprocess
import termios
import threading
import time

import tap
from pseudo import Terminal

LINES = 30000


def ends(name, *command, delay, text=None):
    """Ctrl-C DELAY seconds after the first line of output ends the command with 130."""
    run = subprocess.Popen([tap.DCL, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    if text:
        os.set_blocking(run.stdin.fileno(), False)
        run.stdin.write(text[:60000])
        run.stdin.flush()
    run.stdout.readline()
    time.sleep(delay)
    run.send_signal(signal.SIGINT)
    limit = threading.Timer(10, run.kill)
    limit.start()
    run.stdout.read()
    status = run.wait()
    limit.cancel()
    tap.ok(status == 130, name, status)


# Calls so short that most of the time passes between them.
with open("many.dcl", "w", encoding="ascii") as file:
    file.write("assert(true)\n" * LINES)
for k in range(12):
    ends("dcl test (%d)" % k, "test", "many.dcl", delay=0.013 * k)
    ends("lines of a pipe (%d)" % k, text=b"1\n" * LINES, delay=0.003 * k)
ends("a pipe that nothing comes from", text=b"1\n", delay=0.2)

XTERM = {"COLORTERM": "", "KITTY_WINDOW_ID": "", "DCL_HISTORY": ""}


def mode(t):
    return termios.tcgetattr(t.fd)[3] & (termios.ECHO | termios.ICANON)


# While the prompt waits for the terminal's answer.
t = Terminal(tap.DCL, "--backend", "ref", term="xterm", env=XTERM)
try:
    before = mode(t)
    t.until("\x1b[c")
    t.type("12345")
    t.type("\x03")
    t.prompt()
    time.sleep(0.5)  # Ctrl-C may come after the question: then another prompt follows
    t.type("20 + 3\r")
    got = t.until("23")
    tap.ok("12345" not in got.split("20 + 3")[-1],
           "Ctrl-C while it asks: what was typed is dropped", repr(got))
    t.prompt()
    t.type("\x04")
    tap.is_int(t.wait(), 0, "and the prompt goes on")
except (TimeoutError, EOFError) as e:
    tap.fail("Ctrl-C while it asks", str(e))
    os.kill(t.pid, signal.SIGKILL)

# What is left is the mode that was, whatever ends the program meanwhile. The shell keeps the
# terminal open.
for name, number in ("SIGTERM", signal.SIGTERM), ("SIGQUIT", signal.SIGQUIT):
    t = Terminal("/bin/sh", "-c", 'ulimit -c 0; "$0" & echo "pid=$!="; wait $!; echo over; read x',
                 tap.DCL, term="xterm", env=XTERM)
    try:
        t.until("pid=")
        pid = int(t.until("="))
        tap.ok(pid > 0, "it runs")
        os.kill(pid, number)
        t.until("over")
        tap.ok(mode(t) == termios.ECHO | termios.ICANON, name + ": the terminal's mode is back")
    except (TimeoutError, EOFError) as e:
        tap.fail(name, str(e))
    os.kill(t.pid, signal.SIGKILL)

# What was pasted behind what Ctrl-C has ended does not run.
t = Terminal(tap.DCL, "--backend", "ref", term="xterm", env={**XTERM, "COLORTERM": "truecolor"})
try:
    t.until("\x1b[c")
    t.type("\x1b[?62c")
    t.prompt()
    t.type("\x1b[200~n = 0; while true { n = n + 1 }\n:type n\nprint(700 + 77)\n\x1b[201~")
    time.sleep(1)
    t.type("\x03")
    t.until("interrupted")
    t.prompt()
    t.type("20 + 3\r")
    got = t.prompt()
    tap.ok("23" in got and "777" not in got, "Ctrl-C drops the rest of what was pasted", repr(got))
    t.type("\x04")
    t.wait()
except (TimeoutError, EOFError) as e:
    tap.fail("Ctrl-C behind a paste", str(e))
    os.kill(t.pid, signal.SIGKILL)
tap.done_testing()
