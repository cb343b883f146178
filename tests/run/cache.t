#!/usr/bin/env python3
"""cache.t: the folder of compiled kernels: hit, miss, damage, no right to write, a full disk; what
a start costs whose kernels are all there."""
# test: timed

import glob
import os
import stat
import time

import tap

tap.need_numpy()

import dclpy  # noqa: E402

TEXT = "fn f(x: f32[N]) -> f32[N] { x * 3 + 1 }\nx: f32[100] = 2\ny = f(x)\nprint(y[7])\n"
with open("f.dcl", "w", encoding="ascii") as file:
    file.write(TEXT)


def files(folder):
    return sorted(glob.glob(folder + "/*"))


def run(folder, name, *options, **more):
    status, out, err = tap.dcl("run", "f.dcl", "--cache", folder, *options, **more)
    tap.ok(status == 0 and out == "7.0\n", name, status, out, err)
    return err


run("one", "a first run")
kept = files("one")
tap.ok(kept and all(f.endswith(".o") for f in kept), "kernels are kept", kept)
times = [os.stat(f).st_mtime_ns for f in kept]
run("one", "a second run")
tap.ok(files("one") == kept and [os.stat(f).st_mtime_ns for f in kept] == times,
       "a second run writes nothing")
run("one", "with other passes", "--passes", "none")
tap.ok(len(files("one")) > len(kept), "other passes are other kernels")

# A start with all kernels does not load LLVM.
script = """
import sys
sys.path.insert(0, %r)
import dclpy
s = dclpy.Session("cache=" + sys.argv[1])
s.run_file("f.dcl")
print("llvm" if "LLVM" in open("/proc/self/maps").read() else "none", s.output.strip())
""" % os.path.join(tap.SRC, "tests/harness")
# Under sanitizers this Python needs their library again.
preload = {"LD_PRELOAD": os.environ["DCL_ASAN_PRELOAD"], "ASAN_OPTIONS": "detect_leaks=0"} \
    if os.environ.get("DCL_ASAN") else {}
for folder, want in ("one", "none"), ("two", "llvm"):
    status, out, err = tap.run(os.environ["PYTHON"], "-c", script, folder, env=preload)
    tap.is_str(out, want + " 7.0\n", "LLVM is %s" % ("not loaded" if want == "none" else "loaded"))

best = 1e9
for _ in range(7):
    begin = time.monotonic()
    tap.dcl("run", "f.dcl", "--cache", "one")
    best = min(best, time.monotonic() - begin)
if os.environ.get("DCL_ASAN"):
    tap.skip("sanitizers slow the start")
else:
    tap.ok(best < 0.1, "a start with all kernels takes less than 100 ms", best)
tap.diag("a start takes %.1f ms" % (best * 1e3))

# Damage: every kind of it is a miss, and mended.
original = {f: open(f, "rb").read() for f in kept}
for what, change in (("cut", lambda b: b[:len(b) // 2]), ("empty", lambda b: b""),
                     ("one bit", lambda b: b[:-5] + bytes([b[-5] ^ 16]) + b[-4:]),
                     ("the header", lambda b: b"x" + b[1:]),
                     ("something else", lambda b: b"hello" * 100)):
    for f in kept:
        with open(f, "wb") as file:
            file.write(change(original[f]))
    run("one", "damage: " + what)
    tap.ok(all(open(f, "rb").read() == original[f] for f in kept), "mended: " + what)

# Files of one name with another kernel's content.
if len(kept) > 1:
    with open(kept[0], "wb") as file:
        file.write(original[kept[1]])
    run("one", "the file of another kernel")

run("off", "no cache")
tap.ok(not os.path.exists("off"), "a folder called off is not made")
run(os.path.join("deep", "er", "still"), "folders are made")
tap.ok(files("deep/er/still"), "and filled")
with open("plain", "w", encoding="ascii"):
    pass
run("plain", "a file in place of the folder")
run("/proc/none", "a folder that cannot be made")
if os.geteuid():
    os.mkdir("closed")
    os.chmod("closed", stat.S_IRUSR | stat.S_IXUSR)
    run("closed", "a folder that is read-only")
else:
    tap.skip("root may write everywhere")
if os.path.exists("/dev/full"):
    # A limit of the size of files does what a full disk does: the write fails.
    status, out, err = tap.run("sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" run f.dcl "
                               "--cache small", tap.DCL)
    tap.ok(status == 0 and out == "7.0\n", "a full disk", status, out, err)
    tap.ok(not files("small"), "nothing half-written stays", files("small"))
environment = dict(DCL_CACHE_DIR="")
status, out, err = tap.dcl("run", "f.dcl", env=dict(DCL_CACHE_DIR="", XDG_CACHE_HOME=os.getcwd()))
tap.ok(files("dcl"), "XDG_CACHE_HOME is where it lies by default", status, out, err)
tap.done_testing()
