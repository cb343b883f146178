# A filter finds the edges of an image, which a formula makes: a disc. Outside of the image `else 0`
# is read. `show_image` draws on the terminal, or into a file if it is given a path.
#   dcl run examples/small/edges.dcl

## A white disc on black, n x n.
fn disc(n: int) -> y: f32[n, n] {
  map i in n, j in n {
    a = f32(2 * i + 1 - n)
    b = f32(2 * j + 1 - n)
    y[i, j] = select(a * a + b * b < f32(n * n // 2), 1.0, 0.0)
  }
}

## The sum of the pixels around each one, weighed by w.
fn filter(x: f32[H, W], w: f32[R, S]) -> y: f32[H, W] {
  map i in H, j in W, r in R, s in S {
    y[i, j] += w[r, s] * x[i + r - R // 2, j + s - S // 2, else 0]
  }
}

## How steep the image is at each pixel: Sobel's two filters.
fn edges(x: f32[H, W]) -> f32[H, W] {
  across = stack([stack([-1.0, 0, 1]), stack([-2.0, 0, 2]), stack([-1.0, 0, 1])])
  a = filter(x, across)
  b = filter(x, transpose(across))
  min(1, sqrt(a * a + b * b))
}

x = disc(12)
show_image(x)
show_image(edges(x))
print("edge pixels:", sum(edges(x)))
