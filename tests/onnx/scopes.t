#!/usr/bin/env python3
"""scopes.t: names of nodes that hold scopes become layers with methods, the same ones once,
elements of lists in loops; and whatever the scopes are, the program computes the same."""

import random
import time

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import Graph, model, node, tensor, value  # noqa: E402

F32, I64, BOOL = 1, 7, 9
OPS = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "MatMul": numpy.matmul,
       "Relu": lambda x: numpy.maximum(x, 0), "Neg": numpy.negative, "Tanh": numpy.tanh,
       "Identity": lambda x: x}


class Net:
    """A model whose nodes have names, and what it computes."""

    def __init__(self, dims, seed=0):
        self.random = numpy.random.default_rng(seed)
        self.dims, self.nodes, self.weights, self.count = dims, [], {}, 0
        self.values = {"x": self.random.standard_normal([d if isinstance(d, int) else 5
                                                         for d in dims]).astype("f4")}

    def weight(self, name, *shape):
        if name not in self.weights:
            self.weights[name] = self.random.standard_normal(shape).astype("f4") / 2
            self.values[name] = self.weights[name]
        return name

    def add(self, scope, op, *inputs, to=None):
        self.count += 1
        name = "%s/%s_%d" % (scope, op, self.count)
        to = to or name + "_output_0"
        self.nodes.append(node(op, list(inputs), [to], name=name))
        self.values[to] = OPS[op](*[self.values[i] for i in inputs])
        return to

    def linear(self, scope, x, n, bias=True):
        dotted = scope.strip("/").replace("/", ".")
        y = self.add(scope, "MatMul", x, self.weight(dotted + ".w", n, n))
        return self.add(scope, "Add", y, self.weight(dotted + ".b", n)) if bias else y

    def write(self, *outputs):
        named = []
        for k, o in enumerate(outputs):
            self.nodes.append(node("Identity", [o], ["y%d" % k]))
            named.append("y%d" % k)
        data = model(*self.nodes, opset=17, inputs=[value("x", F32, self.dims)],
                     outputs=[value(n, F32, list(self.values[o].shape)) for n, o in
                              zip(named, outputs)],
                     weights=[tensor(n, w) for n, w in self.weights.items()])
        with open("m.onnx", "wb") as file:
            file.write(data)
        return [self.values[o] for o in outputs]


def imported(name):
    status = tap.dcl("import", "m.onnx", "--force")
    if not tap.is_str(status, (0, "", ""), name):
        return ""
    with open("m.dcl") as file:
        return file.read()


def computes(name, net, want, backend="ref"):
    try:
        with dclpy.Session("backend=" + backend) as s:
            s.run_file("m.dcl")
            got = s.call("model", net.values["x"])
    except dclpy.Error as e:
        with open("m.dcl") as file:
            return tap.fail(name, str(e), file.read())
    for g, w in zip(got if isinstance(got, tuple) else [got], want):
        tap.is_close(g, w, name + ": computes", rtol=1e-4, atol=1e-5)
    return None


def check(name, net, outputs, has, absent=()):
    want = net.write(*outputs)
    text = imported(name)
    missing = [t for t in has if t not in text] + ["not " + t for t in absent if t in text]
    tap.ok(not missing, name + ": the text", missing, text)
    computes(name, net, want, "cpu")
    return text


# --- blocks in lists ----------------------------------------------------------------------------


def block(net, scope, x, n=4):
    h = net.linear(scope + "/fc1", x, n)
    h = net.add(scope + "/act", "Relu", h)
    h = net.linear(scope + "/fc2", h, n)
    return net.add(scope, "Add", h, x)


net, h = Net([3, 4]), "x"
for i in range(3):
    h = block(net, "/blocks.%d" % i, h)
text = check("a list of equal blocks", net, [h], [
    "blocks = [Blocks(), Blocks(), Blocks()]", "for block in blocks { x = block(x) }",
    "fn forward(x: f32[3, 4]) -> f32[3, 4] {", "fc1 = Linear(4, 4)", "fc1_out = fc1(x)"], ["param"])
tap.is_int(text.count("fn forward"), 2, "defines them once")

net, h = Net([3, 4]), "x"
for i in range(2):
    h = block(net, "/layer1/layer1.%d" % i, h)
check("scopes that the next one repeats", net, [h], ["layer1 = [Layer1(), Layer1()]",
                                                     "for block in layer1"])

net, h = Net(["N", 4]), "x"
for i in range(2):
    h = block(net, "/blocks.%d" % i, h)
check("of open size", net, [h], ["fn forward(x: f32[N, 4]) -> f32[N, 4] {", "for block in blocks"])

net, h, seen = Net([3, 4]), "x", []
for i in range(3):
    h = block(net, "/blocks.%d" % i, h)
    seen.append(h)
h = net.add("", "Add", seen[0], seen[2])
check("one of whose results is read elsewhere", net, [h],
      ["blocks[0](x)", "blocks[1](blocks_0_out)"], ["for block"])
net, h = Net([3, 4]), "x"
for i in range(3):
    h = block(net, "/blocks.%d" % i, h) if i != 1 else net.linear("/blocks.1", h, 4)
check("one of which is another", net, [h], ["blocks[0](x)", "blocks[2]("], ["for block"])
net, h = Net([3, 4]), "x"
for i in range(3):
    h = block(net, "/blocks.%d" % (2 - i), h)
check("backwards", net, [h], ["blocks[2](x)"], ["for block"])

# --- layers that differ in sizes ---------------------------------------------------------------


def wide(net, scope, x, n, m, k=None):
    dotted = scope.strip("/").replace("/", ".")
    h = net.add(scope + "/up", "MatMul", x, net.weight(dotted + ".up.w", n, m))
    h = net.add(scope + "/up", "Add", h, net.weight(dotted + ".up.b", m))
    h = net.add(scope + "/act", "Relu", h)
    return net.add(scope + "/down", "MatMul", h, net.weight(dotted + ".down.w", m, k or n))


net = Net([3, 4])
h = wide(net, "/blocks.2", wide(net, "/blocks.1", wide(net, "/blocks.0", "x", 4, 8), 4, 6), 4, 8)
check("one layer, with a parameter", net, [h], [
    "layer Blocks(n: int) {", "up = Linear(4, n)", "down = Linear(n, 4, with_bias = false)",
    "blocks = [Blocks(8), Blocks(6), Blocks(8)]", "for block in blocks"], ["Blocks_2", "Up_2"])
net = Net([3, 4])
h = wide(net, "/blocks.1", wide(net, "/blocks.0", "x", 4, 8, 5), 5, 6, 7)
check("sizes of a method that change", net, [h], [
    "(x: f32[3, _]) -> any {", "for block in blocks { "], ["Blocks_2"])
net, h = Net([3, 4]), "x"
for i, op in enumerate(["Relu", "Tanh"]):
    h = net.add("/blocks.%d" % i, op, net.linear("/blocks.%d/fc" % i, h, 4))
check("different layers in a row", net, [h], ["blocks = [Blocks(), Blocks_2()]",
                                              "for block in blocks { x = block(x) }"])

net, h = Net([3, 4]), "x"
for i in range(2):
    h = block(net, "/blocks.%d" % i, h)
check("whose first value is a result, too", net, [h, "x"], ["for block in blocks"])
net = Net([3, 4])
first = net.linear("/stem", "x", 4)
h = first
for i in range(2):
    h = block(net, "/blocks.%d" % i, h)
check("or a value before it", net, [first, h], ["for block in blocks"])
net, h = Net([3, 4]), "x"
for i in range(2):
    h = block(net, "/%d" % i, h)
check("members of the model that are numbers", net, [h], [], ["for block"])
net, h = Net([3, 4]), "x"
for i in range(2):
    h = block(net, "/s.%d" % i, h)
h = net.add("", "Add", h, net.weight("s.scale", 4))
check("a list that holds a weight", net, [h], [], ["for block"])
net, h = Net([3, 4]), "x"
for name in "Block", "other", "Linear":
    h = block(net, "/%s" % name, h)
check("members called as layers", net, [h], [])
for scope in "/..", "/a..b", "/" + "/".join("a%d" % k for k in range(20)), "/a.b.c.d" * 9:
    net = Net([3, 4])
    check("odd scopes: " + scope[:20], net, [block(net, scope, "x")], [])



def stacked(net, scope, x, times):
    """Of sizes that are multiples of an open one."""
    y = scope + "_y"
    net.nodes.append(node("Concat", [x] * times, [y], name="/Concat" + scope, axis=0))
    net.values[y] = numpy.concatenate([net.values[x]] * times)
    h = net.add(scope, "MatMul", y, net.weight(scope[1:] + ".w", 4, 4))
    return net.add(scope, "Tanh", net.add(scope, "Neg", h))


net = Net(["N", 4])
check("sizes in expressions", net, [stacked(net, "/a", "x", 2), stacked(net, "/b", "x", 3)], [])
net = Net([3, 4])
begin = time.monotonic()
check("a name of many dots", net, [net.linear("/" + ".".join("a" * 20000), "x", 4)], [])
tap.ok(time.monotonic() - begin < 30, "without delay")

# --- scopes in scopes ---------------------------------------------------------------------------


def attention(net, scope, x, mask):
    q, k = net.linear(scope + "/q", x, 4), net.linear(scope + "/k", x, 4)
    s = net.add(scope, "Mul", q, k)
    return net.linear(scope + "/out", net.add(scope, "Add", s, mask), 4)


net = Net([3, 4])
mask = net.add("/m", "Tanh", "x")
h = "x"
for i in range(2):
    a = attention(net, "/m/enc/layer.%d/attn/self" % i, h, mask)
    h = net.add("/m/enc/layer.%d" % i, "Add", block(net, "/m/enc/layer.%d/mlp" % i, a), h)
h = net.linear("/m/head", h, 4)
check("a mask goes down to where it is read", net, [h], [
    "layer Self {", "layer Mlp {", "(x: f32[3, 4], y: f32[3, 4]) -> f32[3, 4] {",
    "layer_2 = [Layer2(), Layer2()]", "for block in layer_2 { x = block(x, y) }",
    "attn.self(x, y)"])

net = Net([3, 4])
h = block(net, "/net/body", "x")
check("what only holds a scope has no method", net, [h], ["net.body(x)"], ["layer Net {\n  fn"])

net = Net([3, 4])
a = net.add("/one", "MatMul", "x", net.weight("shared.w", 4, 4))
a = net.linear("/one", net.add("/one", "Relu", a), 4)
b = net.add("/two", "MatMul", a, net.weight("shared.w", 4, 4))
b = net.linear("/two", net.add("/two", "Relu", b), 4)
check("a weight of two scopes is passed to them", net, [b],
      ["linear = Linear(4, 4, with_bias = false)", "two(one_out, one.linear.weight)", "x @ y.T"])

net = Net([3, 4])
a = net.linear("/a/fc", "x", 4)
b = net.linear("/b/fc", "x", 4)
a = net.add("/a", "Relu", a)
b = net.add("/b", "Relu", b)
a, b = net.linear("/a/fd", a, 4), net.linear("/b/fd", b, 4)
check("scopes whose lines do not stand together", net, [net.add("", "Add", a, b)],
      ["a.fc(x)", "b.fd("], ["fn forward(x: f32[3, 4]) -> f32[3, 4]"])

net = Net([3, 4])
h = net.linear("/a/fc", "x", 4)
p, q = net.add("/a", "Relu", h), net.add("/a", "Tanh", h)
check("two results", net, [net.add("", "Sub", p, q), p], ["-> (f32[3, 4], f32[3, 4]) {",
                                                          "(", "= a(x)"])
net = Net([3, 4])
h = block(net, "/a", "x")
check("a result of the model that is a layer's", net, [h, h], ["y0 = a(x)"])

net = Net([3, 4])
h = net.add("/fn", "MatMul", "x", net.weight("onnx::MatMul_12", 4, 4))
h = net.add("/fn", "Add", h, net.weight("onnx::Add_13", 4))
h = net.add("/fn", "Relu", h)
check("names that are none", net, [h], ["fn_2 = Fn2()", "linear(x)", "fn_2(x)"])
net = Net([3, 4])
h = net.add("/relu", "MatMul", "x", net.weight("relu.matmul", 4, 4))
h = net.add("/relu", "Add", h, net.weight("relu.relu", 4))
h = net.add("/relu", "Relu", h)
check("names of functions that are called", net, [h], ["relu(linear_out)", "y0 = relu_2(x)"])

loop = Graph(node("Add", ["s", "one"], ["t"]), node("Identity", ["on"], ["goes"]),
             inputs=[value("i", I64, []), value("on", BOOL, []), value("s", F32, [3, 4])],
             outputs=[value("goes", BOOL, []), value("t", F32, [3, 4])])
net = Net([3, 4])
h = net.linear("/a/fc", "x", 4)
net.nodes.append(node("Loop", ["three", "", h], ["looped"], name="/a/Loop", body=loop))
net.weights.update(three=numpy.array(3), one=numpy.float32(1))
net.values["looped"] = net.values[h] + 3
h = net.linear("/a/fd", "looped", 4)
check("loops stay in the model's method", net, [h], ["for i in 0:3"], ["layer A {\n  fn"])

# --- any scopes ---------------------------------------------------------------------------------


def grown(seed):
    """A model of random nodes, whose names say random scopes, and weights called like these or
    not."""
    r = random.Random(seed)
    net = Net([r.choice([2, "N"]), 4], seed)
    parts = ["a", "b", "layer.0", "layer.1", "blocks.0", "blocks.1", "attention", "relu", "x", "in"]
    path, made = [], ["x"]
    for _ in range(r.randrange(5, 40)):
        if r.random() < 0.4:  # elsewhere
            while path and r.random() < 0.5:
                path.pop()
            while len(path) < 4 and r.random() < 0.6:
                path.append(r.choice(parts))
        scope = "".join("/" + p for p in path)
        of = scope.strip("/").replace("/", ".")
        kind = r.randrange(6)
        first = made[-1] if r.random() < 0.7 else r.choice(made)
        if kind == 0:
            name = r.choice([of + ".w%d" % len(made) if of else "w%d" % len(made),
                             "onnx::MatMul_%d" % len(made), "shared.w", "a.shared"])
            made.append(net.add(scope, "MatMul", first, net.weight(name, 4, 4)))
        elif kind == 1:
            name = r.choice([of + ".b%d" % len(made) if of else "b%d" % len(made), "bias",
                             "b.bias"])
            made.append(net.add(scope, "Add", first, net.weight(name, 4)))
        elif kind < 4:
            made.append(net.add(scope, r.choice(["Add", "Sub", "Mul"]), first, r.choice(made)))
        else:
            made.append(net.add(scope, r.choice(["Relu", "Tanh", "Neg", "Identity"]), first))
        net.values[made[-1]] = net.values[made[-1]]
        if numpy.abs(net.values[made[-1]]).max() > 50:
            made.append(net.add(scope, "Tanh", made[-1]))
    return net, [made[-1]] + [r.choice(made[1:]) for _ in range(r.randrange(3))]


methods = loops = 0
for seed in range(80):
    net, outputs = grown(seed)
    name = "program %d" % seed
    want = net.write(*outputs)
    text = imported(name)
    methods += text.count("fn forward") - 1
    loops += text.count("for block")
    if text:
        computes(name, net, want)
tap.ok(methods > 40, "they have methods", methods)
tap.diag("%d methods, %d loops" % (methods, loops))
tap.done_testing()
