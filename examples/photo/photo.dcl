# Edges of a photograph: a JPEG is read, made gray, smoothed and filtered, with every read and write
# of an element said as a memlet; `photo-edges.png` is written into the current folder.
#   dcl run examples/photo/photo.dcl

## How bright each pixel is, from 0 to 1 (Rec. 601).
fn gray(photo: u8[H, W, 3]) -> y: f32[H, W] {
  map i in H, j in W {
    r << photo[i, j, 0]
    g << photo[i, j, 1]
    b << photo[i, j, 2]
    (0.299 * f32(r) + 0.587 * f32(g) + 0.114 * f32(b)) / 255 >> y[i, j]
  }
}

## The sum of the pixels around each one, weighed by w; beyond the edge they are 0.
fn filter(x: f32[H, W], w: f32[R, S]) -> y: f32[H, W] {
  map i in H, j in W, r in R, s in S {
    p << x[i + r - R // 2, j + s - S // 2, else 0]
    c << w[r, s]
    p * c >> y[i, j] (sum)
  }
}

## How steep x is at each pixel: Sobel's two filters.
fn steepness(x: f32[H, W]) -> y: f32[H, W] {
  across = stack([stack([-1.0, 0, 1]), stack([-2.0, 0, 2]), stack([-1.0, 0, 1])])
  a = filter(x, across)
  b = filter(x, transpose(across))
  map i in H, j in W {
    u << a[i, j]
    v << b[i, j]
    sqrt(u * u + v * v) >> y[i, j]
  }
}

fn pixels(x: f32[H, W]) -> y: u8[H, W] {
  map i in H, j in W {
    v << x[i, j]
    u8(round(255 * min(v, 1))) >> y[i, j]
  }
}

## Binomial weights, which sum to 1.
fn smoothing() -> w: f32[5, 5] {
  row = stack([1.0, 4, 6, 4, 1])
  map i in 5, j in 5 { w[i, j] = row[i] * row[j] / 256 }
}

photo = load("chelsea.jpg")
light = gray(photo)
edges = steepness(filter(light, smoothing()))
save("photo-edges.png", pixels(edges))
print("pixels:", photo.shape, "mean brightness:", round(100 * mean(light)) / 100)
print("of 100 pixels, so many are edges:", round(100 * mean(f32(edges > 0.25))))
