#!/usr/bin/env python3
"""algebra.t: factorizations, linear systems, Fourier transforms against NumPy; recurrent networks
against their formulas."""
import tables
import tap

np = tables.numpy
rng = np.random.default_rng(10)


def f4(*shape):
    return rng.standard_normal(shape).astype("f4")


for batch, n, m in ((), 1, 1), ((), 5, 2), ((2,), 7, 3), ((2, 2), 3, 4):
    a = f4(*batch, n, n)
    spd = a @ a.swapaxes(-1, -2) + 3 * np.eye(n, dtype="f4")
    b, tall = f4(*batch, n, m), f4(*batch, n + 2, n)
    low = np.linalg.cholesky(spd.astype("f8")).astype("f4")
    up = low.swapaxes(-1, -2)
    unit = np.tril(low, -1) + np.eye(n, dtype="f4")
    q, r = np.linalg.qr(tall.astype("f8"))
    signs = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
    well = a + 4 * np.eye(n, dtype="f4")
    swapped = well[..., ::-1, :].copy()
    tables.run({"a": spd, "b": b, "l": low, "u": up.copy(), "t": tall, "w": well, "s": swapped}, [
        ("cholesky(a)", low),
        ("solve_triangular(l, b)", np.linalg.solve(low.astype("f8"), b).astype("f4")),
        ("solve_triangular(u, b, upper = true)", np.linalg.solve(up.astype("f8"), b).astype("f4")),
        ("solve_triangular(l, b, unit = true)",
         np.linalg.solve(unit.astype("f8"), b).astype("f4")),
        ("qr(t)", [(q * signs[..., None, :]).astype("f4"), (r * signs[..., :, None]).astype("f4")]),
        ("solve(w, b)", np.linalg.solve(well.astype("f8"), b).astype("f4")),
        ("solve(s, b)", np.linalg.solve(swapped.astype("f8"), b).astype("f4")),
        ("inverse(s)", np.linalg.inv(swapped.astype("f8")).astype("f4"))])

for shape in (1,), (2,), (8,), (3, 12), (2, 2, 15), (7,), (64,):
    a, b = f4(*shape), f4(*shape)
    y = np.fft.fft(a + 1j * b)
    z = np.fft.ifft(a + 1j * b)
    tables.run({"a": a, "b": b}, [
        ("fft(a, b)", [y.real.astype("f4"), y.imag.astype("f4")]),
        ("fft(a, b, inverse = true)", [z.real.astype("f4"), z.imag.astype("f4")])])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def walk(cell, x, states, lengths, reverse):
    """Outputs and last states of CELL(x, states) over the first dimension."""
    out = np.zeros((len(x), *states[0].shape), "f4")
    for t in range(len(x))[::-1 if reverse else 1]:
        new = cell(x[t], states)
        on = (t < lengths)[:, None]
        states = [np.where(on, n, s) for n, s in zip(new, states)]
        out[t] = np.where(on, new[0], 0)
    return [out, *states]


for steps, batch, i, h in (5, 3, 4, 2), (1, 1, 1, 1), (7, 2, 3, 5):
    x, h0, c0 = f4(steps, batch, i), f4(batch, h), f4(batch, h)
    w, u, b = f4(4 * h, i), f4(4 * h, h), f4(4 * h)
    n = rng.integers(1, steps + 1, batch)
    full = np.full(batch, steps)

    def lstm(v, s):
        """One step: input, forget, cell, output."""
        z = v @ w.T + b + s[0] @ u.T
        a = [z[:, k * h:k * h + h] for k in range(4)]
        c = sigmoid(a[1]) * s[1] + sigmoid(a[0]) * np.tanh(a[2])
        return [sigmoid(a[3]) * np.tanh(c), c]

    def gru(v, s):
        """One step: reset, update, new."""
        p = v @ w[:3 * h].T + b[:3 * h]
        q = s[0] @ u[:3 * h].T + b[h:]
        r, k = sigmoid(p[:, :h] + q[:, :h]), sigmoid(p[:, h:2 * h] + q[:, h:2 * h])
        return [(1 - k) * np.tanh(p[:, 2 * h:] + r * q[:, 2 * h:]) + k * s[0]]

    def plain(v, s):
        """One step of a plain network."""
        return [np.tanh(v @ w[:h].T + b[:h] + s[0] @ u[:h].T)]

    cases = []
    for words, lengths, back in (("", full, False), (", n", n, False),
                                 (", reverse = true", full, True),
                                 (", n, reverse = true", n, True)):
        cases += [
            ("lstm(x, w, u, b, h0, c0%s)" % words, walk(lstm, x, [h0, c0], lengths, back)),
            ("gru(x, w3, u3, b3, bu, h0%s)" % words, walk(gru, x, [h0], lengths, back)),
            ("rnn(x, w1, u1, b1, h0%s)" % words, walk(plain, x, [h0], lengths, back))]
    tables.run({"x": x, "w": w, "u": u, "b": b, "h0": h0, "c0": c0, "n": n, "w3": w[:3 * h],
                "u3": u[:3 * h], "b3": b[:3 * h], "bu": b[h:], "w1": w[:h], "u1": u[:h],
                "b1": b[:h]}, cases)
tap.done_testing()
