"""What the tests of the library here share: expressions of DCL against NumPy, compiled and by the
reference, in files of tensors."""

import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

NAMES = {"<f4": "f32", "<f8": "f64", "<i4": "i32", "<i8": "i64", "|b1": "bool"}


def close(got, want):
    """Equal shapes, element types and values; floats up to the rounding of sums."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if got.dtype.kind == "f":
        return numpy.allclose(got, want, rtol=2e-4, atol=2e-4, equal_nan=True)
    return bool((got == want).all())


def run(inputs, cases, setup=""):
    """CASES are (expression, what NumPy has for it); an expression is over the names of INPUTS, a
    dictionary of arrays. Lists are compared element by element."""
    for name, x in inputs.items():
        numpy.save(name + ".npy", x)
    shapes = ", ".join("%s%s" % (x.dtype, list(x.shape)) for x in inputs.values())
    loads = "".join("%s = load(\"%s.npy\")\n" % (name, name) for name in inputs)
    for backend in "ref", "cpu":
        wrong = []
        with dclpy.Session("backend=" + backend) as s:
            s.run(setup + loads)
            for expression, want in cases:
                parts = list(want) if isinstance(want, (list, tuple)) else [want]
                names = ["r%d" % i for i in range(len(parts))]
                text = "%s = %s\n" % (", ".join(names), expression)
                if parts[0] is want and numpy.ndim(want) == 0:  # a number: into a tensor
                    names = ["n0"]
                    text = "n0: %s[1] = %s\n" % (NAMES[numpy.asarray(want).dtype.str], expression)
                text += "".join("save(\"%s.npy\", %s)\n" % (n, n) for n in names)
                try:
                    s.run(text)
                except dclpy.Error as error:
                    wrong.append("%s: %s" % (expression, error))
                    continue
                for n, part in zip(names, parts):
                    part = numpy.asarray(part)
                    got = numpy.load(n + ".npy")
                    got = got if part.ndim else got.reshape(())
                    if not close(got, part):
                        wrong.append("%s: got %s %s\n%s\nwant %s %s\n%s" % (
                            expression, got.dtype, got.shape, got, part.dtype, part.shape, part))
                    os.remove(n + ".npy")
        tap.ok(not wrong, "%s: %d expressions over %s" % (backend, len(cases), shapes), *wrong[:3])


def refuse(cases, setup=""):
    """CASES are (statement, a part of the message that it ends with)."""
    for backend in "ref", "cpu":
        for text, want in cases:
            with dclpy.Session("backend=" + backend) as s:
                try:
                    s.run(setup + text)
                    tap.ok(False, "%s: %s" % (backend, text), "it ran")
                except dclpy.Error as error:
                    tap.ok(want in str(error), "%s: %s" % (backend, text), str(error))
