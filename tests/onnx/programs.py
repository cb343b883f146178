"""programs.py: models become programs, which compute what they should, for tests of imports."""

import os

import dclpy
import tap


def imported(data, what, *options):
    """The text that the model becomes."""
    with open("m.onnx", "wb") as file:
        file.write(data)
    for old in "m.dcl", "m.safetensors":
        if os.path.exists(old):
            os.remove(old)
    tap.is_str(tap.dcl("import", "m.onnx", *options), (0, "", ""), what)
    with open("m.dcl", encoding="utf-8") as file:
        return file.read()


def is_computed(arguments, want, what, backends=("ref", "cpu")):
    """The program in m.dcl gives the arrays WANT."""
    for backend in backends:
        with dclpy.Session("cache=off threads=1 backend=" + backend) as s:
            s.run_file("m.dcl")
            got = s.call("model", *arguments)
        for g, w in zip(got if isinstance(got, tuple) else [got], want):
            tap.is_close(g, w, "%s: computes on %s" % (what, backend))
