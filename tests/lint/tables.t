#!/usr/bin/env python3
"""tables.t: every entry of every .def table is documented, and no name comes twice.

A table is a list of macro calls MACRO(name, ...), the first argument being the entry's name. An
entry is documented by '.doc = "..."', or in tables that have no .doc by its last string. A table
with a documentation elsewhere, or with none, is listed in SPECIAL with a function that takes an
entry and returns its documentation.
"""

import os
import re

import tree


def documentation(entry):
    strings = re.findall(r'\.doc\s*=\s*((?:"(?:\\.|[^"\\])*"\s*)+)', entry.text)
    if not strings and not entry.table_has_doc:
        strings = re.findall(r'(?:"(?:\\.|[^"\\])*"\s*)+', entry.text)
    parts = re.findall(r'"((?:\\.|[^"\\])*)"', strings[-1]) if strings else []
    return "".join(parts).strip()


SPECIAL = {
    # "lang/base/example.def": lambda entry: ...
}


class Entry:
    """One macro call: its macro, first argument, whole text and line."""

    def __init__(self, macro, name, text, line, table_has_doc):
        self.macro, self.name, self.text, self.line = macro, name, text, line
        self.table_has_doc = table_has_doc


CALL = re.compile(r"^[ \t]*([A-Za-z_]\w*)[ \t]*\(", re.MULTILINE)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[()]')


def entries(text):
    code = tree.without_comments(text)
    # Directives, with the lines they are continued on, are no entries.
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*",
                  lambda match: "\n" * match.group().count("\n"), code, flags=re.MULTILINE)
    has_doc = re.search(r"\.doc\s*=", code) is not None
    at = 0
    while True:
        call = CALL.search(code, at)
        if not call:
            return
        depth, at = 1, call.end()
        for token in LITERAL.finditer(code, call.end()):
            depth += {"(": 1, ")": -1}.get(token.group(), 0)
            if depth == 0:
                at = token.end()
                break
        else:
            at = len(code)
        inside = code[call.end():at - 1]
        name = re.match(r'\s*("(?:\\.|[^"\\])*"|[^,()]*)', inside).group(1).strip()
        yield Entry(call.group(1), name, inside, code.count("\n", 0, call.start()) + 1, has_doc)


empty, undocumented, twice = [], [], []
for path in tree.files(["lang", "compiler", "backends", "session", "repl"], [".def"]):
    found = list(entries(tree.read(path)))
    if not found:
        empty.append("%s: no entry found" % path)
    seen = {}
    for entry in found:
        where = "%s:%d: %s(%s)" % (path, entry.line, entry.macro, entry.name)
        if not SPECIAL.get(path, documentation)(entry):
            undocumented.append(where)
        first = seen.setdefault((entry.macro, entry.name), entry.line)
        if first != entry.line:
            twice.append("%s is also in line %d" % (where, first))

for path in SPECIAL:
    if not os.path.isfile(os.path.join(tree.SRC, path)):
        empty.append("tests/lint/tables.t: there is no %s" % path)

tree.check("every table has entries", empty)
tree.check("every entry is documented", undocumented)
tree.check("no entry comes twice", twice)
tree.done()
