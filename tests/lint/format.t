#!/usr/bin/env python3
"""format.t: the C sources are laid out as clang-format 14 does it ('make format')."""

import os
import re
import shutil
import subprocess

import tree
import tap

program = os.environ.get("CLANG_FORMAT") or shutil.which("clang-format-14")
if not program:
    tap.skip_all("clang-format 14 is not installed (clang-format-14)")

sources = tree.files(tree.CODE_ROOMS + ["tests"], [".c", ".h"])
complaints = []
if sources:
    done = subprocess.run([program, "--dry-run", "-Werror", "--style=file"] + sources,
                          cwd=tree.SRC, text=True, capture_output=True, check=False)
    places = re.findall(r"^(\S+?):(\d+):\d+: error", done.stderr, re.MULTILINE)
    counts = {}
    for path, line in places:
        first, count = counts.get(path, (line, 0))
        counts[path] = first, count + 1
    complaints = ["%s:%s: first of %d places" % (path, line, count)
                  for path, (line, count) in counts.items()]
    if done.returncode and not complaints:
        complaints = [done.stderr]
tree.check("the C sources are laid out by clang-format", complaints)
tree.done()
