#!/usr/bin/env python3
"""surroundings.t: what stands around a program changes nothing: the locale, the current folder, the
environment, folders that are missing, read-only or full, limits and closed files."""

import ctypes
import glob
import locale
import os
import resource
import shutil
import struct
import subprocess

import tap

np = tap.need_numpy()

import dclpy  # noqa: E402

TEXT = """
use other
x: f32[3000] = 2.5
y = tripled(x) + 0.25
print(y[7], y[:3], relu(-y)[0])
"""
WANT = "7.75 [7.75 7.75 7.75]  f32[3] 0.0\n"
HERE = os.getcwd()
os.mkdir("with space")
for folder in ".", "with space":
    with open(folder + "/f.dcl", "w", encoding="ascii") as file:
        file.write(TEXT)
    with open(folder + "/other.dcl", "w", encoding="ascii") as file:
        file.write("fn tripled(x: f32[N]) -> f32[N] { x * 3 }\n")
ASAN = os.environ.get("DCL_ASAN")
KEEP = {k: v for k, v in os.environ.items() if k.startswith(("ASAN", "LSAN", "UBSAN"))}


def start(name, *command, env=None, want=WANT, **more):
    """The program prints what it always prints."""
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env={**KEEP, **env} if env is not None else None, **more)
    tap.ok(done.returncode == 0 and done.stdout == want and not done.stderr, name,
           done.returncode, done.stdout, done.stderr)


# --- locales -----------------------------------------------------------------------------------

def make_locale(name, point, group):
    """The numbers of a locale as localedef writes them (glibc)."""
    codes = struct.pack("<II", ord(point), ord(group))
    texts = point.encode() + b"\0", group.encode() + b"\0", b"\3\3\0"
    at, offsets, data = 32, [], b""
    for text in texts:
        offsets.append(at + len(data))
        data += text
    data += bytes(-(at + len(data)) % 4)
    for part in (codes[:4], codes[4:], b"UTF-8\0"):
        offsets.append(at + len(data))
        data += part
    os.makedirs("locales/" + name, exist_ok=True)
    with open("locales/%s/LC_NUMERIC" % name, "wb") as file:
        file.write(struct.pack("<II6I", 0x20031114, 6, *offsets) + data)


NUMBERS = """
fn f(x: f32[N]) -> y: f32[N] { map i { y[i] = x[i] * 0.1 + 1.25e-7 - 12345.678 } }
x: f32[5] = 0.1
map i { x[i] = f32(i) * 1.3 - 1e-3 }
print(0.1, 2.5e-8, 1e300, [1.5, 2], (0.25, "a"), x, f(x), x * 1e30, f64(x) / 3)
for t in [f16, bf16] { print(t(x), t(0.1)) }
print(str(0.5) + "|" + str(x[1]), nan, inf, -0.5)
big: f64[2000] = 0.125
print(big, stack([1.0, 2.25]))
save("numbers.npy", x)
save("numbers.safetensors", x)
print(load("numbers.npy"), load("numbers.safetensors", name = "x"))
save("numbers.csv", f64(x) / 3)
assert(all(load("numbers.csv", dtype = f64) == reshape(f64(x) / 3, [5, 1])), "written, read")
print(load("long.csv", dtype = f64), load("long.csv"))
"""
with open("long.csv", "w", encoding="ascii") as file:
    file.write("0.1234567890123456789012345\n1234567.0000000000001e-30\n")


def numbers(backend, cache):
    with dclpy.Session("backend=%s cache=%s" % (backend, cache)) as s:
        s.run(NUMBERS)
        shown = "" if backend == "ref" else s.compile("f(x: f32[5])").show()
        try:
            s.run("y: f32[2] = x * 1.5")
        except dclpy.Error as error:
            shown += str(error)
        return s.output, s.line("0.125"), shown


os.environ["LOCPATH"] = os.path.abspath("locales")
plain = {b: numbers(b, "kernels") for b in ("cpu", "ref")}
tap.ok("0.1 2.5e-08" in plain["cpu"][0].replace("2.5e-8", "2.5e-08"), "numbers", plain["cpu"][0])
kept = sorted(os.listdir("kernels"))
for name, point, group in (("comma", ",", "."), ("momayyez", "\u066b", "\u066c")):
    make_locale(name, point, group)
    try:
        locale.setlocale(locale.LC_NUMERIC, name)
    except locale.Error:
        tap.skip("this system's C library takes no locale of another one's form")
        continue
    printf = ctypes.CDLL(None).snprintf
    text = ctypes.create_string_buffer(20)
    printf(text, ctypes.c_size_t(20), b"%.1f", ctypes.c_double(1.5))
    tap.is_str(text.value.decode(), "1%s5" % point, "a locale with another point: " + name)
    for backend, want in plain.items():
        for got, one, part in zip(numbers(backend, "kernels"), want, ("script", "line", "texts")):
            tap.is_str(got, one, "%s, %s: %s" % (name, backend, part))
    tap.ok(sorted(os.listdir("kernels")) == kept, name + ": the kernels are the same")
    tap.ok(numbers("cpu", name) == plain["cpu"], name + ": compiled anew")
    locale.setlocale(locale.LC_NUMERIC, "C")
    start("dcl in the locale " + name, tap.DCL, "run", "f.dcl",
          env={"LC_ALL": name, "LANG": name, "LOCPATH": os.environ["LOCPATH"]})

# --- the current folder ------------------------------------------------------------------------

start("from another folder", tap.DCL, "run", HERE + "/f.dcl", cwd="/")
start("a folder with a blank", tap.DCL, "run", "with space/f.dcl")
start("from below", tap.DCL, "run", "../f.dcl", cwd="with space")
start("by a relative path", os.path.relpath(tap.DCL), "run", "f.dcl")
start("by PATH", "dcl", "run", "f.dcl", env={"PATH": os.path.dirname(tap.DCL)})
os.symlink(tap.DCL, "another name")
start("by a link", "./another name", "run", "f.dcl")
start("a folder that was removed", "sh", "-c",
      'mkdir gone && cd gone && rmdir ../gone && exec "$0" run "$1"', tap.DCL, HERE + "/f.dcl")
if not ASAN:
    # The library, opened by a relative path, finds what is beside it from wherever it is used.
    script = ("import os, sys; sys.path.insert(0, sys.argv[1]); import dclpy; os.chdir('/')\n"
              "s = dclpy.Session(); s.run_file(sys.argv[2]); print(s.output, end='')")
    start("libdcl.so by a relative path", os.environ["PYTHON"], "-c", script,
          tap.SRC + "/tests/harness", HERE + "/f.dcl", cwd=tap.BUILD,
          env={"DCL_LIB": "./libdcl.so", "DCL_CACHE_DIR": HERE + "/by library"})

# --- the environment ---------------------------------------------------------------------------

before = set(os.listdir("."))
start("nothing in the environment", tap.DCL, "run", "f.dcl", env={})
for home in "", "relative", HERE + "/f.dcl", "/proc/none":
    start("HOME=" + home.replace(HERE, ".."), tap.DCL, "run", "f.dcl", env={"HOME": home})
for value in "", "relative", "/proc/none":
    start("XDG_CACHE_HOME=" + value, tap.DCL, "run", "f.dcl", env={"XDG_CACHE_HOME": value})
start("TMPDIR is missing", tap.DCL, "run", "f.dcl", env={"TMPDIR": "/proc/none"})
start("a path too long", tap.DCL, "run", "f.dcl", env={"DCL_CACHE_DIR": "x" * 5000})
for value in "", "abc", "-1", "0", "1", "3", "99999999999999999999":
    start("DCL_THREADS=" + value, tap.DCL, "run", "f.dcl", env={"DCL_THREADS": value})
start("folders that are empty", tap.DCL, "run", "f.dcl", env={"DCL_PATH": ":::", "DCL_STDLIB": ""})
tap.ok(set(os.listdir(".")) == before, "and nothing is left behind",
       set(os.listdir(".")) - before)
status, out, err = tap.dcl("run", "f.dcl", env={"DCL_STDLIB": "/proc/none"})
tap.ok(status == 1 and err == "error: cannot read /proc/none: No such file or directory\n",
       "no library where it should be", status, out, err)

# --- folders of kernels ------------------------------------------------------------------------

def entries(folder):
    return {p: open(p, "rb").read() for p in glob.glob(folder + "/*")}


start("a relative folder of kernels", tap.DCL, "run", "f.dcl", env={"DCL_CACHE_DIR": "filled"})
filled = entries("filled")
tap.ok(filled, "it has kernels")
if os.geteuid() == 0:
    # Others may neither read nor write what root keeps, but what they may read they use.
    os.chmod(HERE, 0o755)
    for path in glob.glob("*.dcl"):
        os.chmod(path, 0o644)
    other = dict(user=65534, group=65534, extra_groups=[])
    try:
        may = subprocess.run([tap.DCL, "--version"], stdout=subprocess.DEVNULL, check=False,
                             stderr=subprocess.DEVNULL, **other).returncode == 0
    except PermissionError:
        may = False
else:
    other, may = {}, True
os.chmod("filled", 0o555)
os.mkdir("closed", 0o000)
if may:
    for folder in "filled", "closed":
        start("a read-only folder: " + folder, tap.DCL, "run", "f.dcl",
              env={"DCL_CACHE_DIR": HERE + "/" + folder}, **other)
    os.chmod("filled", 0o755)
    tap.ok(entries("filled") == filled, "nothing is written there")
else:
    tap.skip("another user may not read the build folder")
os.chmod("closed", 0o755)
mount = 'mount -t tmpfs -o size=8k none full && cp -r "$1" full/; exec "$0" run f.dcl'
os.mkdir("full")
if shutil.which("unshare") and not tap.run("unshare", "-rm", "true")[0]:
    done = tap.run("unshare", "-rm", "sh", "-c", mount + "; ls full", tap.DCL, tap.DCL,
                   env={"DCL_CACHE_DIR": "full/kernels"})
    tap.ok(done[0] == 0 and done[1] == WANT, "a full disk", *done)
else:
    tap.skip("no name space for a full disk (unshare)")
for size in 1, 1000, 5000:
    start("files of at most %d bytes" % size, tap.DCL, "run", "f.dcl",
          env={"DCL_CACHE_DIR": "cut"}, restore_signals=False, preexec_fn=lambda: (
              resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))))
    good = {os.path.basename(p): b for p, b in filled.items()}
    tap.ok(all(good.get(os.path.basename(p)) == b for p, b in entries("cut").items()),
           "no half of a kernel is kept", entries("cut").keys())

# --- limits, closed files ----------------------------------------------------------------------

if not ASAN:
    start("a small stack", "sh", "-c", 'ulimit -s 200; exec "$0" run f.dcl', tap.DCL)
    start("few files", "sh", "-c", 'ulimit -n 12; exec "$0" run f.dcl', tap.DCL)
    if may:
        start("no threads", tap.DCL, "run", HERE + "/f.dcl", env={"DCL_THREADS": "4"},
              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)), **other)
start("no standard input", "sh", "-c", 'exec "$0" run f.dcl <&-', tap.DCL)
start("no standard error", "sh", "-c", 'exec "$0" run f.dcl 2>&-', tap.DCL)
for name, where in ("no standard output", ">&-"), ("a full output", ">/dev/full"):
    status, out, err = tap.run("sh", "-c", 'exec "$0" run f.dcl ' + where, tap.DCL)
    tap.ok(status == 1 and err == "dcl: not all of the output could be written\n", name, status,
           err)
status, out, err = tap.run("sh", "-c", 'exec "$0" run f.dcl <&- >&- 2>&-', tap.DCL,
                           env={"DCL_CACHE_DIR": "bare"})
tap.ok(status == 1, "no standard files at all", status)
tap.ok({os.path.basename(p): b for p, b in entries("bare").items()} ==
       {os.path.basename(p): b for p, b in filled.items()}, "and the kernels are whole")
tap.done_testing()
