# Two layers learn the exclusive or of two numbers, which one layer cannot: `minimize` takes the
# gradient of the loss and updates all params of the net.
#   dcl run examples/small/mlp.dcl

layer Net(hidden: int) {
  first = Linear(2, hidden)
  last = Linear(hidden, 1)
  fn forward(x: f32[B, 2]) -> f32[B, 1] { x |> first |> tanh |> last |> sigmoid }
}

## One step: the loss before it, and new weights.
fn step(net: Net, optimizer: Adam, x: f32[B, 2], y: f32[B, 1]) -> f32 {
  minimize bce(net(x), y) over net with optimizer
}

x = stack([stack([0.0, 0]), stack([0.0, 1]), stack([1.0, 0]), stack([1.0, 1])])
y = stack([stack([0.0]), stack([1.0]), stack([1.0]), stack([0.0])])
net = Net(8)
optimizer = Adam(net, rate = 0.05)
for round in 0:400 {
  loss = step(net, optimizer, x, y)
  if round % 100 == 0 { print("round", round, "loss", loss) }
}
print("learned:", round(net(x)) == y)
