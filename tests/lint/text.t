#!/usr/bin/env python3
"""text.t: length of files and lines, no marks of unfinished work, no workplace.

A file of more than 1,000 lines gives the reason in its first comment, in a line "Long: ...";
tables (.def) may be of any length.
"""

import re

import tree

MAX_WIDTH, SOFT_LENGTH, HARD_LENGTH = 100, 1000, 2000
CODE = (".c", ".h", ".l", ".y", ".def", ".dcl", ".py", ".sh", ".t", "configure", "Makefile.in",
        "tests/harness/run", "tests/harness/suite", ".ci/run")


def is_code(path):
    return path.endswith(CODE) or path.startswith("tests/gates/") and "." not in path


def lines(path):
    return (tree.read(path) or "").splitlines()


everything = [path for path in tree.files() if tree.read(path) is not None]
code = [path for path in everything if is_code(path)]

complaints = []
for path in code:
    count = len(lines(path))
    if path.endswith(".def") or count <= SOFT_LENGTH:
        continue
    if count > HARD_LENGTH:
        complaints.append("%s: %d lines, more than %d" % (path, count, HARD_LENGTH))
    elif not re.search(r"\bLong: \S", tree.first_comment(tree.read(path))):
        complaints.append('%s: %d lines, no "Long: reason" in its first comment' % (path, count))
tree.check("no file is too long", complaints)

tree.check("no line is wider than %d columns" % MAX_WIDTH, (
    "%s:%d: %d columns" % (path, number, len(line))
    for path in code for number, line in enumerate(lines(path), 1) if len(line) > MAX_WIDTH))

tree.check("no line ends in blanks", (
    "%s:%d" % (path, number)
    for path in code for number, line in enumerate(lines(path), 1) if line != line.rstrip()))

tree.check("every source begins with a comment", (
    path for path in code if path.endswith((".c", ".h", ".l", ".y", ".def", ".py", ".sh", ".t"))
    and not re.match(r"\s*(//|/\*|#|\"\"\"|%\{\s*(//|/\*)|%option)", tree.read(path))))


def mentions(pattern):
    """The places where the pattern stands."""
    for path in everything:
        for number, line in enumerate(lines(path), 1):
            match = pattern.search(line)
            if match:
                yield "%s:%d: %s" % (path, number, match.group().strip())


# The words are put together here, so that this file does not contain them.
MARKS = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
tree.check("no marks of unfinished work (LATER: what, and why not now)",
           mentions(re.compile(r"\b(%s)\b" % "|".join(MARKS))))

WORKPLACE = [
    r"(?<![\w.])/wo" + r"rk/", r"/fa" + r"rm\b", r"\bfa" + r"rm-", r"/ro" + r"ot/",
    r"\bsand" + r"box", r"bash" + r"_jobs", r"\bsub-?" + r"agent", r"shared/" + r"design",
    r"/tmp/" + r"bash", r"\banth" + r"ropic", r"\bcla" + r"ude\b", r"\bcoding " + r"agent",
    r"/\.lib" + r"rary",
]
tree.check("no mention of the place where this was written",
           mentions(re.compile("|".join(WORKPLACE), re.IGNORECASE)))

tree.done()
