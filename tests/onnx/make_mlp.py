#!/usr/bin/env python3
"""make_mlp.py: makes mlp.onnx and what ONNX Runtime computes with it (mlp_*.npy).

Kept to show where the files come from; the tests do not run it. It wants

    pip install onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

and writes the same bytes each time (the results up to the rounding of the machine). The model is
what a PyTorch exporter writes for three linear layers: Gemm with transposed weights, Relu between
them, Softmax at the end, a batch dimension without a size. The first layer's weights are stored as
a list of numbers, the others as raw bytes, so that both ways are read.
"""

import os

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [16, 32, 24, 10]
rng = numpy.random.default_rng(4)

nodes, weights, value = [], [], "x"
for k, (inputs, outputs) in enumerate(zip(SIZES, SIZES[1:]), 1):
    w = (rng.standard_normal((outputs, inputs)) * (2 / inputs) ** 0.5).astype("f4")
    b = (rng.standard_normal(outputs) / 4).astype("f4")
    for name, array in ("weight", w), ("bias", b):
        name = "fc%d.%s" % (k, name)
        weights.append(helper.make_tensor(name, TensorProto.FLOAT, array.shape, array.ravel())
                       if k == 1 else numpy_helper.from_array(array, name))
    made = "/fc%d/Gemm_output_0" % k
    nodes.append(helper.make_node("Gemm", [value, "fc%d.weight" % k, "fc%d.bias" % k], [made],
                                  name="/fc%d/Gemm" % k, alpha=1.0, beta=1.0, transB=1))
    value = made
    if k < 3:
        value = "/act%d/Relu_output_0" % k
        nodes.append(helper.make_node("Relu", [made], [value], name="/act%d/Relu" % k))
nodes.append(helper.make_node("Softmax", [value], ["y"], name="/Softmax", axis=1))

graph = helper.make_graph(
    nodes, "main_graph",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", SIZES[0]])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", SIZES[-1]])], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                          producer_name="make_mlp.py")
onnx.checker.check_model(model, full_check=True)
onnx.save(model, os.path.join(HERE, "mlp.onnx"))

x = rng.standard_normal((7, SIZES[0])).astype("f4")
session = onnxruntime.InferenceSession(os.path.join(HERE, "mlp.onnx"),
                                       providers=["CPUExecutionProvider"])
numpy.save(os.path.join(HERE, "mlp_x.npy"), x)
numpy.save(os.path.join(HERE, "mlp_y.npy"), session.run(None, {"x": x})[0])
