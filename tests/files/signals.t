#!/usr/bin/env python3
"""signals.t: what ends the program, or only a statement, while files are read or written: nothing
half-written stays, the former file does, and the session lives."""

import os
import resource
import signal
import subprocess
import time

import tap

ROWS = 20000000  # many seconds as text


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


for one in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:  # whatever started the tests ignores
    signal.signal(one, signal.SIG_DFL)


def drafts(process):
    """Files that the process has open and that have no name, or a temporary one."""
    folder = "/proc/%d/fd" % process.pid
    try:
        links = [os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder)]
    except OSError:
        return []
    return [link for link in links if link.startswith(os.getcwd()) and "cache" not in link and
            ("(deleted)" in link or "/.dcl-" in link)]


def mapped(process):
    """What the system says of the process's mappings."""
    try:
        with open("/proc/%d/maps" % process.pid, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def start(*arguments):
    """The process, as soon as it writes its first file, or has ended."""
    process = subprocess.Popen([tap.DCL, *arguments], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while process.poll() is None and not drafts(process) and time.monotonic() < end:
        time.sleep(0.002)
    return process


def processor_seconds():
    """Of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ended(process, timeout=60):
    """Its status, negative for a signal, and what it said."""
    try:
        said = process.communicate(timeout=timeout)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[1] + "it went on"
    return process.returncode, said


def here():
    return sorted(name for name in os.listdir(".") if name != "cache")


for name in "big.csv", "big.npy.gz":
    write("save.dcl", "x: f32[%d]\nmap i { x[i] = f32(i) * 0.37 }\nsave(\"%s\", x)\n" %
          (ROWS, name))
    write(name, "former")
    before = here()
    for signals in ((signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGKILL,), (signal.SIGINT,),
                    (signal.SIGINT, signal.SIGINT)):
        run = start("run", "save.dcl")
        for one in signals:
            run.send_signal(one)
        status, said = ended(run)
        what = "%s: %s" % (name, " and ".join(one.name for one in signals))
        if signals[0] == signal.SIGINT:
            tap.ok(status == 130 and (len(signals) == 2 or "error: interrupted" in said), what,
                   status, said)
        else:
            tap.is_int(status, -signals[0], what)
        tap.is_str(here(), before, what + ": nothing is left behind")
        with open(name, encoding="utf-8") as file:
            tap.is_str(file.read(), "former", what + ": the former file stays")
    os.remove(name)

# Loading.
with open("big.csv", "w", encoding="ascii") as file:
    for _ in range(200):
        file.write("1.5,2.25\n" * 50000)
write("load.dcl", "print(\"loading\")\nx = load(\"big.csv\")\nprint(len(x))\n")
run = subprocess.Popen([tap.DCL, "run", "load.dcl"], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
while run.poll() is None and "big.csv" not in mapped(run):
    time.sleep(0.002)
run.send_signal(signal.SIGINT)
before = processor_seconds()
status, said = ended(run)
some = processor_seconds() - before
tap.ok(status == 130 and "error: interrupted" in said, "Ctrl-C ends load", status, said)
before = processor_seconds()
tap.is_int(tap.dcl("run", "load.dcl")[0], 0, "which goes to its end")
whole = processor_seconds() - before
tap.ok(some < whole / 2, "if it is let", some, whole)
os.remove("big.csv")

# Models: both files or none, and no other.
def both_or_none(signals, both, *arguments):
    before = here()
    run = start(*arguments)
    for one in signals:
        run.send_signal(one)
    status, said = ended(run)
    made = [name for name in here() if name not in before]
    tap.ok(made == [] or status == 0 and made == both,
           "%s and %d %s: both files or none" % (arguments[0], len(signals), signals[0].name),
           status, made, said)
    tap.ok(status == 0 or status == (130 if signals[0] == signal.SIGINT else -signals[0]),
           "its status", status, said)
    for name in made:
        os.remove(name)


write("model.dcl", "layer Big() {\n  a = Linear(6000, 4000)\n"
      "  fn forward(x: f32[B, 6000]) -> f32[B, 4000] { x |> a }\n}\nmodel = Big()\n")
for signals in (signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT, signal.SIGINT):
    both_or_none(signals, ["m.onnx", "m.onnx.data"], "export", "model.dcl", "--entry", "model",
                 "--external-data", "-o", "m.onnx")
tap.is_int(tap.dcl("export", "model.dcl", "--entry", "model", "-o", "m.onnx")[0], 0, "a model")
for signals in ((signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGINT,),
                (signal.SIGINT, signal.SIGINT)):
    both_or_none(signals, ["i.dcl", "i.safetensors"], "import", "m.onnx", "-o", "i.dcl")

before = here()
# The prompt.
repl = subprocess.Popen([tap.DCL], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True)
repl.stdin.write("x: f32[%d]\nmap i { x[i] = f32(i) * 0.37 }\nsave(\"big.csv\", x)\n" % ROWS)
repl.stdin.flush()
end = time.monotonic() + 120
while not drafts(repl) and repl.poll() is None and time.monotonic() < end:
    time.sleep(0.002)
repl.send_signal(signal.SIGINT)
time.sleep(0.5)
try:
    said = repl.communicate(timeout=60)[0]
except subprocess.TimeoutExpired:
    repl.kill()
    said = "it went on"
tap.ok("interrupted" in said and repl.returncode == 130, "the prompt that reads a pipe ends", said)
tap.is_str(here(), before, "and no file is there")
tap.done_testing()
