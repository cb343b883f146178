#!/usr/bin/env python3
"""random.t: random numbers against another Philox, the same on any number of threads; means."""
import tables
import tap

np = tables.numpy

import dclpy  # noqa: E402


def philox(key, counters):
    """Philox 4x32-10, written in 64-bit integers."""
    low = np.uint64(0xffffffff)
    c = [counters & low, counters >> np.uint64(32), counters * np.uint64(0),
         counters * np.uint64(0)]
    k = [np.uint64(key & 0xffffffff), np.uint64(key >> 32)]
    for _ in range(10):
        p, q = c[0] * np.uint64(0xd2511f53), c[2] * np.uint64(0xcd9e8d57)
        c = [(q >> np.uint64(32)) ^ c[1] ^ k[0], q & low, (p >> np.uint64(32)) ^ c[3] ^ k[1],
             p & low]
        k = [(k[0] + np.uint64(0x9e3779b9)) & low, (k[1] + np.uint64(0xbb67ae85)) & low]
    return np.stack(c, -1)


def bits(n, key):
    return philox(key, np.arange((n + 3) // 4, dtype="u8")).reshape(-1)[:n].astype("u4")


known = philox(0, np.zeros(1, "u8"))[0]  # of the authors' own test vectors
tap.ok([int(w) for w in known] == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
       "the known answer")
u = (bits(30, 7) >> 8).astype("f4") * np.float32(2.0 ** -24)
words = philox(9, np.arange(15, dtype="u8"))
unit = (words >> np.uint64(8)) * 2.0 ** -24
radius, angle = np.sqrt(-2 * np.log(1 - unit[:, 0])), 2 * np.pi * unit[:, 1]
normal = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1)
p = np.array([[1, 2, 1], [0, 0, 5]], "f4")
tables.run({"p": p}, [
    ("i64(random_bits(30, 7))", bits(30, 7).astype("i8")),
    ("i64(random_bits(1, 1234567890123))", bits(1, 1234567890123).astype("i8")),
    ("random_uniform([5, 6], 7)", u.reshape(5, 6)),
    ("random_uniform([5, 6], 7, low = -1, high = 3)", u.reshape(5, 6) * 4 - 1),
    ("random_normal([29], 9)", normal[:29].astype("f4")),
    ("random_normal([3, 10], 9, mean = 2, std = 3)", (normal * 3 + 2).astype("f4").reshape(3, 10)),
    ("random_bernoulli([30], 7, p = 0.3)", u < 0.3),
    ("random_permutation(30, 7)", np.argsort(bits(30, 7), kind="stable")),
    ("random_categorical(p, 7)",
     np.array([np.sum(np.cumsum(p[i]) <= u[i] * p[i].sum()) for i in (0, 1)])),
    ("dropout(p, 7, p = 0.25)", np.where(u[:6].reshape(2, 3) >= 0.25, p / 0.75, 0)
     .astype("f4"))])

SOURCE = """
fn draws(n: i64, key: i64) -> (u: f32[n], z: f32[n], k: i64[n]) {
  u = random_uniform([n], key)
  z = random_normal([n], key)
  k = random_categorical(broadcast_to(random_uniform([1, 8], 1), [n, 8]), key)
}
"""
results = []
for threads in range(1, 9):
    with dclpy.Session("threads=%d" % threads) as s:
        s.run(SOURCE)
        results.append(s.call("draws", 100000, 5))
tap.ok(all((a == b).all() for r in results for a, b in zip(r, results[0])),
       "the same on 1 to 8 threads")
u, z, k = results[0]
tap.ok(abs(u.mean() - 0.5) < 0.005, "the mean of uniform numbers")
tap.ok(abs(u.var() - 1 / 12) < 0.002, "their variance")
tap.ok(abs(z.mean() - 0) < 0.015, "the mean of normal numbers")
tap.ok(abs(z.var() - 1) < 0.02, "their variance")
tap.ok(abs((z ** 4).mean() - 3) < 0.15, "their fourth moment")
tap.done_testing()
