"""seeds.py: small tensor files of all formats, for `files`: their first byte is what names them.

usage: seeds.py FOLDER, in a folder of files that dcl wrote
"""

import gzip
import io
import itertools
import os
import struct
import sys
import wave
import zipfile
import zlib

ANY, CSV, CSV64, INDEX, IDX, CSV8 = range(6)  # as in files.c
made = itertools.count()


def seed(part, which, content):
    """In the folder of the seeds that are fuzzed together."""
    folder = os.path.join(sys.argv[1], part)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "seed%d" % next(made)), "wb") as stream:
        stream.write(bytes([which]) + content)


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(depth, kind, interlace, more=b""):
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    passes = [(1, 1), (1, 1), (1, 1), (1, 1), (1, 2), (2, 2), (2, 4)] if interlace else [(4, 4)]
    rows = b"".join(b"\0" + bytes(range((w * depth * samples + 7) // 8))
                    for h, w in passes for _ in range(h))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, depth, kind, 0, 0,
                                                            interlace)) + more +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def member(method, content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("a.npy", content)
        archive.writestr("b.txt", b"text")
    return stream.getvalue()


for name in sorted(os.listdir(".")):
    if not os.path.isfile(name):
        continue
    with open(name, "rb") as stream:
        content = stream.read()
    part = name.split(".")[1]
    seed("gz", ANY, gzip.compress(content))
    if part == "csv":
        for which in CSV, CSV64, CSV8:
            seed(part, which, content)
    else:
        seed(part, IDX if part == "idx" else ANY, content)
    if part == "npy":
        seed("npz", ANY, member(zipfile.ZIP_DEFLATED, content))
        seed(part, ANY, content.replace(b"'<", b"'>").replace(b"False", b"True "))
seed("csv", CSV, b'"a ""1""",b\r\n"1", 2\r\n+3.5e-7,nan\r\n-inf,123456789012345678901234567890\n')
seed("csv", CSV64, b"\xef\xbb\xbf1e400,1e-400\n0.1000000000000000055511151231257827,"
     b"9007199254740993\n\n")
seed("csv", CSV8, b"-128\n127\n")
seed("json", INDEX, b'{"metadata":{"a":[1,{}]},"weight_map":{"x":"f.safetensors",'
     b'"y":"f.safetensors"}}')
for depth, kind, interlace in [(1, 0, 0), (2, 0, 1), (4, 0, 1), (16, 0, 0), (8, 2, 1), (16, 6, 0),
                               (8, 4, 1)]:
    seed("png", ANY, png(depth, kind, interlace))
palette = chunk(b"PLTE", bytes(range(48)))
for more in palette, palette + chunk(b"tRNS", b"\0\7"), chunk(b"gAMA", b"\0\0\xb1\x8f") + palette:
    seed("png", ANY, png(4, 3, 1, more))
seed("png", ANY, png(8, 0, 0, chunk(b"tRNS", b"\0\3") + chunk(
    b"zTXt", b"a\0\0" + zlib.compress(b"text"))))
for width in 1, 2, 3, 4:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(width)
        sound.setframerate(8000)
        sound.writeframes(bytes(range(4 * width)))
    seed("wav", ANY, stream.getvalue())
EXTENSIBLE = bytes.fromhex("feff0200401f0000803e000004001000160010000300000001000000000010008000"
                           "00aa00389b71")
body = b"WAVE" + b"fmt \x28\0\0\0" + EXTENSIBLE + b"data\4\0\0\0abcd"
seed("wav", ANY, b"RIFF" + struct.pack("<I", len(body)) + body)
for code, size in (8, 1), (9, 1), (11, 2), (12, 4), (13, 4), (14, 8):
    seed("idx", IDX, bytes([0, 0, code, 2]) + struct.pack(">II", 2, 3) + bytes(range(6 * size)))
