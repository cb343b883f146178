#!/usr/bin/env python3
"""idx.t: IDX, the format of MNIST: all its types, packed or not, hostile headers."""

import gzip
import struct

import driver
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(3)
TYPES = {0x08: "u1", 0x09: "i1", 0x0b: "i2", 0x0c: "i4", 0x0d: "f4", 0x0e: "f8"}


def idx(array, code, shape=None, rank=None, head=b"\0\0"):
    shape = array.shape if shape is None else shape
    return (head + bytes([code, len(shape) if rank is None else rank]) +
            b"".join(struct.pack(">I", n) for n in shape) +
            array.astype(array.dtype.newbyteorder(">")).tobytes())


for code, kind in TYPES.items():
    for shape in [(7,), (3, 28, 28), (0, 5), (1,) * 19 + (2,), ()]:
        array = numpy.asarray((random.standard_normal(shape) * 100)).astype(kind)
        data = idx(array, code)
        driver.is_read(driver.write("case-idx3-ubyte", data), array, "%s %s" % (kind, shape))
        driver.is_read(driver.write("case.idx.gz", gzip.compress(data)), array, "packed")
        status, out, errors = tap.run("./tensors", "copy", "case-idx3-ubyte", "back.idx",
                                      "back-ubyte.gz")
        tap.is_int(status, 0, "it is written: " + out + errors)
        tap.ok(driver.read("back.idx") == data, "byte for byte")
        tap.ok(gzip.decompress(driver.read("back-ubyte.gz")) == data, "and packed")

DATA = numpy.arange(12, dtype="u1").reshape(3, 4)
GOOD = idx(DATA, 8)
driver.is_read(driver.write("nameless", GOOD), DATA, "the content says it where no name does")
driver.refused([(content, suffix, word, name) for content, suffix, word, name in [
    (GOOD[:3], ".idx", "not in the format IDX", "three bytes"),
    (b"\0\1" + GOOD[2:], ".idx", "not in the format IDX", "no zeros"),
    (GOOD[:-1], ".idx", "needs 12 bytes of data, there are 11", "a byte is missing"),
    (GOOD + b"x", ".idx", "needs 12 bytes of data, there are 13", "a byte too many"),
    (GOOD[:8], ".idx", "cut short", "cut in the dimensions"),
    (idx(DATA, 0x0a), ".idx", "element type 0a is none", "an unknown type"),
    (idx(DATA, 8, rank=33), ".idx", "more than 32", "33 dimensions"),
    (idx(DATA, 8, rank=255), ".idx", "more than 32", "255 dimensions"),
    (idx(DATA, 8, shape=(2**32 - 1, 2**32 - 1)), ".idx", "too large", "2^64 elements"),
    (idx(DATA, 8, shape=(0, 2**32 - 1, 2**32 - 1)), ".idx", "too large", "beside a 0"),
    (idx(DATA, 8, shape=(2**32 - 1, 2)), ".idx", "needs 8589934590 bytes", "8 GB"),
    (gzip.compress(idx(DATA, 8, shape=(2**32 - 1, 2))), ".idx.gz", "needs 85", "8 GB, packed"),
]], "hostile")
numpy.save("wide.npy", numpy.zeros(2, dtype="u2"))
status, out, errors = tap.run("./tensors", "copy", "wide.npy", "no.idx")
tap.ok(status == 1 and "IDX has no element type u16" in out, "a type that it has not", out)

driver.write("base.idx", idx(numpy.arange(30, dtype="i4").reshape(5, 6), 0x0c))
driver.damage("base.idx")
driver.cut("base.idx")
driver.write("packed.idx.gz", gzip.compress(driver.read("base.idx")))
driver.damage("packed.idx.gz")
driver.cut("packed.idx.gz")
tap.done_testing()
