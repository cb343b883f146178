"""export_cases.py: programs that export.py exports: name -> (text, entry, inputs, more options).
An input is (type, shape, bound); a size of the shape is a number, or a name and the number of the
run."""

F, I = "f32", "i64"
N, S = ("N", 3), ("S", 5)

# What dcl import refuses, by a part of what it tells.
RANGE = "(Range, version 18, domain ai.onnx): its input "
NOT_IMPORTED = {"gpt2, a word more": RANGE, "a size from data": RANGE}

RESOLUTIONS = """
fn f(a: f32[N, K]) -> (s: f32[N], p: f32[K], m: f32, l: f32[K], b: bool[N], c: bool[K]) {
  map n in N, k in K {
    s[n] += a[n, k]
    p[k] prod= a[n, k]
    m max= a[n, k]
    l[k] min= a[n, k]
    b[n] and= a[n, k] < 1
    c[k] or= a[n, k] > 1
  }
}
"""

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
    "bert, opset 17": ('use "MODELS/bert.dcl"\nnet = Bert(50, 20, 2, 24, 3, 40)', "net",
                       {"ids": (I, [2, 5], 50)}, ("--opset", "17")),
    "efficientnet, opset 21": ('use "MODELS/efficientnet.dcl"\nnet = EfficientNet(classes = 5)',
                               "net", {"x": (F, [1, 3, 32, 32])}, ("--opset", "21")),
    "gpt2": ('use "MODELS/gpt2.dcl"\nnet = GPT2(50, 20, 2, 24, 3)', "net",
             {"ids": (I, [N, 7], 50)}),
    "gpt2, any length": ('use "MODELS/gpt2.dcl"\nnet = GPT2(50, 20, 2, 24, 3)', "net",
                         {"ids": (I, [N, S], 50)}),
    "gpt2, a word more": ('use "MODELS/gpt2.dcl"\nnet = GPT2(50, 20, 2, 24, 3)', "net.next",
                          {"ids": (I, [N, 1], 50), "at": (I, [], 6, 5),
                           "keys": (F, [2, N, 3, ("P", 7), 8]),
                           "values": (F, [2, N, 3, ("P", 7), 8])}),
    "vit": ('use "MODELS/vit.dcl"\nnet = ViT(24, 8, 12, 2, 3, 5)', "net",
            {"x": (F, [N, 3, 24, 24])}),
    "mixer": ('use "MODELS/mixer.dcl"\nnet = MlpMixer(24, 8, 12, 2, 5)', "net",
              {"x": (F, [N, 3, 24, 24])}),
    "lstm": ('use "MODELS/lstm.dcl"\nnet = WordModel(30, 6)', "net", {"ids": (I, [5, N], 30)}),
    "dlrm": ('use "MODELS/dlrm.dcl"\nnet = DLRM([7, 9, 5], 4, 6, [8], [9, 6])', "net",
             {"x": (F, [N, 6]), "ids": (I, [N, 3], 5)}),
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
    # --- maps ---
    "transposed read": ("""
fn f(x: f32[N, M], z: f32[M, N]) -> y: f32[N, M] { map i, j { y[i, j] = x[i, j] - z[j, i] * 2 } }
""", "f", {"x": (F, [("N", 3), ("M", 4)]), "z": (F, [("M", 4), ("N", 3)])}),
    "rows and columns": ("""
fn f(x: f32[N, M], a: f32[N], b: f32[M]) -> y: f32[M, N] {
  map i in N, j in M { y[j, i] = x[i, j] / (a[i] * a[i] + 1) + b[j] }
}
""", "f", {"x": (F, [N, ("M", 4)]), "a": (F, [N]), "b": (F, [("M", 4)])}),
    "middle axis missing": ("""
fn f(x: f32[N, K, M], a: f32[N, M]) -> y: f32[N, K, M] {
  map i in N, k in K, j in M { y[i, k, j] = max(x[i, k, j], a[i, j]) }
}
""", "f", {"x": (F, [N, 2, ("M", 4)]), "a": (F, [N, ("M", 4)])}),
    "unit dimensions": ("""
fn f(x: f32[N, 1, M], a: f32[1, K, 1]) -> f32[N, K, M] { x * a - a }
""", "f", {"x": (F, [N, 1, 4]), "a": (F, [1, 5, 1])}),
    "a product as einsum": ("""
fn f(a: f32[N, K, M], b: f32[K, M, L]) -> y: f32[L, N] {
  map n in N, l in L, k in K, m in M { y[l, n] += a[n, k, m] * b[k, m, l] }
}
""", "f", {"a": (F, [N, 4, 2]), "b": (F, [4, 2, 6])}),
    "a sum of squares": ("""
fn f(a: f32[N, K]) -> y: f32[N] { map n in N, k in K { y[n] += a[n, k] * a[n, k] } }
""", "f", {"a": (F, [N, ("K", 4)])}),
    "sums with a start": ("""
fn f(a: f32[N, K], b: f32[N]) -> y: f32[N] {
  y = b
  map n in N, k in K { y[n] += a[n, k] }
  map n in N, k in K { y[n] += b[n] }
  map n in N, k in K { y[n] max= a[n, k] }
}
""", "f", {"a": (F, [N, ("K", 4)]), "b": (F, [N])}),
    "all resolutions": (RESOLUTIONS, "f", {"a": (F, [N, ("K", 4)])}),
    "all resolutions, opset 17": (RESOLUTIONS, "f", {"a": (F, [N, ("K", 4)])}, ("--opset", "17")),
    "half sums": ("""
fn f(a: f16[N, K]) -> s: f16[N] { map n in N, k in K { s[n] += a[n, k] } }
""", "f", {"a": ("f16", [N, 4])}),
    "slices in steps": ("""
fn f(x: f32[9, M]) -> y: f32[3, M] { map i in 3, j in M { y[i, j] = x[2*i + 1, j] + x[8 - i, j] } }
""", "f", {"x": (F, [9, ("M", 4)])}),
    "a range in steps": ("""
fn f(x: f32[9, M]) -> y: f32[9, M] {
  y = 0
  map i in 1:9:3, j in M { y[i, j] = x[i, j] * f32(i) }
}
""", "f", {"x": (F, [9, 4])}),
    "neighbours": ("""
fn f(x: f32[N, 7]) -> y: f32[N, 7] {
  map i in N, j in 7 { y[i, j] = x[i, j - 1, else 0] - 2*x[i, j] + x[i, j + 1, else -1] }
}
""", "f", X | {"x": (F, [N, 7])}),
    "neighbours of any number": ("""
fn f(x: f32[N, M]) -> y: f32[N, M] {
  map i in N, j in M { y[i, j] = x[i, j - 1, else 0] - 2*x[i, j] + x[i, j + 1, else -1] }
}
""", "f", {"x": (F, [N, ("M", 7)])}),
    "the diagonal": ("""
fn f(x: f32[N, N, M]) -> y: f32[N, M] { map i in N, j in M { y[i, j] = x[i, i, j] } }
""", "f", {"x": (F, [5, 5, 3])}),
    "the diagonal of any size": ("""
fn f(x: f32[N, N, M]) -> y: f32[N, M] { map i in N, j in M { y[i, j] = x[i, i, j] } }
""", "f", {"x": (F, [("N", 5), ("N", 5), ("M", 3)])}),
    "folded subscripts": ("""
fn f(x: f32[12]) -> y: f32[3, 4] { map i in 3, j in 4 { y[i, j] = x[(4*i + 3*j) % 12] } }
""", "f", {"x": (F, [12])}),
    "windows": ("""
fn f(x: f32[N, 8]) -> y: f32[N, 6, 3] { map n in N, i in 6, j in 3 { y[n, i, j] = x[n, i + j] } }
""", "f", {"x": (F, [N, 8])}),
    "positions from data": ("""
fn f(x: f32[N, M], k: i64[N, L]) -> y: f32[N, L] {
  map n in N, l in L {
    i << k[n, l]
    y[n, l] = x[n, i]
  }
}
""", "f", {"x": (F, [N, 4]), "k": (I, [N, 6], 4)}),
    "two positions from data": ("""
fn f(x: f32[5, M, 4], k: i64[L], q: i64[L]) -> y: f32[M, L] {
  map m in M, l in L {
    i << k[l]
    j << q[l]
    y[m, l] = x[i, m, j]
  }
}
""", "f", {"x": (F, [5, ("M", 3), 4]), "k": (I, [("L", 6)], 5), "q": (I, [("L", 6)], 4)}),
    "two rows from data": ("""
fn f(x: f32[5, 3], k: i64[L], q: i64[M]) -> y: f32[M, L] {
  map m in M, l in L {
    i << k[l]
    j << q[m]
    y[m, l] = x[i, j]
  }
}
""", "f", {"x": (F, [5, 3]), "k": (I, [("L", 6)], 5), "q": (I, [("M", 4)], 3)}),
    "positions that may be outside": ("""
fn f(x: f32[N], k: i64[L]) -> y: f32[L] {
  map l in L {
    i << k[l]
    y[l] = x[i - 1, else 7]
  }
}
""", "f", {"x": (F, [("N", 4)]), "k": (I, [("L", 9)], 7, -2)}),
    "a histogram": ("""
fn f(k: i64[N], w: f32[N]) -> y: f32[6] {
  map n in N {
    i << k[n]
    w[n] >> y[i] (sum)
  }
}
""", "f", {"k": (I, [("N", 20)], 6), "w": (F, [("N", 20)])}),
    "a histogram that drops": ("""
fn f(k: i64[N], w: f32[N]) -> y: f32[4] {
  map n in N {
    i << k[n]
    w[n] >> y[i - 1, else _] (sum)
  }
}
""", "f", {"k": (I, [("N", 20)], 7, -2), "w": (F, [("N", 20)])}),
    "largest by group": ("""
fn f(k: i64[N], w: f32[N, M]) -> y: f32[M, 5] {
  y = -9
  map n in N, m in M {
    i << k[n]
    w[n, m] >> y[m, i] (max)
  }
}
""", "f", {"k": (I, [("N", 20)], 5), "w": (F, [("N", 20), ("M", 3)])}),
    "scatter_add along the first axis": ("""
fn f(x: f32[5, 4], k: i64[5, 4]) -> f32[5, 4] { scatter_add(x * 0, k, x, axis = 0) }
""", "f", {"x": (F, [5, 4]), "k": (I, [5, 4], 5)}),
    "scatter_add of any size": ("""
fn f(x: f32[N, 4], k: i64[N, 4]) -> any { scatter_add(x, k, x) }
""", "f", {"x": (F, [N, 4]), "k": (I, [N, 4], 4)}),
    "scatter_add along a middle axis": ("""
fn f(x: f32[2, M, 4], k: i64[2, L, 4], v: f32[2, L, 4]) -> any { scatter_add(x, k, v, axis = 1) }
""", "f", {"x": (F, [2, ("M", 5), 4]), "k": (I, [2, ("L", 3), 4], 5),
           "v": (F, [2, ("L", 3), 4])}),
    "a place by row from data": ("""
fn f(x: f32[N, 4], k: i64[N]) -> y: f32[N, 4] {
  y = 2
  map n in N {
    i << k[n]
    y[n, i] = x[n, 3 - i]
  }
}
""", "f", {"x": (F, [N, 4]), "k": (I, [N], 4)}),
    "largest by two places from data": ("""
fn f(x: f32[N, 3, M], k: i64[N, M], q: i64[3]) -> y: f32[M, 4, 5] {
  y = -9
  map n in N, c in 3, m in M {
    i << k[n, m]
    j << q[c]
    x[n, c, m] >> y[m, i, j] (max)
  }
}
""", "f", {"x": (F, [N, 3, ("M", 4)]), "k": (I, [N, ("M", 4)], 4), "q": (I, [3], 5)}),
    "parts written": ("""
fn f(x: f32[N, 4], b: f32[N]) -> y: f32[N, 9] {
  map i in N, j in 4 { y[i, 2*j] = x[i, j] }
  map i in N, j in 4 { y[i, 2*j + 1] = x[i, 3 - j] * 3 }
  map i in N { y[i, 8] = b[i] }
}
""", "f", {"x": (F, [N, 4]), "b": (F, [N])}),
    "writes that drop": ("""
fn f(x: f32[N, 4]) -> y: f32[N, 5] {
  y = 1
  map i in N, j in 4 { x[i, j] >> y[i, 2*j - 1, else _] }
  map i in N, j in 4 { x[i, j] >> y[i, j//2 + 4, else _] (sum) }
}
""", "f", {"x": (F, [N, 4])}),
    "a triangle": ("""
fn f(x: f32[5, 5, M]) -> y: f32[5, 5, M] {
  y = 0
  map i in 5, j in 0:i + 1, m in M { y[i, j, m] = x[j, i, m] }
}
""", "f", {"x": (F, [5, 5, ("M", 3)])}),
    "sums over a triangle": ("""
fn f(x: f32[5, 5]) -> (y: f32[5], z: f32[9]) {
  map i in 5, j in i:5 {
    y[i] += x[i, j]
    z[i + j] += x[i, j]
  }
}
""", "f", {"x": (F, [5, 5])}),
    "pairs": ("""
fn f(x: f32[N, 5]) -> y: f32[N, 10] {
  map n in N, i in 5, j in 0:i { y[n, i*(i - 1)//2 + j] = x[n, i] * x[n, j] }
}
""", "f", {"x": (F, [N, 5])}),
    # --- what is declared and decided in maps ---
    "a container in a map": ("""
fn f(x: f32[N, M]) -> y: f32[N] {
  map i in N {
    best: f32 = -inf
    at: i64 = 0
    total: f32[M] = 0
    map j in M {
      best max= x[i, j]
      total[j] += 2*x[i, j]
    }
    y[i] = best + total[1]
  }
}
""", "f", {"x": (F, [N, 4])}),
    "a loop in a map": ("""
fn f(x: f32[N, 5]) -> y: f32[N, 5] {
  map i in N {
    s: f32[5]
    last = f32(0)
    for t in 0:5 {
      last = 0.5*last + x[i, t]
      s[t] = last
    }
    map j in 5 { y[i, j] = s[4 - j] }
  }
}
""", "f", {"x": (F, [N, 5])}),
    "branches on elements": ("""
fn f(x: f32[N, M]) -> y: f32[N, M] {
  y = 0
  map i in N, j in M {
    if x[i, j] > 0 {
      y[i, j] = sqrt(x[i, j])
      if x[i, j] > 1 { y[i, j] = 7 }
    } else {
      if x[i, j] < -1 { y[i, j] = -7 }
    }
  }
}
""", "f", {"x": (F, [N, ("M", 4)])}),
    "a branch on a whole": ("""
fn f(x: f32[N, M]) -> f32[N, M] {
  s = sum(x)
  if s > 0 {
    x = x * 2
  } else {
    x = x - s
  }
  x
}
""", "f", {"x": (F, [N, ("M", 4)])}),
    "a branch that is decided": ("""
fn f(x: f32[N]) -> f32[N] {
  s = f32(2)
  y = if s > 1 { x * 2 } else { x - 1 }
  if bool(0) { y = y + 1 }
  y
}
""", "f", {"x": (F, [("N", 9)])}),
    "values of branches": ("""
fn f(x: f32[N]) -> (y: f32[N], n: i64) {
  map i { y[i] = if x[i] < 0 { exp(x[i]) } else { 1 + x[i] } }
  map i { if x[i] < 0 { 1 >> n (sum) } }
}
""", "f", {"x": (F, [("N", 9)])}),
    "matrix products in a map": ("""
fn f(x: f32[N, 3, 4], w: f32[4, 2]) -> y: f32[N, 3, 2] {
  map n in N { y[n, :, :] = x[n, :, :] @ w }
}
""", "f", {"x": (F, [N, 3, 4]), "w": (F, [4, 2])}),
    # --- scalars ---
    "integers": ("""
fn f(a: i64[N], b: i64[N]) -> (q: i64[N], r: i64[N], m: i64[N], s: f32[N]) {
  map i { q[i] = a[i] // b[i];  r[i] = a[i] % b[i];  m[i] = abs(a[i] - b[i]) * 2 }
  map i { s[i] = f32(a[i]) / f32(b[i]) }
}
""", "f", {"a": (I, [("N", 20)], 9, -9), "b": (I, [("N", 20)], 5, 1)}),
    "negative divisors": ("""
fn f(a: i64[N], b: i64[N]) -> (q: i64[N], r: i64[N]) {
  map i { q[i] = a[i] // b[i];  r[i] = a[i] % b[i] }
}
""", "f", {"a": (I, [("N", 20)], 9, -9), "b": (I, [("N", 20)], 0, -5)}),
    "casts": ("""
fn f(x: f32[N]) -> (a: i32[N], b: bool[N], c: f64[N], d: u8[N]) {
  map i { a[i] = i32(4*x[i]);  b[i] = bool(x[i]);  c[i] = f64(x[i]) / 3;  d[i] = u8(abs(9*x[i])) }
}
""", "f", {"x": (F, [("N", 9)])}),
    "bits": ("""
fn f(a: u32[N], b: u32[N]) -> y: u32[N] {
  map i { y[i] = bit_xor(shl(bit_and(a[i], 255), 3), bit_or(shr(a[i], 1), bit_not(b[i]))) }
}
""", "f", {"a": ("u32", [9], 1000), "b": ("u32", [9], 1000)}),
    "indices as numbers": ("""
fn f(x: f32[N, M]) -> y: f32[N, M] { map i, j { y[i, j] = x[i, j] * f32(i) - f32(j*N + i) } }
""", "f", {"x": (F, [N, ("M", 4)])}),
    "sizes as numbers": ("""
fn f(x: f32[N, M]) -> (y: f32[N], n: i64) {
  map i, j { y[i] += x[i, j] / f32(M) }
  n = N * M + 1
}
""", "f", {"x": (F, [N, ("M", 4)])}),
    "run-time numbers": ("""
fn f(x: f32[N], a: f32, k: i64) -> y: f32[N] { map i { y[i] = a * x[i] + f32(k) + x[k] } }
""", "f", {"x": (F, [("N", 4)]), "a": (F, []), "k": (I, [], 4)}),
    "a rounded number": ("""
fn f(x: f32[N]) -> y: f32[N] { map i { y[i] = round(4*x[i]) + floor(x[i]) ** 2 - tanh(x[i]) } }
""", "f", {"x": (F, [("N", 9)], 3)}),
    "roll of nothing": ("fn f(x: f32[N, 6]) -> any { roll(x, 1) }", "f", {"x": (F, [("N", 0), 6])}),
    "roll": ("fn f(x: f32[N, M]) -> any { roll(roll(x, 2), -1, axis = 1) }", "f",
             {"x": (F, [("N", 3), ("M", 4)])}),
    # --- the library, with arguments that are not the defaults ---
    "pools": ("""
fn f(x: f32[N, C, 9, 7]) -> (any, any) {
  (max_pool(x, [3, 2], stride = [2, 1], pad = [1, 0], dilation = [1, 2]),
      avg_pool(x, 3, stride = 2, pad = 1))
}
""", "f", {"x": (F, [N, 2, 9, 7])}),
    "convolutions": ("""
fn f(x: f32[N, 4, 9, 7], w: f32[6, 2, 3, 2], v: f32[4, 3, 2, 3]) -> (any, any) {
  (conv(x, w, stride = [2, 1], pad = [1, 2], dilation = [1, 2], groups = 2),
      conv_transpose(x, v, stride = [2, 1], pad = [0, 1], dilation = [2, 1], extra = [1, 0]))
}
""", "f", {"x": (F, [N, 4, 9, 7]), "w": (F, [6, 2, 3, 2]), "v": (F, [4, 3, 2, 3])}),
    "a convolution of any size": ("""
fn f(x: f32[N, 3, H, W], w: f32[4, 3, 3, 3]) -> any { conv2d(x, w, stride = 2, pad = 1) * 2 }
""", "f", {"x": (F, [N, 3, ("H", 9), ("W", 8)]), "w": (F, [4, 3, 3, 3])}),
    "biases": ("""
fn f(x: f32[N, 4, _], w: f32[6, 2, 3], b: f32[6], v: f32[4, 3, 2], c: f32[6], p: f32[N, 4],
    q: f32[5, 4], r: f32[5], s: f32[4, 5]) -> (any, any, any, any, any) {
  z = conv_transpose(x, v, stride = 2, groups = 2)
  y: f32[*z.shape]
  map n, i, j { y[n, i, j] = c[i] + z[n, i, j] }
  (add_channels(conv(x, w, groups = 2, pad = 1), b), y, p @ q.T + r, r + p @ s,
      i32(p) @ i32(s) + i32(r))
}
""", "f", {"x": (F, [N, 4, ("L", 5)]), "w": (F, [6, 2, 3]), "b": (F, [6]), "v": (F, [4, 3, 2]),
           "c": (F, [6]), "p": (F, [N, 4]), "q": (F, [5, 4]), "r": (F, [5]), "s": (F, [4, 5])}),
    "what is no bias": ("""
fn f(x: f32[N, 4, 4], w: f32[4, 4, 1], b: f32[4], u: f32[1], p: f32[4, 3], q: f32[3, 4])
    -> (any, any, any, any, any, any, any) {
  y = conv(x, w)
  m = p @ q
  (y, add_channels(y, b), conv(x, w * 2) + b, conv(x, w * 3) + u, m + unsqueeze(b, 1),
      p @ (q * 2) + u, conv(x, w * 5) + unsqueeze(b, 0))
}
""", "f", {"x": (F, [N, 4, 4]), "w": (F, [4, 4, 1]), "b": (F, [4]), "u": (F, [1]), "p": (F, [4, 3]),
           "q": (F, [3, 4])}),
    "norms": ("""
fn f(x: f32[N, 4, M], g: f32[4], b: f32[4]) -> (any, any, any) {
  (instance_norm(x, g, b, eps = 0.1), group_norm(x, g, b, groups = 2, eps = 0.2),
      batch_norm(x, b, g * g, b, g, eps = 0.3))
}
""", "f", {"x": (F, [N, 4, ("M", 5)]), "g": (F, [4]), "b": (F, [4])}),
    "layer norm": ("""
fn f(x: f32[N, M, 4], g: f32[4], b: f32[4]) -> (any, any) {
  (layer_norm(x, g, b, eps = 0.1), rms_norm(x, g, eps = 0.2))
}
""", "f", {"x": (F, [N, ("M", 5), 4]), "g": (F, [4]), "b": (F, [4])}),
    "shapes": ("""
fn f(x: f32[N, 4, 6]) -> (any, any, any, any, any) {
  (reshape(x, [N, 2, -1]), transpose(x, perm = [2, 0, 1]), unsqueeze(x, [0, -1]),
      flatten(x, start = 0, end = 1), broadcast_to(x[0, :, :], [2, 4, 6]))
}
""", "f", X3),
    "parts": ("""
fn f(x: f32[N, 4, 6]) -> (any, any, any, any, any) {
  (slice(x, start = 1, step = 2, axis = 2), x[:, 1:3, ::3], roll(x, 2, axis = -1),
      flip(x, axes = 1), repeat(x, 2, axis = 1))
}
""", "f", X3),
    "joints": ("""
fn f(x: f32[N, 4], z: f32[N, 2]) -> (any, any, any) {
  (concat([x, z, x], axis = 1), stack([x, x * 2], axis = 1), tile(z, [2, 3]))
}
""", "f", {"x": (F, [N, 4]), "z": (F, [N, 2])}),
    "reductions": ("""
fn f(x: f32[N, 4, M]) -> (any, any, any, any, any, any) {
  (sum(x, axes = [0, 2]), mean(x, axes = 1, keepdims = true), var(x, axes = -1, correction = 1),
      logsumexp(x, axes = 1), argmax(x, axis = 1), norm(x, ord = 1, axes = 0))
}
""", "f", {"x": (F, [N, 4, ("M", 5)])}),
    "sorted": ("""
fn f(x: f32[N, 6]) -> (any, any, any, any) {
  v, k = topk(x, 3, axis = 1, largest = false)
  (v, k, cumsum(x, axis = 0, reverse = true), argsort(x, axis = 0, descending = true))
}
""", "f", X),
    "one of two results": ("""
fn f(x: f32[N, 6]) -> (any, any) { (topk(x, 3)[0], sort(x, axis = 0)[1]) }
""", "f", X),
    "one of three results": ("""
fn f(x: f32[L, B, 4], w: f32[12, 4], u: f32[12, 3], b: f32[12], h: f32[B, 3]) -> any {
  lstm(x, w, u, b, h, h)[1]
}
""", "f", {"x": (F, [("L", 5), N, 4]), "w": (F, [12, 4]), "u": (F, [12, 3]), "b": (F, [12]),
           "h": (F, [N, 3])}),
    "found, and what is computed of it": ("""
fn f(x: f32[N, 6]) -> any {
  v = masked(x, x > 0)
  concat([v * 2, x[0, :]])
}
""", "f", X),
    "causal attention": ("""
fn f(q: f32[N, 2, S, 4], k: f32[N, 2, L, 4], v: f32[N, 2, L, 3]) -> any {
  attention(q, k, v, causal = true, scale = 0.3)
}
""", "f", {"q": (F, [N, 2, ("S", 3), 4]), "k": (F, [N, 2, ("L", 5), 4]),
           "v": (F, [N, 2, ("L", 5), 3])}),
    "gru": ("""
fn f(x: f32[L, B, 4], w: f32[9, 4], u: f32[9, 3], p: f32[9], q: f32[9], h: f32[B, 3], n: i64[B])
    -> (f32[L, B, 3], f32[B, 3]) {
  gru(x, w, u, p, q, h, n, reverse = true)
}
""", "f", {"x": (F, [("L", 5), N, 4]), "w": (F, [9, 4]), "u": (F, [9, 3]), "p": (F, [9]),
           "q": (F, [9]), "h": (F, [N, 3]), "n": (I, [N], 6, 1)}),
    "lstm with lengths": ("""
fn f(x: f32[L, B, 4], w: f32[12, 4], u: f32[12, 3], b: f32[12], h: f32[B, 3], c: f32[B, 3],
    n: i64[B]) -> (f32[L, B, 3], f32[B, 3], f32[B, 3]) {
  lstm(x, w, u, b, h, c, n)
}
""", "f", {"x": (F, [("L", 5), N, 4]), "w": (F, [12, 4]), "u": (F, [12, 3]), "b": (F, [12]),
           "h": (F, [N, 3]), "c": (F, [N, 3]), "n": (I, [N], 6, 1)}),
    "a tensor of the script": ("""
table: f32[3, 2] = 2
table[1, 0] = 5
layer Net {
  buffer scale: f32[2] = 3
  fn forward(x: f32[N, 2]) -> any { x * scale + 1 }
}
net = Net()
""", "net", {"x": (F, [N, 2])}),
    "a size from data": ("""
fn f(n: i64[N], x: f32[M]) -> (y: f32[?], z: f32) {
  k << n[0]
  y: f32[k]
  map i in k { y[i] = 2 * x[i] + f32(k) }
  z = sum(y)
}
""", "f", {"n": (I, [N], 7, 5), "x": (F, [("M", 9)])}),
    "sums of small integers": ("""
fn f(x: u8[N, M]) -> (y: u8[N], z: i32) {
  map i, j {
    y[i] += x[i, j]
    z += i32(x[i, j])
  }
}
""", "f", {"x": ("u8", [N, 4], 255)}),
    "what is inout": ("""
fn f(inout a: f32[N, 3], b: f32[3], inout k: i64[N]) -> f32 {
  a[1, :] = b * 2
  map i { k[i] += 1 }
  sum(a)
}
""", "f", {"a": (F, [N, 3]), "b": (F, [3]), "k": (I, [N])}),
    "the same result twice": ("""
fn f(x: f32[N]) -> (a: f32[N], b: f32[N], c: f32[N]) {
  a = x
  b = x
  c = x
}
""", "f", {"x": (F, [N])}),
    "nothing is computed": ("fn f(x: f32[N]) -> f32[N] { x }", "f", {"x": (F, [N])}),
    "constants only": ("fn f(x: f32[N]) -> y: f32[N, 2] { y = 5 }", "f", {"x": (F, [N])}),
    "empty, in another shape": ("""
fn f(x: f32[N, 3, 0], k: i64[N]) -> y: f32[N, 0] {
  map n in N, l in 0 { y[n, l] = x[n, k[n] % 3, l] }
}
""", "f", {"x": (F, [N, 3, 0]), "k": (I, [N])}),
    "empty": ("fn f(x: f32[N, 0]) -> y: f32[N] { map i in N, j in 0 { y[i] += x[i, j] } }", "f",
              {"x": (F, [N, 0])}),
}
