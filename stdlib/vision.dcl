## Images, or what has any number of dimensions behind batch and channels, in another size. Modes:
## "nearest", "linear", "cubic" (Keys, 1981, with -0.75; -0.5 if smoothed); `antialias` averages
## where the image shrinks; `align_corners` keeps the outermost elements where they are.
## `resize(x, [4, 6], mode = "linear")` with x: f32[1, 2, 3, 3]
fn resize(x: T[N, C, *S], size: list; mode: str = "nearest", antialias: bool = false,
    align_corners: bool = false) -> T[N, C, *size] where T: float {
  if not (mode in ["nearest", "linear", "cubic"]) {
    error("mode is nearest, linear or cubic, not", mode)
  }
  if len(size) != len(S) { error(len(size), "sizes for", len(S), "dimensions") }
  for d in range(len(size)) {
    x = if mode == "nearest" {
      resize_nearest(x, d + 2, size[d])
    } else if antialias {
      resize_smooth(x, d + 2, size[d], mode == "cubic")
    } else {
      resize_sharp(x, d + 2, size[d], mode == "cubic", align_corners)
    }
  }
  x
}

# Dimension a in n elements: the element that each one falls into.
fn resize_nearest(x: T[*S], a: int, n: int) -> y: T[*replaced(S, a, n)] where T: float {
  map *b in *replaced(S, a, n) { y[*b] = x[*replaced(b, a, b[a]*S[a]//n)] }
}

# The weight of what lies t away: a triangle, or Keys' cubic (1981) with its parameter.
fn resize_weight(t: f32, cubic, p: float) -> f32 {
  d = abs(t)
  if cubic {
    near = ((p + 2)*d - (p + 3))*d*d + 1
    far = ((d - 5)*d + 8)*d*p - 4*p
    select(d < 1, near, select(d < 2, far, 0.0))
  } else {
    max(1 - d, 0.0)
  }
}

# Two or four elements around each place; beyond the edge the last one counts.
fn resize_sharp(x: T[*S], a: int, n: int, cubic, align_corners) -> y: T[*replaced(S, a, n)]
    where T: float {
  size = S[a]
  map *b in *replaced(S, a, n) {
    c = if align_corners {
      f32(b[a]) * (f32(size - 1) / f32(max(n - 1, 1)))
    } else {
      (f32(b[a]) + 0.5) * (f32(size) / f32(n)) - 0.5
    }
    at = if cubic { c } else { max(c, 0.0) }
    low = floor(at)
    s: T = 0
    for k in if cubic { [-1, 0, 1, 2] } else { [0, 1] } {
      i = min(max(i64(low) + k, 0), size - 1)
      s = s + x[*replaced(b, a, i)] * T(resize_weight(at - low - k, cubic, -0.75))
    }
    y[*b] = s
  }
}

# All elements of the stretch that becomes one, by their distance.
fn resize_smooth(x: T[*S], a: int, n: int, cubic) -> y: T[*replaced(S, a, n)] where T: float {
  size = S[a]
  map *b in *replaced(S, a, n) {
    scale = f32(size) / f32(n)
    wide = max(scale, 1.0)
    reach = wide * (if cubic { 2.0 } else { 1.0 })
    c = scale * (f32(b[a]) + 0.5)
    low = max(i64(c - reach + 0.5), 0)
    high = min(i64(c + reach + 0.5), size)
    s: T = 0
    w: T = 0
    for k in low:high {
      p = T(resize_weight((f32(k) - c + 0.5) / wide, cubic, -0.5))
      s = s + x[*replaced(b, a, k)] * p
      w = w + p
    }
    y[*b] = s / w
  }
}

## The area that boxes share over the area that they cover, for each of a with each of b; boxes are
## x0, y0, x1, y1. NaN of two without area.
## `box_iou(a, b)` with a: f32[1, 4] = [[0, 0, 2, 2]], b: f32[2, 4] = [[0, 0, 2, 1], [5, 5, 6, 6]]
## is `[[0.5, 0]]`
fn box_iou(a: T[M, 4], b: T[N, 4]) -> y: T[M, N] where T: float {
  map i in M, j in N {
    w = max(min(a[i, 2], b[j, 2]) - max(a[i, 0], b[j, 0]), 0)
    h = max(min(a[i, 3], b[j, 3]) - max(a[i, 1], b[j, 1]), 0)
    p = (a[i, 2] - a[i, 0]) * (a[i, 3] - a[i, 1])
    q = (b[j, 2] - b[j, 0]) * (b[j, 3] - b[j, 1])
    y[i, j] = w*h / (p + q - w*h)
  }
}

## Which boxes stay if, in the order of their scores, each one drops those that overlap it by more
## than `overlap`, the box_iou of the two.
## `nms(boxes, scores, overlap = 0.4)` with boxes: f32[3, 4] = [[0, 0, 2, 2], [0, 0, 2, 1], [5, 5,
## 6, 6]], scores: f32[3] = [0.5, 0.9, 0.1] is `[false, true, true]`
fn nms(boxes: T[N, 4], scores: T[N]; overlap: float) -> kept: bool[N] where T: float {
  order = argsort(scores, descending = true)
  shared = box_iou(boxes, boxes)
  kept = true
  for i in 0:N {
    a = order[i]
    if kept[a] {
      for j in i + 1:N {
        b = order[j]
        kept[b] = kept[b] and not (shared[a, b] > overlap)
      }
    }
  }
}

# The value of image n, channel c at a place between pixels; 0 more than a pixel outside.
fn bilinear(x: T[N, C, H, W], n: i64, c: i64, y: T, z: T) -> T where T: float {
  outside = y < -1 or y > T(H) or z < -1 or z > T(W)
  v = min(max(y, 0), T(H - 1))
  u = min(max(z, 0), T(W - 1))
  i = i64(floor(v))
  j = i64(floor(u))
  k = min(i + 1, H - 1)
  l = min(j + 1, W - 1)
  p = v - T(i)
  q = u - T(j)
  s = (1 - p)*(1 - q)*x[n, c, i, j] + (1 - p)*q*x[n, c, i, l] + p*(1 - q)*x[n, c, k, j] +
      p*q*x[n, c, k, l]
  select(outside, 0, s)
}

## The mean of `samples` x `samples` places in each cell of regions (image, x0, y0, x1, y1): He and
## others, "Mask R-CNN", 2017. A region times `scale` is in pixels of x; `aligned` shifts it by half
## a pixel. Places more than a pixel outside are 0.
## `roi_align(x, regions, size = [2, 2], scale = 0.5)` with x: f32[1, 2, 6, 6], regions: f32[1, 5] =
## [[0, 2, 2, 8, 9]]
fn roi_align(x: T[N, C, H, W], regions: T[K, 5]; size: list, scale: float = 1, samples: int = 2,
    aligned: bool = false) -> y: T[K, C, *size] where T: float {
  shift = if aligned { 0.5 } else { 0.0 }
  map k in K, c in C, i in size[0], j in size[1] {
    n = i64(regions[k, 0])
    x0 = regions[k, 1] * scale - shift
    y0 = regions[k, 2] * scale - shift
    w = regions[k, 3] * scale - shift - x0
    h = regions[k, 4] * scale - shift - y0
    w = if aligned { w } else { max(w, 1) }
    h = if aligned { h } else { max(h, 1) }
    s: T = 0
    for a in range(samples) {
      for b in range(samples) {
        v = y0 + (T(i) + (a + 0.5) / samples) * h / size[0]
        u = x0 + (T(j) + (b + 0.5) / samples) * w / size[1]
        s = s + bilinear(x, n, c, v, u)
      }
    }
    y[k, c, i, j] = s / (samples*samples)
  }
}
