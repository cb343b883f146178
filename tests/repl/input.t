#!/usr/bin/env python3
"""input.t: standard input that cannot be read or is no text; lines and files that memory does not
suffice for."""

import os
import resource
import subprocess

import tap

ROOM = 800 << 20  # bytes of a program's memory
LONG = 400 << 20  # of a line


def said(done):
    return done.returncode, done.stdout, done.stderr


os.mkdir("folder")
folder = os.open("folder", os.O_RDONLY)
done = subprocess.run([tap.DCL], stdin=folder, capture_output=True, text=True, check=False)
tap.ok(done.returncode == 1 and "standard input cannot be read: Is a directory" in done.stderr,
       "a folder as input", *said(done))

status, out, err = tap.dcl(input="x = 1\0 nosuch\nx\n:type 1\0 nosuch\n2 + 3\n")
tap.ok(status == 1 and out == "5\n" and "unknown name x" in err and
       err.count("it holds zero bytes, so it is no text") == 2, "zero bytes in lines", status, out,
       err)
status, out, err = tap.dcl(input="fn f(x: i64) -> i64 {\n x\0\n}\n2 + 3")
tap.ok(status == 1 and out == "5\n" and err.count("no text") == 1,
       "zero bytes in a definition, and no end of the last line", status, out, err)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if os.environ.get("DCL_ASAN"):
    tap.skip("the sanitizer needs the memory")
else:
    repl = subprocess.Popen([tap.DCL, "--backend", "ref"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limited)
    repl.stdin.write(b"a = 1 + 1\n")
    for _ in range(LONG >> 20):
        repl.stdin.write(b"x" * (1 << 20))
    out, err = repl.communicate(b"\na + 3\n")
    tap.ok(repl.returncode == 1 and out == b"5\n" and err == b"error: not enough memory\n",
           "a line that is too long, and the session goes on", repl.returncode, out, err)
    with open("long.dcl", "w", encoding="ascii") as file:
        file.write("x = 1 #")
        for _ in range(LONG >> 20):
            file.write("x" * (1 << 20))
    for command in (["run"], ["check"], ["test"], ["doc"], ["show", "--entry", "x"],
                    ["bench", "--entry", "x"], ["export", "--entry", "x", "-o", "x.onnx"]):
        done = subprocess.run([tap.DCL, *command, "long.dcl"], capture_output=True, text=True,
                              check=False, preexec_fn=limited)
        tap.ok(done.returncode == 1 and "not enough memory" in done.stdout + done.stderr,
               "dcl %s of a file that is too long" % command[0], *said(done))
    with open("short.dcl", "w", encoding="ascii") as file:
        file.write("assert(1 == 1)\n")
    done = subprocess.run([tap.DCL, "test", "long.dcl", "short.dcl"], capture_output=True,
                          text=True, check=False, preexec_fn=limited)
    tap.ok(done.returncode == 1 and "2 tests, 1 failed" in done.stdout,
           "dcl test goes on with the next file", *said(done))
    os.remove("long.dcl")
tap.done_testing()
