#!/usr/bin/env python3
"""safetensors.t: the format written and read with NumPy's arrays, and hostile headers.

The reference is the format's description: 8 bytes of length, a JSON header, the data, which the
tensors fill without gaps.
"""

import json
import os
import struct

import driver
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(3)

CODES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "BOOL": "?", "I8": "i1",
         "I16": "<i2", "U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "F16": "<f2",
         "BF16": "V2"}


def pack(header, data, length=None, pad=0):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * pad
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def make(tensors, **options):
    """A file of names and (code, array), data in the order given."""
    header, data = {}, b""
    for name, (code, array) in tensors.items():
        raw = array.tobytes()
        header[name] = {"dtype": code, "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    return pack(header, data, **options)


def parse(content):
    """Names to arrays, by the description alone."""
    length, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    data = content[8 + length:]
    ends = sorted(one["data_offsets"] for one in header.values())
    assert [begin for begin, _ in ends] == [0] + [stop for _, stop in ends[:-1]], "gaps"
    assert not ends or ends[-1][1] == len(data), "length"
    return {name: numpy.frombuffer(data[slice(*one["data_offsets"])],
                                   dtype=CODES[one["dtype"]]).reshape(one["shape"])
            for name, one in header.items()}


TENSORS = {
    "net.0.W": ("F32", random.standard_normal((5, 7)).astype("<f4")),
    "flag": ("BOOL", numpy.array(True)),
    "net.0.b": ("F64", random.standard_normal(3).astype("<f8")),
    "empty": ("I32", numpy.zeros((0, 3), "<i4")),
    "mask": ("BOOL", random.integers(0, 2, 5).astype(bool)),
    "ids": ("I64", random.integers(-2**62, 2**62, (2, 2, 2))),
    "scalar": ("I32", numpy.array(-5, "<i4")),
    "größe \"\\\n\t\U0001f600": ("F32", numpy.ones(1, "<f4")),
    "": ("I32", numpy.arange(4, dtype="<i4")),
    "bytes": ("U8", numpy.arange(250, 257).astype("u1")),
    "shorts": ("I16", numpy.arange(-3, 2).astype("<i2")),
    "others": ("U32", numpy.arange(-3, 2).astype("<u4")),
    "half": ("F16", numpy.arange(-3, 2).astype("<f2")),
    "brain": ("BF16", numpy.arange(-3, 2).astype("<u2").view("V2")),
    "small": ("I8", numpy.arange(-3, 2).astype("i1")),
    "middle": ("U16", numpy.arange(-3, 2).astype("<u2")),
    "large": ("U64", numpy.arange(-3, 2).astype("<u8")),
}


def check(path, name):
    said, = driver.dump(path)
    good = not said.error and said.order == list(TENSORS) and all(
        driver.same(said.tensors[key], array) for key, (_, array) in TENSORS.items())
    tap.ok(good and said.aligned, name, said.error, said.order)


for pad in range(8):
    driver.write("case.safetensors", make(TENSORS, pad=pad))
    check("case.safetensors", "the data %d bytes on" % pad)

status, out, errors = tap.run("./tensors", "copy", "case.safetensors", "copy.safetensors")
tap.is_int(status, 0, "it is copied: %s%s" % (out, errors))
content = driver.read("copy.safetensors")
back = parse(content)
tap.ok(list(back) == list(TENSORS) and all(
    driver.same(back[name], array) for name, (_, array) in TENSORS.items()), "and read by others")
length, = struct.unpack("<Q", content[:8])
tap.is_int((8 + length) % 64, 0, "the data begins at a multiple of 64")
aligned = all(one["data_offsets"][0] % max(1, numpy.dtype(CODES[one["dtype"]]).itemsize) == 0
              for one in json.loads(content[8:8 + length]).values())
tap.ok(aligned, "each tensor is aligned to its element size")
check("copy.safetensors", "and by us")
status, out, errors = tap.run("./tensors", "many", 70000, "many.safetensors")
tap.is_int(status, 0, "70,000 tensors: %s%s" % (out, errors))
tap.is_int(len(parse(driver.read("many.safetensors"))), 70000, "others read them")

for name, content in [
        ("metadata", pack({"__metadata__": {"format": "pt", "n": "{}[]\\\""}, "x": {
            "dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4))),
        ("odd metadata", pack(b'{"__metadata__":[1,-2.5e3,true,null,{"a":[[],{}]},"\\u1234"],"x":'
                              b'{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', bytes(4))),
        ("much space", pack(b'\n{ "x" :\t{ "shape" : [ 1 ] , "dtype":"F32",\r'
                            b'"data_offsets" : [ 0 , 4 ] } } \n\n', bytes(4))),
        ("escapes", pack(b'{"\\u0078":{"dtype":"\\u00463\\u0032","shape":[1],'
                         b'"data_offsets":[0,4]}}', bytes(4)))]:
    said, = driver.dump(driver.write("case.safetensors", content))
    tap.ok(not said.error and said.order == ["x"] and said.tensors["x"].tobytes() == bytes(4), name,
           said.error)
said, = driver.dump(driver.write("case.safetensors", pack(b"{}", b"")))
tap.ok(not said.error and not said.order, "a file without tensors is an empty list")
said, = driver.dump(driver.write("case.safetensors", pack(
    b'{"\\ud83d\\ude00\\b\\/\\"":{"dtype":"I32","shape":[],"data_offsets":[0,4]}}', bytes(4))))
tap.ok(said.order == ["\U0001f600\b/\""], "a pair of escapes is one character", said.order)


def one(offsets=(0, 4), shape=(1,), dtype="F32", data=bytes(4), name="x", **more):
    return pack({name: dict(dtype=dtype, shape=list(shape), data_offsets=list(offsets), **more)},
                data)


def two(first, second, data):
    return pack({"a": {"dtype": "F32", "shape": [1], "data_offsets": first},
                 "b": {"dtype": "F32", "shape": [1], "data_offsets": second}}, data)


def raw(text, data=bytes(4)):
    return pack(text.encode(), data)


X = '{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
UNSUPPORTED = "is not supported in this version"
BIG = 1 << 62
driver.refused([(one(dtype=code, shape=(), offsets=(0, size), data=bytes(size)), ".safetensors",
                 "'x': element type %s %s" % (code, UNSUPPORTED), code)
                for code, size in [("F8_E4M3", 1), ("F8_E5M2", 1)]], "element types")
driver.refused([(content, ".safetensors", word, name) for content, word, name in [
    (b"", "empty", "an empty file"),
    (b"1234567", "cut short", "seven bytes"),
    (bytes(8), "malformed JSON", "no header"),
    (pack(b"", b"", length=(1 << 64) - 1), "cut short", "a header of 2^64 bytes"),
    (pack(X.encode(), bytes(4), length=1000), "cut short", "a header longer than the file"),
    (pack(X.encode(), bytes(4), length=20), "at byte 20 of the header", "a header cut short"),
    (raw(X)[:-1], "leaves the file", "a byte of data is missing"),
    (raw(X) + b"x", "1 bytes follow", "a byte too many"),
    (two([0, 4], [0, 4], bytes(4)), "overlaps", "two tensors over one"),
    (two([0, 4], [2, 6], bytes(6)), "overlaps", "two tensors that overlap"),
    (two([0, 4], [8, 12], bytes(12)), "a gap", "a gap between"),
    (one(offsets=(4, 8), data=bytes(8)), "a gap", "a gap before"),
    (one(data=bytes(8)), "4 bytes follow", "a gap behind"),
    (one(offsets=(0, 8), data=bytes(8)), "disagree", "more bytes than the shape"),
    (one(shape=(2,)), "disagree", "fewer bytes than the shape"),
    (one(offsets=(4, 0)), "a gap", "an end before the begin"),
    (two([0, 4], [4, 0], bytes(4)), "leaves the file", "the same, second"),
    (one(offsets=(0, BIG), shape=(BIG // 4,)), "leaves the file", "an end of 2^62"),
    (one(offsets=(0, 1 << 63)), "too large", "an end of 2^63"),
    (one(offsets=(0, 10**30)), "too large", "an end of 10^30"),
    (one(offsets=(-4, 0)), "negative", "a negative begin"),
    (one(shape=(-1,)), "negative", "a negative dimension"),
    (one(shape=(BIG, BIG)), "product", "a product that overflows"),
    (one(shape=(1 << 61, 8)), "product", "a product that overflows to 0"),
    (one(shape=(0, BIG, BIG), offsets=(0, 0), data=b""), "product", "the same beside a 0"),
    (one(shape=(1,) * 33), "more than 32", "33 dimensions"),
    (one(shape=(1,) * 100000), "more than 32", "100,000 dimensions"),
    (one(shape=(1.5,)), "not whole", "a fraction"),
    (raw(X.replace("[1]", "[01]")), "malformed JSON number", "a leading 0"),
    (raw(X.replace("[1]", "[1e3]")), "not whole", "an exponent"),
    (raw(X.replace("[1]", "[1,]")), "malformed JSON", "a comma too many"),
    (raw(X.replace("[1]", "[1 1]")), "malformed JSON", "a comma is missing"),
    (raw(X.replace("[1]", "[null]")), "malformed JSON", "null"),
    (raw(X.replace("[1]", "1")), "malformed JSON", "a number for a list"),
    (raw(X.replace("[0,4]", "[0]")), "malformed JSON", "one offset"),
    (raw(X.replace("[0,4]", "[0,4,4]")), "malformed JSON", "three offsets"),
    (raw(X.replace('"F32"', "3")), "malformed JSON", "a type that is no text"),
    (one(dtype="f32"), "unknown", "a type that is none"),
    (one(dtype="F32\x1b[1m" + "y" * 5000), "F32?[1myyy", "a long type with control characters"),
    (one(extra=1), "unknown key", "an unknown key"),
    (raw(X.replace('"dtype":"F32"', '"shape":[1]')), "twice", "a key twice"),
    (raw(X.replace('"dtype":"F32",', "")), "missing", "a key is missing"),
    (raw(X.replace("F32", "F\\u0000")), "malformed escape", "an escaped NUL"),
    (raw(X.replace("F32", "F\\ud83d")), "malformed escape", "half a pair"),
    (raw(X.replace("F32", "F\\ud83d\\u0041")), "malformed escape", "half a pair and a letter"),
    (raw(X.replace("F32", "F\\ude00")), "malformed escape", "the other half"),
    (raw(X.replace("F32", "F\\u12g4")), "malformed escape", "no hexadecimal number"),
    (raw(X.replace("F32", "F\\q")), "malformed escape", "an unknown escape"),
    (raw(X.replace("F32", "F\n")), "control character", "a line's end in a string"),
    (pack(X.encode().replace(b"F32", b"F\xff"), bytes(4)), "UTF-8", "bytes that are not UTF-8"),
    (pack(X.encode().replace(b"F32", b"\xed\xa0\x80"), bytes(4)), "UTF-8", "a surrogate"),
    (pack(X.encode().replace(b"F32", b"\xc0\x80"), bytes(4)), "UTF-8", "a long form of NUL"),
    (raw(X[:-1]), "malformed JSON", "no closing brace"),
    (raw(X[:-1] + ",}"), "malformed JSON", "a comma at the end"),
    (raw(X + "{}"), "text after", "text behind the header"),
    (raw("[" + X + "]"), "malformed JSON", "a list"),
    (raw("null"), "malformed JSON", "null for all"),
    (raw('{"x'), "not closed", "a string that does not end"),
    (raw('{"x\\'), "not closed", "a string that ends in a backslash"),
    (raw('{"__metadata__":' + "[" * 1000000), "nested", "a million brackets"),
    (raw('{"__metadata__":' + '{"a":' * 1000000), "nested", "a million braces"),
    (raw('{"__metadata__":[1,]}'), "malformed JSON", "metadata with a comma too many"),
    (raw('{"__metadata__":[1}}'), "malformed JSON", "metadata with the wrong bracket"),
    (raw('{"__metadata__":{1:2}}'), "malformed JSON", "metadata with a key that is no text"),
    (raw('{"__metadata__":}'), "malformed JSON", "no metadata"),
    (raw('{"x":' * 1000000), "unknown key", "a million objects"),
    (raw(X[:-1] + "," + X[1:], bytes(8)), "overlaps", "two tensors of one name over one"),
    (raw('{"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'
         '"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}', b""),
     "two tensors are called 'x'", "two tensors of one name"),
]], "hostile")

driver.write("base.safetensors", make({name: TENSORS[name] for name in ["net.0.W", "ids", "mask"]}))
driver.damage("base.safetensors")
driver.cut("base.safetensors")
driver.write("odd.safetensors", make(TENSORS, pad=3))
driver.damage("odd.safetensors")
tap.done_testing()
