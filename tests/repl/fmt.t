#!/usr/bin/env python3
"""fmt.t: dcl fmt: what the layout is, files, standard input, --check."""

import os
import resource
import stat
import tempfile

import tap

BEFORE = '''\
# first


# second
use   "lib.dcl"   # behind
a=1;b = 2   ; c=3
x = f( a,b , # one
  # two
  c ) + 0x1F*2 - (a+b) *1.50
## Says.
##
## More.
fn f( x :f32[ N ],y:f32[N] ;k:int=1 )->z:f32[N] where N>0{
  # inside

  map i in N{z[i]=x[i]*y[i]}   # on it

  s : f32 in   register ;  s>>z[ 0 ] ( sum )
  # last
}
fn g() {}
if a == 1 { print(1) } else {
print("x") # why
}
loss = minimize {
  y = net(x)
    mean(y) } over net with opt
result = one_long_name(first_argument, second_argument) + another_long_name(third_argument, fourth)
# end
'''
AFTER = '''\
# first

# second
use "lib.dcl"  # behind
a = 1;  b = 2;  c = 3
x = f(a, b,  # one
    # two
    c) + 0x1F*2 - (a + b) * 1.50

## Says.
##
## More.
fn f(x: f32[N], y: f32[N]; k: int = 1) -> z: f32[N] where N > 0 {
  # inside

  map i in N { z[i] = x[i]*y[i] }  # on it

  s: f32 in register;  s >> z[0] (sum)
  # last
}

fn g() {}

if a == 1 {
  print(1)
} else {
  print("x")  # why
}
loss = minimize {
  y = net(x)
  mean(y)
} over net with opt
result = one_long_name(first_argument, second_argument) + another_long_name(third_argument, fourth)
# end
'''


def write(name, text):
    with open(name, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def read(name):
    with open(name, encoding="utf-8", newline="") as file:
        return file.read()


for arguments in ["fmt"], ["fmt", "-"]:
    status, out, err = tap.dcl(*arguments, input=BEFORE)
    tap.is_str(out, AFTER, " ".join(arguments) + " of standard input")
    tap.ok(status == 0 and err == "", "says nothing else", status, err)
tap.is_str(tap.dcl("fmt", input=AFTER)[1], AFTER, "laid out again, it stays as it is")
tap.is_str(tap.dcl("fmt", input=BEFORE.replace("\n", "\r\n"))[1], AFTER, "lines that end in CR LF")
tap.is_str(tap.dcl("fmt", input="")[1], "", "nothing stays nothing")
tap.is_str(tap.dcl("fmt", input="\n\n  # one\n\n\n")[1], "# one\n", "a comment alone")
tap.is_str(tap.dcl("fmt", input="fn f() { }\n# of f\n\n# of g\nfn g() { }\n")[1],
           "fn f() {}\n# of f\n\n# of g\nfn g() {}\n", "comments stay with what they belong to")
WIDE = ("fn wide(first: f32[rows, columns], second: f32[rows, columns]; third: int = 1,"
        " fourth: int = 2) -> f32[rows, columns] where rows > 0 { first }\n"
        "y[i] = x[i, k]*w[i, k] + x[i + 1, k]*w[i + 1, k] + x[i + 2, k]*w[i + 2, k] + bias[i] *"
        " scale + x[i + 3, k]\n"
        "names = [\"%s\", \"%s\", \"%s\"]\n" % ("a" * 30, "b" * 30, "c" * 30))
tap.is_str(tap.dcl("fmt", input=WIDE)[1], '''\
fn wide(first: f32[rows, columns], second: f32[rows, columns]; third: int = 1, fourth: int = 2)
    -> f32[rows, columns] where rows > 0 { first }

y[i] = x[i, k]*w[i, k] + x[i + 1, k]*w[i + 1, k] + x[i + 2, k]*w[i + 2, k] + bias[i] * scale +
    x[i + 3, k]
names = ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    "cccccccccccccccccccccccccccccc"]
''', "long lines")

# Files.
write("a.dcl", BEFORE)
os.chmod("a.dcl", 0o640)
os.symlink("a.dcl", "link.dcl")
write("b.dcl", AFTER)
status, out, err = tap.dcl("fmt", "--check", "link.dcl", "b.dcl")
tap.ok((status, out, err) == (1, "link.dcl\n", ""), "--check lists what would change", status, out,
       err)
tap.is_str(read("a.dcl"), BEFORE, "and changes nothing")
before = os.stat("b.dcl")
status, out, err = tap.dcl("fmt", "link.dcl", "b.dcl")
tap.ok((status, out, err) == (0, "", ""), "files are laid out in place", status, out, err)
tap.is_str(read("a.dcl"), AFTER, "the file that a link leads to")
tap.ok(os.path.islink("link.dcl") and stat.S_IMODE(os.stat("a.dcl").st_mode) == 0o640,
       "links and permissions stay")
tap.ok(os.stat("b.dcl").st_ino == before.st_ino, "a file that does not change is left alone")
tap.ok(tap.dcl("fmt", "--check", "a.dcl", "b.dcl") == (0, "", ""), "--check is content")

write("bad.dcl", "a = (1\nb=2\n")
status, out, err = tap.dcl("fmt", "bad.dcl", "none.dcl")
tap.ok(status == 1 and "bad.dcl:1:5: error" in err and "none.dcl" in err, "what cannot be read",
       err)
tap.is_str(read("bad.dcl"), "a = (1\nb=2\n", "a wrong program stays as it is")
tap.ok(tap.dcl("fmt", "--check=1", "a.dcl")[0] == 2, "--check takes no value")
if os.geteuid() != 0:
    os.mkdir("closed")
    write("closed/a.dcl", BEFORE)
    os.chmod("closed", 0o500)
    status, out, err = tap.dcl("fmt", "closed/a.dcl")
    os.chmod("closed", 0o700)
    tap.ok(status == 1 and "cannot be written" in err, "a folder that is closed", status, err)
else:
    status, out, err = tap.dcl("fmt", "/proc/self/fdinfo/0")
    tap.ok(status != 0, "what is no program", status, err)

# Whatever is below /dev: files are replaced as everywhere, pipes are written to.
os.symlink("new.dcl", "dangling.dcl")
tap.dcl(input="a = 1\n:save dangling.dcl\n")
tap.ok(os.path.islink("dangling.dcl") and os.path.exists("new.dcl") and
       "a = 1" in read("new.dcl"), ":save writes where a link leads, and it stays one")
os.remove("dangling.dcl")
os.remove("new.dcl")
if os.access("/dev/shm", os.W_OK):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as shared:
        long = shared + "/long.dcl"
        write(long, "a   =   1   # behind\n\n\n\n\n")
        status, out, err = tap.dcl("fmt", long)
        tap.ok((status, out, err) == (0, "", ""), "a file below /dev/shm", status, out, err)
        tap.is_str(read(long), "a = 1  # behind\n", "is replaced as a whole")
        tap.dcl(input="a = 1\n:save %s/new.dcl\n" % shared)
        tap.ok("a = 1" in read(shared + "/new.dcl"), ":save makes one there")
        tap.is_str(sorted(os.listdir(shared)), ["long.dcl", "new.dcl"], "nothing is left there")
else:
    tap.skip("there is no /dev/shm")
os.mkfifo("pipe")
reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
tap.dcl(input="a = 1\n:save pipe\n")
tap.ok(b"a = 1" in os.read(reader, 100), "a pipe is written to")
tap.ok(stat.S_ISFIFO(os.stat("pipe").st_mode), "and stays one")
os.close(reader)
os.remove("pipe")

# A disk that is full.
write("full.dcl", "a   =   1\n" * 1000)
status, out, err = tap.dcl("fmt", "full.dcl", restore_signals=False, preexec_fn=lambda: (
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))))
tap.ok(status == 1 and "full.dcl cannot be written: File too large" in err, "a full disk is told",
       status, err)
tap.is_str(read("full.dcl"), "a   =   1\n" * 1000, "the file stays as it was")
os.remove("full.dcl")
left = sorted(name for name in os.listdir(".") if name not in ("cache", "closed"))
tap.ok(left == ["a.dcl", "b.dcl", "bad.dcl", "link.dcl"], "nothing is left behind", left)
tap.done_testing()
