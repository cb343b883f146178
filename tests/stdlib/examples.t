#!/usr/bin/env python3
"""examples.t: every public function and layer of stdlib/*.dcl is documented, stands in the table of
stdlib/README.md, and has an example that runs: compiled and by the reference, with equal results.

A `##` comment right above a definition makes it public; a `#` comment, internal. The comment ends
in the example, which begins a line:

    `EXPRESSION` with NAME: TYPE, NAME: TYPE = VALUES is `RESULT`

`with ..` declares tensors, of small numbers unless told which; of integers they are 0 and 1. The
EXPRESSION may have statements and `;` before it; of `a, b = EXPRESSION` the result is a, b. Without
`is ..` the results of both back-ends need only agree; the reference has no gradients.
"""

import glob
import json
import math
import os
import re

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

FOLDER = os.path.join(tap.SRC, "stdlib")
DEFINITION = re.compile(r"((?:^#.*\n)*)^(?:fn|layer) (\w+)", re.MULTILINE)
EXAMPLE = re.compile(r"`([^`]+)`(?: with ([^`]+?))?(?: is `([^`]+)`)?")
INPUT = re.compile(r"(\w+): (\w+)\[([\d, ]*)\](?: = ([^a-z]+))?(?:, |$)")
TYPE = re.compile(r"  (?:f|bf|i|u|bool)\d*\[[\d, ]*\]")
TOKEN = re.compile(r'-?(?:\d[\d.]*(?:e[+-]?\d+)?|inf|nan)|"[^"]*"|\w+|[()\[\]]')
NUMPY = {"f32": "f4", "f64": "f8", "f16": "f2", "i64": "i8", "i32": "i4", "u8": "u1", "bool": "?"}


def example_of(comment):
    """The match of EXAMPLE that ends the comment's lines, or None."""
    for at, line in enumerate(comment):
        found = line.startswith("`") and EXAMPLE.fullmatch(" ".join(comment[at:]))
        if found:
            return found
    return None


def inputs_of(text):
    """[(name, array), ..] of what stands behind `with`; None if it is nothing of the kind."""
    found, end = [], 0
    rng = numpy.random.default_rng(5)
    while end < len(text):
        one = INPUT.match(text, end)
        if not one or one[2] not in NUMPY:
            return None
        shape = tuple(int(n) for n in one[3].split(",") if n.strip())
        if one[4]:
            x = numpy.array(json.loads(one[4]))
            if x.shape != shape:
                return None
        elif one[2].startswith("f"):
            x = rng.normal(size=shape).round(2)
        else:
            x = (numpy.arange(numpy.prod(shape, dtype=int)) % 2).reshape(shape)
        found.append((one[1], x.astype(NUMPY[one[2]])))
        end = one.end()
    return found


def tokens_of(text):
    return [w.strip() for w in TOKEN.findall(TYPE.sub("", text).replace(",", " "))]


def same(a, b):
    """Equal words, or almost equal numbers, unless both are whole."""
    try:
        return a == b or "." in a + b and math.isclose(float(a), float(b), rel_tol=2e-5,
                                                       abs_tol=2e-6)
    except ValueError:
        return False


def agree(got, want):
    """Equal texts, but for the layout and the rounding of numbers."""
    got, want = tokens_of(got), tokens_of(want)
    return len(got) == len(want) and all(map(same, got, want))


def outcome(backend, expression, inputs):
    """What an example prints, or the error that ends it."""
    *before, last = expression.split("; ")
    names = re.match(r"(\w+(?:, \w+)*) = ", last)
    if names:
        before.append(last)
        last = names[1]
    lines = []
    for name, x in inputs:
        numpy.save(name + ".npy", x)
        lines.append('%s = load("%s.npy")' % (name, name))
    with dclpy.Session("backend=" + backend) as session:
        try:
            session.run("\n".join([*lines, *before, "print(%s)" % last]) + "\n", "example.dcl")
            return session.output
        except dclpy.Error as error:
            return str(error)


with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as page:
    table = [line for line in page if line.startswith("| ")]
listed = {name for line in table for name in re.findall(r"`(\w+)`", line)}
public, undocumented, without, examples = {}, [], [], []
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
        found = example_of([line.lstrip("#").strip() for line in lines])
        inputs = inputs_of(found[2] or "") if found else None
        if len(lines) < 2 or inputs is None:
            without.append(place)
        else:
            examples.append((place, found[1], inputs, found[3]))
tap.ok(len(public) > 150, "there are public definitions", str(len(public)))
tap.ok(not undocumented, "all have a comment: ## of public ones, # of internal ones", *undocumented)
tap.ok(not without, "the comments of public ones say something and end in an example", *without)
tap.ok(not set(public) - listed, "README.md lists all public ones",
       *(public[name] for name in sorted(set(public) - listed)))
tap.ok(not listed - set(public), "README.md lists only public ones", *sorted(listed - set(public)))

for place, expression, inputs, want in examples:
    got = outcome("cpu", expression, inputs)
    right = "error: " not in got and (want is None or agree(got, want))
    other = "(no gradients)"
    if "minimize" not in expression:
        other = outcome("ref", expression, inputs)
        right = right and agree(other, got)
    tap.ok(right, "%s: %s" % (place, expression), "cpu:", got, "ref:", other, "want:", want)
tap.done_testing()
