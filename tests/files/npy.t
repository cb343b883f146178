#!/usr/bin/env python3
"""npy.t: .npy files against NumPy: both orders of bytes and axes, all types, hostile headers."""

import io
import itertools
import os
import struct

import driver
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(1)


def sample(dtype, shape):
    if dtype == "?":
        return random.integers(0, 2, shape).astype(bool)
    if numpy.dtype(dtype).kind == "V":  # bf16 to us
        return random.integers(0, 2**16, shape).astype("u2").view(dtype)
    if numpy.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    return random.integers(-2**31, 2**31, shape).astype(dtype)


# Everything that NumPy writes and we have.
SHAPES = [(), (1,), (7,), (3, 4), (0,), (4, 0, 3), (2, 3, 4, 5), (1,) * 20, (1, 2, 1, 3), (33, 65)]
cases = []
for dtype, shape, fortran in itertools.product(
        ["<f4", "<f8", "<i4", "<i8", "?", ">f4", ">f8", ">i4", ">i8", "i1", "u1", "<i2", ">i2",
         "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "<f2", ">f2", "V2"], SHAPES, [False, True]):
    array = numpy.array(sample(dtype, shape), order="F" if fortran else "C")
    path = "%d.npy" % len(cases)
    numpy.save(path, array)
    cases.append((path, array))
good = aligned = True
for (path, array), said in zip(cases, driver.dump(*(path for path, _ in cases))):
    native = array.astype(array.dtype.newbyteorder("="))
    if said.error or said.order != [""] or not driver.same(said.tensors[""], native):
        good = False
        tap.diag("%s: %s %s: %s" % (path, array.dtype, array.shape, said.error))
    aligned = aligned and said.aligned
tap.ok(good, "all types, shapes and orders that NumPy writes are read")
tap.ok(aligned, "and lie aligned")

# Versions 2 and 3, and headers as others write them.
array = numpy.arange(6, dtype="<f4").reshape(2, 3)


def npy(header, data=array.tobytes(), version=(1, 0), length=None):
    text = header.encode("latin1") if isinstance(header, str) else header
    size = len(text) if length is None else length
    return (b"\x93NUMPY" + bytes(version) +
            struct.pack("<H" if version[0] == 1 else "<I", size) + text + data)


PLAIN = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
for name, content in [
        ("version 2", npy(PLAIN, version=(2, 0))),
        ("version 3", npy(PLAIN, version=(3, 0))),
        ("an odd length, unaligned", npy(PLAIN + " ")),
        ("other quotes and order", npy('{"shape":(2,3),"fortran_order":False,"descr":"<f4"}')),
        ("Python 2's long", npy(PLAIN.replace("(2, 3)", "(2L, 3L)"))),
        ("much space", npy("  { 'descr' : '<f4' , 'fortran_order' :False,\n 'shape':( 2 ,3 , )"
                           " ,} \n" + " " * 60000)),
        ("native order", npy(PLAIN.replace("<f4", "=f4")))]:
    driver.write("case.npy", content)
    said, = driver.dump("case.npy")
    tap.ok(not said.error and driver.same(said.tensors[""], array) and said.aligned, name,
           said.error)

driver.write("case.npy", npy("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}",
                             bytes([0, 1, 2, 255])))
said, = driver.dump("case.npy")
tap.is_str(said.tensors[""].tobytes(), bytes([0, 1, 1, 1]), "any byte but 0 is true, as 1")

# What we write, NumPy reads.
status, out, errors = tap.run("./tensors", "pairs", *(
    name for path, _ in cases for name in (path, "copy-" + path)))
tap.is_int(status, 0, "all are copied: %s%s" % (out, errors))
good = True
for path, array in cases:
    back = numpy.load("copy-" + path)
    native = array.astype(array.dtype.newbyteorder("="))
    if not driver.same(back, native) or not back.flags.c_contiguous:
        good = False
        tap.diag("%s: %s %s" % (path, array.dtype, array.shape))
tap.ok(good, "NumPy reads what we write")
tap.is_int(os.path.getsize("copy-0.npy") - cases[0][1].nbytes, 128, "the data begins at 128")

# Types that we do not have are named.
refusals = []
for dtype, word in [("<c8", "<c8 (complex of f32) is not supported in this version"),
                    ("<c16", "complex"), ("<U3", "text"),
                    ("|S3", "text"), ("<M8[s]", "times"), ("<f16", "long double"),
                    ("|V4", "raw bytes"), ("|O", "Python objects")]:
    stream = io.BytesIO()
    numpy.save(stream, numpy.zeros(3, dtype=dtype))
    refusals.append((stream.getvalue(), ".npy", word, dtype))
stream = io.BytesIO()
numpy.save(stream, numpy.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")]))
refusals.append((stream.getvalue(), ".npy", "structured", "a structure"))
driver.refused(refusals, "element types")


def shape(text, data=b""):
    return npy("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % text, data)


MALFORMED = "malformed .npy header"
good = npy(PLAIN)
driver.refused([(content, ".npy", word, name) for content, word, name in [
    (b"", "empty", "an empty file"),
    (b"\x93NUMPY", "not in NumPy's format", "magic only"),
    (b"PK\x03\x04" + bytes(100), "by its content a zip archive", "another format"),
    (good[:-1], "needs 24 bytes of data, there are 23", "a byte is missing"),
    (good + b"x", "needs 24 bytes of data, there are 25", "a byte too many"),
    (good[:40], "cut short", "cut in the header"),
    (good[:-29], "cut short", "cut near the end of the header"),
    (good[:10], "cut short", "cut before the header"),
    (npy(PLAIN, version=(2, 0))[:11], "cut short", "cut in the length"),
    (npy(PLAIN, version=(2, 0), length=0xffffffff), "cut short", "a length of 4 GiB"),
    (npy(PLAIN, length=0), MALFORMED, "a length of 0"),
    (npy(PLAIN, version=(4, 0)), "version 4.0", "a later version"),
    (npy(PLAIN, version=(1, 1)), "version 1.1", "a later minor version"),
    (npy(PLAIN, version=(0, 0)), "version 0.0", "version 0"),
    (shape("(-1,)"), "negative", "a negative dimension"),
    (shape("(99999999999999999999,)"), "too large", "a dimension above 2^63"),
    (shape("(9223372036854775807,)"), "too large", "2^63 elements"),
    (shape("(4294967296, 4294967296, 4294967296)"), "too large", "a product that overflows"),
    (shape("(2305843009213693952, 8)"), "too large", "a product that overflows to 0"),
    (shape("(0, 4294967296, 4294967296, 4294967296)"), "too large", "the same beside a 0"),
    (shape("(1000000000000,)"), "needs 4000000000000 bytes", "more than there is"),
    (shape("(%s)" % ("1," * 33), bytes(4)), "more than 32", "33 dimensions"),
    (shape("(%s)" % ("1," * 12000), bytes(4)), "more than 32", "12000 dimensions"),
    (shape("(3)", bytes(12)), MALFORMED, "a number for a tuple"),
    (shape("[3]", bytes(12)), MALFORMED, "a list for a tuple"),
    (shape("(3 4)"), MALFORMED, "no comma"),
    (shape("(,)"), MALFORMED, "a lone comma"),
    (shape("(3,,)"), MALFORMED, "two commas"),
    (shape("(3.0,)"), MALFORMED, "a fraction"),
    (shape("(True,)"), MALFORMED, "a truth value"),
    (shape("(3,"), MALFORMED, "an open tuple"),
    (shape("(" * 50000), MALFORMED, "50000 parentheses"),
    (npy(PLAIN[:-1]), MALFORMED, "no closing brace"),
    (npy(PLAIN + "x"), MALFORMED, "text after it"),
    (npy(PLAIN.replace("'shape'", "'shame'")), MALFORMED, "an unknown key"),
    (npy(PLAIN.replace("'shape': (2, 3), ", "")), MALFORMED, "a key is missing"),
    (npy(PLAIN.replace("}", "'descr': '<f8'}")), MALFORMED, "a key twice"),
    (npy(PLAIN.replace("False", "None")), MALFORMED, "an order that is none"),
    (npy(PLAIN.replace("'<f4'", "4")), MALFORMED, "a descr that is no text"),
    (npy("{'descr': '<f4}"), MALFORMED, "a text that does not end"),
    (npy(PLAIN.replace("<f4", "")), MALFORMED, "an empty descr"),
    (npy(PLAIN.replace("<f4", "?f4")), MALFORMED, "no byte order"),
    (npy(PLAIN.replace("<f4", "|f4")), MALFORMED, "no byte order for 4 bytes"),
    (npy(PLAIN.replace("<f4", "<f4\0x")), MALFORMED, "a NUL in the descr"),
    (npy(PLAIN.replace("<f4", "\0f4")), MALFORMED, "a NUL for the byte order"),
    (npy(PLAIN.replace("<f4", "<f4" * 100)), MALFORMED, "a long descr"),
    (npy(PLAIN.replace("<f4", "<x4")), "unknown", "an unknown type"),
    (npy("("), MALFORMED, "no dictionary"),
    (npy(""), MALFORMED, "no header"),
]], "hostile")

numpy.save("base.npy", sample("<f4", (5, 7)))
driver.damage("base.npy")
driver.cut("base.npy")
numpy.save("turned.npy", numpy.asfortranarray(sample(">f8", (6, 5, 4))))
driver.damage("turned.npy")
tap.done_testing()
