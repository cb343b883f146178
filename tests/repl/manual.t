#!/usr/bin/env python3
"""manual.t: what is made of options.def: the manual page, completion for bash and zsh; exit codes,
each provoked and documented."""

import os
import re
import shutil

import tap

BUILT = {"man": "dcl.1", "bash": "obj/dcl.bash", "zsh": "obj/_dcl"}

with open(os.path.join(tap.SRC, "repl/options.def"), encoding="utf-8") as file:
    table = file.read()
commands = re.findall(r"^COMMAND\((\w+)", table, re.M)
options = ["-" + name if len(name) == 1 else "--" + name.replace("_", "-")
           for name in re.findall(r"^OPTION\((\w+)", table, re.M)]
codes = re.findall(r"^EXIT\(\w+, (\d+)", table, re.M)

pages = {}
for form, path in BUILT.items():
    status, pages[form], errors = tap.dcl("help", "--format", form)
    with open(os.path.join(tap.BUILD, path), encoding="utf-8") as file:
        built = file.read()
    tap.ok(status == 0 and not errors and built == pages[form], "make wrote the " + form)
plain = pages["man"].replace("\\-", "-")
for word in commands + options:
    missing = [form for form, text in pages.items() if word not in text.replace("\\-", "-")]
    tap.ok(not missing, word + " stands in all of them", *missing)
tap.ok(not tap.dcl("help")[2] and not [code for code in codes
       if not re.search(r"^  %s  " % code, tap.dcl("--help")[1], re.M)
       or ".TP\n\\fB%s\\fR\n" % code not in pages["man"]],
       "exit codes are in --help and in the manual")
tap.ok(tap.dcl("help", "--format", "html")[0] == 2, "there is no other form")

if shutil.which("groff"):
    status, text, errors = tap.run("groff", "-man", "-ww", "-Tascii", "-P-cbou",
                                   os.path.join(tap.BUILD, "dcl.1"))
    tap.ok(status == 0 and not errors and "--target-cpu NAME" in text, "groff reads the manual",
           errors)
else:
    tap.skip("groff is not installed")


def completes(shell, script):
    return tap.run(shell, "-c", script, os.path.join(tap.BUILD, BUILT[shell]))


def in_bash(*words):
    status, out, errors = completes("bash", """. "$0"
COMP_WORDS=(%s); COMP_CWORD=%d; _dcl; echo "${COMPREPLY[@]}" """
                                    % (" ".join("'%s'" % w for w in words), len(words) - 1))
    return out.split() if status == 0 and not errors else [errors]


# zsh's own functions stand in for the line editor.
def in_zsh(*words):
    status, out, errors = completes("zsh", """
words=(%s); CURRENT=%d
compadd() { shift; print -- ${(M)@:#${words[CURRENT]}*} }
_files() { print files }
file=$0; f() { . $file }; f""" % (" ".join("'%s'" % w for w in words), len(words)))
    return out.split() if status == 0 and not errors else [errors]


for shell, complete, files in ("bash", in_bash, []), ("zsh", in_zsh, ["files"]):
    if not shutil.which(shell):
        tap.skip(shell + " is not installed")
        continue
    for words, want in ((("dcl", "sh"), ["show"]), (("dcl", "--v"), ["--version"]),
                        (("dcl", "run", "--th"), ["--threads"]),
                        (("dcl", "check", "--th"), []),
                        (("dcl", "show", "f.dcl", "--as", "l"), ["llvm"]),
                        (("dcl", "run", "--backend", ""), ["cpu", "ref"]),
                        (("dcl", "help", "mo"), ["movement"]),
                        (("dcl", "run", "--entry", "x"), files), (("dcl", "run", "f"), files)):
        got = complete(*words)
        tap.ok(got == want, "%s completes: %s" % (shell, " ".join(words)), got)

# A program that is right, one that fails, a wrong command line, a mistake of our own.
with open("f.dcl", "w", encoding="ascii") as file:
    file.write("x: f32[100]\nmap i { x[i] = f32(i) }\nprint(x[3])\n")
with open("loop.dcl", "w", encoding="ascii") as file:
    file.write('print("on")\nwhile true {}\n')
with open("refuse.c", "w", encoding="ascii") as file:
    file.write("""#include <errno.h>
#include <stddef.h>
int mprotect(void *at, size_t n, int how) {
  return (void)at, (void)n, (void)how, errno = EACCES, -1;
}
""")
seen = [str(tap.dcl(*words)[0]) for words in (["run", "f.dcl"], ["run", "g.dcl"], ["rum"])]
status, out, errors = tap.run(os.environ["CC"].split()[0], "-shared", "-fPIC", "-o", "refuse.so",
                              "refuse.c")
if status or os.environ.get("DCL_ASAN"):
    tap.skip("no library that refuses mprotect")
    seen.append("3")
else:
    status, out, errors = tap.dcl("run", "--cache", "off", "f.dcl",
                                  env={"LD_PRELOAD": os.path.abspath("refuse.so")})
    tap.ok("error: internal: the compiled code cannot be loaded" in errors, "code that cannot run",
           errors)
    seen.append(str(status))
status = tap.run("timeout", "--preserve-status", "-s", "INT", "2", tap.DCL, "run", "loop.dcl")[0]
seen.append(str(status))
tap.ok(seen == codes, "every exit code comes out", seen, codes)
tap.done_testing()
