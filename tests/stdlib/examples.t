#!/usr/bin/env python3
"""examples.t: every public function and layer of stdlib/*.dcl is documented, stands in the table of
stdlib/README.md, and has an example that `dcl test` runs: compiled and by the reference, with equal
results.

A `##` comment right above a definition makes it public; a `#` comment, internal.
"""

import glob
import os
import re

import tap

FOLDER = os.path.join(tap.SRC, "stdlib")
DEFINITION = re.compile(r"((?:^#.*\n)*)^(?:fn|layer) (\w+)", re.MULTILINE)

with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as page:
    table = [line for line in page if line.startswith("| ")]
listed = {name for line in table for name in re.findall(r"`(\w+)`", line)}
public, undocumented, without = {}, [], []
for path in sorted(glob.glob(os.path.join(FOLDER, "*.dcl"))):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for comment, name in DEFINITION.findall(text):
        place = "%s: %s" % (os.path.basename(path), name)
        lines = comment.splitlines()
        if not lines:
            undocumented.append(place)
        if not comment.startswith("##"):
            continue
        public[name] = place
        if len(lines) < 2 or not any(line.startswith("## `") for line in lines):
            without.append(place)
tap.ok(len(public) > 150, "there are public definitions", str(len(public)))
tap.ok(not undocumented, "all have a comment: ## of public ones, # of internal ones", *undocumented)
tap.ok(not without, "the comments of public ones say something and end in an example", *without)
tap.ok(not set(public) - listed, "README.md lists all public ones",
       *(public[name] for name in sorted(set(public) - listed)))
tap.ok(not listed - set(public), "README.md lists only public ones", *sorted(listed - set(public)))

files = sorted(glob.glob(os.path.join(FOLDER, "*.dcl")))
status, out, err = tap.dcl("test", "--tap", *files)
tests = re.findall(r"^(not ok|ok) \d+ - .*?(\w+\.dcl):\d+: ((\w+): .*)", out, re.MULTILINE)
for result, path, text, name in tests:
    tap.ok(result == "ok", "%s: %s" % (path, text))
run = {"%s: %s" % (path, name) for _, path, _, name in tests}
tap.ok(not set(public.values()) - run, "the example of each is run",
       *sorted(set(public.values()) - run))
tap.ok(status == 0 and "1..%d" % len(tests) in out, "dcl test says so too", status, err)
tap.done_testing()
