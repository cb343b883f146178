## 3 x 3 convolution, stride 1, padding 1, in blocks of 16 channels: x[n, c//16, h, w, c%16],
## w[o//16, c//16, r, s, c%16, o%16]. Register tiles of `px` pixels of a row x 16 outputs.
fn conv3x3_blocked(x: f32[N, CB, H, W, 16], w: f32[OB, CB, 3, 3, 16, 16]; px: int = 4)
    -> y: f32[N, OB, H, W, 16] {
  map n in N parallel, ob in OB parallel, i in H parallel {
    map jo in 0:W:px {
      acc: f32[px, 16] in register = 0
      map cb in CB seq {
        map r in max(0, 1 - i):min(3, H + 1 - i) seq, s in 3 seq {
          map c in 16 unroll(4), j in px unroll, o in 16 vector {
            acc[j, o] += x[n, cb, i + r - 1, jo + j + s - 1, c, else 0] * w[ob, cb, r, s, c, o]
          }
        }
      }
      map j in px unroll, o in 16 vector { acc[j, o] >> y[n, ob, i, jo + j, o, else _] }
    }
  }
}
