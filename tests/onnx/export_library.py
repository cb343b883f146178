"""export_library.py: the examples in the library's documentation as cases of export.py, and which
of them cannot be exported, with the reason."""

import glob
import json
import os
import re

import tap

# What is refused, by a part of what is told.
WHILE = "a loop that goes on as long as a condition holds"
GROWS = "a container that grows"
PLACES = "a write that counts at some places only, which the run finds"
REFUSED = {"unique": GROWS, "searchsorted": WHILE, "nms": PLACES}


def declared(text):
    """`x: f32[2] = [1, 2], n: i64` as (name, type, shape, content or None)."""
    out = []
    while text:
        head = re.match(r"(\w+): (\w+)(?:\[([\d, ]*)\])?", text)
        text = text[head.end():]
        content = None
        if text.startswith(" = "):
            content, end = json.JSONDecoder().raw_decode(text[3:])
            text = text[3 + end:]
        shape = [int(n) for n in head.group(3).split(",")] if head.group(3) else []
        out.append((head.group(1), head.group(2), shape, content))
        text = text.lstrip(", ")
    return out


def case(line, example):
    """What defines a function f, and its inputs."""
    found = re.match(r"`([^`]+)` with (.+?)(?: is `.*)?$", example)
    if not found:
        return None
    body, inputs = found.group(1), declared(found.group(2))
    params = ", ".join("%s: %s%s" % (n, t, shape or "") for n, t, shape, _ in inputs)
    results, before = "any", ""
    many = re.match(r"(\w+(?:, \w+)+) = ([^;]*)$", body)
    made = re.match(r"([A-Z]\w*\([^()]*\))\(", body)
    if many:
        results = "(%s)" % ", ".join("any" for _ in many.group(1).split(","))
        body = many.group(2)
    elif line.startswith("layer"):
        if not made:
            return None
        before, body = "part = %s\n" % made.group(1), "part" + body[len(made.group(1)):]
        return (before, body, inputs)
    return ("%sfn f(%s) -> %s { %s }" % (before, params, results, body), "f",
            {n: (t, shape, content) if content is not None else (t, shape, 2)
             for n, t, shape, content in inputs})


def examples():
    """name -> a case of export.py."""
    out = {}
    for path in sorted(glob.glob(os.path.join(tap.SRC, "stdlib", "*.dcl"))):
        doc = []
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for line in lines:
            if line.startswith("##"):
                doc.append(line[2:].strip())
                continue
            name = re.match(r"(?:fn|layer) (\w+)", line)
            at = [i for i, text in enumerate(doc) if text.startswith("`")]
            made = case(line, " ".join(doc[at[-1]:])) if name and at else None
            doc = []
            if made and made[1] == "f":
                out[name.group(1)] = made
    return out
