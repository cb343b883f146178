"""networks.py: networks with random weights, as ONNX models and as what examples/models defines."""
import json
import os
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.weights, self.constants, self.nodes, self.n = {}, {}, [], 0

    def weight(self, name, shape, kind="normal"):
        fan = int(np.prod(shape[1:])) or 1
        if kind == "normal":
            w = self.rng.standard_normal(shape) * (2 / fan) ** 0.5
        elif kind == "scale":
            w = 1 + 0.1 * self.rng.standard_normal(shape)
        elif kind == "var":
            w = 1 + 0.1 * self.rng.random(shape)
        elif kind == "small":
            w = 0.02 * self.rng.standard_normal(shape)
        else:
            w = 0.1 * self.rng.standard_normal(shape)
        self.weights[name] = w.astype("f4")
        return name

    def constant(self, value):
        name = f"constant_{self.n}"
        self.n += 1
        self.constants[name] = value
        return name

    def op(self, kind, *inputs, domain="", **attributes):
        out = f"v{self.n}"
        self.n += 1
        self.nodes.append(helper.make_node(kind, list(inputs), [out], domain=domain, **attributes))
        return out

    def conv(self, x, name, i, o, k, stride=1, pad=0, groups=1, bias=False):
        args = [x, self.weight(name + ".weight", (o, i // groups, k, k))]
        if bias:
            args.append(self.weight(name + ".bias", (o,), "bias"))
        return self.op("Conv", *args, kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4,
                       group=groups)

    def bn(self, x, name, c, scale="scale"):
        return self.op("BatchNormalization", x, self.weight(name + ".weight", (c,), scale),
                       self.weight(name + ".bias", (c,), "bias"),
                       self.weight(name + ".running_mean", (c,), "bias"),
                       self.weight(name + ".running_var", (c,), "var"), epsilon=1e-5)

    def linear(self, x, name, i, o, kind="normal"):
        w = self.weight(name + ".weight", (o, i), kind)
        b = self.weight(name + ".bias", (o,), "bias")
        return self.op("Gemm", x, w, b, transB=1)

    def dense(self, x, name, i, o):
        """For more than two dimensions: a transposed weight, as exporters write it."""
        w = self.weight(name + ".weight", (o, i), "small")
        b = self.weight(name + ".bias", (o,), "bias")
        t = self.constant(np.ascontiguousarray(self.weights[w].T))
        return self.op("Add", self.op("MatMul", x, t), b)

    def norm(self, x, name, c, eps):
        return self.op("LayerNormalization", x, self.weight(name + ".weight", (c,), "scale"),
                       self.weight(name + ".bias", (c,), "bias"), axis=-1, epsilon=eps)

    def save(self, path, inputs, output, opset=20):
        tensors = {**self.weights, **self.constants}
        used = {name for node in self.nodes for name in node.input}
        graph = helper.make_graph(
            self.nodes, "net", inputs,
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
            [numpy_helper.from_array(np.asarray(t), n) for n, t in tensors.items() if n in used])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        model.ir_version = 9
        onnx.save(model, path)


def resnet(b, x, block, depth):
    x = b.op("Relu", b.bn(b.conv(x, "conv1", 3, 64, 7, 2, 3), "bn1", 64))
    x = b.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    c = 64
    for stage, (n, m) in enumerate(zip(depth, (64, 128, 256, 512)), 1):
        for k in range(n):
            name, stride = f"layer{stage}.{k}", 2 if k == 0 and stage > 1 else 1
            out = m * (4 if block == "bottleneck" else 1)
            s = x
            if block == "bottleneck":
                y = b.op("Relu", b.bn(b.conv(x, name + ".conv1", c, m, 1), name + ".bn1", m))
                y = b.op("Relu", b.bn(b.conv(y, name + ".conv2", m, m, 3, stride, 1),
                                      name + ".bn2", m))
                y = b.bn(b.conv(y, name + ".conv3", m, out, 1), name + ".bn3", out, "bias")
            else:
                y = b.op("Relu", b.bn(b.conv(x, name + ".conv1", c, m, 3, stride, 1),
                                      name + ".bn1", m))
                y = b.bn(b.conv(y, name + ".conv2", m, m, 3, 1, 1), name + ".bn2", m, "bias")
            if stride != 1 or c != out:
                s = b.bn(b.conv(x, name + ".downsample.0", c, out, 1, stride),
                         name + ".downsample.1", out)
            x = b.op("Relu", b.op("Add", y, s))
            c = out
    x = b.op("Flatten", b.op("GlobalAveragePool", x))
    return b.linear(x, "fc", c, 1000)


def mobilenet_v2(b, x):
    def relu6(v):
        return b.op("Clip", v, b.constant(np.float32(0)), b.constant(np.float32(6)))

    x = relu6(b.bn(b.conv(x, "features.0.0", 3, 32, 3, 2, 1), "features.0.1", 32))
    c, n = 32, 1
    for t, o, repeat, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                 (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for k in range(repeat):
            name, s, h, y, at = f"features.{n}.conv", stride if k == 0 else 1, c * t, x, 0
            if t != 1:
                y = relu6(b.bn(b.conv(y, f"{name}.0.0", c, h, 1), f"{name}.0.1", h))
                at = 1
            y = relu6(b.bn(b.conv(y, f"{name}.{at}.0", h, h, 3, s, 1, groups=h),
                           f"{name}.{at}.1", h))
            y = b.bn(b.conv(y, f"{name}.{at + 1}", h, o, 1), f"{name}.{at + 2}", o)
            x = b.op("Add", x, y) if s == 1 and c == o else y
            c = o
            n += 1
    x = relu6(b.bn(b.conv(x, "features.18.0", c, 1280, 1), "features.18.1", 1280))
    x = b.op("Flatten", b.op("GlobalAveragePool", x))
    return b.linear(x, "classifier.1", 1280, 1000)


def efficientnet(b, x):
    def silu(v):
        return b.op("Mul", v, b.op("Sigmoid", v))

    def squeeze(v, name, c, inner):
        m = silu(b.conv(b.op("GlobalAveragePool", v), name + ".conv_reduce", c, inner, 1,
                        bias=True))
        return b.op("Mul", v, b.op("Sigmoid", b.conv(m, name + ".conv_expand", inner, c, 1,
                                                     bias=True)))

    def depthwise(v, name, c, k, s):
        return b.conv(v, name, c, c, k, s, k // 2, groups=c)

    x = silu(b.bn(b.conv(x, "conv_stem", 3, 32, 3, 2, 1), "bn1", 32))
    name = "blocks.0.0"
    y = silu(b.bn(depthwise(x, name + ".conv_dw", 32, 3, 1), name + ".bn1", 32))
    y = b.conv(squeeze(y, name + ".se", 32, 8), name + ".conv_pw", 32, 16, 1)
    x, c = b.bn(y, name + ".bn2", 16), 16
    for stage, (e, o, n, s, k) in enumerate(
            ((6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
             (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)), 1):
        for i in range(n):
            name, h, t = f"blocks.{stage}.{i}", c * e, s if i == 0 else 1
            y = silu(b.bn(b.conv(x, name + ".conv_pw", c, h, 1), name + ".bn1", h))
            y = silu(b.bn(depthwise(y, name + ".conv_dw", h, k, t), name + ".bn2", h))
            y = b.conv(squeeze(y, name + ".se", h, c // 4), name + ".conv_pwl", h, o, 1)
            y = b.bn(y, name + ".bn3", o)
            x, c = b.op("Add", x, y) if t == 1 and c == o else y, o
    x = silu(b.bn(b.conv(x, "conv_head", 320, 1280, 1), "bn2", 1280))
    return b.linear(b.op("Flatten", b.op("GlobalAveragePool", x)), "classifier", 1280, 1000)


def bert(b, ids, layers=12, d=768, heads=12, vocabulary=30522, tokens=128):
    words = b.weight("embeddings.word_embeddings.weight", (vocabulary, d), "small")
    places = b.weight("embeddings.position_embeddings.weight", (512, d), "small")
    kinds = b.weight("embeddings.token_type_embeddings.weight", (2, d), "small")
    x = b.op("Gather", words, ids)
    x = b.op("Add", x, b.constant(b.weights[kinds][0]))
    x = b.op("Add", x, b.constant(b.weights[places][None, :tokens]))
    x = b.norm(x, "embeddings.LayerNorm", d, 1e-12)
    shape = b.constant(np.array([0, 0, heads, d // heads]))
    flat = b.constant(np.array([0, 0, d]))
    scale = b.constant(np.float32((d // heads) ** -0.5))
    for k in range(layers):
        name = f"encoder.layer.{k}"
        q, key, v = (b.op("Transpose", b.op("Reshape", b.dense(
            x, f"{name}.attention.self.{part}", d, d), shape), perm=p)
            for part, p in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]),
                            ("value", [0, 2, 1, 3])))
        s = b.op("Softmax", b.op("Mul", b.op("MatMul", q, key), scale), axis=-1)
        y = b.op("Reshape", b.op("Transpose", b.op("MatMul", s, v), perm=[0, 2, 1, 3]), flat)
        y = b.dense(y, f"{name}.attention.output.dense", d, d)
        x = b.norm(b.op("Add", y, x), f"{name}.attention.output.LayerNorm", d, 1e-12)
        y = b.op("Gelu", b.dense(x, f"{name}.intermediate.dense", d, 4 * d))
        y = b.dense(y, f"{name}.output.dense", 4 * d, d)
        x = b.norm(b.op("Add", y, x), f"{name}.output.LayerNorm", d, 1e-12)
    return x


def heads_of(b, x, heads, width, perm):
    """x: [B, S, heads*width] as [B, heads, S, width], or otherwise by PERM."""
    shape = b.constant(np.array([0, 0, heads, width]))
    return b.op("Transpose", b.op("Reshape", x, shape), perm=perm)


def attend(b, z, d, heads, causal=0):
    """Attention over z: q, k and v side by side."""
    sizes = b.constant(np.array([d, d, d]))
    parts = [f"v{b.n}p{i}" for i in range(3)]
    b.n += 1
    b.nodes.append(helper.make_node("Split", [z, sizes], parts, axis=-1))
    q, k, v = (heads_of(b, part, heads, d // heads, perm) for part, perm in zip(
        parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])))
    s = b.op("Mul", b.op("MatMul", q, k), b.constant(np.float32((d // heads) ** -0.5)))
    if causal:
        s = b.op("Add", s, b.constant(np.triu(np.full((causal, causal), -np.inf, "f4"), 1)))
    y = b.op("MatMul", b.op("Softmax", s, axis=-1), v)
    return b.op("Reshape", b.op("Transpose", y, perm=[0, 2, 1, 3]),
                b.constant(np.array([0, 0, d])))


def patches(b, x, name, d, patch, image):
    y = b.conv(x, name, 3, d, patch, patch, bias=True)
    y = b.op("Reshape", y, b.constant(np.array([1, d, (image // patch) ** 2])))
    return b.op("Transpose", y, perm=[0, 2, 1])


def vit(b, x, image=224, patch=16, d=768, depth=12, heads=12, classes=1000):
    n = (image // patch) ** 2 + 1
    token = b.weight("cls_token", (1, 1, d), "small")
    places = b.weight("pos_embed", (1, n, d), "small")
    x = b.op("Concat", token, patches(b, x, "patch_embed.proj", d, patch, image), axis=1)
    x = b.op("Add", x, places)
    for k in range(depth):
        name = f"blocks.{k}"
        z = b.dense(b.norm(x, name + ".norm1", d, 1e-6), name + ".attn.qkv", d, 3 * d)
        x = b.op("Add", x, b.dense(attend(b, z, d, heads), name + ".attn.proj", d, d))
        y = b.op("Gelu", b.dense(b.norm(x, name + ".norm2", d, 1e-6), name + ".mlp.fc1", d, 4 * d))
        x = b.op("Add", x, b.dense(y, name + ".mlp.fc2", 4 * d, d))
    x = b.op("Gather", b.norm(x, "norm", d, 1e-6), b.constant(np.int64(0)), axis=1)
    return b.linear(x, "head", d, classes)


def mixer(b, x, image=224, patch=16, d=768, depth=12, classes=1000):
    n = (image // patch) ** 2
    x = patches(b, x, "stem.proj", d, patch, image)
    for k in range(depth):
        name = f"blocks.{k}"
        y = b.op("Transpose", b.norm(x, name + ".norm1", d, 1e-6), perm=[0, 2, 1])
        y = b.op("Gelu", b.dense(y, name + ".mlp_tokens.fc1", n, d // 2))
        y = b.op("Transpose", b.dense(y, name + ".mlp_tokens.fc2", d // 2, n), perm=[0, 2, 1])
        x = b.op("Add", x, y)
        y = b.dense(b.norm(x, name + ".norm2", d, 1e-6), name + ".mlp_channels.fc1", d, 4 * d)
        x = b.op("Add", x, b.dense(b.op("Gelu", y), name + ".mlp_channels.fc2", 4 * d, d))
    x = b.op("ReduceMean", b.norm(x, "norm", d, 1e-6), b.constant(np.array([1])), keepdims=0)
    return b.linear(x, "head", d, classes)


def gpt2(b, ids, words=50257, places=1024, depth=12, d=768, heads=12, tokens=128):
    def conv1d(x, name, i, o):
        return b.op("Add", b.op("MatMul", x, b.weight(name + ".weight", (i, o), "small")),
                    b.weight(name + ".bias", (o,), "bias"))

    wte = b.weight("wte.weight", (words, d), "small")
    wpe = b.weight("wpe.weight", (places, d), "small")
    x = b.op("Add", b.op("Gather", wte, ids), b.constant(b.weights[wpe][None, :tokens]))
    for k in range(depth):
        name = f"h.{k}"
        z = conv1d(b.norm(x, name + ".ln_1", d, 1e-5), name + ".attn.c_attn", d, 3 * d)
        x = b.op("Add", x, conv1d(attend(b, z, d, heads, tokens), name + ".attn.c_proj", d, d))
        y = conv1d(b.norm(x, name + ".ln_2", d, 1e-5), name + ".mlp.c_fc", d, 4 * d)
        x = b.op("Add", x, conv1d(b.op("Gelu", y, approximate="tanh"), name + ".mlp.c_proj",
                                  4 * d, d))
    x = b.norm(x, "ln_f", d, 1e-5)
    return b.op("MatMul", x, b.constant(np.ascontiguousarray(b.weights[wte].T)))


def unet(b, x, width=64):
    def double(v, name, i, o):
        v = b.op("Relu", b.bn(b.conv(v, name + ".double_conv.0", i, o, 3, 1, 1),
                              name + ".double_conv.1", o))
        return b.op("Relu", b.bn(b.conv(v, name + ".double_conv.3", o, o, 3, 1, 1),
                                 name + ".double_conv.4", o))

    kept, c = [double(x, "inc", 3, width)], width
    for k in range(1, 5):
        half = b.op("MaxPool", kept[-1], kernel_shape=[2, 2], strides=[2, 2])
        kept.append(double(half, f"down{k}.maxpool_conv.1", c, 2 * c))
        c *= 2
    x = kept.pop()
    for k in range(1, 5):
        w = b.weight(f"up{k}.up.weight", (c, c // 2, 2, 2), "small")
        bias = b.weight(f"up{k}.up.bias", (c // 2,), "bias")
        x = b.op("ConvTranspose", x, w, bias, kernel_shape=[2, 2], strides=[2, 2])
        x = double(b.op("Concat", kept.pop(), x, axis=1), f"up{k}.conv", c, c // 2)
        c //= 2
    return b.conv(x, "outc", width, 2, 1, bias=True)


def lstm_model(b, ids, words=33278, d=200):
    x = b.op("Gather", b.weight("encoder.weight", (words, d), "small"), ids)
    for k in range(2):
        names = [b.weight(f"rnn.{part}_l{k}", shape, "small") for part, shape in (
            ("weight_ih", (4 * d, d)), ("weight_hh", (4 * d, d)), ("bias_ih", (4 * d,)),
            ("bias_hh", (4 * d,)))]
        order = [0, 3, 1, 2]  # ONNX: input, output, forget, cell

        def turned(name):
            t = b.weights[name]
            return np.concatenate([t[i * d:i * d + d] for i in order])

        w, u, p, q = (turned(name) for name in names)
        y = b.op("LSTM", x, b.constant(w[None]), b.constant(u[None]),
                 b.constant(np.concatenate([p, q])[None]), hidden_size=d)
        x = b.op("Squeeze", y, b.constant(np.array([1])))
    return b.dense(x, "decoder", d, words)


def wavenet(b, x, size=32, skip=256, depth=10, stacks=2, levels=256):
    def conv(v, name, i, o, k=1, dilation=1):
        return b.op("Conv", v, b.weight(name + ".weight", (o, i, k), "normal"),
                    b.weight(name + ".bias", (o,), "bias"), kernel_shape=[k],
                    dilations=[dilation], pads=[(k - 1) * dilation, 0])

    x, s = conv(x, "start.conv", 1, size, 2), None
    for i in range(stacks * depth):
        name, dilation = f"blocks.{i}", 2 ** (i % depth)
        z = b.op("Mul", b.op("Tanh", conv(x, name + ".filter.conv", size, size, 2, dilation)),
                 b.op("Sigmoid", conv(x, name + ".gate.conv", size, size, 2, dilation)))
        x = b.op("Add", x, conv(z, name + ".through", size, size))
        z = conv(z, name + ".aside", size, skip)
        s = z if s is None else b.op("Add", s, z)
    s = b.op("Relu", conv(b.op("Relu", s), "end1", skip, skip))
    return conv(s, "end2", skip, levels)


def save_safetensors(path, tensors):
    head, at = {}, 0
    for name, t in tensors.items():
        head[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            stream.write(np.ascontiguousarray(t).tobytes())


# name: file, instance, its input, what makes it in ONNX: at the full size, and small
NETWORKS = {
    "ResNet-18": ("resnet", ["ResNet(BasicBlock, [2, 2, 2, 2], 1)"] * 2, "x",
                  lambda b, small: resnet(b, "x", "basic", (2, 2, 2, 2))),
    "ResNet-50": ("resnet", ["ResNet(Bottleneck, [3, 4, 6, 3], 4)"] * 2, "x",
                  lambda b, small: resnet(b, "x", "bottleneck", (3, 4, 6, 3))),
    "MobileNetV2": ("mobilenet_v2", ["MobileNetV2()"] * 2, "x",
                    lambda b, small: mobilenet_v2(b, "x")),
    "EfficientNet-B0": ("efficientnet", ["EfficientNet()"] * 2, "x",
                        lambda b, small: efficientnet(b, "x")),
    "U-Net": ("unet", ["UNet()", "UNet(3, 2, 4)"], "x",
              lambda b, small: unet(b, "x", 4 if small else 64)),
    "LSTM": ("lstm", ["WordModel()", "WordModel(500, 24)"], "ids",
             lambda b, small: lstm_model(b, "ids", *((500, 24) if small else ()))),
    "WaveNet": ("wavenet", ["WaveNet()", "WaveNet(8, 12, 4, 2, 20)"], "sound",
                lambda b, small: wavenet(b, "sound", *((8, 12, 4, 2, 20) if small else ()))),
    "BERT": ("bert", ["Bert()", "Bert(500, 512, 2, 64, 4, 256)"], "ids",
             lambda b, small: bert(b, "ids", *((2, 64, 4, 500, 9) if small else ()))),
    "GPT-2": ("gpt2", ["GPT2()", "GPT2(500, 32, 2, 64, 4)"], "ids",
              lambda b, small: gpt2(b, "ids", *((500, 32, 2, 64, 4, 9) if small else ()))),
    "ViT": ("vit", ["ViT()", "ViT(64, 16, 48, 2, 4, 10)"], "x",
            lambda b, small: vit(b, "x", *((64, 16, 48, 2, 4, 10) if small else ()))),
    "MLP-Mixer": ("mixer", ["MlpMixer()", "MlpMixer(64, 16, 48, 2, 10)"], "x",
                  lambda b, small: mixer(b, "x", *((64, 16, 48, 2, 10) if small else ()))),
}


def make(name, folder, small, seed):
    """Writes NAME.onnx, NAME.safetensors, NAME.npy (an input) into FOLDER; what DCL runs, and the
    signature of the call."""
    file, instances, argument, build = NETWORKS[name]
    instance = instances[small]
    b, rng = Builder(seed), np.random.default_rng(seed)
    if argument == "ids":
        x = rng.integers(0, 500, (1, 9 if small else 128))
        if name == "LSTM":
            x = x.reshape(-1, 1).copy()
    elif argument == "sound":
        x = rng.standard_normal((1, 1, 100 if small else 4000)).astype("f4")
    else:
        size = 64 if small else 224
        x = rng.standard_normal((1, 3, size, size)).astype("f4")
    kind = TensorProto.INT64 if x.dtype.kind == "i" else TensorProto.FLOAT
    output = build(b, small)
    path = os.path.join(folder, name)
    b.save(path + ".onnx", [helper.make_tensor_value_info(argument, kind, x.shape)], output)
    save_safetensors(path + ".safetensors", b.weights)
    np.save(path + ".npy", x)
    rename = ', rename = [("layer_", "layer")]' if file == "bert" else ""
    source = os.path.join(os.environ["DCL_SRC"], "examples", "models", file + ".dcl")
    text = f'use "{source}"\nnet = {instance}\nload(net, "{path}.safetensors"{rename})\n'
    element = "i64" if kind == TensorProto.INT64 else "f32"
    argument = "ids" if argument == "ids" else "x"
    return text, f"net({argument}: {element}[{', '.join(map(str, x.shape))}])"
