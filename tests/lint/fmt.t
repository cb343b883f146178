#!/usr/bin/env python3
"""fmt.t: the library and the examples are in the layout of `dcl fmt`."""

import os

import tree

if not os.path.exists(tree.tap.DCL):
    tree.tap.skip_all("dcl is not built")
paths = [os.path.join(tree.SRC, path) for path in tree.files(["stdlib", "examples"], [".dcl"])]
status, out, errors = tree.tap.dcl("fmt", "--check", *paths)
tree.check("dcl fmt changes nothing", (out + errors).splitlines() or [status] * (status != 0))
tree.done()
