# Speech or not: Silero's detector hears a voice say "front center", and noise.
# Run it with: dcl run speech.dcl (README.md says what has to be fetched first)

## Every third sample of x behind a low pass: 48 kHz become 16 kHz.
fn third(x: f32[N]) -> y: f32[(N + 2)//3] {
  h: f32[97]
  map k { h[k] = sinc(f32(k - 48) / 3) * (0.5 + 0.5*cos(f32(k - 48) * 3.14159265 / 48)) / 3 }
  map i, k { y[i] += x[3*i + k - 48, else 0] * h[k] }
}

fn sinc(t: f32) -> f32 { if t == 0 { 1.0 } else { sin(3.14159265 * t) / (3.14159265 * t) } }

# The model hears 512 samples at a time, the last 64 before them, and what it remembers.
vad = load("onnx-models/silero_vad/data/silero_vad.onnx",
    dims = [("input[0]", 1), ("input[1]", 576), ("state[1]", 1)], set = [("sr", 16000)])

for file in ["Front_Center.wav", "Noise.wav"] {
  sound = third(f32(load("onnx-inputs/" + file)[:, 0]) / 32768)
  parts = len(sound) // 512
  heard: f32[1, 576]
  state: f32[2, 1, 128] = 0
  likely: f32[parts] = 0
  for k in 0:parts {
    map i in 0:576 { heard[0, i] = sound[512*k + i - 64, else 0] }
    p, state = vad(heard, state)
    likely[k] = p[0, 0]
  }
  print(file + ":", if max(likely) > 0.5 { "speech," } else { "no speech," }, "in",
      sum(i64(likely > 0.5)), "of", parts, "parts; at most", max(likely))
}
