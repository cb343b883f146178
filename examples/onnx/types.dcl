# What is in a file: Google's Magika looks at the first and the last kilobyte.
# Run it with: dcl run types.dcl (README.md says what has to be fetched first)

net = load("onnx-models/magika/models/standard_v3_3/model.onnx", dims = [("bytes[0]", 1)])

# The names of the types stand in the model's JSON file, in the only list before the first ].
json = load("onnx-models/magika/models/standard_v3_3/config.min.json", raw = u8)
names = json[argmax(i32(json == 91)) + 1:argmax(i32(json == 93))]
quotes = nonzero(names == 34)

fn blank(c: u8) -> bool { c == 32 or (c >= 9 and c <= 13) }

## Where x begins and ends without the blanks around it.
fn stripped(x: u8[N]) -> (from: i64, to: i64) {
  from = N
  to = 0
  for i in 0:N {
    if not blank(x[i]) {
      from = min(from, i)
      to = max(to, i + 1)
    }
  }
}

## The first 1024 bytes of x and the last ones, without blanks at the ends; 256 is what is missing.
fn features(x: u8[N]) -> y: i32[1, 2048] {
  head = x[:min(N, 4096)]
  tail = x[max(N - 4096, 0):]
  from, _ = stripped(head)
  _, to = stripped(tail)
  map i in 1024 {
    y[0, i] = if i + from < N { i32(head[i + from]) } else { 256 }
    y[0, 1024 + i] = if to - 1024 + i >= 0 { i32(tail[to - 1024 + i]) } else { 256 }
  }
}

for file in ["README.md", "fetch", "../digits/train.py", "../photo/chelsea.jpg",
    "../digits/digits.npz", "../../include/dcl.h", "onnx-inputs/page.png",
    "onnx-inputs/Noise.wav"] {
  p = net(features(load(file, raw = u8)))
  k = argmax(p[0, :])
  print(file + ":", text(names[quotes[2*k, 0] + 1:quotes[2*k + 1, 0]]), p[0, k])
}
