"""export_numbers.py: cases of export.py with integers and floats at the ends of their types, and
the divisor 0, of which ONNX says nothing."""

WHOLE = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = [float("nan"), float("inf"), -float("inf"), 1e20, -1e20, 0.9, -0.9, -0.0] + [
    s * 2.0 ** b + d for b in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1) for d in (-1, 0, 0.5)]


def ends(t):
    """The least and the largest integers of a type, and small ones."""
    bits, sign = int(t[1:]), t[0] == "i"
    least, most = -(1 << bits - 1) if sign else 0, (1 << bits - sign) - 1
    return [n for n in (least, least + 1, -7, -1, 0, 1, 2, 3, 7, most - 1, most) if n >= least]


def pairs(t):
    """a, b: all pairs of them."""
    n = [("N", len(ends(t)) ** 2)]
    return {"a": (t, n, [a for a in ends(t) for _ in ends(t)]), "b": (t, n, ends(t) * len(ends(t)))}


def results(parameters, *bodies):
    return "fn f(%s) -> (%s) { (%s) }" % (parameters, ", ".join("any" for _ in bodies),
                                          ", ".join(bodies))


def two(t, *bodies):
    return (results("a: %s[N], b: %s[N]" % (t, t), *bodies), "f", pairs(t))


CASES = {
    "products that do not fit": (results("x: f32[N, 6]", "u8(x * 1000)", "i32(x * 1e20)",
                                         "i64(x / 0)"), "f", {"x": ("f32", [("N", 3), 6])}),
    "a quotient by 0": ("""
fn f(k: i64, x: f32) -> (i64, f32) { (k // (k - 1), f32(k % (k - 1)) * x) }
""", "f", {"k": ("i64", [], 2, 1), "x": ("f32", [])}),
    "quotients of sizes": (results("x: f32[N], z: f32[M]", "i64(N // M)", "i64(N % M)",
                                   "i64((N - 9) // (M - 3))"), "f",
                           {"x": ("f32", [("N", 7)]), "z": ("f32", [("M", 0)])}),
}
for T in WHOLE:
    CASES["quotients of " + T] = two(T, "a // b", "a % b", "a // 3", "a % 3", "a // 0", "a % 0")
    CASES["integers from " + T] = two(T, "bool(a)", *["%s(a)" % to for to in WHOLE if to != T])
    if T[0] == "i":
        CASES["negative quotients of " + T] = two(T, "a // -1", "a % -1", "a // -3", "a % -3",
                                                  "7 // b")
for T in "f16", "f32", "f64":
    CASES["integers from " + T] = (
        results("x: %s[N]" % T, "bool(x)", *["%s(x)" % to for to in WHOLE]), "f",
        {"x": (T, [("N", len(FLOATS))], FLOATS)})
