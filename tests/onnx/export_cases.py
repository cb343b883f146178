"""export_cases.py: programs that export.py exports: name -> (text, entry, inputs, more options).
An input is (type, shape, bound); a size of the shape is a number, or a name and the number of the
run."""

F, I = "f32", "i64"
N, S = ("N", 3), ("S", 5)

NETWORKS = {
    "mlp": ("""
layer Net(n: int) {
  a = Linear(7, n)
  b = Linear(n, 3)
  fn forward(x: f32[B, 7]) -> f32[B, 3] { x |> a |> relu |> b }
}
net = Net(5)
""", "net", {"x": (F, [("B", 4), 7])}),
    "digits": ("""
layer Net {
  conv1 = Conv2d(1, 16, 3, pad = 1)
  conv2 = Conv2d(16, 32, 3, pad = 1)
  fc1 = Linear(512, 64)
  fc2 = Linear(64, 10)
  fn forward(x: f32[N, 1, 8, 8]) -> f32[N, 10] {
    x |> conv1 |> relu |> conv2 |> relu |> max_pool(2) |> flatten |> fc1 |> relu |> fc2
  }
}
net = Net()
""", "net", {"x": (F, [N, 1, 8, 8])}),
    "resnet18": ('use "MODELS/resnet.dcl"\nnet = ResNet(BasicBlock, [1, 1, 1, 1], 1, classes = 7)',
                 "net", {"x": (F, [N, 3, 37, 45])}),
    "resnet50": ('use "MODELS/resnet.dcl"\nnet = ResNet(Bottleneck, [1, 2, 1, 1], 4, classes = 7)',
                 "net", {"x": (F, [2, 3, 40, 33])}),
    "mobilenet_v2": ('use "MODELS/mobilenet_v2.dcl"\nnet = MobileNetV2(classes = 5)', "net",
                     {"x": (F, [N, 3, 41, 35])}),
    "efficientnet": ('use "MODELS/efficientnet.dcl"\nnet = EfficientNet(classes = 5)', "net",
                     {"x": (F, [N, 3, 39, 43])}),
    "unet": ('use "MODELS/unet.dcl"\nnet = UNet(3, 2, width = 4)', "net",
             {"x": (F, [N, 3, 32, 48])}),
    "bert": ('use "MODELS/bert.dcl"\nnet = Bert(50, 20, 2, 24, 3, 40)', "net",
             {"ids": (I, [N, S], 50), "kinds": (I, [N, S], 2), "seen": ("bool", [N, S])}),
    "bert, ids only": ('use "MODELS/bert.dcl"\nnet = Bert(50, 20, 2, 24, 3, 40)', "net",
                       {"ids": (I, [N, S], 50)}),
    "gpt2": ('use "MODELS/gpt2.dcl"\nnet = GPT2(50, 20, 2, 24, 3)', "net",
             {"ids": (I, [N, 7], 50)}),
    "gpt2, any length": ('use "MODELS/gpt2.dcl"\nnet = GPT2(50, 20, 2, 24, 3)', "net",
                         {"ids": (I, [N, S], 50)}),
    "vit": ('use "MODELS/vit.dcl"\nnet = ViT(24, 8, 12, 2, 3, 5)', "net",
            {"x": (F, [N, 3, 24, 24])}),
    "mixer": ('use "MODELS/mixer.dcl"\nnet = MlpMixer(24, 8, 12, 2, 5)', "net",
              {"x": (F, [N, 3, 24, 24])}),
    "lstm": ('use "MODELS/lstm.dcl"\nnet = WordModel(30, 6)', "net", {"ids": (I, [5, N], 30)}),
    "wavenet": ('use "MODELS/wavenet.dcl"\nnet = WaveNet(6, 8, 3, 2, 10)', "net",
                {"x": (F, [N, 1, 19])}),
}

X = {"x": (F, [N, 6])}
X3 = {"x": (F, [N, 4, 6])}

FUNCTIONS = {
    "softmax": ("fn f(x: f32[N, M]) -> f32[N, M] { softmax(x * 2 + 1, axis = 0) }", "f", X),
    "lstm_step": ("""
fn f(z: f32[B, 12], c: f32[B, 3]) -> (f32[B, 3], f32[B, 3]) { lstm_step(z, c) }
""", "f", {"z": (F, [N, 12]), "c": (F, [N, 3])}),
    "lstm, all results": ("""
fn f(x: f32[L, B, 4], w: f32[12, 4], u: f32[12, 3], b: f32[12], h: f32[B, 3], c: f32[B, 3])
    -> (f32[L, B, 3], f32[B, 3], f32[B, 3]) {
  lstm(x, w, u, b, h, c, reverse = true)
}
""", "f", {"x": (F, [5, N, 4]), "w": (F, [12, 4]), "u": (F, [12, 3]), "b": (F, [12]),
           "h": (F, [N, 3]), "c": (F, [N, 3])}),
    "pad": ("fn f(x: f32[N, C, L]) -> any { pad(x, [[0, 0], [0, 0], [3, 0]]) }", "f", X3),
    "pad first": ("""
fn f(x: f32[N, C, L]) -> any { pad(x, [(1, 0), (0, 2), (3, 1)], value = 2) }
""", "f", X3),
    "dilated": ("fn f(x: f32[N, 4, L], w: f32[3, 4, 2]) -> any { conv(x, w, dilation = 2) }", "f",
                {"x": (F, [N, 4, 9]), "w": (F, [3, 4, 2])}),
    "two results": ("fn f(x: f32[N, 6]) -> (f32[N, 6], f32[N, 6]) { (x + 1, x * 2) }", "f", X),
}
