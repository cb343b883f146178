#!/usr/bin/env python3
"""use.t: where `use` finds files: beside the file, in the current folder, in DCL_PATH; whose
definitions a name means."""

import os

import tap


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def check(name, args, want, path=None):
    """WANT: the output, or a tuple of what the messages hold."""
    if path is None:
        os.environ.pop("DCL_PATH", None)
    else:
        os.environ["DCL_PATH"] = path
    status, out, err = tap.dcl(*args)
    if isinstance(want, str):
        tap.is_str(out + err, want, name)
    else:
        tap.ok(status == 1 and all(text in err for text in want), name, out + err)


write("app/main.dcl", "use which\nprint(which())\n")
write("app/deep.dcl", "use outer\nprint(outer())\n")
write("app/path.dcl", "use \"sub/which.dcl\"\nprint(which())\n")
write("one/which.dcl", "fn which() -> i64 { 1 }\n")
write("two/which.dcl", "fn which() -> i64 { 2 }\n")
write("two/sub/which.dcl", "fn which() -> i64 { 3 }\n")
write("two/outer.dcl", "use which\nfn outer() -> i64 { 10 * which() }\n")

check("a file that is nowhere", ["run", "app/main.dcl"],
      ("app/main.dcl:1:1: error: cannot read which.dcl: there is no such file",
       "help: it stands neither beside this file nor in the current folder; DCL_PATH names more"))
check("a file that is nowhere on the path", ["run", "app/main.dcl"],
      ("cannot read which.dcl", "nor in DCL_PATH: app:none"), "app:none")
check("the first folder that has it", ["run", "app/main.dcl"], "1\n", "none:one:two")
check("the order of the folders counts", ["run", "app/main.dcl"], "2\n", "two:one")
check("empty entries are no folders", ["run", "app/main.dcl"], "1\n", "::one:")
check("a path below a folder", ["run", "app/path.dcl"], "3\n", "one:two")
check("a file of the path finds what lies beside it", ["run", "app/deep.dcl"], "20\n", "one:two")
check("the library is found all the same", ["run", "app/main.dcl"], "1\n", "one")
write("which.dcl", "fn which() -> i64 { 4 }\n")
check("the current folder comes before the path", ["run", "app/main.dcl"], "4\n", "one")
write("app/which.dcl", "fn which() -> i64 { 5 }\n")
check("what lies beside the file comes first", ["run", "app/main.dcl"], "5\n", "one")
write("app/which.dcl", "fn which() -> i64 { 5 }\nprint(1)\n")
check("a file with statements", ["run", "app/main.dcl"], ("holds definitions only",))
write("app/which.dcl", "fn which() -> i64 { mean(2) }\nfn mean(x: i64) -> i64 { x + 1 }\n")
write("app/main.dcl", "use which\nfn mean(x: i64) -> i64 { 100 }\n"
      "print(which(), mean(1), max([1, 2]))\nx: f32[2] = 3\nprint(std(x))\n")
check("each file means its own definitions", ["run", "app/main.dcl"], "3 100 2\n0.0\n")
tap.done_testing()
