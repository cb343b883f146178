#!/usr/bin/env python3
"""png.t: .png against an encoder and a decoder of the tests' own and against Pillow: all kinds of
colours, depths, filters and interlacing; hostile headers, damage."""

import itertools
import struct
import zlib

import driver
import pngs
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(6)
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # colour types of PNG
ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
         (1, 0, 2, 1)]


def chunk(name, data, crc=None):
    crc = zlib.crc32(name + data) if crc is None else crc
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", crc)


def ihdr(width, height, depth, kind, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlace))


def packed_rows(image, depth):
    """Rows of [h, w, samples] as bytes."""
    for row in image.reshape(image.shape[0], -1):
        if depth == 16:
            yield row.astype(">u2").tobytes()
        else:
            bits = "".join(format(v, "0%db" % depth) for v in row.tolist())
            bits += "0" * (-len(bits) % 8)
            yield int(bits, 2).to_bytes(len(bits) // 8, "big") if bits else b""


def filtered(rows, pixel, choose):
    """Each row behind the number of its filter; PIXEL bytes back is what lies to the left."""
    before, out = None, b""
    for y, row in enumerate(rows):
        kind, above = choose(y), before or bytes(len(row))
        coded = bytearray()
        for i, v in enumerate(row):
            a = row[i - pixel] if i >= pixel else 0
            c = above[i - pixel] if i >= pixel else 0
            coded.append((v - pngs.predict(kind, a, above[i], c)) & 255)
        out += bytes([kind]) + bytes(coded)
        before = row
    return out


def encode(image, depth, kind, interlace=0, more=b"", choose=lambda y: y % 5, level=6):
    """The bytes of a .png; image is [h, w, samples]."""
    height, width, samples = image.shape
    pixel = max(1, depth * samples // 8)
    passes = [image[y::dy, x::dx] for y, x, dy, dx in ADAM7] if interlace else [image]
    data = b"".join(filtered(packed_rows(part, depth), pixel, choose) for part in passes
                    if part.size)
    return (b"\x89PNG\r\n\x1a\n" + ihdr(width, height, depth, kind, interlace) + more +
            chunk(b"IDAT", zlib.compress(data, level)) + chunk(b"IEND", b""))


def decode(content):
    """[h, w, samples] of what we wrote."""
    width, height, samples, depth, rows = pngs.decode(content)
    data = numpy.frombuffer(b"".join(rows), ">u2" if depth == 16 else "u1")
    return data.astype("u2" if depth == 16 else "u1").reshape(height, width, samples)


def flat(image):
    return image[:, :, 0] if image.shape[2] == 1 else image


# Every kind of PNG.
for kind, depth, interlace in itertools.product(SAMPLES, [1, 2, 4, 8, 16], [0, 1]):
    if depth < 8 and kind not in (0, 3) or depth == 16 and kind == 3:
        continue
    for height, width in [(11, 13), (1, 1), (2, 9)]:
        image = random.integers(0, 2**depth, (height, width, SAMPLES[kind])).astype("u2")
        more = b""
        if kind == 3:
            palette = random.integers(0, 256, (2**depth, 3)).astype("u1")
            more = chunk(b"PLTE", palette.tobytes())
            want = palette[image[:, :, 0]]
        elif depth < 8:
            want = (image * (255 // (2**depth - 1))).astype("u1")
        else:
            want = image.astype("u2" if depth == 16 else "u1")
        name = "colour type %d, %d bits, interlace %d, %s" % (kind, depth, interlace,
                                                              (height, width))
        driver.write("case.png", encode(image, depth, kind, interlace, more))
        driver.is_read("case.png", flat(want), name)
        if kind in (0, 2, 3):  # with something transparent
            seen = image[0, 0]
            hidden = (random.integers(0, 256, 2**depth - 1).astype("u1").tobytes() if kind == 3 else
                      seen.astype(">u2").tobytes())
            if kind == 3:
                alpha = numpy.frombuffer(hidden + b"\xff", "u1")[image]
            else:
                full = 65535 if depth == 16 else 255
                alpha = numpy.where((image == seen).all(axis=2, keepdims=True), 0, full)
            clear = numpy.concatenate([want, alpha.astype(want.dtype)], axis=2)
            more += chunk(b"tRNS", hidden)
            driver.write("case.png", encode(image, depth, kind, interlace, more))
            driver.is_read("case.png", clear, name + ", transparent")

# What we write.
for kind, shape in itertools.product(["u1", "u2"], [(7, 9), (7, 9, 1), (7, 9, 2), (7, 9, 3),
                                                    (7, 9, 4), (1, 1), (300, 400, 3)]):
    image = random.integers(0, numpy.iinfo(kind).max, shape, dtype=kind, endpoint=True)
    if shape[0] == 300:
        image[:, 100:] = 7  # so that filters differ
    numpy.save("case.npy", image)
    status, out, errors = tap.run("./tensors", "copy", "case.npy", "back.png")
    tap.is_int(status, 0, "%s %s is written: %s%s" % (kind, shape, out, errors))
    want = image.reshape(shape[0], shape[1], -1)
    if shape[0] < 300:
        tap.ok(driver.same(decode(driver.read("back.png")), want), "right")
    said, = driver.dump("back.png")
    tap.is_str(said.error, None, "and read")
    if want.nbytes < 60000:
        tap.ok(driver.same(said.tensors[""], flat(want)), "as it was")

Image = driver.pillow()
if Image is None:
    tap.skip("Pillow is not installed (python3-pil)")
else:
    for mode, samples in [("L", 1), ("LA", 2), ("RGB", 3), ("RGBA", 4)]:
        image = random.integers(0, 256, (31, 17, samples)).astype("u1")
        Image.fromarray(flat(image), mode).save("case.png", optimize=True)
        driver.is_read("case.png", flat(image), "Pillow writes " + mode)
        tap.run("./tensors", "copy", "case.png", "back.png")
        with Image.open("back.png") as back:
            tap.ok(back.mode == mode and driver.same(numpy.array(back), flat(image)),
                   "and reads ours")
    deep = random.integers(0, 65536, (5, 6)).astype("u2")
    Image.fromarray(deep).save("case.png")
    driver.is_read("case.png", deep, "Pillow writes 16 bits")
    tap.run("./tensors", "copy", "case.png", "back.png")
    with Image.open("back.png") as back:
        tap.ok((numpy.array(back) == deep).all(), "and reads ours")
    colours = Image.fromarray(random.integers(0, 256, (40, 30, 3)).astype("u1"))
    colours.quantize(16).save("case.png")
    with Image.open("case.png") as back:
        driver.is_read("case.png", numpy.array(back.convert("RGB")), "a palette of Pillow")
    Image.fromarray(random.integers(0, 2, (9, 9)).astype(bool)).save("case.png")
    with Image.open("case.png") as back:
        driver.is_read("case.png", numpy.array(back.convert("L")), "black and white of Pillow")

for kind, shape, word in [("f4", (4, 4), "u8 or u16, not f32: for x from 0 to 1 u8(255 * x)"),
                          ("u1", (4,), "[H, W]"), ("u1", (4, 4, 5), "5 colours"),
                          ("u1", (4, 4, 1, 1), "[H, W]"), ("u1", (0, 4), "without pixels"),
                          ("u1", (4, 4, 0), "without pixels"), ("?", (4, 4), "not bool")]:
    numpy.save("case.npy", numpy.zeros(shape, kind))
    status, out, errors = tap.run("./tensors", "copy", "case.npy", "no.png")
    tap.ok(status == 1 and word in out, "%s %s is no image" % (kind, shape), out)

GRAY = random.integers(0, 256, (6, 5, 1)).astype("u2")
GOOD = encode(GRAY, 8, 0)
MAGIC = GOOD[:8]


def sized(width, height, depth=8, kind=0, data=GOOD[33:], interlace=0):
    return MAGIC + ihdr(width, height, depth, kind, interlace) + data


bomb = chunk(b"IDAT", zlib.compress(bytes(80 << 20), 9)) + chunk(b"IEND", b"")
text = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(50 << 20), 9))
profile = chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(50 << 20), 9))
driver.refused([(content, ".png", word, name) for content, word, name in [
    (MAGIC, "cut short", "the magic only"),
    (GOOD[:33], "cut short", "the header only"),
    (GOOD[:-1], "cut short", "a byte is missing"),
    (GOOD[:-12], "cut short", "no end"),
    (b"\x88" + GOOD[1:], "Not a PNG", "no magic"),
    (sized(0, 5), "PNG: Invalid IHDR", "no columns"),
    (sized(5, 0), "PNG: Invalid IHDR", "no rows"),
    (sized(2**31, 5), "PNG: ", "2^31 columns"),
    (sized(5, 6, depth=3), "PNG: Invalid IHDR", "3 bits"),
    (sized(5, 6, kind=5), "PNG: Invalid IHDR", "an unknown kind of colours"),
    (sized(5, 6, kind=3), "Missing PLTE", "no palette"),
    (sized(5, 6, interlace=2), "PNG: ", "an unknown interlacing"),
    (sized(2**31 - 1, 2**31 - 1), "more than 64 MiB", "2^62 pixels"),
    (sized(1606087804, 1435689259, 16, 6), "too large", "a product just above 2^64"),
    (sized(2**31 - 1, 1, kind=6), "more than 64 MiB", "one very long row"),
    (sized(10000, 10000), "more than 64 MiB", "10^8 pixels in 100 bytes"),
    (sized(8000, 8000, kind=6), "more than 64 MiB", "the same of four samples"),
    (sized(8000, 8000), "PNG: ", "6 * 10^7 pixels that are not there"),
    (sized(5, 7), "PNG: Not enough image data", "a row more than there is"),
    (sized(10000, 8380, data=bomb), "more than 64 MiB", "a bomb that is too large"),
    (MAGIC + ihdr(5, 6, 8, 0) + chunk(b"IDAT", b"\xff" * 20) + GOOD[-12:], "PNG: ", "no stream"),
    (MAGIC + ihdr(5, 6, 8, 0) + chunk(b"IDAT", b"x", crc=1), "PNG: ", "a wrong checksum"),
    (MAGIC + GOOD[33:], "Missing IHDR", "no header"),
    (MAGIC + ihdr(5, 6, 8, 0) * 2 + GOOD[33:], "PNG: ", "two headers"),
    (MAGIC + b"\x7f\xff\xff\xffIDAT", "PNG: ", "a chunk of 2^31 bytes"),
    (GOOD[:33] + b"\x74\0\0\0zTXt" + bytes(9), "cut short", "a text of 2 GB"),
    (GOOD[:33] + chunk(b"ABCD", b"") + GOOD[33:], "PNG: ", "an unknown chunk that is needed"),
]], "hostile")
for name, content in [("a text", text), ("a profile", profile)]:
    driver.is_read(driver.write("case.png", GOOD[:33] + content + GOOD[33:]),
                   GRAY[:, :, 0].astype("u1"), name + " of 50 MB in 50 kB is passed over")
said, = driver.dump(driver.write("case.png", sized(8000, 8000, data=chunk(b"IDAT", zlib.compress(
    bytes(8000 * 8001), 9)) + chunk(b"IEND", b""))))
tap.ok(not said.error, "an empty sheet of 64 MB", said.error)

driver.write("base.png", encode(random.integers(0, 16, (9, 7, 1)), 4, 3, 1, chunk(
    b"PLTE", random.bytes(48)) + chunk(b"tRNS", b"\0\7\xff") + chunk(b"gAMA", b"\0\0\xb1\x8f"),
    level=0))
driver.damage("base.png")
driver.cut("base.png")
driver.write("deep.png", encode(random.integers(0, 65536, (5, 6, 3)), 16, 2))
driver.damage("deep.png")
driver.cut("deep.png")
tap.done_testing()
