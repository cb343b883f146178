#!/usr/bin/env python3
"""names.t: which format a file has: the content says it, else the name; where they disagree, an
error says both."""

import gzip
import itertools
import json
import os
import struct

import driver
import tap

numpy = driver.numpy
driver.build()
IMAGE = numpy.arange(60, dtype="u1").reshape(4, 5, 3)

# One tensor in every format that holds one.
numpy.save("case.npy", IMAGE)
MADE = {}
for suffix in [".npy", ".png", ".jpg", ".idx"]:
    tap.run("./tensors", "copy", "case.npy", "made" + suffix)
    MADE[suffix] = driver.read("made" + suffix)
numpy.save("case.npy", IMAGE.reshape(4, 15))
for suffix in [".csv", ".wav"]:
    tap.run("./tensors", "copy", "case.npy", "made" + suffix)
    MADE[suffix] = driver.read("made" + suffix)
numpy.savez("made.npz", x=IMAGE)
tap.run("./tensors", "copy", "made.npz", "made.safetensors")
for suffix in [".npz", ".safetensors"]:
    MADE[suffix] = driver.read("made" + suffix)
TOLD = {".npy": "an array of NumPy", ".npz": "a zip archive", ".safetensors": "safetensors",
        ".png": "PNG", ".jpg": "JPEG", ".wav": "WAV"}  # by their content
NAMED = {**TOLD, ".csv": "CSV", ".idx": "IDX", ".index.json": "an index of safetensors"}

for suffix, content in MADE.items():
    for ending in [suffix, suffix.upper(), suffix + ".gz", suffix + ".GZ"]:
        packed = ending.lower().endswith(".gz")
        said, = driver.dump(driver.write("case" + ending,
                                         gzip.compress(content) if packed else content))
        tap.ok(not said.error, "case" + ending, said.error)
    said, = driver.dump(driver.write("case" + suffix, gzip.compress(content)))
    tap.ok(not said.error, "packed without saying so: case" + suffix, said.error)
    for name in ["nameless", "case.dat", "case.tar.gz"]:
        said, = driver.dump(driver.write(name, gzip.compress(content) if "gz" in name else content))
        if suffix == ".csv":
            tap.ok(said.error and "the name ends in none of .npy .npz" in said.error and
                   "the content is none of these" in said.error, name + ": nothing says CSV",
                   said.error)
        else:
            tap.ok(not said.error, "%s, the content says %s" % (name, suffix), said.error)
for (suffix, content), ending in itertools.product(MADE.items(), NAMED):
    if suffix == ending:
        continue
    said, = driver.dump(driver.write("case" + ending, content))
    if suffix in TOLD:
        want = "by its name it is %s, by its content %s, whose names end in %s" % (
            NAMED[ending], TOLD[suffix], suffix)
        tap.ok(said.error and want in said.error, "%s called %s" % (suffix, ending), said.error)
    else:
        tap.ok(said.error and said.errors == 1, "%s called %s" % (suffix, ending), said.error)
said, = driver.dump(driver.write("case.npy.gz", MADE[".npy"]))
tap.ok(said.error and "not that of gzip" in said.error, "a name that ends in .gz", said.error)
tap.ok(not [name for name in os.listdir(".") if name.startswith(".dcl-")], "nothing is left behind")
tap.done_testing()
