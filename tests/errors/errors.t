#!/usr/bin/env python3
"""errors.t: what `dcl check` says about wrong programs.

For each NAME.dcl beside this file, stderr has to be NAME.expected, byte for byte, and the status 1.
With DCL_UPDATE=1 in the environment the .expected files are written instead: read the difference.
"""

import glob
import os
import subprocess

import tap

HERE = os.path.join(tap.SRC, "tests", "errors")

if not glob.glob(os.path.join(tap.SRC, "repl", "*.c")):
    tap.skip_all("the sources have no dcl program yet")

programs = sorted(name[:-len(".dcl")] for name in os.listdir(HERE) if name.endswith(".dcl"))
tap.ok(programs, "there are programs")

for name in programs:
    done = subprocess.run([tap.DCL, "check", name + ".dcl"], cwd=HERE, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", check=False)
    path = os.path.join(HERE, name + ".expected")
    if os.environ.get("DCL_UPDATE"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(done.stderr)
    with open(path, encoding="utf-8") as file:
        tap.is_str(done.stderr, file.read(), name + ": the messages")
    tap.is_int(done.returncode, 1, name + ": the status")

for name in sorted(os.listdir(HERE)):
    if name.endswith(".expected"):
        tap.ok(name[:-len(".expected")] in programs, name + " belongs to a program")

tap.done_testing()
