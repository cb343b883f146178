#!/usr/bin/env python3
"""editors.t: the highlighting that is made for editors has every word of the language's tables, and
says of a program what its parts are."""

import json
import os
import re
import shutil

import tap

BUILT = {"vim": "obj/dclang.vim", "textmate": "obj/dcl.tmLanguage.json"}


def source(path):
    with open(os.path.join(tap.SRC, path), encoding="utf-8") as file:
        return file.read()


def names(path, array):
    """The texts of an array `[ENUM] = "text"`."""
    body = re.search(array + r"\[\w+\] = \{(.*?)\};", source(path), re.DOTALL).group(1)
    return [word for word in re.findall(r'= "(\w*)"', body) if word]


KEYWORDS = re.findall(r'^KEYWORD\("(\w+)"', source("lang/parse/keyword.def"), re.M)
WORDS = {
    "keywords": KEYWORDS,
    "element types": re.findall(r"^DTYPE\((\w+)", source("lang/scalar/dtype.def"), re.M),
    "builtins": re.findall(r"^BUILTIN\((\w+)", source("session/builtin.def"), re.M),
    "schedules": names("lang/scalar/placement.c", "schedule_names") + ["unique"],
    "storages": names("lang/scalar/placement.c", "storage_names"),
    "resolutions": names("lang/scalar/resolution.c", "resolution_names")}
PROGRAM = r"""# map of rows
fn rows(x: f32[N]) -> y: f32[N] {
  map i in N parallel { x[i] >> y[i] (sum) }
  s: f32[] in heap = 0x1F + 2.5e3
  if true { print("map \" fn", print, sum) }
  heap: bool = 1
  heap << x (and)
}
"""
# What stands at the start of the text: the group of Vim, the scope of TextMate.
PARTS = [("# map", "Comment", "comment"), ("fn", "Keyword", "keyword"),
         ("rows(", "Name", "entity.name"), ("f32", "Type", "storage.type"), ("x:", "", ""),
         ("map i", "Keyword", "keyword"), ("parallel", "Schedule", "storage.modifier"),
         ("sum)", "Resolution", "keyword.operator"), ("heap", "Storage", "storage.modifier"),
         ("0x1F", "Number", "constant.numeric"), ("2.5e3", "Number", "constant.numeric"),
         ("true", "Constant", "constant.language"), ("print(", "Builtin", "support.function"),
         ("\"map", "String", "string"), (" fn\"", "String", "string"), ("print,", "", ""),
         ("sum) }\n  heap", "", ""), ("heap:", "", ""),
         ("and)", "Keyword", "keyword.operator")]

# What VS Code reads: a folder with a manifest that names the files beside it.
for form, path in ("vscode", "obj/package.json"), ("vscode-editing",
                                                   "obj/language-configuration.json"):
    status, text, errors = tap.dcl("help", "--format", form)
    with open(os.path.join(tap.BUILD, path), encoding="utf-8") as file:
        tap.ok(status == 0 and not errors and file.read() == text, "make wrote " + path)
    json.loads(text)
manifest = json.loads(tap.dcl("help", "--format", "vscode")[1])["contributes"]
language, grammar = manifest["languages"][0], manifest["grammars"][0]
tap.ok(language["id"] == grammar["language"] and language["extensions"] == [".dcl"] and all(
    os.path.exists(os.path.join(tap.BUILD, "obj", name))
    for name in (language["configuration"], grammar["path"])), "the manifest names what there is")

texts = {}
for form, path in BUILT.items():
    status, texts[form], errors = tap.dcl("help", "--format", form)
    with open(os.path.join(tap.BUILD, path), encoding="utf-8") as file:
        tap.ok(status == 0 and not errors and file.read() == texts[form], "make wrote " + path)
    for kind, words in WORDS.items():
        missing = [w for w in words if not re.search(r"(?<![A-Za-z_])b?%s\b" % w, texts[form])]
        tap.ok(words and not missing, "%s has the %s" % (form, kind), missing)

# TextMate: at each place, the first pattern that matches wins.
patterns = [(p["name"], re.compile(p["match"])) for p in json.loads(texts["textmate"])["patterns"]]
scopes = {}
for line in re.finditer(r".*\n", PROGRAM):
    at = line.start()
    while at < line.end() - 1:
        found = [(m.start(), k, m.end(), name) for k, (name, pattern) in enumerate(patterns)
                 for m in [pattern.search(PROGRAM, at, line.end() - 1)] if m]
        if not found:
            break
        start, _, at, name = min(found)
        scopes.update(dict.fromkeys(range(start, at), name))


for part, _, scope in PARTS:
    got = scopes.get(PROGRAM.index(part), "")
    tap.ok(got.startswith(scope) if scope else not got, "textmate: " + part, got)

vim = shutil.which("vim")
if vim and not tap.run(vim, "-u", "NONE", "-es", "-c", "if !has('syntax') | cquit | endif",
                       "-c", "qa!")[0]:
    with open("f.dcl", "w", encoding="ascii") as file:
        file.write(PROGRAM)
    with open("ask.vim", "w", encoding="ascii") as file:
        file.write("let out = []\n")
        for part, _, _ in PARTS:
            before = PROGRAM[:PROGRAM.index(part)]
            file.write("call add(out, synIDattr(synID(%d, %d, 1), 'name'))\n" % (
                before.count("\n") + 1, len(before) - before.rfind("\n")))
        file.write("call writefile(out, 'out')\nqa!\n")
    for folder in "syntax", "ftdetect":
        os.makedirs("vimfiles/" + folder)
    shutil.copy(os.path.join(tap.BUILD, BUILT["vim"]), "vimfiles/syntax")
    with open("vimfiles/ftdetect/dclang.vim", "w", encoding="ascii") as file:
        file.write(re.search(r"echo '(autocmd .*)'", source("Makefile.in")).group(1) + "\n")
    tap.run(vim, "-u", "NONE", "-es", "-c", "set rtp^=vimfiles | syntax on", "-c", "edit f.dcl",
            "-c", "source ask.vim", timeout=60)
    with open("out", encoding="ascii") as file:
        for (part, group, _), got in zip(PARTS, file.read().split("\n")):
            tap.is_str(got, "dcl" + group if group else "", "vim: " + part)
else:
    tap.skip("vim is not installed")
tap.done_testing()
