#!/usr/bin/env python3
"""saved.t: what :save writes runs again, wherever it stands: its paths mean the same files."""

import os

import tap

os.makedirs("here/sub")
os.makedirs("here/out/deep")
os.chdir("here")
HERE = os.getcwd()


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


write("sub/a.dcl", """use "b.dcl"; use c
# "b.dcl" in a comment
x = load("d.npy") * load("k.npy")[0]
net = Linear(3, 3)
load(net, "net.safetensors"); load( net , "net.safetensors" )
y = twice(x) + thrice(x); print("d.npy")
""")
write("sub/b.dcl", "fn twice(x: f32[N]) -> f32[N] { x + x }\n")
write("sub/c.dcl", "fn thrice(x: f32[N]) -> f32[N] { x + x + x }\n")
write("e.dcl", "fn four(x: f32[N]) -> f32[N] { 4.0 * x }\n")
status, out, err = tap.dcl(input="""x: f32[3] = 1.0
save("sub/d.npy", x)
k: f32[2] = 7.0
save("k.npy", k)
net = Linear(3, 3)
save("sub/net.safetensors", net)
""")
tap.ok(status == 0, "files", out, err)

SAVED = ["x.dcl", "out/x.dcl", "out/deep/x.dcl", "sub/x.dcl", os.path.abspath("out/absolute.dcl")]
SESSION = """:load sub/a.dcl
use "e.dcl"
z = load("k.npy")[0] + load("sub/d.npy")[0]
for f in ["k.npy"] { load(net, "sub/net.safetensors") }
print(y, z, four(x))
""" + "".join(":save %s\n" % file for file in SAVED)
status, out, err = tap.dcl("--backend", "ref", input=SESSION)
tap.ok(status == 0 and "[35. 35. 35.]" in out, "a session", out, err)
for file in SAVED:
    again, saved, wrong = tap.dcl("run", "--backend", "ref", file)
    tap.ok(again == 0 and saved == out, file + " runs again", saved, wrong)
    os.chdir("/")
    again, saved, wrong = tap.dcl("run", "--backend", "ref", os.path.join(HERE, file))
    os.chdir(HERE)
    tap.ok(again == 0 and saved == out, file + " runs elsewhere", saved, wrong)
with open("sub/x.dcl", encoding="ascii") as file:
    text = file.read()
with open("sub/a.dcl", encoding="ascii") as file:
    first = file.read().replace('"k.npy"', '"../k.npy"')
tap.ok(text.startswith(first), "beside its file, a text stays what it is but for other folders",
       text)

# A file that is called so from the current folder, but is another one.
write("../e.npy", "1 2 3\n")
status, out, err = tap.dcl(input='x: f32[2] = 5.0\nsave("e.npy", x)\n:reset\n'
                                 'print(load("e.npy"))\n:save out/y.dcl\n')
again, saved, wrong = tap.dcl("run", "out/y.dcl")
tap.ok(status == 0 and again == 0 and saved == out, "another file of that name", out, err, saved,
       wrong)

# What has run is saved, not what the file holds by then.
os.mkfifo("pipe.dcl")
if os.fork() == 0:
    with open("pipe.dcl", "w", encoding="ascii") as file:
        file.write("print(41 + 1)\n")
    os._exit(0)
status, out, err = tap.dcl(input=":load pipe.dcl\n:save z.dcl\n", timeout=20)
os.wait()
with open("z.dcl", encoding="ascii") as file:
    tap.is_str(file.read(), "print(41 + 1)\n", "the text that ran")
tap.ok("mean the same files" in " ".join(tap.dcl(input=":help :save\n")[1].split()),
       ":help tells of paths")
tap.done_testing()
