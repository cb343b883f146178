#!/usr/bin/env python3
"""command_line.t: commands, options, exit codes of the program dcl."""

import os
import re

import tap

numpy = tap.need_numpy()


def is_run(arguments, status, out=None, err=None, name=None):
    """err is a list of words that stand on standard error; [] is silence."""
    got = tap.dcl(*arguments)
    fits = got[0] == status and (out is None or got[1] == out)
    fits = fits and (err is None or (all(w in got[2] for w in err) and bool(err) == bool(got[2])))
    tap.ok(fits, name or "dcl " + " ".join(arguments), "status %d" % got[0], got[1], got[2])
    return got


with open("f.dcl", "w", encoding="ascii") as f:
    f.write("""
## Scales.
fn scale(x: f32[N], k: f32; twice: bool = false) -> y: f32[N] {
  map i { y[i] = x[i] * k * select(twice, 2.0, 1.0) }
}
fn split(x: f32[_]) -> (low: f32, high: f32) { map i { x[i] >> low (min);  x[i] >> high (max) } }
layer Add() { param w: f32[3] = 2;  fn forward(x: f32[3]) -> sum: f32[3] { sum = x + w } }
add = Add()
adds = [add]
fn at(x: f32[N], pos: i64; n: int = 1) -> y: f32[N] { map i { y[i] = x[i] + f32(pos * n) } }
print("ran")
""")
with open("bad.dcl", "w", encoding="ascii") as f:
    f.write("fn f(x: f32[N]) -> f32[N] { x + z }\na = f(\n")
with open("shape.dcl", "w", encoding="ascii") as f:
    f.write("fn f(x: f32[2], y: f32[3]) -> f32[2] { x + y }\n")
with open("fails.dcl", "w", encoding="ascii") as f:
    f.write('print("one")\nassert(1 == 2, "no")\nprint("two")\n')
x = numpy.array([3, 1, 2], "f4")
numpy.save("x.npy", x)

is_run(["--version"], 0, "dcl %s\n" % os.environ["DCL_VERSION"], [])
for arguments in (["help"], ["--help"]):
    status, out, err = is_run(arguments, 0, None, [])
    tap.ok(all(w in out for w in ("run FILE", "check FILE", "show FILE")), "it lists the commands")
for command in re.findall(r"^  ([a-z]+)", out, re.M):
    got = [tap.dcl(command, "--help"), tap.dcl("help", command)]
    tap.ok(got[0] == got[1] and got[0][0] == 0 and "usage: dcl " + command in got[0][1],
           "help of " + command)
is_run(["chekc", "f.dcl"], 2, "", ["chekc", "did you mean check?"])
status, out, err = tap.dcl("help", "run")
tap.ok("arguments: 'f(x: f32[64], k = 3)'" in " ".join(out.split()),
       "a blank or the end of a line stands between two words", out)
is_run(["help", "shwo"], 2, "", ["did you mean show?"])
is_run(["run", "f.dcl", "--thread", "2"], 2, "", ["did you mean --threads?"])
is_run(["run", "f.dcl", "--threads"], 2, "", ["--threads needs a value"])
is_run(["run", "f.dcl", "--threads=none"], 2, "", ["threads"])
is_run(["run", "f.dcl", "--backend", "gpu"], 2, "", ["cpu or ref"])
for command in ["run", "f.dcl"], ["test", "f.dcl"], ["repl"]:
    is_run([*command, "--check", "--backend", "cpu"], 2, "", ["--check", "--backend cpu"])
is_run(["run", "f.dcl", "--passes", "tidy"], 2, "", ["tidy"])
is_run(["run", "f.dcl", "--target-cpu", "z80"], 2, "", ["z80", "haswell"])
is_run(["run"], 2, "", ["one file"])
is_run(["run", "f.dcl", "bad.dcl"], 2, "", ["one file"])
is_run(["check"], 2, "", ["file"])
is_run(["show", "f.dcl"], 2, "", ["--entry"])
is_run(["run", "f.dcl", "--output", "y=y.npy"], 2, "", ["--entry"])
is_run(["run", "f.dcl", "--entry", "split", "--input", "x=x.npy", "--output", "high=h.npz",
        "--output", "low=h.npz"], 2, "", ["one file for two results"])
is_run(["run", "f.dcl", "--input", "x.npy"], 2, "", ["NAME=FILE"])

is_run(["run", "f.dcl"], 0, "ran\n", [])
is_run(["run", "none.dcl"], 1, "", ["none.dcl"])
is_run(["run", "bad.dcl"], 1, "", ["bad.dcl:", "error"])
is_run(["run", "fails.dcl"], 1, "one\n", ["fails.dcl:2:1: error: assertion failed: no"])
is_run(["check", "f.dcl"], 0, "", [])
is_run(["check", "f.dcl", "shape.dcl", "bad.dcl"], 1, "", ["shape.dcl:1", "bad.dcl:"])

for backend in "cpu", "ref":
    b = ["--backend", backend]
    is_run(["run", "f.dcl", "--entry", "scale", "--input", "x=x.npy", "--set", "k=2", *b], 0,
           "ran\n[6. 2. 4.]  f32[3]\n", [])
    is_run(["run", "f.dcl", "--entry=scale", "--input=x=x.npy", "--set=k=2", "--set=twice=true",
            "--output", "y=y.npy", *b], 0, "ran\n", [])
    tap.is_close(numpy.load("y.npy"), 4 * x, "a result in a file")
    is_run(["run", "f.dcl", "--entry", "split", "--input", "x=x.npy", "--output", "high=h.npy", *b],
           0, "ran\n1.0\n", [])
    tap.ok(numpy.load("h.npy") == 3, "one of two results in a file")
    is_run(["run", "f.dcl", "--entry", "split", "--input", "x=x.npy", "--output", "1=h.npy", *b], 0)
    is_run(["run", "f.dcl", "--entry", "add", "--input", "x=x.npy", *b], 0,
           "ran\n[5. 3. 4.]  f32[3]\n", [])
    for entry in "add", "add.forward", "adds[0]":
        is_run(["run", "f.dcl", "--entry", entry, "--input", "x=x.npy", "--output", "sum=s.npy",
                *b], 0, "ran\n", [])
        tap.is_close(numpy.load("s.npy"), x + 2, "the result of %s by its name" % entry)
        os.remove("s.npy")
    is_run(["run", "f.dcl", "--entry", "add", "--input", "x=x.npy", "--output", "y=s.npy", *b], 2,
           None, ["add has no such result"])
    for option in "--set", "--input":
        is_run(["run", "f.dcl", "--entry", "at", "--input", "x=x.npy", option, "pos=3", *b], 0,
               "ran\n[6. 4. 5.]  f32[3]\n", [])
        is_run(["run", "f.dcl", "--entry", "scale", "--input", "x=x.npy", option, "k=-1.5e0",
                option, "twice=true", *b], 0, "ran\n[-9. -3. -6.]  f32[3]\n", [])
        is_run(["run", "f.dcl", "--entry", "at", "--input", "x=x.npy", option, "pos=3.5", *b], 1,
               None, ["integer"])
        is_run(["run", "f.dcl", "--entry", "at", option, "x=3", option, "pos=3", *b], 1, None,
               ["x must be a tensor"])
    is_run(["run", "f.dcl", "--entry", "scale", "--input", "x=x.npy", *b], 1, None,
           ["k is missing"])
    is_run(["run", "f.dcl", "--entry", "split", "--input", "x=none.npy", *b], 1, None, ["none.npy"])
is_run(["run", "f.dcl", "--entry", "split", "--input", "x=x.npy", "--output", "mid=m.npy"], 2,
       None, ["mid"])
status, out, err = tap.dcl("run", "f.dcl", "--entry", "split", "--input", "x=x.npy", "--output",
                           "m.npy")
tap.ok(status == 2 and err == "dcl: --output wants NAME=FILE, not 'm.npy'\n",
       "an output without a name is told once", status, err)
with open("v.dcl", "w", encoding="ascii") as f:
    f.write("print(x, k)\n")
is_run(["run", "v.dcl", "--input", "x=x.npy", "--set", "k=1 + 2"], 0, "[3. 1. 2.]  f32[3] 3\n", [])


# What is missing, and a line that would do.
for arguments, want in (
        (["--backend", "ref", "run", "f.dcl"],
         "the command stands first: dcl run f.dcl --backend ref"),
        (["f.dcl"], "there is no command f.dcl; to run a file: dcl run f.dcl"),
        (["none.dcl"], "there is no command none.dcl; to run a file: dcl run none.dcl"),
        (["--backend", "ref", "f.dcl"], "to run a file: dcl run f.dcl"),
        (["run"], "run wants one file, none given, as in: dcl run FILE"),
        (["run", "f.dcl", "f.dcl"], "run wants one file, 2 given, as in: dcl run f.dcl"),
        (["run", "f.dcl", "x=3"], "run wants one file, 2 given, as in: dcl run f.dcl\n"
         "dcl: an argument is given by --input or --set: --input x=3"),
        (["run", "f.dcl", "scale"], "run wants one file, 2 given, as in: dcl run f.dcl\n"
         "dcl: a function is named by --entry: --entry scale"),
        (["check"], "check wants at least one file, none given, as in: dcl check FILE"),
        (["test"], "test wants at least one file, none given, as in: dcl test FILE"),
        (["import"], "import wants one file, none given, as in: dcl import MODEL.onnx"),
        (["show", "f.dcl", "--input", "x=3"], "there is no option of dcl show called --input; it "
         "is one of run, bench, profile"),
        (["run", "f.dcl", "--output", "y=y.npy"], "--output belongs to an --entry; a script writes "
         'by save("y.npy", y)')):
    is_run(arguments, 2, "", None)
    tap.is_str(tap.dcl(*arguments)[2], "dcl: %s\n" % want, "dcl %s: the message" % arguments)
for command in "show", "movement", "bench", "profile":
    tap.is_str(tap.dcl(command)[2], "dcl: %s wants one file, none given, as in: dcl %s FILE "
               "--entry NAME\n" % (command, command), command + " without a file")
    tap.is_str(tap.dcl(command, "f.dcl")[2], "dcl: %s wants --entry, the function that is meant, "
               "as in: dcl %s f.dcl --entry scale\n" % (command, command), command + " of nothing")
    tap.is_str(tap.dcl(command, "f.dcl", "split")[2], "dcl: %s wants one file, 2 given, as in: dcl "
               "%s f.dcl --entry scale\ndcl: a function is named by --entry: --entry split\n" %
               (command, command), command + " of a function without its option")
for given in "x=3", "x=[3]", "x":
    tap.is_str(tap.dcl("show", "f.dcl", "--entry", "scale", "--shape", given)[2], "dcl: --shape "
               "wants NAME=TYPE, as in x=f32[64,N], not '%s'\n" % given, "--shape " + given)
status, out, err = is_run(["run", "f.dcl", "--entry", "scale"], 1, None, None)
tap.ok(err.endswith("\ndcl: arguments of scale are given so: --input x=FILE, or --set x=VALUE\n"),
       "how arguments are given", err)
is_run(["run", "f.dcl", "--entry", "split", "--input", "x=x.npy", "--output", "3=m.npy"], 2, None,
       ["help: it gives low, high"])
with open("made.dcl", "w", encoding="ascii") as f:
    f.write("fn made(n: int) -> any { Linear(n, 2) }\n")
is_run(["run", "made.dcl", "--entry", "Linear", "--set", "inputs=2", "--set", "outputs=1",
        "--output", "net=y.npy"], 2, None, ["Linear has no such result; it gives 0\n"])
is_run(["run", "made.dcl", "--entry", "made", "--set", "n=2", "--output", "0=y.npy"], 1, None,
       ["such a file holds one tensor, not 2: .npz and .safetensors hold several"])

status, out, err = is_run(["show", "f.dcl", "--entry", "scale"], 0)
tap.ok("fn scale(x: f32[N], k: f32[]) -> y: f32[N]" in out and "ran" not in out,
       "a function is shown without running the file", out)
status, out, err = is_run(["show", "f.dcl", "--entry", "scale", "--shape", "x=f32[64]", "--shape",
                           "k=f32", "--after", "lower"], 0)
tap.ok("f32[64]" in out, "with sizes", out)
status, out, err = is_run(["show", "f.dcl", "--entry", "scale", "--as", "llvm"], 0)
tap.ok("define" in out, "as LLVM IR")
status, out, err = is_run(["show", "f.dcl", "--entry", "split", "--as", "asm"], 0)
tap.ok("dcl_kernel" in out, "as machine code")
status, out, err = is_run(["movement", "f.dcl", "--entry", "scale", "--shape", "x=f32[64]",
                           "--shape", "k=f32"], 0)
tap.ok("x: reads 256, writes 0 bytes" in out and "in all: reads 260, writes 256" in out,
       "bytes that move", out)
status, out, err = is_run(["movement", "f.dcl", "--entry", "scale"], 0)
tap.ok("y: reads 0, writes 4*N bytes" in out, "in symbols", out)
is_run(["show", "f.dcl", "--entry", "scale(x: f32[8], k: f32)"], 0, None, [])
for command in "show", "movement":
    status, out, err = is_run([command, "f.dcl", "--entry", "adds[0]"], 0)
    tap.ok("ran" not in out and "ran" in err, command + ": what the script prints goes aside", out)
for cpu, register in ("skylake-avx512", "zmm"), ("haswell", "ymm"), ("x86-64", "xmm"):
    status, out, err = is_run(["show", "f.dcl", "--entry", "scale", "--as", "asm", "--target-cpu",
                               cpu], 0, None, [])
    tap.ok(register in out, "code for %s is shown on any machine" % cpu, out)
# No machine is both; on the one that this is, code for the other runs or is refused.
for cpu in "sapphirerapids", "znver5":
    status, out, err = tap.dcl("run", "f.dcl", "--entry", "scale", "--input", "x=x.npy", "--set",
                               "k=2", "--target-cpu", cpu)
    tap.ok((status == 0 and "[6. 2. 4.]" in out) or
           (status == 1 and "does not run on this machine" in err), "code for %s is called" % cpu,
           status, out, err)
is_run(["show", "f.dcl", "--entry", "scale", "--as", "java"], 1, "", ["dcl, llvm, asm"])
is_run(["show", "f.dcl", "--entry", "scale", "--after", "simplifi"], 1, "", ["mean simplify?"])
is_run(["show", "f.dcl", "--entry", "scael"], 2, None, ["scael"])
tap.done_testing()
