#!/usr/bin/env python3
"""headers.t: every header compiles alone and twice, and comes first in the .c of its name."""

import concurrent.futures
import os
import shlex
import subprocess

import tree

CC = shlex.split(os.environ.get("CC", "cc"))
FLAGS = shlex.split(os.environ.get("DCL_CPPFLAGS", "-D_GNU_SOURCE -I%s" % tree.SRC))
LLVM_FLAGS = shlex.split(os.environ.get("DCL_LLVM_CPPFLAGS", ""))
LLVM_ROOMS = ("backends/llvm/", "backends/cpu/", "backends/ptx/")
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

headers = tree.files(tree.CODE_ROOMS, [".h"]) + ["tests/harness/tap.h"]


def compile_alone(header):
    flags = FLAGS + (LLVM_FLAGS if header.startswith(LLVM_ROOMS) else [])
    include = '#include "%s"\n' % header
    # The declaration: a header of macros only would leave an empty file, which C forbids.
    done = subprocess.run(CC + WARNINGS + flags + ["-fsyntax-only", "-x", "c", "-"],
                          input=include * 2 + "extern int not_empty;\n", text=True,
                          capture_output=True, check=False)
    return "" if done.returncode == 0 else "%s:\n%s" % (header, done.stderr)


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    tree.check("every header compiles alone, and twice",
               [text for text in pool.map(compile_alone, headers) if text])

complaints = []
for path in tree.files(tree.CODE_ROOMS, [".c"]):
    header = path[:-2] + ".h"
    if not os.path.isfile(os.path.join(tree.SRC, header)):
        continue
    found = tree.includes(tree.read(path))
    if not found or found[0][2] != header:
        complaints.append("%s: the first include is not %s" % (path, header))
tree.check("every .c includes its own header first", complaints)

tree.done()
