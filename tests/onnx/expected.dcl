## Imported from mlp.onnx, opset 17, made by make_mlp.py.
## To run it: dcl run mlp.dcl --entry model --input x=x.npy
layer Model {
  fc1 = Linear(16, 32)
  fc2 = Linear(32, 24)
  fc3 = Linear(24, 10)

  fn forward(x: f32[batch, 16]) -> y: f32[batch, 10] {
    fc1_out = fc1(x)
    act1_relu = relu(fc1_out)
    fc2_out = fc2(act1_relu)
    act2_relu = relu(fc2_out)
    fc3_out = fc3(act2_relu)
    y = softmax(fc3_out, axis = 1)
  }
}

model = Model()
load(model, "mlp.safetensors")
