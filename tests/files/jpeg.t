#!/usr/bin/env python3
"""jpeg.t: .jpg against Pillow: gray and colours, all samplings, progressive; what is damaged, cut
short or too large for its file is an error."""

import os
import struct
import time

import driver
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(7)


def smooth(height, width, colours):
    """An image as photographs are: waves."""
    y, x, c = numpy.meshgrid(numpy.arange(height), numpy.arange(width), numpy.arange(colours),
                             indexing="ij")
    image = 127 + 60 * numpy.sin(y / 9 + c) + 60 * numpy.cos(x / 7 - 2 * c)
    return numpy.clip(image, 0, 255).astype("u1")


def flat(image):
    return image[:, :, 0] if image.shape[2] == 1 else image


def noise_of(a, b):
    return numpy.abs(a.astype(int) - b.astype(int))


# What we write is near to what it was, and read again.
for shape in [(40, 50), (40, 50, 1), (40, 50, 3), (1, 1), (17, 9, 3)]:
    image = smooth(shape[0], shape[1], shape[2] if len(shape) > 2 else 1)
    numpy.save("case.npy", image.reshape(shape))
    status, out, errors = tap.run("./tensors", "copy", "case.npy", "case.jpg", "case.jpeg")
    tap.is_int(status, 0, "%s is written: %s%s" % (shape, out, errors))
    tap.ok(driver.read("case.jpg") == driver.read("case.jpeg"), "under both endings")
    said, = driver.dump("case.jpg")
    got = said.tensors.get("")
    tap.ok(got is not None and got.shape == flat(image).shape and
           noise_of(got, flat(image)).max() <= 8 and noise_of(got, flat(image)).mean() < 1.5,
           "and read, nearly as it was", said.error)
for kind, shape, word in [("f4", (4, 4), "an image is of u8, not f32"), ("u2", (4, 4), "not u16"),
                          ("u1", (4, 4, 2), "1 or 3 colours, not 2"),
                          ("u1", (4, 4, 4), "1 or 3 colours, not 4"),
                          ("u1", (1, 65501), "65500"), ("u1", (0, 1), "without pixels")]:
    numpy.save("case.npy", numpy.zeros(shape, kind))
    status, out, errors = tap.run("./tensors", "copy", "case.npy", "no.jpg")
    tap.ok(status == 1 and word in out and not os.path.exists("no.jpg"),
           "%s %s is no JPEG" % (kind, shape), out)
tap.ok(not [name for name in os.listdir(".") if name.startswith(".dcl-")], "nothing is left behind")

numpy.save("case.npy", smooth(24, 30, 3))
tap.run("./tensors", "copy", "case.npy", "base.jpg")
GOOD = driver.read("base.jpg")

Image = driver.pillow()
if Image is None:
    tap.skip("Pillow is not installed (python3-pil)")
else:
    for colours in (1, 3):
        for options in [{}, {"quality": 30}, {"quality": 100, "subsampling": 0},
                        {"subsampling": 1}, {"subsampling": 2}, {"progressive": True},
                        {"optimize": True}, {"progressive": True, "subsampling": 2}]:
            image = flat(smooth(61, 83, colours))
            Image.fromarray(image).save("case.jpg", **options)
            said, = driver.dump("case.jpg")
            with Image.open("case.jpg") as opened:
                want = numpy.array(opened)
            got = said.tensors.get("")
            tap.ok(got is not None and got.shape == want.shape and noise_of(got, want).max() <= 2,
                   "Pillow's, %d colours %s" % (colours, options), said.error)
    with Image.open("base.jpg") as opened:
        want = numpy.array(opened)
    said, = driver.dump("base.jpg")
    tap.ok(noise_of(said.tensors[""], want).max() <= 2, "Pillow reads ours")
    Image.fromarray(smooth(9, 9, 4), "CMYK").save("case.jpg")
    said, = driver.dump("case.jpg")
    tap.ok(said.error and "CMYK" in said.error, "CMYK is refused", said.error)

SOF = GOOD.index(b"\xff\xc0")


def sized(width, height):
    return GOOD[:SOF + 5] + struct.pack(">HH", height, width) + GOOD[SOF + 9:]


def progressive(width, height, scans):
    """A file whose scans say nothing, each of all blocks."""
    out = b"\xff\xd8\xff\xdb\0\x43\0" + bytes([1] * 64)
    out += b"\xff\xc2\0\x0b\x08" + struct.pack(">HH", height, width) + b"\1\1\x11\0"
    out += b"\xff\xc4\0\x14\0\1" + bytes(15) + b"\0"  # one code: no difference
    out += b"\xff\xc4\0\x14\x10\1" + bytes(15) + b"\xe0"  # a run of the longest size
    blocks = (width + 7) // 8 * ((height + 7) // 8)
    first = b"\xff\xda\0\x08\1\1\0\0\0\0" + bytes(blocks // 8 + 1)
    more = b"\xff\xda\0\x08\1\1\0\1\x3f\0" + bytes(blocks // 4096 + 50)
    return out + first + more * scans + b"\xff\xd9"


driver.refused([(content, ".jpg", word, name) for content, word, name in [
    (GOOD[:2], "JPEG: ", "two bytes"),
    (GOOD[:20], "JPEG: ", "cut in the header"),
    (GOOD[:-1], "JPEG: Premature end", "a byte is missing"),
    (GOOD[:-2], "JPEG: Premature end", "no end"),
    (GOOD[:len(GOOD) // 2], "JPEG: ", "the half"),
    (b"\xff\xd9" + GOOD[2:], "JPEG: ", "no magic"),
    (sized(0, 5), "JPEG: ", "no columns"),
    (sized(5, 0), "JPEG: ", "no rows"),
    (sized(65535, 65535), "JPEG: Maximum supported", "65535 columns"),
    (sized(65500, 65500), "more than 64 MiB", "4 * 10^9 pixels"),
    (sized(4000, 4000), "JPEG: ", "pixels that are not there"),
    (GOOD[:SOF + 4] + b"\x0c" + GOOD[SOF + 5:], "Unsupported JPEG data precision 12", "12 bits"),
    (GOOD.replace(b"\xff\xc0", b"\xff\xc3", 1), "JPEG: Unsupported JPEG process", "lossless"),
    (progressive(800, 800, 65), "more than 64 scans", "very many scans"),
]], "hostile")
driver.write("case.jpg", progressive(8000, 8000, 62))
start = time.monotonic()
said, = driver.dump("case.jpg")
tap.ok(not said.error and time.monotonic() - start < 10, "62 scans of 64 million pixels",
       said.error, "%.1f s" % (time.monotonic() - start))

driver.damage("base.jpg")
driver.cut("base.jpg")
tap.done_testing()
