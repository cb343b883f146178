#!/usr/bin/env python3
"""language.t: every example of lang/LANGUAGE.md runs and prints what stands below it.

A block fenced as dcl is run by itself, compiled and by the reference evaluator; one fenced as
`dcl cpu` compiled only. A block fenced as text right below it is what comes out: the printed lines,
and then, if it fails, its messages as they are (lines from `example.dcl:` on) or the first of them
without its place (a line from `error:` on). `...` stands for any text. Without such a block it runs
and prints nothing.
"""

import os
import re

import tap

tap.need_numpy()

import dclpy  # noqa: E402

PAGE = "lang/LANGUAGE.md"
FENCE = re.compile(r"^```(\w*)(?: (\w+))?\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def examples(text):
    """(line, program, expected text, back-ends) of each example."""
    found, end = [], None
    for block in FENCE.finditer(text):
        kind, word, body = block.groups()
        line = text.count("\n", 0, block.start()) + 2
        if kind == "dcl":
            found.append([line, body, "", ("cpu",) if word == "cpu" else ("ref", "cpu")])
        elif kind == "text" and found and not text[end:block.start()].strip():
            found[-1][2] = body
        if kind in ("dcl", "text"):
            end = block.end()
    return found


def outcome(backend, program, whole):
    """What a run prints and says; without `whole`, the first error only, without its place."""
    with dclpy.Session("backend=" + backend) as session:
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
for line, program, want, backends in EXAMPLES:
    for backend in backends:
        got = outcome(backend, program, re.search(r"^example\.dcl:", want, re.MULTILINE))
        tap.ok(matches(got, want), "%s: %s:%d" % (backend, PAGE, line), "got:", got, "want:", want)
tap.done_testing()
