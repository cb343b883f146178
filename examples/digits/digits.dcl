# Handwritten digits: a small convolutional network reads images that it has never seen.
# Run it with: dcl run examples/digits/digits.dcl

layer Net {
  conv1 = Conv2d(1, 16, 3, pad = 1)
  conv2 = Conv2d(16, 32, 3, pad = 1)
  fc1 = Linear(512, 64)
  fc2 = Linear(64, 10)
  fn forward(x: f32[N, 1, 8, 8]) -> f32[N, 10] {
    x |> conv1 |> relu |> conv2 |> relu |> max_pool(2) |> flatten |> fc1 |> relu |> fc2
  }
}

## The share of the elements that are equal.
fn accuracy(a: i64[N], b: i64[N]) -> share: f32 {
  same: f32 = 0
  map i in N { select(a[i] == b[i], 1.0, 0.0) >> same (sum) }
  share = same / f32(N)
}

net = Net()
load(net, "digits.safetensors")

# 1,797 images; those whose index is divisible by 5 were left out of training.
x = load("digits.npz", name = "x")[::5, :, :, :]
y = load("digits.npz", name = "y")[::5]

logits = net(x)
read = argmax(logits)

print("the first ten images are", y[:10])
print("they were read as       ", read[:10])
print("accuracy on", len(y), "images:", accuracy(read, y))
