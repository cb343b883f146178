"""pngs.py: a decoder of PNG for tests: no palette, no interlacing, 8 or 16 bits."""

import struct
import zlib

SAMPLES = {0: 1, 2: 3, 4: 2, 6: 4}  # colour types


def chunks(content):
    """(name, body) of each; the sums are right and nothing stands behind the last."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(content):
        size, name = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + size]
        crc, = struct.unpack(">I", content[at + 8 + size:at + 12 + size])
        assert crc == zlib.crc32(name + body)
        yield name, body
        at += 12 + size
    assert name == b"IEND" and at == len(content)


def predict(kind, a, b, c):
    """What filter KIND expects from the bytes to the left, above, and above there."""
    if kind == 4:
        p = a + b - c
        return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
    return (0, a, b, (a + b) // 2)[kind]


def decode(content):
    """(width, height, samples, bits, rows of bytes)."""
    data = b""
    for name, body in chunks(content):
        if name == b"IHDR":
            width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", body)
            assert rest == [0, 0, 0] and depth in (8, 16)
        data += body if name == b"IDAT" else b""
    samples, data = SAMPLES[kind], zlib.decompress(data)
    pixel, size = depth * samples // 8, width * depth * samples // 8
    assert len(data) == height * (1 + size)
    above, rows = bytes(size), []
    for y in range(height):
        start = y * (size + 1)
        plain = bytearray()
        for i, v in enumerate(data[start + 1:start + 1 + size]):
            a = plain[i - pixel] if i >= pixel else 0
            c = above[i - pixel] if i >= pixel else 0
            plain.append((v + predict(data[start], a, above[i], c)) & 255)
        above = bytes(plain)
        rows.append(above)
    return width, height, samples, depth, rows
