#!/usr/bin/env python3
"""layers.t: who may include whom, and who may allocate.

Includes go one way: lang <- compiler <- backends <- session <- repl. To let a room include another
one, change RULES; each rule has a name that the complaint prints.
"""

import os
import re

import tree

STOREYS = ["lang", "compiler", "backends", "session", "repl"]
LLVM_ROOMS = ("backends/llvm/", "backends/cpu/", "backends/ptx/")
SOURCES = tree.files(tree.CODE_ROOMS, [".c", ".h", ".l", ".y", ".def"])

INCLUDES = {path: tree.includes(tree.read(path) or "") for path in SOURCES}


def storey(path):
    room = path.split("/")[0]
    return STOREYS.index(room) if room in STOREYS else None


def exists(name):
    """A header of the tree, or one that flex or bison makes of a source of the tree."""
    path = os.path.join(tree.SRC, name)
    return os.path.isfile(path) or name == "dcl.h" or any(
        name.endswith(made) and os.path.isfile(path[:-len(made)] + source)
        for made, source in ((".tab.h", ".y"), (".yy.h", ".l")))


def complaints(rule):
    """The includes to which rule(path, kind, name) answers with a text."""
    for path, found in INCLUDES.items():
        for line, kind, name in found:
            why = rule(path, kind, name)
            if why:
                yield '%s:%d: includes %s: %s' % (path, line, name, why)


def one_way(path, kind, name):
    here, there = storey(path), storey(name)
    if kind == '"' and here is not None and there is not None and there > here:
        return "%s does not know %s" % (STOREYS[here], STOREYS[there])


def from_the_root(path, kind, name):
    if kind == '"' and not exists(name):
        return 'there is no such file, seen from the source root'
    if kind == "<" and storey(name) is not None and exists(name):
        return 'our own files are included with "..."'


def llvm(path, kind, name):
    if name.startswith(("llvm-c/", "llvm/")) and not path.startswith(LLVM_ROOMS):
        return "LLVM is seen only in " + " ".join(LLVM_ROOMS)


def llvm_rooms(path, kind, name):
    """What is opened at run time cannot be included by what opens it, but for its face."""
    if name.startswith(LLVM_ROOMS) and path.startswith(("backends/rt/", "backends/ref/")):
        return "rt and ref do not know the other back-ends"


def rt(path, kind, name):
    if path.startswith("backends/rt/") and kind == '"' and not name.startswith("backends/rt/"):
        return "backends/rt includes only itself and libc"


def ref(path, kind, name):
    if path.startswith("backends/ref/") and name.startswith("compiler/"):
        return "the reference shares nothing with the compiler"


def libedit(path, kind, name):
    if name.startswith(("histedit", "editline/", "readline/")) and not path.startswith("repl/"):
        return "libedit is seen only in repl"


def codecs(path, kind, name):
    if name in ("zlib.h", "png.h", "jpeglib.h", "jerror.h") and not path.startswith("lang/files/"):
        return "what packs and unpacks is seen only in lang/files"


def public_header(path, kind, name):
    if path.startswith("include/") and kind == '"':
        return "the public header stands alone"
    if name in ("dcl.h", "include/dcl.h") and (storey(path) or 0) < STOREYS.index("session"):
        return "the public header belongs to session and above"


def private_headers():
    """Headers that say so in their first comment, and those that include them."""
    found = {path for path in SOURCES if path.endswith(".h") and
             "Not for others" in " ".join(tree.first_comment(tree.read(path)).split())}
    more = found
    while more:
        more = {path for path in SOURCES if path.endswith(".h") and path not in found and
                any(name in found for _, _, name in INCLUDES[path])}
        found |= more
    return found


PRIVATE = private_headers()


def private(path, kind, name):
    if name in PRIVATE and os.path.dirname(path) != os.path.dirname(name):
        return "this header is not for others than its folder"


RULES = [
    ("includes go one way", one_way),
    ("includes are written from the source root", from_the_root),
    ("LLVM headers only in backends/llvm, cpu and ptx", llvm),
    ("backends/rt and ref do not include the other back-ends", llvm_rooms),
    ("backends/rt includes nothing of the house", rt),
    ("backends/ref includes nothing of the compiler", ref),
    ("libedit only in repl", libedit),
    ("zlib, libpng and libjpeg only in lang/files", codecs),
    ("headers that are not for others are not included by others", private),
    ("dcl.h stands alone and is not used below session", public_header),
]
for rule_name, rule in RULES:
    tree.check(rule_name, complaints(rule))

# Session and repl drive both worlds; below them two rooms translate between them.
both = []
for path, found in INCLUDES.items():
    if path.startswith(("compiler/lower/", "compiler/print/", "session/", "repl/")):
        continue
    names = [name for _, _, name in found]
    if any(name.startswith("lang/ast/") for name in names) and any(
            name.startswith("compiler/ir/") for name in names):
        both.append("%s: includes both lang/ast and compiler/ir" % path)
tree.check("only compiler/lower and compiler/print see both syntax and graph", both)

ALLOCATION = re.compile(
    r"(?<![\w.>])(malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|free|strdup|"
    r"strndup|asprintf|vasprintf)\s*\(")
found = []
for path in SOURCES:
    if path.startswith(("lang/base/", "backends/rt/")):
        continue
    code = tree.without_comments(tree.read(path) or "", strings=False)
    for match in ALLOCATION.finditer(code):
        found.append("%s:%d: %s" % (path, code.count("\n", 0, match.start()) + 1, match.group(1)))
tree.check("memory is allocated only in lang/base and backends/rt", found)

# A library does not end the program it is part of; lang/base may when memory is out and nobody
# asked to be told.
EXIT = re.compile(r"(?<![\w.>])(exit|_exit|quick_exit|abort)\s*\(")
found = []
for path in SOURCES:
    if path.startswith("repl/"):
        continue
    code = tree.without_comments(tree.read(path) or "", strings=False)
    for match in EXIT.finditer(code):
        if match.group(1) == "abort" and path.startswith("lang/base/"):
            continue
        found.append("%s:%d: %s" % (path, code.count("\n", 0, match.start()) + 1, match.group(1)))
tree.check("nothing below repl ends the program", found)

tree.done()
