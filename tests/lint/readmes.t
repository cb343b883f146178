#!/usr/bin/env python3
"""readmes.t: every folder has a README.md that names each of its files, and no others.

A name may be written `arena.c`, `arena.[ch]` or `arena.{h,c}`. In tests/ the folders of the second
level hold data and need no README; there, a name may be a pattern such as `*_test.c`.
"""

import fnmatch
import itertools
import os
import re

import tree

ROOMS = ["lang", "compiler", "backends", "session", "repl", "stdlib", "examples", "tests"]


def names_in(text):
    """The file names that a README gives between backticks, alternatives written out."""
    for word in re.findall(r"`([^`\s]+)`", text):
        parts = re.split(r"(\{[^{}]*\}|\[[a-z]+\])", word)
        choices = [part[1:-1].split(",") if part.startswith("{") else
                   list(part[1:-1]) if part.startswith("[") else [part] for part in parts]
        for choice in itertools.product(*choices):
            yield "".join(choice)


folders = {}
for path in tree.files(ROOMS):
    folder, name = os.path.split(path)
    if folder.startswith("tests/") and folder.count("/") > 1:
        continue
    folders.setdefault(folder, []).append(name)

everywhere = {os.path.basename(path) for path in tree.files()}

without, unnamed, stale = [], [], []
for folder, files in sorted(folders.items()):
    if "README.md" not in files:
        without.append("%s: no README.md" % folder)
        continue
    text = tree.read(folder + "/README.md")
    names = set(names_in(text))
    patterns = [name for name in names if "*" in name] if folder.startswith("tests/") else []
    for name in files:
        if name == "README.md" or name in names:
            continue
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            unnamed.append("%s/README.md: does not name %s" % (folder, name))
    # The list itself, that is the first name of a list item or of a table's row.
    for line in text.splitlines():
        item = re.match(r"\s*(?:[-*]|\|)\s*`([^`\s]+)`", line)
        if not item:
            continue
        for name in names_in("`%s`" % item.group(1)):
            if re.fullmatch(r"[\w.-]+\.(c|h|l|y|def|dcl|t|py|sh)", name) and name not in everywhere:
                stale.append("%s/README.md: there is no %s" % (folder, name))

tree.check("every folder has a README.md", without)
tree.check("every README.md names each file beside it", unnamed)
tree.check("no README.md lists a file that is gone", stale)
tree.done()
