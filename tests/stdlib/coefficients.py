#!/usr/bin/python3
"""Prints the coefficients of stdlib/math.dcl again, the highest power first, with the largest
absolute error of each polynomial. Wants mpmath."""
import mpmath as m

m.mp.dps = 60


def show(name, f, low, high, terms):
    p, error = m.chebyfit(f, [low, high], terms, error=True)
    print(f"{name}: error {m.nstr(error, 3)}")
    print("  ", ", ".join(m.nstr(c, 18) for c in p))


def over_root(f, continued, at_zero):
    """f(sqrt(u)) / sqrt(u), also left of 0, where the fit has nodes."""
    def g(u):
        root = m.sqrt(abs(u))
        return at_zero if u == 0 else (f if u > 0 else continued)(root) / root
    return g


arctan = over_root(m.atan, m.atanh, m.mpf(1))
error_function = over_root(m.erf, m.erfi, 2 / m.sqrt(m.pi))
show("first_quadrant", arctan, m.mpf(0), m.tan(m.pi / 8) ** 2, 12)
show("erf_near", error_function, m.mpf(0), m.mpf(1), 12)
show("erf_single, near, without 1", lambda u: error_function(u) - 1, m.mpf(0), m.mpf(1), 7)
show("erf_single, far", lambda x: -m.log(m.erfc(x)), m.mpf(1), m.mpf(4), 9)


def scaled(t, k=m.mpf(15) / 4):
    x = k * (1 + t) / (1 - t)
    return (1 + 2 * x) * m.exp(x * x) * m.erfc(x)


def variable(x, k=m.mpf(15) / 4):
    return (x - k) / (x + k)


show("erfc_far", scaled, variable(m.mpf(1)), variable(m.mpf(28)), 22)
rest = m.pi / 2
for part in range(4):
    bits = m.mpf(2) ** (32 - m.floor(m.log(rest, 2)))
    piece = m.floor(rest * bits) / bits if part < 3 else rest
    print("pi/2, part", part, m.nstr(piece, 20))
    rest -= piece
rest, words = 2 / m.pi, []
for k in range(9):
    rest *= 2 ** 24
    words.append(int(m.floor(rest)))
    rest -= words[-1]
print("2/pi in words of 24 bits", words)
