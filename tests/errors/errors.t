#!/usr/bin/env python3
"""errors.t: what `dcl check` and `dcl run` say about wrong programs, and its colours.

For each NAME.dcl beside this file, stderr has to be NAME.expected, byte for byte, and the status 1.
A file whose first line is `# run`, options may follow, is run, others are checked. If it is
`# run on both`, it is run by compiled code and by the reference, which have to say the same. A line
`#---` begins a program of its own, with what stands above the first such line, and keeps its line
numbers.
With DCL_UPDATE=1 in the environment the .expected files are written instead: read the difference.
"""

import glob
import os
import pty
import re
import shutil
import subprocess

import tap

HERE = os.path.join(tap.SRC, "tests", "errors")

if not glob.glob(os.path.join(tap.SRC, "repl", "*.c")):
    tap.skip_all("the sources have no dcl program yet")


def programs_of(text):
    """The programs of a file; what belongs to others is an empty line."""
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line == "#---"] or [len(lines)]
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        yield "\n".join(line if n < starts[0] or start < n < end else ""
                        for n, line in enumerate(lines))


def commands(text):
    """The command lines that a file is given to, without its name."""
    first = text.split("\n", 1)[0]
    if first == "# run on both":
        return [["run"], ["run", "--backend", "ref"]]
    return [first[2:].split() if first.startswith("# run") else ["check"]]


def messages(name, text, command):
    """Standard error and status of each program of a file."""
    for program in programs_of(text):
        with open(name + ".dcl", "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run([tap.DCL, *command, name + ".dcl"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", check=False,
                              env={**os.environ, "DCL_PATH": "library", "DCL_VERIFY": "end"})
        stderr = done.stderr.replace(os.getcwd() + "/", "")
        yield re.sub(r"[^ ]*/stdlib/", "stdlib/", stderr), done.returncode


if os.path.isdir(os.path.join(HERE, "library")):
    shutil.copytree(os.path.join(HERE, "library"), "library")

programs = sorted(name[:-len(".dcl")] for name in os.listdir(HERE) if name.endswith(".dcl"))
tap.ok(programs, "there are programs")

for name in programs:
    with open(os.path.join(HERE, name + ".dcl"), encoding="utf-8") as file:
        source = file.read()
    path = os.path.join(HERE, name + ".expected")
    for command in commands(source):
        what = "%s: dcl %s: " % (name, " ".join(command))
        said = list(messages(name, source, command))
        text = "".join(stderr for stderr, _ in said)
        if os.environ.get("DCL_UPDATE"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            tap.is_str(text, file.read(), what + "the messages")
        tap.ok(all(status == 1 for _, status in said), what + "the status is 1")
        tap.ok(all(stderr for stderr, _ in said), what + "each program is wrong")

# Colours: on a terminal, unless NO_COLOR is set.
WRONG = "fn f(x: f32[_]) -> f32 { y }\n"
PLAIN = """wrong.dcl:1:26: error: unknown name y
   1 | fn f(x: f32[_]) -> f32 { y }
     |                          ^
"""
COLOURED = """\033[1mwrong.dcl:1:26:\033[0m \033[1;31merror:\033[0m \033[1munknown name y\033[0m
   1 | fn f(x: f32[_]) -> f32 { y }
     |                          \033[1;31m^\033[0m
"""


def on_terminal(**variables):
    """What `dcl check` says about WRONG if standard error is a terminal."""
    ours, its = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    subprocess.run([tap.DCL, "check", "wrong.dcl"], stdin=subprocess.DEVNULL, stderr=its,
                   stdout=subprocess.DEVNULL, check=False, env={**env, **variables})
    os.close(its)
    said = b""
    try:
        while more := os.read(ours, 4096):
            said += more
    except OSError:
        pass
    os.close(ours)
    return said.decode().replace("\r\n", "\n")


with open("wrong.dcl", "w", encoding="utf-8") as file:
    file.write(WRONG)
tap.is_str(on_terminal(), COLOURED, "colours on a terminal")
tap.is_str(on_terminal(NO_COLOR="1"), PLAIN, "none with NO_COLOR")
tap.is_str(on_terminal(NO_COLOR=""), COLOURED, "an empty NO_COLOR says nothing")

# A kernel that has been compiled for another text tells of places in this one.
ABOVE = "x: f32[3] = 1\nk: i64[2] = 4\n"
for above in ABOVE, "# A comment.\n\n" + ABOVE:
    with open("wrong.dcl", "w", encoding="utf-8") as file:
        file.write(above + "map i in 2 { x[k[i]] = 1 }\n")
    done = subprocess.run([tap.DCL, "run", "wrong.dcl"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    want = "wrong.dcl:%d:14: error: x[k[i]] is outside x: index 4 of dimension 0, size 3\n"
    tap.ok(done.stderr.startswith(want % (above.count("\n") + 1)), "a kernel from the cache",
           done.stderr)

for name in sorted(os.listdir(HERE)):
    if name.endswith(".expected"):
        tap.ok(name[:-len(".expected")] in programs, name + " belongs to a program")

tap.done_testing()
