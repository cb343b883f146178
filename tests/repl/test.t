#!/usr/bin/env python3
"""test.t: dcl test: which asserts and examples are run, what is said of those that fail."""

import re

import tap


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


write("good.dcl", """\
## Twice x.
## `twice(x)` with x: f32[2] = [1, 2.5] is `[2, 5]`
fn twice(x: f32[N]) -> y: f32[N] { map i { y[i] = 2 * x[i] } }

## Without a result both back-ends have to agree.
## `a = twice(x);  b = twice(a)` with x: f32[3]
fn again(x: f32[N]) -> f32[N] { twice(twice(x)) }

## Several results, and a type that is no f32.
## `low, high = ends(x)` with x: i64[3] = [4, -7, 5], y: f64[0] is `-7 5`
fn ends(x: i64[_]) -> (low: i64, high: i64) { map i { x[i] >> low (min);  x[i] >> high (max) } }

## No example, but `code`.
fn other(x: f32[N]) -> f32[N] { x }

x = 3
assert(x == 3)
print("printed")
for i in 0:3 { assert(i < 3, "small # enough") }
""")
status, out, err = tap.dcl("test", "good.dcl")
tap.is_str(out, """\
ok      good.dcl:3: twice: twice(x)
ok      good.dcl:7: again: a = twice(x); b = twice(a)
ok      good.dcl:11: ends: low, high = ends(x)
ok      good.dcl:17: assert(x == 3)
ok      good.dcl:19: for i in 0:3 { assert(i < 3, "small # enough") }
5 tests, 0 failed
""", "what is run")
tap.ok(status == 0 and err == "printed\n", "what the script prints goes aside", status, err)
status, out, err = tap.dcl("test", "--tap", "good.dcl")
tap.ok(out.splitlines()[-2:] == [
    r'ok 5 - good.dcl:19: for i in 0:3 { assert(i < 3, "small \# enough") }', "1..5"], "TAP", out)

write("bad.dcl", """\
## Half of x.
## `half(x)` with x: f32[2] = [1, 3] is `[0.5, 1.6]`
fn half(x: f32[N]) -> f32[N] { x / 2.0 }
## `half(x)` with x: f32[2
fn torn(x: f32[N]) -> f32[N] { x }
## `missing(1)`
fn calls(x: f32[N]) -> f32[N] { x }
## `half(x)` with x: f32[3] = [1, 2]
fn few(x: f32[N]) -> f32[N] { x }
## `many(x)` with x: f32[65536, 65536, 65536, 65536]
fn many(x: f32[A, B, C, D]) -> y: f32 { y = x[0, 0, 0, 1] + f32(A + B + C + D) }
assert(1 == 2, "no")
  assert(1 == 1)
load("missing.npy")
assert(2 == 2)
""")
status, out, err = tap.dcl("test", "bad.dcl", "good.dcl")
tap.is_str("".join(re.findall(".*bad.*\n", out)), """\
FAILED  bad.dcl:3: half: half(x)
FAILED  bad.dcl:5: torn: its example
FAILED  bad.dcl:7: calls: missing(1)
FAILED  bad.dcl:9: few: its example
FAILED  bad.dcl:11: many: its example
FAILED  bad.dcl:12: assert(1 == 2, "no")
ok      bad.dcl:13: assert(1 == 1)
FAILED  bad.dcl:14: load("missing.npy")
""", "an assert that fails ends nothing, another error ends the script")
tap.ok(status == 1 and out.endswith("13 tests, 7 failed\n"), "and other files are run", status, out)
for text in ("it is   [0.5 1.5]", "and not [0.5, 1.6]", "unknown name missing",
             "bad.dcl:12:1: error: assertion failed: no", "missing.npy"):
    tap.ok(text in err, "is told: " + text, err)

for want, found in (("[0.5, 1.50001]", 0), ("[0.5, 1.5001]", 1), ("[0.5]", 1), ("0.5 1.5", 1)):
    write("near.dcl", "## `half(x)` with x: f32[2] = [1, 3] is `%s`\n"
          "fn half(x: f32[N]) -> f32[N] { x / 2.0 }\n" % want)
    tap.is_int(tap.dcl("test", "near.dcl")[0], found, "[0.5 1.5] is %s" % want)
    tap.is_int(tap.dcl("test", "--backend=ref", "near.dcl")[0], found, "by the reference alone")

# A sum that depends on its order.
write("order.dcl", "## `total(x)` with x: f32[64] = [1e8, %s-1e8]\n"
      "fn total(x: f32[_]) -> s: f32 { map i { s += x[i] } }\n" % ("1, " * 62))
status, out, err = tap.dcl("test", "order.dcl")
tap.ok(status == 1 and "compiled " in err and "reference " in err, "back-ends that do not agree",
       out, err)

write("wrong.dcl", "fn f(x: f32[2], y: f32[3]) -> f32[2] { x + y }\nassert(true)\n")
write("torn.dcl", "a = (\n")
status, out, err = tap.dcl("test", "wrong.dcl", "torn.dcl", "none.dcl")
tap.ok(status == 1 and out.count("FAILED") == 3 and "wrong.dcl:1:" in err and "torn.dcl:1:" in err,
       "files that are wrong", status, out, err)
tap.ok(tap.dcl("test")[0] == 2, "a file is wanted")
write("none.dcl", "x = 1\n")
tap.is_str(tap.dcl("test", "none.dcl")[1], "0 tests, 0 failed\n", "nothing to test")
write("loop.dcl", "while true {}\nassert(true)\n")
status = tap.run("timeout", "--preserve-status", "-s", "INT", "2", tap.DCL, "test", "loop.dcl")[0]
tap.is_int(status, 130, "Ctrl-C")
tap.done_testing()
