#!/usr/bin/env python3
"""language.t: every example of lang/LANGUAGE.md runs and prints what stands below it.

A block fenced as dcl is run by itself, compiled and by the reference evaluator, and if it does not
fail also checked; one fenced as `dcl cpu` compiled only, one fenced as `dcl check` checked only. A
block fenced as text right below it is what comes out: the printed lines, and then, if it fails, its
messages as they are (lines from `example.dcl:` on) or the first of them without its place (a line
from `error:` on). `...` stands for any text. Without such a block it runs and prints nothing.
"""

import os
import re

import tap

tap.need_numpy()

import dclpy  # noqa: E402

PAGE = "lang/LANGUAGE.md"
FENCE = re.compile(r"^```(\w*)(?: (\w+))?\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def examples(text):
    """[line, program, expected text, options] of each example."""
    found, end = [], None
    for block in FENCE.finditer(text):
        kind, word, body = block.groups()
        line = text.count("\n", 0, block.start()) + 2
        if kind == "dcl":
            found.append([line, body, "", {"cpu": ["backend=cpu"], "check": ["check=1"],
                                           None: ["backend=ref", "backend=cpu"]}[word]])
        elif kind == "text" and found and not text[end:block.start()].strip():
            found[-1][2] = body
        if kind in ("dcl", "text"):
            end = block.end()
    for example in found:
        if len(example[3]) == 2 and "error:" not in example[2]:
            example[3].append("check=1")
    return found


def outcome(options, program, whole):
    """What a run prints and says; without `whole`, the first error only, without its place."""
    with dclpy.Session(options) as session:
        try:
            session.run(program, "example.dcl")
            return session.output
        except dclpy.Error as error:
            messages = str(error)
        if not whole:
            messages = re.search(r"error: .*\n?", messages).group()
        return session.output + messages.rstrip("\n") + "\n"


def matches(got, want):
    pattern = ".*?".join(re.escape(part) for part in want.split("..."))
    return re.fullmatch(pattern, got, re.DOTALL) is not None


with open(os.path.join(tap.SRC, PAGE), encoding="utf-8") as page:
    EXAMPLES = examples(page.read())
tap.ok(len(EXAMPLES) > 15, "the page has examples", str(len(EXAMPLES)))
for line, program, want, ways in EXAMPLES:
    for options in ways:
        got = outcome(options, program, re.search(r"^example\.dcl:", want, re.MULTILINE))
        tap.ok(matches(got, want), "%s: %s:%d" % (options, PAGE, line), "got:", got, "want:", want)
tap.done_testing()
