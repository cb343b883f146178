# A network of two layers learns the digits of examples/digits by gradient descent.

layer Net(inputs: int, hidden: int, classes: int) {
  first = Linear(inputs, hidden)
  last = Linear(hidden, classes)
  fn forward(x: f32[B, inputs]) -> f32[B, classes] { x |> first |> relu |> last }
}

## One step: the loss before it, and new weights.
fn step(net: Net, optimizer: SGD, x: f32[B, _], y: i64[B]) -> f32 {
  minimize cross_entropy(net(x), y) over net with optimizer
}

## The part of the rows of x that net takes for what they are.
fn accuracy(net: Net, x: f32[B, _], y: i64[B]) -> f32 {
  guess = argmax(net(x))
  hits: f32 = 0
  map i in B { g << guess[i];  w << y[i];  select(g == w, 1.0, 0.0) >> hits (sum) }
  n << hits
  n / f32(B)
}

images = load("../digits/digits.npz", name = "x")
y = load("../digits/digits.npz", name = "y")
x = flatten(images)
net = Net(64, 32, 10)
optimizer = SGD(0.5)
for round in 0:200 {
  loss = step(net, optimizer, x, y)
  if round % 50 == 0 { print("round", round, "loss", loss) }
}
print("accuracy on the", len(y), "images it learned from:", accuracy(net, x, y))
