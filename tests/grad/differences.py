"""differences.py: gradients by finite differences."""

import numpy


def slope(value, args, at, step=1e-5):
    """The gradient of VALUE(*ARGS), a number, by the array ARGS[AT] of f64: central differences."""
    out = numpy.empty_like(args[at])
    for i in numpy.ndindex(*out.shape):
        ends = []
        for h in (step, -step):
            moved = args[at].copy()
            moved[i] += h
            ends.append(float(value(*args[:at], moved, *args[at + 1:])))
        out[i] = (ends[0] - ends[1]) / (2 * step)
    return out
