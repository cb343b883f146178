#!/usr/bin/env python3
"""shards.t: indexes of .safetensors files: what is asked for is opened, what is missing is told."""

import gzip
import json
import os
import struct

import driver
import tap

numpy = driver.numpy
driver.build()


def shard(**tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.astype("f4").tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def index(names, **more):
    return json.dumps({"metadata": {"total_size": 99}, "weight_map": names, **more}).encode()


A, B, C = (numpy.arange(n, dtype="f4") for n in (2, 3, 4))
os.mkdir("model")
driver.write("model/m-1.safetensors", shard(a=A, c=C))
driver.write("model/m-2.safetensors", shard(b=B))
NAMES = {"a": "m-1.safetensors", "b": "m-2.safetensors", "c": "m-1.safetensors"}
PATH = driver.write("model/m.safetensors.index.json", index(NAMES))
said, = driver.dump(PATH)
tap.ok(not said.error and said.order == ["a", "b", "c"] and all(
    driver.same(said.tensors[name], array) for name, array in zip("abc", (A, B, C))),
    "all tensors, in the order of the index", said.error, said.order)
said, = driver.dump(driver.write("model/m.index.json.gz", gzip.compress(index(NAMES))))
tap.ok(not said.error and said.order == ["a", "b", "c"], "a packed index", said.error)
said, = driver.dump(driver.write("model/m.index.json", index({})))
tap.ok(not said.error and not said.order, "an index of nothing", said.error)
driver.write("m.index.json", driver.read(PATH))
said, = driver.dump("m.index.json")
tap.is_str(said.error, "cannot read m-1.safetensors: No such file or directory",
           "shards lie beside it")


def refused(content, word, name):
    said, = driver.dump(driver.write("model/case.index.json", content))
    tap.ok(said.error and word in said.error and said.errors == 1, name, "want: " + word,
           said.error)


GOOD = index(NAMES)
for content, word, name in [
        (b"", "empty", "an empty file"),
        (b"[]", "malformed JSON at byte 0", "a list"),
        (b"{}", '"weight_map" is missing', "no map"),
        (b'{"weight_map":{},"weight_map":{}}', "twice", "two maps"),
        (b'{"weight_map":[]}', "malformed JSON at byte 14", "a list for a map"),
        (b'{"weight_map":{"a":1}}', "malformed JSON", "a number for a file"),
        (b'{"weight_map":{"a":"x"', "malformed JSON", "cut short"),
        (GOOD + b"x", "text after", "text behind it"),
        (index({"a": "../m-1.safetensors"}), "'../m-1.safetensors' does not lie beside the index",
         "a path"),
        (index({"a": "/etc/passwd"}), "does not lie beside", "an absolute path"),
        (index({"a": "m.bin"}), "'m.bin' is no .safetensors file", "another format"),
        (index({"a": "case.index.json"}), "is no .safetensors file", "itself"),
        (index({"a": ".safetensors"}), "is no .safetensors file", "a suffix only"),
        (index({"a": "m-3.safetensors"}), "cannot read model/m-3.safetensors: No such file",
         "a missing file"),
        (index({"d": "m-1.safetensors"}), "'d' should be in m-1.safetensors, but is not",
         "a missing tensor"),
        (b'{"weight_map":{"a":"m-1.safetensors","a":"m-2.safetensors"}}',
         "two tensors are called 'a'", "a name twice")]:
    refused(content, word, name)
driver.write("model/bad.safetensors", shard(a=A)[:-1])
refused(index({"a": "bad.safetensors"}), "cannot read model/bad.safetensors: 'a': the data leaves",
        "a damaged shard")
numpy.save("model/npy.safetensors.npy", A)
os.rename("model/npy.safetensors.npy", "model/npy.safetensors")
refused(index({"a": "npy.safetensors"}), "by its content an array of NumPy", "a wrong kind")
status, out, errors = tap.run("./tensors", "copy", PATH, "no.index.json")
tap.ok(status == 1 and "read only" in out, "an index is not written", out)

# Damaged beside a shard that is there: the names in it are damaged, too.
driver.write("m-1.safetensors", shard(a=A, c=C))
driver.write("m-2.safetensors", shard(b=B))
driver.write("base.index.json", GOOD)
driver.damage("base.index.json")
driver.cut("base.index.json")
tap.done_testing()
