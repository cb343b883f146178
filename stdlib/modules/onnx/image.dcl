# Where element O of N_OUT lies among N, by the scale S: the coordinate of ONNX's Resize.
fn onnx_coordinate(mode: str, o: i64, n: int, out: int, s: float, roi: list) -> f64 {
  k = f64(o)
  if mode == "half_pixel" { return (k + 0.5)/s - 0.5 }
  if mode == "half_pixel_symmetric" {
    return n/2*(1 - out/(s*n)) + (k + 0.5)/s - 0.5
  }
  if mode == "pytorch_half_pixel" { return if out > 1 { (k + 0.5)/s - 0.5 } else { f64(0) } }
  if mode == "align_corners" { return if s*n > 1 { k*((n - 1)/(s*n - 1)) } else { f64(0) } }
  if mode == "asymmetric" { return k/s }
  if mode == "tf_half_pixel_for_nn" { return (k + 0.5)/s }
  if mode == "tf_crop_and_resize" {
    return if out > 1 {
      roi[0]*(n - 1) + k*((roi[1] - roi[0])*(n - 1)/(out - 1))
    } else {
      f64(0.5*(roi[0] + roi[1])*(n - 1))
    }
  }
  error("there is no mode", mode)
  f64(0)
}

# The index that a coordinate is rounded to.
fn onnx_nearest(mode: str, x: f64) -> i64 {
  if mode == "round_prefer_floor" { return i64(ceil(x - 0.5)) }
  if mode == "round_prefer_ceil" { return i64(floor(x + 0.5)) }
  if mode == "floor" { return i64(floor(x)) }
  i64(ceil(x))
}

# The weight of an element at the distance D from a coordinate.
fn onnx_tap(d: f64; mode: str, a: float) -> f64 {
  t = abs(d)
  if mode == "linear" { return max(0, 1 - t) }
  near = ((a + 2)*t - (a + 3))*t*t + 1
  far = ((a*t - 5*a)*t + 8*a)*t - 4*a
  select(t <= 1, near, select(t < 2, far, 0))
}

# x with N elements along axis A by the scale S.
fn onnx_resize_axis(x: T[*S], a: int, out: int, s: float, roi: list, mode: str, coordinates: str,
    nearest: str, antialias: int, cubic: float, exclude: int) -> y: T[*replaced(S, a, out)]
    where T: number {
  n = S[a]
  if mode == "nearest" {
    rounding = if nearest != "by_scale" { nearest } else if s < 1 { "ceil" } else { "floor" }
    map *b in replaced(S, a, out) {
      k = onnx_nearest(rounding, onnx_coordinate(coordinates, b[a], n, out, s, roi))
      at = min(max(k, 0), n - 1)
      y[*b] = x[*replaced(b, a, at)]
    }
  } else {
    wide = if antialias == 1 and s < 1 { s } else { 1.0 }
    reach = if mode == "linear" { 1 } else { 2 }
    first = fixed_whole(floor(-(reach/wide)) + 1)
    w: f64[out, 2 - 2*first]
    p: i64[out]
    t: f64[out]
    map o in out {
      c = onnx_coordinate(coordinates, o, n, out, s, roi)
      p[o] = i64(ceil(c)) - 1
      f = c - (ceil(c) - 1)
      for k in 0:2 - 2*first {
        v = onnx_tap((f64(k + first) - f)*wide, mode = mode, a = cubic)
        i = i64(ceil(c)) - 1 + k + first
        u = if exclude == 1 { select(i < 0 or i >= n, 0, v) } else { v }
        w[o, k] = u
        u >> t[o] (sum)
      }
    }
    r: f64[*replaced(S, a, out)]
    map *b in replaced(S, a, out), k in 2 - 2*first {
      i = p[b[a]] + k + first
      j = min(max(i, 0), n - 1)
      f64(x[*replaced(b, a, j)])*(w[b[a], k]/t[b[a]]) >> r[*b] (sum)
    }
    map *b in replaced(S, a, out) { y[*b] = T(r[*b]) }
  }
}

# x along the axes that are left, one after the other.
fn onnx_resize_axes(x: T[*S], left: list, mode: str, coordinates: str, nearest: str, antialias: int,
    cubic: float, exclude: int) -> T[*onnx_resized(S, left)] where T: number {
  if len(left) == 0 { return x }
  a, out, s, roi = left[0]
  y = onnx_resize_axis(x, a, out, s, roi, mode, coordinates, nearest, antialias, cubic, exclude)
  onnx_resize_axes(y, left[1:], mode, coordinates, nearest, antialias, cubic, exclude)
}

fn onnx_resized(S: list, left: list) -> list {
  if len(left) == 0 { return S }
  onnx_resized(replaced(S, left[0][0], left[0][1]), left[1:])
}

# (axis, size, scale, region) of the axes that change.
fn onnx_resize_plan(S: list, roi: list?, scales: list?, sizes: list?, axes: list?, policy: str,
    coordinates: str) -> list {
  at = if axes == none { range(len(S)) } else { axes_of(axes, len(S)) }
  by = if sizes == none or len(sizes) == 0 {
    scales
  } else {
    [onnx_resize_scale(S, at, sizes, i, policy) for i in 0:len(at)]
  }
  out = [onnx_resize_size(S[a], by[i], sizes, i, policy) for i, a in enumerate(at)]
  crop = coordinates == "tf_crop_and_resize"
  r = [if crop { (roi[i], roi[len(at) + i]) } else { (0.0, 1.0) } for i in 0:len(at)]
  [(a, out[i], 1.0*by[i], r[i]) for i, a in enumerate(at) if crop or by[i] != 1 or out[i] != S[a]]
}

fn onnx_resize_scale(S: list, at: list, sizes: list, i: int, policy: str) -> float {
  all = [sizes[k]/S[a] for k, a in enumerate(at)]
  if policy == "not_larger" {
    min(all)
  } else if policy == "not_smaller" {
    max(all)
  } else {
    all[i]
  }
}

fn onnx_resize_size(n: int, scale: float, sizes: list?, i: int, policy: str) -> int {
  if (sizes == none or len(sizes) == 0) and floor(scale) == scale { return n*fixed_whole(scale) }
  if (sizes == none or len(sizes) == 0) and floor(1/scale) == 1/scale {
    return n//fixed_whole(1/scale)
  }
  if sizes == none or len(sizes) == 0 { return fixed_whole(floor(n*scale)) }
  if policy == "stretch" { sizes[i] } else { fixed_whole(floor(n*scale + 0.5)) }
}

## x resized along axes, by scales or to sizes.
fn onnx_resize(x: T[*S], roi: list? = none, scales: list? = none, sizes: list? = none;
    antialias: int = 0, axes: list? = none, coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75, exclude_outside: int = 0, extrapolation_value: float = 0,
    keep_aspect_ratio_policy: str = "stretch", mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor")
    -> T[*onnx_resized(S, onnx_resize_plan(S, roi, scales, sizes, axes, keep_aspect_ratio_policy,
        coordinate_transformation_mode))] where T: number {
  plan = onnx_resize_plan(S, roi, scales, sizes, axes, keep_aspect_ratio_policy,
      coordinate_transformation_mode)
  y = onnx_resize_axes(x, plan, mode, coordinate_transformation_mode, nearest_mode, antialias,
      cubic_coeff_a, exclude_outside)
  if coordinate_transformation_mode == "tf_crop_and_resize" {
    onnx_extrapolated(y, S, plan, T(extrapolation_value))
  } else {
    y
  }
}

# y with V where a coordinate lies outside of what it was made of, of the shape S.
fn onnx_extrapolated(y: T[*R], S: list, plan: list, v: T) -> z: T[*R] where T: number {
  map *b in R { z[*b] = select(onnx_any_outside(b, S, plan), v, y[*b]) }
}

fn onnx_any_outside(b: list, S: list, plan: list) -> bool {
  if len(plan) == 0 { return false }
  a, out, s, roi = plan[0]
  c = onnx_coordinate("tf_crop_and_resize", b[a], S[a], out, s, roi)
  c < 0 or c > S[a] - 1 or onnx_any_outside(b, S, plan[1:])
}

## The same by scales alone, as it was before version 11: the nearest element is the next one where
## the image becomes smaller.
fn onnx_resize_10(x: T[*S], scales: list; mode: str = "nearest")
    -> T[*onnx_resized(S, onnx_resize_plan(S, none, scales, none, none, "stretch", "asymmetric"))]
    where T: number {
  onnx_resize(x, none, scales, none, mode = mode, coordinate_transformation_mode = "asymmetric",
      nearest_mode = "by_scale")
}

## The middle of x, or x with zeros around it.
fn onnx_center_crop_pad(x: T[*S], to: list; axes: list? = none)
    -> y: T[*onnx_center_shape(S, to, axes)] where T: number {
  R = onnx_center_shape(S, to, axes)
  map *b in R {
    y[*b] = x[*[k + (if S[i] >= R[i] { (S[i] - R[i])//2 } else { -((R[i] - S[i])//2) })
        for i, k in enumerate(b)], else 0]
  }
}

fn onnx_center_shape(S: list, to: list, axes: list?) -> list {
  at = if axes == none { range(len(S)) } else { axes_of(axes, len(S)) }
  [onnx_first_or([to[k] for k, a in enumerate(at) if a == i], n) for i, n in enumerate(S)]
}

fn onnx_first_or(l: list, n: int) -> int { if len(l) == 0 { n } else { l[0] } }

## Places in an image, from -1 to 1, that linear maps send the places of another one to.
fn onnx_affine_grid(theta: T[N, R, Q], size: list; align_corners: int = 0) -> y: T[N, *size[2:], R]
    where T: float {
  D = size[2:]
  map n in N, *i in D, r in R {
    y[n, *i, r] = onnx_affine(theta, n, r, i, D, align_corners)
  }
}

fn onnx_affine(theta: T[N, R, Q], n: i64, r: i64, i: list, D: list, align: int) -> T
    where T: float {
  at = [onnx_grid_place(i[len(D) - 1 - k], D[len(D) - 1 - k], align, T) for k in 0:len(D)]
  onnx_affine_sum(theta, n, r, at, 0)
}

fn onnx_affine_sum(theta: T[N, R, Q], n: i64, r: i64, at: list, k: int) -> T where T: float {
  if k == len(at) {
    theta[n, r, k]
  } else {
    theta[n, r, k]*at[k] + onnx_affine_sum(theta, n, r, at, k + 1)
  }
}

fn onnx_grid_place(i: i64, n: int, align: int, t: dtype) -> t {
  if align == 1 { t(i)*(2/max(n - 1, 1)) - 1 } else { (2*t(i) + 1)/n - 1 }
}

# The coordinate among N elements of a place from -1 to 1.
fn onnx_pixel(g: f64, n: int, align: int) -> f64 {
  if align == 1 { (g + 1)/2*(n - 1) } else { ((g + 1)*n - 1)/2 }
}

# A coordinate moved into LOW .. HIGH by reflection.
fn onnx_reflected(x: f64, low: float, high: float) -> f64 {
  w = high - low
  d = abs(x - low)
  k = fmod(d, f64(2*w))
  low + select(k > w, 2*w - k, k)
}

fn onnx_padded(x: f64, n: int, align: int, padding: str) -> f64 {
  low = if align == 1 { 0.0 } else { -0.5 }
  high = if align == 1 { n - 1.0 } else { n - 0.5 }
  if padding == "border" { return min(max(x, 0), n - 1.0) }
  if padding == "reflection" { return select(x < low or x > high, onnx_reflected(x, low, high), x) }
  x
}

# The index of a tap: -1 if it is outside and counts as zero.
fn onnx_tap_index(k: i64, n: int, align: int, padding: str) -> i64 {
  if padding == "zeros" { return select(k < 0 or k >= n, -1, k) }
  if padding == "border" { return min(max(k, 0), n - 1) }
  min(max(i64(round(onnx_padded(f64(k), n, align, padding))), 0), n - 1)
}

## x at the places of a grid, by the nearest element, linearly or cubic.
fn onnx_grid_sample(x: T[N, C, *S], grid: U[N, *O, R];
    align_corners: int = 0, mode: str = "linear", padding_mode: str = "zeros") -> y: T[N, C, *O]
    where T: float, U: float {
  kind_of = if mode == "nearest" {
    "nearest"
  } else if mode == "cubic" or mode == "bicubic" {
    "cubic"
  } else {
    "linear"
  }
  taps = if kind_of == "nearest" { 1 } else if kind_of == "linear" { 2 } else { 4 }
  w: f64[N, *O, len(S), taps]
  p: i64[N, *O, len(S), taps]
  for d, n in enumerate(S) {
    map b in N, *o in O {
      g = onnx_pixel(f64(grid[b, *o, len(S) - 1 - d]), n, align_corners)
      if kind_of == "nearest" {
        r = onnx_padded(round(g), n, align_corners, padding_mode)
        w[b, *o, d, 0] = 1
        p[b, *o, d, 0] = onnx_tap_index(i64(round(r)), n, align_corners, padding_mode)
      } else {
        c = onnx_padded(g, n, align_corners, padding_mode)
        for k in 0:taps {
          i = i64(floor(c)) + k - (taps//2 - 1)
          w[b, *o, d, k] = onnx_tap(f64(i) - c, mode = kind_of, a = -0.75)
          p[b, *o, d, k] = onnx_tap_index(i, n, align_corners, padding_mode)
        }
      }
    }
  }
  s: f64[N, C, *O]
  map b in N, c in C, *o in O, *k in [taps for n in S] {
    at = [p[b, *o, d, k[d]] for d in 0:len(S)]
    v << x[b, c, *at, else 0]
    f64(v)*onnx_product([w[b, *o, d, k[d]] for d in 0:len(S)]) >> s[b, c, *o] (sum)
  }
  map b in N, c in C, *o in O { y[b, c, *o] = T(s[b, c, *o]) }
}

fn onnx_product(l: list) -> f64 { if len(l) == 1 { l[0] } else { l[0]*onnx_product(l[1:]) } }

## Of boxes that overlap by more than a part of their union only the one with the best score: rows
## (batch, class, box), of each class at most `most`, the best first.
fn onnx_non_max_suppression(boxes: T[B, N, 4], scores: T[B, C, N], most: any = none,
    overlap: any = none, least: any = none; center_point_box: int = 0) -> y: i64[?, 3]
    where T: float {
  limit = if most == none { 0 } else { most }
  part = if overlap == none { 0.0 } else { overlap }
  for b in 0:B {
    for c in 0:C {
      left: bool[N] = true
      kept: bool[N] = false
      count: i64 = 0
      for t in 0:N {
        at: i64 = -1
        best: T = -inf
        for i in 0:N {
          if left[i] and scores[b, c, i] > best {
            best = scores[b, c, i]
            at = i
          }
        }
        if at >= 0 and count < limit {
          left[at] = false
          good: bool = if least == none { true } else { best > T(least) }
          for j in 0:N {
            if kept[j] {
              if onnx_box_overlap(boxes, b, at, j, center_point_box) > T(part) { good = false }
            }
          }
          if good {
            kept[at] = true
            count += 1
            row: i64[3]
            row[0] = b
            row[1] = c
            row[2] = at
            row >> y[?, :]
          }
        }
      }
    }
  }
}

# (y, x, y, x) of two opposite corners, or the middle (x, y), width and height.
fn onnx_box_side(boxes: T[B, N, 4], b: i64, n: i64, k: i64; center: int, high: int) -> T
    where T: float {
  if center == 1 {
    m = boxes[b, n, 1 - k]
    h = boxes[b, n, 3 - k]/2
    if high == 1 { m + h } else { m - h }
  } else {
    u = boxes[b, n, k]
    v = boxes[b, n, k + 2]
    if high == 1 { max(u, v) } else { min(u, v) }
  }
}

fn onnx_box_overlap(boxes: T[B, N, 4], b: i64, i: i64, j: i64, center: int) -> T where T: float {
  s = [[[onnx_box_side(boxes, b, n, k, center = center, high = h) for h in [0, 1]] for k in [0, 1]]
      for n in [i, j]]
  sides = [max(0, min(s[0][k][1], s[1][k][1]) - max(s[0][k][0], s[1][k][0])) for k in [0, 1]]
  common = sides[0]*sides[1]
  areas = [(s[n][0][1] - s[n][0][0])*(s[n][1][1] - s[n][1][0]) for n in [0, 1]]
  all = areas[0] + areas[1] - common
  select(all > 0, common/all, T(0))
}
