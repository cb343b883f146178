#!/usr/bin/env python3
"""hostile.t: programs that are too deep, too long or too much: each gives a result or an error, in
seconds and in memory that is in proportion to its text."""

import os
import resource
import subprocess
import sys

import tap

DEEP = 100000
SLOW = 6 if os.environ.get("DCL_ASAN") else 1
SECONDS = 10 * SLOW


def nested(opening, inside, closing, n=DEEP):
    return opening * n + inside + closing * n


CASES = {
    # nesting
    "brackets": "x = " + nested("(", "1", ")"),
    "brackets that stay open": "x = " + "(" * DEEP,
    "brackets that close too often": "x = 1" + ")" * DEEP,
    "lists": "x = " + nested("[", "1", "]"),
    "tuples": "x = " + nested("(", "1", ",)"),
    "calls": "x = " + nested("abs(", "1", ")"),
    "subscripts": "x = " + nested("x[", "0", "]"),
    "negation": "x = " + "-" * DEEP + "1",
    "not": "x = " + "not " * DEEP + "true",
    "powers": "x = 1" + " ** 1" * DEEP,
    "sums": "x = 1" + " + 1" * DEEP,
    "pipes": "x = 1" + " |> abs" * DEEP,
    "members": "x = y" + ".a" * DEEP,
    "calls of calls": "x = y" + "()" * DEEP,
    "elements of elements": "x = y" + "[0]" * DEEP,
    "comparisons": "x = 1" + " < 1" * DEEP,
    "and, or": "x = true" + " and true or false" * DEEP,
    "blocks": "fn f(x: f32) -> f32 {\n" + nested("if x > 0 {\n", "x\n", "}\n") + "}\n",
    "blocks that stay open": "fn f(x: f32) -> f32 {\n" + "while true {\n" * DEEP,
    "maps": "fn f(x: f32[N]) -> y: f32[N] {\n" + nested("map i in 0:1 {", "", "}\n") + "}\n",
    "else if": "fn f(x: f32) -> f32 {\n" + "if x > 0 { x } else " * DEEP + "{ x }\n}\n",
    "if in a script": "x = 1\n" + "if x == 0 { x = 2 } else " * DEEP + "{ x = 3 }\n",
    "types": "fn f(x: " + "f32[" * DEEP + "]" * DEEP + ") { }\n",
    "dimensions": "fn f(x: f32[" + "N, " * DEEP + "]) { }\n",
    "dimensions of a container": "x: f32[" + "1, " * DEEP + "] = 0\n",
    "a deep dimension": "fn f(x: f32[N], y: f32[" + nested("(", "N", ")") + "]) { }\n",
    "comprehensions": "x = " + nested("[", "1", " for i in 0:1]"),
    "functions in functions": nested("fn f() {\n", "", "}\n"),
    "layers in layers": nested("layer L {\n", "", "}\n"),
    "minimize": "x = " + "minimize " * DEEP + "x over x with x\n",
    "gradient": "x = " + "gradient " * DEEP + "x" + " over x" * DEEP + "\n",
    # length
    "a name": "a" * 1000000 + " = 1\nprint(" + "a" * 1000000 + ")\n",
    "an unknown name": "print(" + "a" * 1000000 + ")\n",
    "a number": "x = " + "1" * 100000 + "\n",
    "a number with a point": "x = 0." + "1" * 100000 + "\nprint(x)\n",
    "a number with zeros": "x = 1" + "0" * 100000 + ".0\nprint(x)\n",
    "an exponent": "x = 1e" + "9" * 100000 + "\nprint(x)\n",
    "a string": 's = "' + "x" * 1000000 + '"\nprint(len(s))\n',
    "an open string": 's = "' + "x" * 1000000,
    "a comment": "#" * 1000000 + "\nx = 1\n",
    "a documentation": "## a\n" * 200000 + "fn f() -> i64 { 1 }\n",
    "statements": "x = 1\n" * 1000000,
    "statements of a function": "fn f() -> i64 {\n" + "x = 1\n" * 200000 + "x\n}\nprint(f())\n",
    "definitions": "".join("fn f%d() -> i64 { %d }\n" % (i, i) for i in range(50000)),
    "uses of a wrong name": "x = nothing\n" * 100000,
    "wrong lines": "x = = 1\n" * 100000,
    "elements of a list": "x = [" + "1, " * 300000 + "1]\nprint(len(x))\n",
    "parameters": "fn f(" + ", ".join("a%d: f32" % i for i in range(20000)) + ") -> f32 { a0 }\n",
    "arguments": "fn f(x: f32) -> f32 { x }\nprint(f(" + "1, " * 100000 + "))\n",
    "results": "fn f() -> (" + ", ".join("a%d: f32" % i for i in range(20000)) + ") { }\n",
    "indices": "fn f(x: f32) { map " + ", ".join("i%d in 0:1" % i for i in range(20000)) +
               " { } }\n",
    "conditions": "fn f(x: f32[N]) -> f32[N] where " + ", ".join(["N > 0"] * 20000) + " { x }\n",
    "ends of lines": "\n" * 1000000 + "x = \n",
    "semicolons": ";" * 1000000,
    "bytes that are no text": "\x01\x02" * 100000,
    # work while elaborating
    "recursion without an end": "fn f(n: int) -> int { f(n + 1) }\nprint(f(0))\n",
    "two functions that call each other": "fn f(n: int) -> int { g(n) }\n"
                                          "fn g(n: int) -> int { f(n) }\nprint(f(0))\n",
    "recursion that doubles": "fn f(n: int) -> int {\n  if n == 0 { return 1 }\n"
                              "  f(n - 1) + f(n - 1)\n}\nprint(f(60))\n",
    "a list that doubles": "x = [1]\nfor i in 0:60 { x = x + x }\n",
    "a string that doubles": 's = "a"\nfor i in 0:60 { s = s + s }\n',
    "a comprehension": "x = [i for i in 0:1000000000000]\n",
    "comprehensions of comprehensions":
        "x = [[[k for k in 0:1000] for j in 0:1000] for i in 0:1000]\n",
    "a tensor": "x: f32[1000000000, 1000000000] = 0\n",
    "a large tensor": "x: f64[1000000, 1000000] = 0\nprint(x[0, 0])\n",
    "a size beyond i64": "x: f32[9223372036854775807, 9223372036854775807] = 0\n",
    "an unrolled map": "fn f() -> y: i64[10000000] { map i in 10000000 unroll { y[i] = i } }\n"
                       "y = f()\n",
    "registers": "fn f() -> y: f32[4] {\n  c: f32[100000000] in register = 0\n"
                 "  map i in 4 { y[i] = c[i] }\n}\ny = f()\n",
    "a stack": "fn f() -> y: f32[4] {\n  c: f32[1000000000000] in stack = 0\n"
               "  map i in 4 { y[i] = c[i] }\n}\ny = f()\n",
    "a power": "print(3 ** 1000000, 2.0 ** 1000000, 7 ** 16)\n",
    "a large shift": "x: i32 = 1\nprint(shl(x, 1000000))\n",
    "layers that make layers": "layer L(n: int) {\n  a = L(n + 1)\n}\nx = L(0)\n",
    "many layers": "layer L(n: int) {\n  a = [L(n - 1) for i in 0:10 if n > 0]\n}\nx = L(12)\n",
    "a file that uses itself": "use hostile\nx = 1\n",
}


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))


def run(name, text, *command):
    with open("hostile.dcl", "w", encoding="latin-1") as file:
        file.write(text)
    with open("errors", "w+b") as errors:
        child = subprocess.Popen([tap.DCL, *command, "hostile.dcl"], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limits)
        _, status, use = os.wait4(child.pid, 0)
        child.returncode = status
        errors.seek(0)
        err = errors.read()
    code = os.waitstatus_to_exitcode(status)
    megabytes = use.ru_maxrss // 1024
    proportion = 500 + len(text) // 2500  # 400 bytes for a byte of text
    told = "%s: status %d, %.1f s, %d MB, %d bytes of messages" % (
        name, code, use.ru_utime + use.ru_stime, megabytes, len(err))
    tap.diag(told)
    tap.ok(code in (0, 1), "%s: %s" % (" ".join(command), name), told, err[:300])
    tap.ok(os.environ.get("DCL_ASAN") or megabytes < proportion, name + ": memory", told)
    tap.ok(len(err) < 20000 + 3 * len(text), name + ": messages", told)


only = sys.argv[1:]
for name, text in CASES.items():
    if not only or name in only:
        run(name, text, "check")
        run(name, text, "run", "--cache", "off")
tap.done_testing()
