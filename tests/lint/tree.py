"""tree.py: what the lints share: the files of the source tree, C without its comments, a report.

The lints look at files, not at git: rooms are walked, so a new file is checked before it is added.
Build folders, what an in-tree build makes and the file `.git` of a work tree are left out.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap

SRC = tap.SRC

CODE_ROOMS = ["lang", "compiler", "backends", "session", "repl", "include"]
ROOMS = CODE_ROOMS + ["stdlib", "examples", "tests", ".ci", "doc"]
PRODUCTS = {".git", "Makefile", "config.log", "dcl", "dcl.1", "libdcl.so", "libdcl.a",
            "libdcl_llvm.so"}


def files(rooms=None, suffixes=None):
    """Sorted paths, relative to the source root, of the rooms' files (None: rooms and root)."""
    found = []
    if rooms is None:
        rooms = ROOMS
        found += [name for name in os.listdir(SRC)
                  if os.path.isfile(os.path.join(SRC, name)) and name not in PRODUCTS]
    for room in rooms:
        for folder, folders, names in os.walk(os.path.join(SRC, room)):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            found += [os.path.relpath(os.path.join(folder, name), SRC) for name in names
                      if not name.startswith(".") or folder == SRC]
    if suffixes:
        found = [path for path in found if path.endswith(tuple(suffixes))]
    return sorted(found)


def read(path):
    """The text of a file, or None if it is not text."""
    with open(os.path.join(SRC, path), "rb") as stream:
        data = stream.read()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


_TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def without_comments(text, strings=True):
    """C text with the comments blanked out, and with strings=False the literals too.

    Lines keep their numbers.
    """
    def blank(match):
        token = match.group()
        if token[0] == "/":
            return " " + "\n" * token.count("\n")
        return token if strings else token[0] + token[0]
    return _TOKENS.sub(blank, text)


def first_comment(text):
    """The first comment of a C, Python or shell file, or its doc string."""
    text = re.sub(r"\A#![^\n]*\n", "", text).lstrip()
    for pattern in (r"(?://[^\n]*\n?)+", r"/\*.*?\*/", r"(?:#[^\n]*\n?)+", r'""".*?"""'):
        match = re.match(pattern, text, re.DOTALL)
        if match:
            return match.group()
    return ""


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def includes(text):
    """Lists (line, kind, name) of the #includes; kind is '<' or '"'."""
    code = without_comments(text)
    return [(code.count("\n", 0, match.start()) + 1, match.group(1), match.group(2))
            for match in INCLUDE.finditer(code)]


def check(name, complaints):
    """One check of a lint: passes if the list of complaints is empty."""
    complaints = list(complaints)
    shown = complaints[:40]
    if len(complaints) > len(shown):
        shown.append("and %d more" % (len(complaints) - len(shown)))
    if tap.ok(not complaints, name):
        return True
    for complaint in shown:
        tap.diag("  " + complaint)
    return False


done = tap.done_testing
skip = tap.skip
