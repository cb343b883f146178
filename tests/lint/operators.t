#!/usr/bin/env python3
"""operators.t: C knows no function or layer of the library: none of their names stands in a string,
but for the scalar operators, the builtin functions, the hooks of the syntax, and the table of
ONNX's operators."""
import re

import tap
import tree

HOOKS = {"matmul", "pow"}  # `@` and `**` mean the library's
# Names of blocks of code and words of the syntax that happen to be functions, too.
WORDS = {"before", "part", "tile", "unique", "var", "stack"}
TABLES = {"lang/onnx/onnx.def", "lang/onnx/operator.def"}


def names_of(path, pattern):
    return set(re.findall(pattern, tree.read(path), re.MULTILINE))


library = set()
for path in tree.files(["stdlib"], [".dcl"]):
    library |= names_of(path, r"^(?:fn|layer) (\w+)")
known = HOOKS | WORDS
known |= names_of("lang/scalar/scalar.def", r'^SCALAR\(\w+, "(\w+)"')
known |= names_of("session/builtin.def", r"^BUILTIN\((\w+)")
known |= names_of("session/initializer.def", r"^\w+\((\w+)")
known |= names_of("lang/eval/builtin.def", r"^BUILTIN\((\w+)")
tree.check("the library has functions", [] if len(library) > 150 else ["%d" % len(library)])
found = []
for path in tree.files(tree.CODE_ROOMS, [".c", ".h", ".def", ".y", ".l"]):
    if path in TABLES:
        continue
    for number, line in enumerate(tree.without_comments(tree.read(path)).splitlines(), 1):
        for text in re.findall(r'"(\w+)"', line):
            if text in library - known:
                found.append("%s:%d: \"%s\"" % (path, number, text))
tree.check("no name of the library stands in C", found)
tree.done()
