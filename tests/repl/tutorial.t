#!/usr/bin/env python3
"""tutorial.t: the pages of examples/tutorial, typed at the prompt, print what they say.

All blocks of a page that are fenced as dcl go to one prompt; before that, the lines `./dcl ..` of
those fenced as sh are run. A block fenced as text right below one is all that comes out, errors
included; `...` stands for any text. Without such a block nothing comes out. Blocks fenced as python
are for the reader.
"""

import os
import re

import tap

FOLDER = os.path.join(tap.SRC, "examples", "tutorial")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
END = "<end of a block>\n"


def blocks(text):
    """[line, kind, what is typed, what comes out] of each block of a page."""
    found, end = [], None
    for block in FENCE.finditer(text):
        kind, body = block.groups()
        if kind in ("dcl", "sh"):
            found.append([text.count("\n", 0, block.start()) + 2, kind, body, ""])
        elif kind == "text" and end is not None and not text[end:block.start()].strip():
            found[-1][3] = body
        end = block.end() if kind in ("dcl", "sh") else None
    return found


def typed(program):
    status, output, errors = tap.run("sh", "-c", '"$0" 2>&1', tap.DCL, input=program)
    return output if status in (0, 1) and not errors else "status %s" % status + output + errors


def ran(commands):
    """What the lines of a sh block print."""
    output = ""
    for line in commands.splitlines():
        program, *words = line.split()
        assert program == "./dcl", line
        words = [re.sub("(^|=)(?=(examples|tests)/)", r"\g<1>%s/" % tap.SRC, w) for w in words]
        output += "".join(tap.dcl(*words)[1:])
    return output


def matches(got, want):
    pattern = ".*?".join(re.escape(part) for part in want.split("..."))
    return re.fullmatch(pattern, got, re.DOTALL) is not None


def links(page):
    return re.findall(r"\]\(([\w./]+)\)", page)


names = sorted(name for name in os.listdir(FOLDER) if name.endswith(".md") and name != "README.md")
pages = {}
for name in names:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        pages[name] = file.read()

for name, text in pages.items():
    found = blocks(text)
    tap.ok(len(found) > 2, name + " has blocks", str(len(found)))
    program = "".join('%s\nprint("%s")\n' % (body, END.strip())
                      for _, kind, body, _ in found if kind == "dcl")
    shell = [ran(body) for _, kind, body, _ in found if kind == "sh"]
    outputs = typed(program).split(END)
    tap.is_str(outputs.pop(), "", name + " ends at its end")
    for line, kind, body, want in found:
        left = shell if kind == "sh" else outputs
        got = left.pop(0) if left else "nothing"
        tap.ok(matches(got, want), "%s:%d" % (name, line), "got:", got, "want:", want)
    for target in links(text):
        tap.ok(os.path.exists(os.path.join(FOLDER, target)), "%s links %s" % (name, target))

# README.md sends its reader to the first page, and pages to each other.
with open(os.path.join(tap.SRC, "README.md"), encoding="utf-8") as file:
    left = [os.path.basename(link) for link in links(file.read()) if "tutorial/" in link]
seen = set()
while left:
    name = left.pop()
    if name in pages and name not in seen:
        seen.add(name)
        left += links(pages[name])
tap.is_str(" ".join(sorted(seen)), " ".join(names), "every page is reached from README.md")
tap.done_testing()
