#!/usr/bin/python3
# Convolutions of all strides, paddings, dilations and groups against sums of shifted products in
# double precision: by the reference, compiled for these sizes, compiled for any.
import tap

np = tap.need_numpy()

import dclpy  # noqa: E402

rng = np.random.default_rng(3)


def shifted(x, w, stride, pad, dilation):
    """The convolution and the sum of the magnitudes of its terms."""
    x = np.pad(x.astype("f8"), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    high, wide = (1 + (x.shape[d] - dilation * (w.shape[d] - 1) - 1) // stride for d in (2, 3))
    y, terms = np.zeros((2, x.shape[0], w.shape[0], high, wide))
    for r in range(w.shape[2]):
        for s in range(w.shape[3]):
            part = x[:, :, r * dilation:, s * dilation:][:, :, ::stride, ::stride]
            part = part[:, :, :high, :wide]
            y += np.einsum("nchw,oc->nohw", part, w[:, :, r, s])
            terms += np.einsum("nchw,oc->nohw", abs(part), abs(w[:, :, r, s]))
    return y, terms


def conv2d(x, w, stride, pad, dilation, groups):
    c, o = x.shape[1] // groups, w.shape[0] // groups
    parts = [shifted(x[:, g * c:g * c + c], w[g * o:g * o + o], stride, pad, dilation)
             for g in range(groups)]
    return [np.concatenate([p[k] for p in parts], 1) for k in (0, 1)]


CASES = [  # N C H W, O R S, stride pad dilation groups
    ((2, 5, 9, 11), (7, 3, 3), 1, 1, 1, 1), ((1, 4, 8, 8), (4, 3, 3), 2, 1, 1, 4),
    ((1, 4, 9, 7), (8, 3, 2), 1, 0, 2, 4), ((1, 6, 9, 7), (4, 3, 2), 2, 3, 2, 2),
    ((1, 6, 5, 5), (6, 5, 5), 1, 2, 1, 6), ((0, 3, 5, 5), (2, 3, 3), 1, 1, 1, 1),
    ((1, 1, 1, 1), (1, 1, 1), 1, 0, 1, 1), ((1, 3, 17, 33), (9, 7, 7), 2, 3, 1, 1),
    ((3, 16, 7, 7), (17, 1, 1), 1, 0, 1, 1), ((1, 8, 10, 9), (8, 1, 1), 3, 0, 1, 8),
    ((1, 2, 6, 40), (3, 1, 5), 3, 2, 3, 1)]
for options in ("backend=ref", "threads=1", "threads=2"):
    s = dclpy.Session(options)
    for (n, c, h, w), (o, r, q), stride, pad, dilation, groups in CASES:
        x = rng.standard_normal((n, c, h, w), dtype="f4")
        k = rng.standard_normal((o, c // groups, r, q), dtype="f4")
        want, terms = conv2d(x, k, stride, pad, dilation, groups)
        words = f"stride = {stride}, pad = {pad}, dilation = {dilation}, groups = {groups}"
        for sizes in (f"x: f32[{n}, {c}, {h}, {w}], w: f32[{o}, {c // groups}, {r}, {q}]",
                      "x: f32[N, C, H, W], w: f32[O, I, R, S]"):
            y = s.compile(f"conv2d({sizes}, {words})").call(x, k)
            tap.ok(y.shape == want.shape and bool((abs(y - want) <= 1e-6 * terms + 1e-30).all()),
                   f"{options}: conv2d({sizes}, {words})")


def any_conv(x, w, stride, pad, dilation, groups):
    """Any number of dimensions, element by element of the window."""
    n = x.ndim - 2
    x = np.pad(x.astype("f8"), [(0, 0), (0, 0)] + [(p, p) for p in pad])
    size = [(x.shape[d + 2] - dilation[d] * (w.shape[d + 2] - 1) - 1) // stride[d] + 1
            for d in range(n)]
    y = np.zeros((x.shape[0], w.shape[0], *size))
    c, o = x.shape[1] // groups, w.shape[0] // groups
    for k in np.ndindex(w.shape[2:]):
        at = tuple(slice(k[d] * dilation[d], k[d] * dilation[d] + stride[d] * size[d], stride[d])
                   for d in range(n))
        for g in range(groups):
            part = x[(slice(None), slice(g * c, g * c + c), *at)]
            y[:, g * o:g * o + o] += np.einsum("nc...,oc->no...", part,
                                               w[(slice(g * o, g * o + o), slice(None), *k)])
    return y.astype("f4")


def spread(x, w, stride, pad, dilation, extra, groups):
    """The transposed convolution."""
    n, o = x.ndim - 2, w.shape[1]
    full = [(x.shape[d + 2] - 1) * stride[d] + dilation[d] * (w.shape[d + 2] - 1) + 1 + extra[d]
            for d in range(n)]
    y = np.zeros((x.shape[0], o * groups, *full))
    c = x.shape[1] // groups
    for k in np.ndindex(w.shape[2:]):
        at = tuple(slice(k[d] * dilation[d],
                         k[d] * dilation[d] + stride[d] * (x.shape[d + 2] - 1) + 1, stride[d])
                   for d in range(n))
        for g in range(groups):
            y[(slice(None), slice(g * o, g * o + o), *at)] += np.einsum(
                "nc...,co->no...", x[:, g * c:g * c + c],
                w[(slice(g * c, g * c + c), slice(None), *k)])
    inside = tuple(slice(pad[d], full[d] - pad[d]) for d in range(n))
    return y[(slice(None), slice(None), *inside)].astype("f4")


import tables  # noqa: E402

for shape, kernel, stride, pad, dilation, groups in (
        ((2, 4, 9), (6, 3), (2,), (1,), (1,), 2),
        ((1, 3, 6, 7), (2, 3, 2), (1, 2), (1, 0), (2, 1), 1),
        ((1, 2, 4, 5, 3), (2, 2, 3, 1), (1, 1, 2), (0, 1, 0), (1, 2, 1), 1),
        ((2, 4, 5, 5), (4, 3, 3), (2, 2), (1, 1), (1, 1), 4)):
    x = rng.standard_normal(shape, dtype="f4")
    w = rng.standard_normal((kernel[0], shape[1] // groups, *kernel[1:]), dtype="f4")
    v = rng.standard_normal((shape[1], kernel[0], *kernel[1:]), dtype="f4")
    extra = tuple(s - 1 for s in stride)
    words = (f"stride = {list(stride)}, pad = {list(pad)}, dilation = {list(dilation)}, "
             f"groups = {groups}")
    tables.run({"x": x, "w": w, "v": v}, [
        (f"conv(x, w, {words})", any_conv(x, w, stride, pad, dilation, groups)),
        (f"conv_transpose(x, v, extra = {list(extra)}, {words})",
         spread(x, v, stride, pad, dilation, extra, groups))])

# A window that is larger than all there is gives no empty result, but an error.
tables.refuse([
    ("y = conv2d(x, w)", "a window of [5, 3] does not fit into [4, 6] with [0, 0] zeros"),
    ("y = conv2d(x, w, dilation = 2, pad = 1)", "a window of [5, 3] does not fit into [4, 6]"),
    ("y = conv(x, w, stride = [1, 2])", "a window of [5, 3] does not fit into [4, 6]"),
    ("y = max_pool(x, 7, pad = 1)", "a window of [7, 7] does not fit into [4, 6] with [1, 1]"),
    ("y = avg_pool(x, [1, 7])", "a window of [1, 7] does not fit into [4, 6]"),
    ("y = Conv2d(3, 4, 7)(x)", "a window of [7, 7] does not fit into [4, 6]")],
              setup="x: f32[1, 3, 4, 6] = 1\nw: f32[2, 3, 5, 3] = 1\n")
tap.done_testing()
