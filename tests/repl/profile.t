#!/usr/bin/env python3
"""profile.t: dcl profile: the parts of a kernel with their lines, bytes and times; the timeline;
kernels that note times compute the same."""

import json
import re
import resource

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

TEXT = """fn two(x: f32[M, N]) -> (y: f32[N, M], s: f32[M]) {
  map j in N, i in M { y[j, i] = x[i, j] * 2 }

  map i in M, j in N { x[i, j] >> s[i] (sum) }
}
fn turns(x: f32[N]) -> y: f32[N] {
  a = x
  for t in 0:3 { a = a * 2.0 }
  map i in N { y[i] = a[N - 1 - i] }
}
fn apart(x: f32[N], c: i64) -> y: f32[N] {
  a: f32[N] = 0
  if c > 0 { map i in N { a[i] = x[i] } } else { map i in N { a[i] = -x[i] } }
  map i in N { y[i] = a[i] }
}
fn uneven(x: f32[N]) -> (y: f32[N], z: f32[N]) {
  for t in 0:100 { map i in N { y[i] = exp(x[i] + f32(t)) } }
  map i in N { z[i] = x[i] }
}
"""
with open("f.dcl", "w", encoding="ascii") as file:
    file.write(TEXT)


def profile(*arguments):
    return tap.dcl("profile", "f.dcl", "--threads=1", *arguments)


status, out, err = profile("--entry", "two", "--shape", "x=f32[200,300]", "--passes", "none",
                           "--trace", "t.json")
lines = {}
for us, share, moved, where, text in re.findall(
        r"^ *([\d.]+) +([\d.]+)% +(\d+) +[\d.]+  f\.dcl:(\d+): (.*)$", out, re.M):
    lines[int(where)] = (float(us), float(share), int(moved), text)
tap.ok(status == 0 and err == "" and out.startswith("two(x: f32[200,300])\n"), "it runs", out, err)
tap.ok(set(lines) >= {2, 4}, "two lines take time", out)
if set(lines) >= {2, 4}:
    tap.ok(lines[2][2:] == (480000, "map j in N, i in M { y[j, i] = x[i, j] * 2 }"),
           "bytes and text of a line", lines[2])
    tap.ok(240000 <= lines[4][2] <= 241600, "bytes of a sum", lines[4])
    whole = float(re.search(r"([\d.]+) us, the least of", out)[1])
    tap.ok(abs(sum(x[0] for x in lines.values()) - whole) <= 0.05 * whole + 1,
           "the lines take the time of the call", out)
    tap.ok(95 <= sum(x[1] for x in lines.values()) <= 100.5, "and all of it", out)
with open("t.json", encoding="ascii") as file:
    events = json.load(file)["traceEvents"]
calls = {event["args"]["call"] for event in events}
tap.ok(len(calls) == 20 and all(event["ph"] == "X" and event["dur"] >= 0 for event in events),
       "the timeline has 20 calls")
tap.ok({event["name"] for event in events} >= {"f.dcl:2", "f.dcl:4"}, "by lines", events[:3])
ends = [event["ts"] + event["dur"] for event in events]
tap.ok(all(a <= b["ts"] + 0.01 for a, b in zip(ends, events[1:])), "one after the other")

for entry, shapes in (("turns", ["x=f32[64]"]), ("apart", ["x=f32[64]", "c=i64"])):
    status, out, err = profile("--entry", entry, *[w for s in shapes for w in ("--shape", s)])
    tap.ok(status == 0 and "f.dcl:" in out, "loops and branches: " + entry, out, err)
status, out, err = profile("--entry", "uneven(x: f32[1000])", "--passes=none")
share = re.search(r"([\d.]+)% .*f\.dcl:17", out)
tap.ok(share and float(share[1]) > 90, "time stands where it was spent", out, err)
status, out, err = profile("--entry", "two(x: f32[8, 8])", "--backend=ref")
tap.ok(status == 1 and out == "", "the reference has no parts", out, err)
tap.ok(tap.dcl("profile", "f.dcl")[0] == 2, "an entry is wanted")
tap.ok(profile("--entry", "two")[0] == 1, "sizes are wanted")
status, out, err = profile("--entry", "two(x: f32[8, 8])", "--trace", "none/t.json")
tap.ok(status == 1 and "none/t.json" in err, "a trace that cannot be written", err)
with open("full.json", "w", encoding="ascii") as file:
    file.write("former")
status, out, err = tap.dcl("profile", "f.dcl", "--entry", "two(x: f32[8, 8])", "--trace",
                           "full.json", restore_signals=False, preexec_fn=lambda: (
                               resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))))
tap.ok(status == 1 and "full.json cannot be written: File too large" in err, "a full disk is told",
       status, err)
with open("full.json", encoding="ascii") as file:
    tap.is_str(file.read(), "former", "the former trace stays")

rng = numpy.random.default_rng(1)
x = rng.normal(size=(70, 33)).astype("f4")
for passes in "default", "none":
    with dclpy.Session("threads=2 profile=1 passes=" + passes) as s:
        s.run(TEXT)
        y, total = s.call("two", x)
        tap.is_close(y, 2 * x.T, "with profile=1: a transposition, passes=" + passes)
        tap.is_close(total, x.sum(1), "and sums", atol=1e-4)
        tap.is_close(s.call("turns", x[0]), 8 * x[0][::-1], "and a loop")
        tap.is_close(s.call("apart", x[0], numpy.array(-1)), -x[0], "and a branch")
tap.done_testing()
