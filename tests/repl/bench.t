#!/usr/bin/env python3
"""bench.t: dcl bench: what it counts, what it wants to know. The speed itself is not looked at."""

import json
import re

import tap

with open("f.dcl", "w", encoding="ascii") as file:
    file.write("""
fn mm(a: f32[M, K], b: f32[K, N]) -> c: f32[M, N] { map i, j, k { c[i, j] += a[i, k] * b[k, j] } }
fn scale(x: f32[N], k: f32, n: i64; twice: bool = false) -> y: f32[N] {
  map i { y[i] = x[i] * k + select(twice, f32(n), 1.0) }
}
fn half(x: f32[N]) -> s: f32 { map i in N, j in 0:i { s += x[j] } }
fn bump(inout x: f64[N]) { map i in N { x[i] += 1 } }
fn pick(x: f32[N], n: i64) -> y: f32[n] { map i in n { y[i] = x[i] } }
fn at(x: f32[N], n: u16) -> y: f32 {
  k = i64(n)
  y = x[k]
}
fn found(x: f32[N], at: i64[1, 1]) -> y: f32 {
  k = at[0, 0]
  y = x[k]
}
layer Add() { param w: f32[100];  fn forward(x: f32[100]) -> f32[100] { x + w } }
adder = Add()
print("aside")
""")


def figures(*arguments):
    status, out, err = tap.dcl("bench", "f.dcl", "--json", "--threads=1", *arguments)
    return json.loads(out) if status == 0 else {"failed": err}


def has(want, *arguments):
    got = figures(*arguments)
    good = "failed" not in got and all(got[key] == value for key, value in want.items())
    tap.ok(good and got["median"] >= got["least"] > 0 and got["spread"] >= 0, " ".join(arguments),
           got, want)
    return {"operations": -1, "samples": 0, **got}


x = has({"operations": 2 * 30 * 40 * 50, "bytes": 4 * (30 * 40 + 40 * 50 + 30 * 50),
         "entry": "mm(a: f32[30,40], b: f32[40,50])"},
        "--entry", "mm", "--shape", "a=f32[30,40]", "--shape", "b=f32[40,50]")
tap.ok(x["samples"] >= 11 and x["calls"] >= 1 and x["peak_operations"] > 1e9 and
       x["peak_bytes"] > 1e8, "samples, and what the machine reaches", x)
tap.ok(x["operations"] / x["median"] < 4 * x["peak_operations"], "nothing is faster than the peak",
       x)
tap.ok(x["bytes"] / x["median"] < 4 * x["peak_bytes"] and x["peak_bytes"] != x["memory_bytes"],
       "nor than a copy or a sum of as much data", x)
tap.ok(x["in_cache"] == (x["peak_bytes"] > 1.5 * x["memory_bytes"]), "a cache is faster", x)
x = figures("--entry", "bump", "--shape", "x=f64[9000000]")
tap.ok(x["peak_bytes"] == x["memory_bytes"] > 1e8 and not x["in_cache"],
       "more than caches hold is beside main memory", x)
has({"operations": 2000, "bytes": 8004}, "--entry", "scale", "--shape", "x=f32[1000]", "--shape",
    "k=f32", "--shape", "n=i64", "--set", "twice=true", "--input", "k=3")
got = has({"bytes": 404}, "--entry", "half", "--shape", "x=f32[100]")
tap.is_int(got["operations"], 100 * 49, "iterations of a triangle, by the middle")
has({"operations": 64, "bytes": 1024}, "--entry", "bump", "--shape", "x=f64[64]")
has({"operations": 100, "bytes": 1200}, "--entry", "adder")
has({"entry": "pick(x: f32[10], n: i64)"}, "--entry", "pick", "--shape", "x=f32[10]", "--shape",
    "n=i64", "--input", "n=4")
for name, content in (("7.csv", "7\n"), ("300.csv", "300\n"), ("two.csv", "1,2\n"),
                      ("bad.csv", "1,\n")):
    with open(name, "w", encoding="ascii") as file:
        file.write(content)
FOUND = "found(x: f32[9], at: i64[1, 1])"
has({"entry": FOUND}, "--entry", FOUND, "--input", "at=7.csv")
status, out, err = tap.dcl("bench", "f.dcl", "--entry", "bump(x: f64[8])")
tap.ok(status == 0 and all(word in out for word in (
    "bump(x: f64[8])\n  median ", " least ", " spread ", "samples", "GFLOP/s", "GB/s")),
       "as text", out, err)
tap.ok(re.search(r"\n  as little data as this is copied or read at [0-9.e+]+ GB/s, main memory at "
                 r"[0-9.e+]+: it is the call that takes the time\n$", out), "it is told", out)
status, out, err = tap.dcl("bench", "f.dcl", "--entry", "bump(x: f64[8192])", "--threads=1")
tap.ok(re.search(r"\n  as much data as this is copied or read at [0-9.e+]+ GB/s, main memory at "
                 r"[0-9.e+]+: it fits a cache\n$", out), "of what a cache holds", out)

for arguments, status, word in (
        (["f.dcl"], 2, "--entry"), (["f.dcl", "--entry", "mm"], 1, "--shape a=TYPE[SIZES]"),
        (["f.dcl", "--entry", "half", "--shape", "x=f32[N]"], 1, "the size N of x is not known"),
        (["f.dcl", "--entry", "half", "--shape", "x"], 2, "NAME=TYPE"),
        (["f.dcl", "--entry", "none"], 2, "none"),
        (["f.dcl", "--entry", "at(x: f32[9], n: u16)", "--input", "n=300"], 1, "index 300"),
        (["f.dcl", "--entry", "at(x: f32[9], n: u16)", "--input", "n=-1"], 1,
         "u16 does not hold -1"),
        (["f.dcl", "--entry", FOUND, "--input", "at=300.csv"], 1, "index 300"),
        (["f.dcl", "--entry", FOUND, "--input", "at=two.csv"], 1, "another type or shape"),
        (["f.dcl", "--entry", FOUND, "--input", "x=7.csv"], 1, "another type or shape"),
        (["f.dcl", "--entry", FOUND, "--input", "at=bad.csv"], 1,
         "--input at: cannot read bad.csv: line 1, column 2: the field is empty"),
        (["f.dcl", "--entry", FOUND, "--input", "at=none.csv"], 1, "No such file"),
        (["f.dcl", "--entry", FOUND, "--input", "at=f.dcl"], 1, "the name ends in none of"),
        (["f.dcl", "--entry", "half", "--shape", "x=f32[99999999999999]"], 1,
         "not enough memory for x"),
        (["f.dcl", "--entry", "pick(x: f32[9], n: i64)", "--input", "n=many"], 1, "many"),
        (["f.dcl", "--entry", "pick(x: f32[9], n: i64)", "--input", "n=10"], 1, "error")):
    got = tap.dcl("bench", *arguments)
    tap.ok(got[0] == status and got[1] == "" and word in got[2], "dcl bench " + " ".join(arguments),
           *got)
tap.done_testing()
