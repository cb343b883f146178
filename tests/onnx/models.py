"""models.py: ONNX files written by hand, byte by byte, for tests that want wrong or unusual ones.

    data = model(node("Relu", ["x"], ["y"]), inputs=[value("x", 1, ["N", 3])],
                 outputs=[value("y", 1, ["N", 3])])

Field numbers are those of onnx.proto.
"""

import struct


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def integer(number, value):
    return varint(number << 3) + varint(value)


def block(number, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def real(number, value):
    return varint(number << 3 | 5) + struct.pack("<f", value)


def attribute(name, value):
    if isinstance(value, float):
        return block(1, name) + real(2, value) + integer(20, 1)
    if isinstance(value, int):
        return block(1, name) + integer(3, value) + integer(20, 2)
    if isinstance(value, list) and value and isinstance(value[0], float):
        return block(1, name) + b"".join(real(7, v) for v in value) + integer(20, 6)
    if isinstance(value, list):
        return (block(1, name) + b"".join(integer(8, v) for v in value) + integer(20, 7))
    if isinstance(value, Named):
        return block(1, name) + block(21, value.name) + integer(20, value.kind)
    if isinstance(value, Graph):
        return block(1, name) + block(6, value.bytes) + integer(20, 5)
    if isinstance(value, bytes):
        return block(1, name) + block(5, value) + integer(20, 4)
    return block(1, name) + block(4, value) + integer(20, 3)


class Named:
    """An attribute of a node in a function that is the function's attribute of this name."""

    def __init__(self, name, kind=1):
        self.name, self.kind = name, kind


class Graph:
    """A graph in an attribute."""

    def __init__(self, *nodes, inputs=(), outputs=(), weights=()):
        self.bytes = (b"".join(block(1, n) for n in nodes) + block(2, "g") +
                      b"".join(block(5, w) for w in weights) +
                      b"".join(block(11, v) for v in inputs) +
                      b"".join(block(12, v) for v in outputs))


def node(operator, inputs, outputs, name="", domain="", overload="", **attributes):
    return (b"".join(block(1, x) for x in inputs) + b"".join(block(2, x) for x in outputs) +
            (block(3, name) if name else b"") + block(4, operator) +
            b"".join(block(5, attribute(k, v)) for k, v in attributes.items()) +
            (block(7, domain) if domain else b"") + (block(8, overload) if overload else b""))


def function(name, inputs, outputs, *nodes, domain="own", overload="", sets=(("", 17), ("own", 1)),
             **defaults):
    return (block(1, name) + b"".join(block(4, x) for x in inputs) +
            b"".join(block(5, x) for x in outputs) + b"".join(block(7, n) for n in nodes) +
            b"".join(block(9, block(1, d) + integer(2, v)) for d, v in sets) + block(10, domain) +
            b"".join(block(11, attribute(k, v)) for k, v in defaults.items()) +
            (block(13, overload) if overload else b""))


def value(name, element, dims):
    """An input or output; a dim is a size, a name, or None."""
    shape = b"".join(block(1, b"" if d is None else block(2, d) if isinstance(d, str) else
                           integer(1, d)) for d in dims)
    return block(1, name) + block(2, block(1, integer(1, element) + block(2, shape)))


def tensor(name, array, number=None):
    """A NumPy array, raw."""
    numbers = {"f4": 1, "i4": 6, "i8": 7, "b1": 9, "f8": 11, "f2": 10,
               "u1": 2}
    return (b"".join(integer(1, d) for d in array.shape) +
            integer(2, number or numbers[array.dtype.str[1:]]) + block(8, name) +
            block(9, array.tobytes()))


def model(*nodes, inputs=(), outputs=(), weights=(), functions=(), opset=17, domains=(),
          extra=b""):
    graph = (b"".join(block(1, n) for n in nodes) + block(2, "g") +
             b"".join(block(5, w) for w in weights) + b"".join(block(11, v) for v in inputs) +
             b"".join(block(12, v) for v in outputs) + extra)
    return (integer(1, 8) + (block(8, integer(2, opset)) if opset else b"") + block(7, graph) +
            b"".join(block(8, block(1, d) + integer(2, v)) for d, v in domains) +
            b"".join(block(25, f) for f in functions))
