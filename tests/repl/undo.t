#!/usr/bin/env python3
"""undo.t: a line that fails takes back what it did; it costs what it says, not what there is."""
# test: timed

import os
import random
import resource
import subprocess

import tap

seed = int(os.environ.get("DCL_SEED", random.randrange(1 << 30)))
rng = random.Random(seed)
NAMES = ["v%d" % i for i in range(14)]
BEFORE = """layer Count(n: int) {
  buffer seen: f32[n] = 0
  fn forward(x: f32[n]) -> f32[n] {
    seen = seen + x
    seen * 2
  }
}
fn shift(inout a: f32[N], k: f32[N]) { a = a + k }
t: f32[3] = 1
u: f32[3] = 2
count = Count(3)
"""
FAILURES = ["assert(1 > 2)", "w = t[7]", "w = relu(t) + stack([1.0, 2])", "load(\"nosuch.npy\")",
            "error(\"so\")"]


def statement(defined):
    """One that may read the variables DEFINED, which it may add to."""
    name, other = rng.choice(NAMES), rng.choice(sorted(defined) or ["t"])
    k = rng.randrange(100)
    made = rng.choice((
        "%s = %d" % (name, k), "%s = relu(t) * %d" % (name, k), "%s: f32[2] = %d" % (name, k),
        "%s = [%s, %d]" % (name, other, k), "%s = %s" % (name, other),
        "%s = count(t)" % name, "%s = if %d > 50 { t } else { u }" % (name, k),
        "for i in 0:3 { %s = i }" % name, "for %s in [t, u] { w = %s }" % (name, name),
        "%s = Count(2)" % name, "%s = 0; while %s < 3 { %s += 1 }" % (name, name, name)))
    changed = rng.choice((
        "t[1] = %d" % k, "t = t * 2", "u[0:2] = t[1:]", "count.seen[2] = %d" % k, "shift(t, u)",
        "map i in 3 { u[i] = t[i] }", "t: f32[3] = %d" % k, "count = Count(3)", "t, u = (u, t)",
        "fn again(x: int) -> int { x + %d }" % k, "w = count(u)"))
    if rng.random() < 0.4:
        return changed
    if not made.startswith("for %s" % name):
        defined.add(name)
    return made


def values(defined):
    return "".join("print(%s)\n" % n for n in ["t", "u", "count.seen", *sorted(defined)])


for backend in "cpu", "ref":
    for number in range(4):
        text, defined = BEFORE, set()
        for _ in range(rng.randrange(1, 12)):
            text += statement(defined) + "\n"
        failing = "".join(statement(set(defined)) + "; " for _ in range(rng.randrange(1, 8)))
        failing += rng.choice(FAILURES)
        missing = sorted(set(NAMES) - defined)
        mark = "print(\"<mark>\")\n"
        after = "".join("%s = 5\n" % n for n in missing)
        shown = values(defined)
        program = text + mark + shown + mark + failing + "\n" + shown + mark + "".join(
            n + "\n" for n in missing) + after + shown
        status, out, err = tap.run(tap.DCL, "--backend", backend, input=program)
        parts = out.split("<mark>\n")
        wrong = [n for n in missing if "unknown name " + n not in err]
        tap.ok(len(parts) == 4 and parts[1] == parts[2] == parts[3] and not wrong,
               "%s: seed %d, program %d" % (backend, seed, number), program, out, err)

# Variables that were taken back and come again, on both sides of the place where they are found by
# an index instead of one by one.
for n in 7, 8, 9, 12:
    text = "".join("a%d = %d\n" % (i, i) for i in range(n))
    text += "b = 1; c = 2; d = 3; e = 4; assert(1 > 2)\nc = 7\n"
    text += "".join("e%d = %d\n" % (i, 50 + i) for i in range(5)) + "c\na0\na%d\ne4\nb\n" % (n - 1)
    status, out, err = tap.run(tap.DCL, input=text)
    tap.is_str(out, "7\n0\n%d\n54\n" % (n - 1), "%d variables before" % n)
    tap.ok("unknown name b" in err, "and b is not one of them", err)

# What is taken back outlives collections.
status, out, err = tap.run(tap.DCL, input="""l = [1, [2, "a"], 3]
t = stack([1.0, 2])
l = [3]; t = 4; for i in 0:30000 { w = [i, i, i, i] }; assert(1 > 2)
l
t
""")
tap.is_str(out, '[1, [2, "a"], 3]\n[1. 2.]  f32[2]\n', "what a line with much garbage had changed")


def processor_time(text):
    """Seconds that the prompt takes for TEXT."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tap.DCL], input=text, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


for what, line in (("variables", "x%d = %d"), ("lists", "x%d = [1, 2, %d]"),
                   ("functions", "fn g%d(x: int) -> int { x + %d }")):
    few, many = (min(processor_time("".join(line % (i, i) + "\n" for i in range(n)))
                     for _ in range(2)) for n in (2000, 16000))
    # 8 times the lines; were each to copy what there is, it would be 64 times the time.
    tap.ok(many < 20 * few, "the time of %s grows as their number" % what, few, many)

tap.done_testing()
