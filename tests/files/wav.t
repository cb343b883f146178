#!/usr/bin/env python3
"""wav.t: .wav files against Python's wave and by hand: PCM, floats, the extensible form, damage."""

import struct
import wave

import driver
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(4)
GUID = bytes([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71])


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def fmt(form, channels, rate, bits, more=b""):
    block = channels * (bits // 8)
    return chunk(b"fmt ", struct.pack("<HHIIHH", form, channels, rate, rate * block % 2**32, block,
                                      bits) + more)


def riff(*chunks, size=None):
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


def check(path, array, rate, name):
    said, = driver.dump(path)
    good = not said.error and said.order == ["", "rate"] and driver.same(said.tensors[""], array)
    tap.ok(good and said.aligned and int(said.tensors["rate"]) == rate, name, said.error,
           said.tensors, array)


def noise(kind, shape):
    if kind[0] == "f":
        return random.standard_normal(shape).astype(kind)
    info = numpy.iinfo(kind)
    return random.integers(info.min, info.max, shape, dtype=kind, endpoint=True)


# What wave writes, and what it reads of ours.
for width, kind in [(1, "u1"), (2, "i2"), (3, "i4"), (4, "i4")]:
    for channels, samples, rate in [(1, 5, 44100), (2, 7, 8000), (6, 3, 192000), (1, 0, 1)]:
        array = noise(kind, (samples, channels))
        data = array.astype("<" + kind).tobytes()
        if width == 3:
            array &= ~255
            data = b"".join(struct.pack("<i", v)[1:] for v in array.ravel().tolist())
        with wave.open("case.wav", "wb") as out:
            out.setnchannels(channels)
            out.setsampwidth(width)
            out.setframerate(rate)
            out.writeframes(data)
        check("case.wav", array, rate, "%d bytes, %d channels" % (width, channels))
        status, out, errors = tap.run("./tensors", "copy", "case.wav", "back.wav")
        tap.is_int(status, 0, "it is written: " + out + errors)
        with wave.open("back.wav", "rb") as back:
            want = (channels, dict(u1=1, i2=2, i4=4)[kind], rate, samples)
            tap.is_str((back.getnchannels(), back.getsampwidth(), back.getframerate(),
                        back.getnframes()), want, "wave sees what it is")
            tap.ok(back.readframes(samples) == array.astype("<" + kind).tobytes(), "and reads it")
        check("back.wav", array, rate, "and so do we")

for kind, bits in [("f4", 32), ("f8", 64)]:
    array = noise(kind, (9, 2))
    content = riff(chunk(b"LIST", b"odd"), fmt(3, 2, 48000, bits, b"\0\0"),
                   chunk(b"fact", struct.pack("<I", 9)), chunk(b"data", array.tobytes()),
                   chunk(b"LIST", b"more"))
    check(driver.write("case.wav", content), array, 48000, "floats of %d bits" % bits)
    tap.run("./tensors", "copy", "case.wav", "back.wav", "back.wav.gz")
    check("back.wav", array, 48000, "and back")
    check("back.wav.gz", array, 48000, "and packed")
    back = driver.read("back.wav")
    tap.is_str(struct.unpack("<I", back[4:8]) + struct.unpack("<HHIIHH", back[20:36]),
               (len(back) - 8, 3, 2, 48000, 48000 * 2 * bits // 8, 2 * bits // 8, bits),
               "the header says so")
    tap.ok(back.index(b"data") % 8 == 0, "its samples are aligned")
array = noise("i2", (4, 3))
longer = struct.pack("<HHIH", 22, 16, 7, 1) + GUID
check(driver.write("case.wav", riff(fmt(0xfffe, 3, 96000, 16, longer),
                                    chunk(b"data", array.tobytes()))), array, 96000, "extensible")
content = riff(fmt(1, 3, 96000, 16), chunk(b"data", array.tobytes()))
check(driver.write("case.wav", content + b"tail"), array, 96000, "bytes behind it")

DATA = bytes(range(24))
PCM = fmt(1, 2, 8000, 16)
HEAD = b"RIFF" + struct.pack("<I", 4) + b"WAVE"
driver.refused([(content, ".wav", word, name) for content, word, name in [
    (b"RIFF", "not in the format WAV", "four bytes"),
    (b"RIFX" + bytes(8) + b"WAVE", "not in the format WAV", "big-endian"),
    (HEAD, "no chunk 'fmt '", "no chunks"),
    (riff(PCM), "no chunk 'data'", "no data"),
    (riff(chunk(b"data", DATA)), "no chunk 'fmt '", "no format"),
    (riff(PCM, chunk(b"data", DATA), size=2**32 - 1), "cut short", "4 GiB"),
    (riff(PCM, chunk(b"data", DATA))[:-1], "cut short", "a byte is missing"),
    (riff(PCM, chunk(b"data", DATA), size=3), "cut short", "less than its own header"),
    (riff(PCM, b"data" + struct.pack("<I", 2**32 - 1) + DATA), "leaves the file", "4 GiB of data"),
    (riff(PCM, b"data" + struct.pack("<I", 25) + DATA), "leaves the file", "a byte more"),
    (riff(PCM, chunk(b"data", DATA[:22])), "cut short", "half a moment"),
    (riff(fmt(1, 0, 8000, 16), chunk(b"data", DATA)), "malformed chunk", "no channels"),
    (riff(fmt(1, 2, 8000, 12), chunk(b"data", DATA)), "12 bits", "12 bits"),
    (riff(fmt(3, 2, 8000, 16), chunk(b"data", DATA)), "16 bits", "floats of 16 bits"),
    (riff(fmt(2, 2, 8000, 16), chunk(b"data", DATA)), "format 0002", "ADPCM"),
    (riff(fmt(0xfffe, 2, 8000, 16), chunk(b"data", DATA)), "format fffe", "short extensible"),
    (riff(fmt(0xfffe, 2, 8000, 16, longer[:-1] + b"x"), chunk(b"data", DATA)), "format fffe",
     "another registry"),
    (riff(PCM, PCM, chunk(b"data", DATA)), "malformed chunk", "two formats"),
    (riff(chunk(b"fmt ", bytes(15)), chunk(b"data", DATA)), "malformed chunk", "a short format"),
    (riff(PCM[:20] + b"\3" + PCM[21:], chunk(b"data", DATA)), "malformed chunk", "another block"),
]], "hostile")

for kind, shape, word in [("u2", (3, 2), "samples are u8"),
                          ("f4", (2, 2, 2), "[samples, channels]"),
                          ("f4", (), "[samples, channels]"), ("i2", (3, 0), "[samples, channels]"),
                          ("i2", (1, 40000), "[samples, channels]")]:
    numpy.save("case.npy", numpy.zeros(shape, kind))
    status, out, errors = tap.run("./tensors", "copy", "case.npy", "no.wav")
    tap.ok(status == 1 and word in out, "%s %s is no sound" % (kind, shape), out)
numpy.save("case.npy", numpy.arange(5, dtype="i2"))
tap.run("./tensors", "copy", "case.npy", "mono.wav")
check("mono.wav", numpy.arange(5, dtype="i2").reshape(5, 1), 44100, "one dimension, no rate")

driver.write("base.wav", riff(PCM, chunk(b"LIST", b"abc"), chunk(b"data", DATA)))
driver.damage("base.wav")
driver.cut("base.wav")
driver.write("wide.wav", riff(fmt(0xfffe, 2, 8000, 24, longer), chunk(b"data", DATA)))
driver.damage("wide.wav")
driver.cut("wide.wav")
tap.done_testing()
