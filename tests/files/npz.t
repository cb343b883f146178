#!/usr/bin/env python3
"""npz.t: .npz files against NumPy and zipfile: stored and deflated, zip64, hostile archives."""

import io
import os
import struct
import warnings
import zipfile
import zlib

import driver
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(2)

TENSORS = {
    "w": random.standard_normal((17, 9)).astype("<f4"),
    "blocks.0.conv.W": random.standard_normal((2, 3, 3)).astype("<f8"),
    "ids": numpy.arange(100, dtype="<i8"),
    "scalar": numpy.array(7, dtype="<i4"),
    "mask": random.integers(0, 2, (3, 3)).astype(bool),
    "empty": numpy.zeros((0, 5), dtype="<f4"),
    "größe": numpy.ones(3, dtype="<f4"),
    "zeros": numpy.zeros(15000, dtype="<i4"),
}


def check(path, name):
    said, = driver.dump(path)
    good = not said.error and said.order == list(TENSORS) and all(
        driver.same(said.tensors[key], value) for key, value in TENSORS.items())
    tap.ok(good and said.aligned, name, said.error, said.order)


numpy.savez("stored.npz", **TENSORS)
check("stored.npz", "NumPy's stored archive")
numpy.savez_compressed("deflated.npz", **TENSORS)
check("deflated.npz", "NumPy's deflated archive")


def npy(array):
    stream = io.BytesIO()
    numpy.save(stream, array)
    return stream.getvalue()


def archive(members, comment=b"", **options):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **options) as zipped:
        zipped.comment = comment
        for name, content in members:
            zipped.writestr(name, content)
    return stream.getvalue()


ALL = [(name + ".npy", npy(array)) for name, array in TENSORS.items()]
for name, content in [
        ("a comment", archive(ALL, comment=b"PK\5\6" * 100)),
        ("the longest comment", archive(ALL, comment=b"x" * 65535)),
        ("other members", archive([("readme.txt", b"hello"), ("sub/", b"")] + ALL)),
        ("best compression", archive(ALL, compression=zipfile.ZIP_DEFLATED, compresslevel=9)),
        ("no compression in deflate",
         archive(ALL, compression=zipfile.ZIP_DEFLATED, compresslevel=0))]:
    driver.write("case.npz", content)
    check("case.npz", name)

# Sizes in data descriptors, as a program writes them that cannot go back.
class Pipe(io.RawIOBase):
    def __init__(self, target):
        self.target = target

    def writable(self):
        return True

    def write(self, data):
        return self.target.write(data)


with open("case.npz", "wb") as stream, zipfile.ZipFile(
        Pipe(stream), "w", compression=zipfile.ZIP_DEFLATED) as zipped:
    for name, content in ALL:
        zipped.writestr(name, content)
check("case.npz", "sizes only behind the data")
with zipfile.ZipFile("case.npz", "w") as zipped:
    for name, content in ALL:
        with zipped.open(name, "w", force_zip64=True) as member:
            member.write(content)
check("case.npz", "zip64 in local headers")

# What we write, Python and NumPy read; and the same again from each format.
for path in ["stored.npz", "deflated.npz"]:
    status, out, errors = tap.run("./tensors", "copy", path, "copy.npz", "copy.safetensors")
    tap.is_int(status, 0, "%s is copied" % path)
    with numpy.load("copy.npz") as back:
        tap.ok(back.files == list(TENSORS) and all(
            driver.same(back[key], value) for key, value in TENSORS.items()), "NumPy reads it")
    with zipfile.ZipFile("copy.npz") as zipped:
        tap.ok(zipped.testzip() is None, "its checksums are right")
        aligned = all((info.header_offset + 30 + sum(struct.unpack(
            "<HH", driver.read("copy.npz")[info.header_offset + 26:][:4]))) % 64 == 0
            for info in zipped.infolist())
        tap.ok(aligned, "its members begin at multiples of 64")
    check("copy.npz", "we read it, too")
    check("copy.safetensors", "and by way of safetensors")
first = driver.read("copy.npz")
tap.run("./tensors", "copy", "copy.safetensors", "copy.npz")
tap.ok(first == driver.read("copy.npz"), "equal tensors give equal bytes")

# More members than 16 bits count.
status, out, errors = tap.run("./tensors", "many", 70000, "many.npz")
tap.is_int(status, 0, "70,000 tensors: %s%s" % (out, errors))
with numpy.load("many.npz") as back:
    tap.ok(len(back.files) == 70000 and back["t69999"][0] == 69999, "NumPy reads them")
status, out, errors = tap.run("./tensors", "many", 65535, "many.npz")
tap.is_int(status, 0, "65,535 tensors: %s%s" % (out, errors))
with numpy.load("many.npz") as back:
    tap.is_int(len(back.files), 65535, "NumPy reads them")
os.unlink("many.npz")


def write_large(path, size):
    """An archive of a tensor of SIZE zeros, a hole that takes no space, and a small one."""
    header = npy(numpy.zeros(1, "|b1"))[:-1].replace(b"(1,)", b"(%d,)" % size)
    header = header.replace(b" " * (len(b"%d" % size) - 1) + b"\n", b"\n")
    tail = npy(numpy.arange(3, dtype="<i4"))
    total, crc, block = len(header) + size, zlib.crc32(header), bytes(1 << 20)
    for _ in range(size >> 20):
        crc = zlib.crc32(block, crc)
    crc = zlib.crc32(bytes(size & 0xfffff), crc)
    wide = struct.pack("<HHQQ", 1, 16, total, total)
    with open(path, "wb") as stream:
        stream.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 0, 0, 0, 0, crc, 0xffffffff,
                                 0xffffffff, 9, len(wide)) + b"large.npy" + wide + header)
        stream.seek(size, 1)
        second = stream.tell()
        stream.write(local(b"tail.npy", len(tail), len(tail), zlib.crc32(tail)) + tail)
        directory = stream.tell()
        stream.write(entry(b"large.npy", 0xffffffff, 0xffffffff, crc, 0, extra=wide))
        stream.write(entry(b"tail.npy", len(tail), len(tail), zlib.crc32(tail), 0xffffffff,
                           extra=struct.pack("<HHQ", 1, 8, second)))
        last = stream.tell()
        stream.write(struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 2, 2,
                                 last - directory, directory))
        stream.write(struct.pack("<4sIQI", b"PK\6\7", 0, last, 1))
        stream.write(end(2, last - directory, 0xffffffff))


def local(name, packed, size, crc, method=0, flags=0):
    return struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, flags, method, 0, 0, crc, packed, size,
                       len(name), 0) + name


def entry(name, packed, size, crc, at, method=0, flags=0, extra=b""):
    return struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, flags, method, 0, 0, crc, packed,
                       size, len(name), len(extra), 0, 0, 0, 0, at) + name + extra


def end(n, size, at, comment=b""):
    return struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, n, n, size, at, len(comment)) + comment


# More than 32 bits count: made here and read, written by us and read by NumPy.
room = os.statvfs(".")
if int(os.environ.get("DCL_FUZZ_COUNT") or 100) <= 100:
    tap.skip("archives of more than 4 GiB are left to check-full")
elif room.f_bavail * room.f_frsize < 12 << 30:
    tap.skip("no room for an archive of more than 4 GiB")
else:
    write_large("large.npz", (1 << 32) + 10)
    said, = driver.dump("large.npz")
    tap.ok(not said.error and said.order == ["large", "tail"] and
           list(said.tensors["tail"]) == [0, 1, 2], "an archive of more than 4 GiB", said.error)
    status, out, errors = tap.run("./tensors", "copy", "large.npz", "written.npz")
    tap.is_int(status, 0, "it is copied: %s%s" % (out, errors))
    with zipfile.ZipFile("written.npz") as zipped:
        tap.ok(zipped.testzip() is None, "its checksums are right")
        tap.is_int(zipped.getinfo("large.npy").file_size, (1 << 32) + 10 + 128, "and its sizes")
    with numpy.load("written.npz") as back:
        tap.ok(list(back["tail"]) == [0, 1, 2], "NumPy reads what lies behind 4 GiB")
    os.unlink("large.npz")
    os.unlink("written.npz")


# --- hostile archives ------------------------------------------------------------------------

def deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


DATA = npy(numpy.arange(300, dtype="<i4"))
CRC = zlib.crc32(DATA)


def one(packed=None, size=None, crc=CRC, at=0, method=0, flags=0, name=b"x.npy", content=DATA,
        extra=b"", n=1):
    packed = len(content) if packed is None else packed
    size = len(DATA) if size is None else size
    body = local(name, packed, size, crc, method, flags) + content
    listed = entry(name, packed, size, crc, at, method, flags, extra)
    return body + listed + end(n, len(listed), len(body))


good = one()
packed = deflate(DATA)
said, = driver.dump(driver.write("case.npz", one(content=packed, method=8)))
tap.ok(not said.error and said.tensors["x"].tobytes() == DATA[128:], "a plain archive", said.error)

bomb = deflate(bytes(50 << 20))
body = local(b"a.npy", len(packed), len(DATA), CRC, 8) + packed
twice = entry(b"a.npy", len(packed), len(DATA), CRC, 0, 8)
shared = twice + entry(b"b.npy", len(packed), len(DATA), CRC, 0, 8)
many = b"".join(entry(b"%d.npy" % i, len(packed), len(DATA), CRC, 0, 8) for i in range(60000))
driver.refused([(content, ".npz", word, name) for content, word, name in [
    (b"", "empty", "an empty file"),
    (b"PK", "not a zip archive", "two bytes"),
    (DATA, "by its content an array of NumPy", "a .npy file"),
    (good[:-1], "not a zip archive", "cut in the end record"),
    (good[:-22], "not a zip archive", "cut before it"),
    (good[:len(good) // 2], "not a zip archive", "cut in the middle"),
    (good[200:], "leaves the file", "cut at the front"),
    (good + b"more", "not a zip archive", "text behind it"),
    (one(crc=CRC ^ 1), "checksum", "a wrong checksum"),
    (one(content=packed, method=8, crc=CRC ^ 1), "checksum", "a wrong checksum, deflated"),
    (one(content=packed, method=8, size=len(DATA) - 1), "damaged", "a size too small"),
    (one(content=packed, method=8, size=len(DATA) + 1), "damaged", "a size too large"),
    (one(content=packed[:-1], method=8), "damaged", "a stream cut short"),
    (one(content=packed + b"x", method=8), "damaged", "a stream with more behind it"),
    (one(content=b"\xff" * 100, method=8), "damaged", "no stream"),
    (one(content=packed, method=8, size=0xfffffffe), "impossible size", "a size of 4 GiB"),
    (one(content=packed, method=8, size=0xffffffff,
         extra=struct.pack("<HHQ", 1, 8, 1 << 62)), "impossible size", "a size of 2^62"),
    (one(size=0xffffffff, packed=0xffffffff, extra=struct.pack("<HHQQ", 1, 16, 1 << 62, 1 << 62)),
     "leaves the file", "a stored size of 2^62"),
    (one(size=0xffffffff, extra=struct.pack("<HHI", 1, 4, 1)), "malformed zip64", "a short field"),
    (one(extra=struct.pack("<HH", 7, 60000)), "malformed zip64", "an extra field too long"),
    (one(size=len(DATA) + 1), "impossible size", "stored, of another size"),
    (one(packed=len(DATA) + 5000, size=len(DATA) + 5000), "leaves the file", "more than there is"),
    (one(at=5), "no header", "a wrong place"),
    (one(at=0xfffffff0), "no header", "a place outside"),
    (one(method=12), "compression method 12", "bzip2"),
    (one(flags=1), "encrypted", "an encrypted member"),
    (one(name=b"a\xff\xfe.npy"), "UTF-8", "a name that is not UTF-8"),
    (one(name=b"a\0b.npy"), "UTF-8", "a NUL in a name"),
    (one(n=2), "leaves the file", "a number of members too large"),
    (one(n=0xffff), "leaves the file", "65535 members"),
    (one(content=b"\x93NUMPY", size=6, crc=zlib.crc32(b"\x93NUMPY")), "'x': not in NumPy's",
     "a member cut short"),
    (one(content=b"", size=0, crc=0), "'x': not in NumPy's", "an empty member"),
    (one(content=b"", size=0, crc=0, method=8), "damaged", "an empty stream"),
    (archive([("a.npy", DATA), ("b.npy", npy(numpy.zeros(3, "<c8")))]),
     "'b': element type <c8 (complex of f32) is not supported", "a type that we do not have"),
    (body + shared + end(2, len(shared), len(body)), "overlap", "two members over one"),
    (body + many + end(60000, len(many), len(body)), "overlap", "60,000 members over one"),
    (b"x" * 100 + good, "malformed zip directory", "bytes before it"),
    (body + twice + end(1, len(twice), len(body) + 1), "leaves the file", "a directory off by one"),
    (body + twice + end(1, len(twice), len(body) - 1), "malformed zip directory", "by one less"),
    (body + twice + end(1, len(twice) - 1, len(body)), "malformed zip directory",
     "a directory too short"),
    (struct.pack("<4sHHHHIIH", b"PK\5\6", 1, 0, 0, 0, 0, 0, 0), "several parts", "a second disk"),
    (struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1 << 60, 1 << 60, 1 << 60, 0)
     + struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1) + end(0xffff, 0xffffffff, 0xffffffff),
     "leaves the file", "2^60 members"),
    (struct.pack("<4sIQI", b"PK\6\7", 0, (1 << 64) - 8, 1) + end(1, 0, 0),
     "malformed zip64 directory", "a zip64 record outside"),
    (one(name=b"x.npy\n\x1b[31m" + b"y" * 300 + b".npy", crc=1), "x.npy??[31myyy",
     "control characters in a name"),
]], "hostile")

said, = driver.dump(driver.write("bomb.npz", one(
    content=bomb, method=8, size=50 << 20, crc=zlib.crc32(bytes(50 << 20)))))
tap.ok(said.error and "not in NumPy's" in said.error, "50 MB of zeros in 50 KB are no tensor",
       said.error)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    double = archive([("a.npy", DATA), ("a.npy", DATA)])
driver.refused([(double, ".npz", "two tensors are called 'a'", "two members of one name")], "names")
driver.write("case.npz", archive([]))
said, = driver.dump("case.npz")
tap.ok(not said.error and not said.order, "an archive without members is an empty list")

small = {"a": TENSORS["w"][:3], "b": TENSORS["ids"][:20], "c": TENSORS["mask"]}
numpy.savez("base.npz", **small)
driver.damage("base.npz")
driver.cut("base.npz")
numpy.savez_compressed("packed.npz", **small)
driver.damage("packed.npz")
driver.cut("packed.npz")
tap.done_testing()
