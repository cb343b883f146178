use onnx

## Imported from mlp.onnx, opset 17, made by make_mlp.py.
## To run it: dcl run mlp.dcl --entry model --input x=x.npy
layer Model {
  fc1 = Linear(16, 32)
  fc2 = Linear(32, 24)
  fc3 = Linear(24, 10)

  fn forward(x: f32[batch, 16]) -> y: f32[batch, 10] {
    fc1_gemm = gemm(x, fc1.weight, fc1.bias, transB = 1)
    act1_relu = relu(fc1_gemm)
    fc2_gemm = gemm(act1_relu, fc2.weight, fc2.bias, transB = 1)
    act2_relu = relu(fc2_gemm)
    fc3_gemm = gemm(act2_relu, fc3.weight, fc3.bias, transB = 1)
    y = softmax(fc3_gemm, axis = 1)
  }
}

model = Model()
load(model, "mlp.safetensors")
