#!/usr/bin/env python3
"""csv.t: .csv against NumPy's savetxt and loadtxt and against exact arithmetic; headers, quotes,
errors with their places, damage."""

import fractions
import gzip
import itertools
import os

import driver
import tap

numpy = driver.numpy
driver.build()
random = numpy.random.default_rng(5)


def bits(kind, n):
    """Finite floats of all sizes."""
    size = numpy.dtype(kind).itemsize
    values = numpy.frombuffer(random.bytes(size * n), dtype=kind)
    return values[numpy.isfinite(values)]


def nearest32(text):
    """The f32 nearest to a decimal text, ties to even: float32 of a Python float rounds twice."""
    exact = fractions.Fraction(text)
    with numpy.errstate(over="ignore"):
        guess = numpy.float32(float(text))
    around = [numpy.nextafter(guess, numpy.float32(-numpy.inf)), guess,
              numpy.nextafter(guess, numpy.float32(numpy.inf))]
    around = [v for v in around if numpy.isfinite(v)]
    best = min(around, key=lambda v: (abs(fractions.Fraction(float(v)) - exact),
                                      v.view(numpy.uint32) & 1))
    half = fractions.Fraction(2**128 - 2**103)
    if abs(exact) >= half:
        return numpy.float32(numpy.inf if exact > 0 else -numpy.inf)
    return numpy.float32(-0.0) if best == 0 and text.startswith("-") else best


# What NumPy writes.
for kind, form, shape in [("f8", "%.18e", (40, 3)), ("f4", "%.9g", (7, 5)), ("i8", "%d", (6, 2)),
                          ("f8", "%.17g", (1, 1))]:
    array = (random.standard_normal(shape) * 1000).astype(kind)
    numpy.savetxt("case.csv", array, fmt=form, delimiter=",")
    dtype = {"f8": "f64", "f4": "f32", "i8": "i64"}[kind]
    driver.is_read("case.csv", array, "savetxt's %s" % kind, dtype)
    numpy.savetxt("case.csv.gz", array, fmt=form, delimiter=", ", newline="\r\n",
                  header=", ".join("abcdefg"[:shape[1]]))
    driver.is_read("case.csv.gz", array, "packed, with a header and other ends of lines", dtype)
array = random.integers(-2**62, 2**62, (5, 4))
numpy.savetxt("case.csv", array, fmt="%d", delimiter=",")
driver.is_read("case.csv", array, "whole numbers are i64 of themselves")

# Numbers that are hard to round: midpoints and their neighbours, limits, many digits.
texts = ["0", "-0", "-0.0", "1e0", "1e22", "1e23", "9007199254740993", "9007199254740992.5",
         "16777217", "16777217.0000000001", "3.4028235677973366e38", "3.4028235677973365e38",
         "1.7976931348623158e308", "1.7976931348623159e308", "1e400", "-1e400", "1e-400",
         "4.9e-324",
         "2.4703282292062328e-324", "2.4703282292062327e-324", "1.1754943508222875e-38",
         "7.006492321624085e-46", "7.006492321624086e-46", "2.2250738585072011e-308",
         "0." + "0" * 400 + "1", "1" + "0" * 300, "123456789012345678901234567890",
         "0.1" + "0" * 900 + "1", "9" * 1900, ".5", "5.", "+7", "1E5", "1e+5", "000123", "1e-45",
         "8.5899346e9", "8589973000", "1e10", "1e11", "99999999999e-10", "1e99999999999999999999"]
for value in bits("f4", 300).tolist() + bits("f8", 300).tolist():
    texts.append(repr(value))
for value in bits("f4", 200):  # exactly between two f32
    middle = (fractions.Fraction(float(value)) +
              fractions.Fraction(float(numpy.nextafter(value, numpy.float32(0))))) / 2
    digits = format(float(middle), ".800e" if abs(middle) < 1e-30 else ".200f")
    texts += [digits[:1990], digits[:900] + ("1" if "e" not in digits else "")]
driver.write("hard.csv", "\n".join(texts).encode())
with numpy.errstate(over="ignore"):
    want = numpy.array([float(text) for text in texts]).reshape(-1, 1)
    want32 = numpy.array([nearest32(text) if "99999999" not in text[2:] else float(text)
                          for text in texts], dtype="f4").reshape(-1, 1)
for env in [{}, {"LC_ALL": "de_DE.UTF-8"}, {"LC_ALL": "fr_FR.utf8"}]:
    for dtype, right in [("f64", want), ("f32", want32)]:
        said, = driver.dump("hard.csv", dtype=dtype, env=env)
        got = said.tensors.get("")
        good = not said.error and driver.same(got, right)
        tap.ok(good, "%d numbers are rounded right to %s %s" % (len(texts), dtype, env), said.error,
               [] if good or got is None else
               [(t[:50], g, w) for t, g, w in zip(texts, got.ravel(), right.ravel())
                if g.tobytes() != w.tobytes()][:5])

# What we write, NumPy reads, and so do we; floats with the least digits.
for kind, name in [("f4", "f32"), ("f8", "f64"), ("f2", "f16"), ("i8", "i64"), ("u8", "u64"),
                   ("i1", "i8"), ("?", "bool")]:
    array = bits(kind, 400)[:300].reshape(100, 3) if kind[0] == "f" else (
        random.integers(-2**63, 2**63 - 1, (20, 3)).astype(kind))
    numpy.save("case.npy", array)
    status, out, errors = tap.run("./tensors", "copy", "case.npy", "back.csv", "back.csv.gz")
    tap.is_int(status, 0, "%s is written: %s%s" % (name, out, errors))
    back = numpy.loadtxt("back.csv", delimiter=",",
                         dtype="f8" if kind[0] == "f" else kind if kind != "?" else "i8")
    tap.ok(driver.same(back.astype(kind), array), "loadtxt reads it", back, array)
    if kind not in ("?", "f2"):
        driver.is_read("back.csv", array, "and so do we", name)
        driver.is_read("back.csv.gz", array, "and packed", name)
    if kind == "f8":
        shortest = all(len(text.strip("-").replace(".", "").lstrip("0").split("e")[0].rstrip("0"))
                       <= len(repr(value).strip("-").replace(".", "").lstrip("0").split("e")[0])
                       for text, value in zip(
                           driver.read("back.csv").decode().replace("\n", ",").split(","),
                           array.ravel().tolist()))
        tap.ok(shortest, "not with more digits than Python")
for array in [numpy.array([1.5, numpy.nan, numpy.inf, -numpy.inf, -0.0]), numpy.array(7.5)]:
    numpy.save("case.npy", array)
    tap.run("./tensors", "copy", "case.npy", "back.csv")
    driver.is_read("back.csv", array.reshape(-1, 1), "fewer dimensions are a column", "f64")
    tap.ok(driver.same(numpy.loadtxt("back.csv", delimiter=","), array), "NumPy agrees")
for shape, word in [((2, 2, 2), "3 dimensions"), ((0, 3), "without elements")]:
    numpy.save("case.npy", numpy.zeros(shape))
    status, out, errors = tap.run("./tensors", "copy", "case.npy", "no.csv")
    tap.ok(status == 1 and word in out, "not written: " + word, out)

# Forms of text.
PLAIN = numpy.array([[1, 2], [3, 4]])
for name, text in [
        ("plain", "1,2\n3,4\n"), ("no end of line", "1,2\n3,4"), ("\\r\\n", "1,2\r\n3,4\r\n"),
        ("a header", "a,b\n1,2\n3,4\n"), ("one with quotes", '"a,1","b ""c""\n2"\n1,2\n3,4\n'),
        ("one with an empty field", ",b\n1,2\n3,4\n"), ("one of NumPy", "# a,b\n1,2\n3,4\n"),
        ("blanks", " 1 ,\t2\n3  , 4 \n"), ("quotes", '"1", "2" \n"3","4"\n'),
        ("empty lines at the end", "1,2\n3,4\n\n\r\n\n"), ("a mark", "\ufeff1,2\n3,4\n"),
        ("signs and zeros", "+1,0002\n003,+4\n"), ("a header in UTF-8", "größe,名\n1,2\n3,4\n")]:
    driver.is_read(driver.write("case.csv", text.encode()), PLAIN, name)
for name, text, want in [
        ("a fraction makes floats", "1,2.5\n3,4\n", numpy.array([[1, 2.5], [3, 4]], "f4")),
        ("so does an exponent", "1,2e0\n3,4\n", PLAIN.astype("f4")),
        ("and what i64 does not hold", "9223372036854775808\n1\n",
         numpy.array([[9223372036854775808], [1]], "f4")),
        ("the limits of i64", "9223372036854775807\n-9223372036854775808\n",
         numpy.array([[2**63 - 1], [-2**63]])),
        ("words that are numbers", "nan,-INF\n+inf,Infinity\n",
         numpy.array([[numpy.nan, -numpy.inf], [numpy.inf, numpy.inf]], "f4"))]:
    driver.is_read(driver.write("case.csv", text.encode()), want, name)
for dtype, low, high in [("u8", 0, 255), ("i8", -128, 127), ("i16", -2**15, 2**15 - 1),
                         ("u16", 0, 2**16 - 1), ("i32", -2**31, 2**31 - 1), ("u32", 0, 2**32 - 1),
                         ("i64", -2**63, 2**63 - 1), ("u64", 0, 2**64 - 1)]:
    driver.write("case.csv", b"%d\n%d\n" % (low, high))
    driver.is_read("case.csv", numpy.array([[low], [high]], dtype[0] + str(int(dtype[1:]) // 8)),
                   "the limits of " + dtype, dtype)
    for beyond in [low - 1, high + 1, high * 10 + 9]:
        driver.write("case.csv", b"1\n%d\n" % beyond)
        said, = driver.dump("case.csv", dtype=dtype)
        tap.ok(said.error and "line 2, column 1: '%d' is not in the range of %s" % (beyond, dtype)
               in said.error, "beyond", said.error)
for dtype in ["bool", "f16", "bf16"]:
    said, = driver.dump("case.csv", dtype=dtype)
    tap.ok(said.error and "not " + dtype in said.error, dtype + " is not chosen", said.error)
numpy.save("case.npy", PLAIN)
said, = driver.dump("case.npy", dtype="f32")
tap.ok(said.error and "it is no CSV" in said.error, "nor is a type of other files", said.error)

driver.refused([(content.encode(), ".csv", word, name) for content, word, name in [
    ("", "the file is empty", "nothing"),
    ("a,b\n\n", "no numbers follow the header", "a header alone"),
    ("PK\3\4\0\n1\n", "by its content a zip archive", "an archive"),
    ("ab\0\n1\n", "not a text in UTF-8", "a NUL in the header"),
    ("\n\r\n\n", "there are no numbers", "empty lines"),
    ("1,2\n3\n", "line 2 has 1 columns, 2 expected", "too few"),
    ("1,2\n3,4,5\n", "line 2 has 3 columns, 2 expected", "too many"),
    ("a,b,c\n1,2\n", "line 2 has 2 columns, 3 expected", "fewer than the header"),
    ("1,2\n\n3,4\n", "line 2 is empty", "an empty line"),
    ("1,\n", "line 1, column 2: the field is empty", "an empty field at the end"),
    ("1,2\n,4\n", "line 2, column 1: the field is empty", "one at the front"),
    ("1,2\n3, \n", "line 2, column 2: the field is empty", "a blank one"),
    ('1,2\n3,""\n', "line 2, column 2: the field is empty", "a quoted one"),
    (",,\n", "line 1, column 1: the field is empty", "commas only"),
    ("1,b\n", "line 1, column 2: 'b' is not a number", "half a header"),
    ("a,b\nc,d\n", "line 2, column 1: 'c' is not a number", "two headers"),
    ("1,2\n3,4x\n", "line 2, column 2: '4x' is not a number", "a letter behind"),
    ("1,2\n3,0x10\n", "'0x10' is not a number", "hexadecimal"),
    ("1,2\n3,1_0\n", "'1_0' is not a number", "an underscore"),
    ("1,2\n3,1 0\n", "'1 0' is not a number", "a blank between"),
    ("1,2\n3,--1\n", "'--1' is not a number", "two signs"),
    ("1,2\n3,1.2.3\n", "'1.2.3' is not a number", "two points"),
    ("1,2\n3,1e\n", "'1e' is not a number", "no exponent"),
    ("1,2\n3,1e+\n", "'1e+' is not a number", "a sign for an exponent"),
    ("1,2\n3,.\n", "'.' is not a number", "a point"),
    ("1,2\n3,-\n", "'-' is not a number", "a sign"),
    ("1,2\n3,nano\n", "'nano' is not a number", "more than nan"),
    ("1,2\n3,1\0\n", "is not a number", "a NUL"),
    ("1,2\n3,4\r5\n", "'4?5' is not a number", "a lonely \\r"),
    ("1;2\n3;4\n5;6\n", "line 2, column 1: '3;4' is not a number", "other separators"),
    ("1,2\n3,٣\n", "is not a number", "digits of others"),
    ('1,2\n"3,4\n', "line 2, column 1: the quote is not closed", "an open quote"),
    ('1,2\n"3"x,4\n', "line 2, column 1: '3' is followed by something else", "text behind quotes"),
    ('a,b\n"1\n",2\n3,x\n', "line 2, column 1: '1?' is not a number", "a line's end in a number"),
    ('"a\nb",c\n1,x\n', "line 3, column 2: 'x' is not", "lines are counted in quotes"),
    ("1\n" + "9" * 2001 + "\n", "longer than 2000 letters", "a very long number"),
    ("1\n\x1b[31m" + "y" * 5000, "'?[31myyy", "control characters"),
]], "refused")

# Packed: several members, damage, a bomb.
half = gzip.compress(b"1,2\n") + gzip.compress(b"3,4\n")
driver.is_read(driver.write("case.csv.gz", half), PLAIN, "two members")
driver.is_read(driver.write("case.csv", half), PLAIN, "packed, whatever the name")
packed = gzip.compress(b"1,2\n3,4\n")
big = b"0,0,0,0,0,0,0,0\n" * (5 << 20)
driver.refused([(content, suffix, word, name) for content, suffix, word, name in [
    (b"1,2\n", ".csv.gz", "not that of gzip", "not packed"),
    (packed[:-1], ".csv.gz", "cut short", "cut in the last number"),
    (packed[:12], ".csv.gz", "cut short", "cut in the data"),
    (packed[:-8] + bytes(8), ".csv.gz", "damaged", "a wrong checksum"),
    (packed + b"x", ".csv.gz", "packed data", "text behind it"),
    (packed[:10] + b"\xff" * 20, ".csv.gz", "damaged", "no stream"),
    (gzip.compress(b""), ".csv.gz", "the file is empty", "nothing in it"),
    (gzip.compress(big), ".csv.gz", "become more than 200 times as many, and more than 64 MiB",
     "a bomb of 80 MB"),
    (gzip.compress(b"\xe9,b\n1,2\n"), ".csv.gz", "not a text in UTF-8", "a header in Latin-1"),
    (gzip.compress(gzip.compress(b"1\n")), ".csv.gz", "not a text", "packed twice"),
]], "packed")

driver.write("base.csv", b'x, "y"\n1.5,2\n-3e-7,"4"\n' + b"12345.678,99\n" * 5)
driver.damage("base.csv")
driver.cut("base.csv", may=60)
driver.write("base.csv.gz", gzip.compress(driver.read("base.csv")))
driver.damage("base.csv.gz")
driver.cut("base.csv.gz")
tap.done_testing()
