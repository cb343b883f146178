# A printed line is read: PaddleOCR's recognizer, as RapidOCR ships it, and two lines of a page.
# Run it with: dcl run line.dcl (README.md says what has to be fetched first)

rec = load("onnx-models/rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
    dims = [("x[0]", 1), ("x[2]", 48)])

## Where W begins in x.
fn find(x: u8[N], w: u8[M]) -> at: i64 {
  same: bool[N]
  map i in 0:N - M, k in 0:M { x[i + k] == w[k] >> same[i] (and) }
  at = argmax(i32(same))
}

# The model's file carries its characters, a line for each, behind the word `character` and four
# bytes. They are counted from 1: 0 is none of them, and the last stands for a blank.
file = load("onnx-models/rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", raw = u8)
word = u8(stack([99, 104, 97, 114, 97, 99, 116, 101, 114]))
letters = file[find(file, word) + 9 + 4:]
ends = concat([stack([-1]), nonzero(letters == 10)[:, 0]])

## A line of a page in grays, in the size and range that the model knows.
fn prepared(x: u8[H, W]) -> y: f32[1, 3, 48, 48*W//H] {
  gray = resize(reshape(f32(x), [1, 1, H, W]), [48, 48*W//H], mode = "linear")
  map c, i, j { y[0, c, i, j] = gray[0, 0, i, j] / 127.5 - 1 }
}

page = load("onnx-inputs/page.png")
for top, bottom in [(8, 37), (44, 70)] {
  likely = rec(prepared(page[top:bottom, :]))[0, :, :]
  best = argmax(likely)
  blank = likely.shape[1] - 1
  line = ""
  for t in 0:len(best) {
    k = best[t]
    if k > 0 and (t == 0 or k != best[max(t - 1, 0)]) {
      line = line + if k == blank { " " } else { text(letters[ends[k - 1] + 1:ends[k]]) }
    }
  }
  print(line)
}
