## a + b with NumPy's broadcast: shapes align from the right, a dimension of 1 stretches. What `a +
## b` of tensors means.
## `add(a, b)` with a: f32[2, 1] = [[1], [2]], b: f32[2] = [10, 20] is `[[11, 21], [12, 22]]`
fn add(a: T[*S], b: T[*S]) -> c: T[*S] where T: number {
  map *i in S { c[*i] = a[*i] + b[*i] }
}

## a - b with NumPy's broadcast.
## `sub(a, b)` with a: f32[2, 3], b: f32[3]
fn sub(a: T[*S], b: T[*S]) -> c: T[*S] where T: number {
  map *i in S { c[*i] = a[*i] - b[*i] }
}

## a * b with NumPy's broadcast.
## `mul(a, b)` with a: f32[2, 3], b: f32[3]
fn mul(a: T[*S], b: T[*S]) -> c: T[*S] where T: number {
  map *i in S { c[*i] = a[*i] * b[*i] }
}

## a / b with NumPy's broadcast; of floats only.
## `div(a, b)` with a: f32[2, 3], b: f32[2, 1] = [[2], [-4]]
fn div(a: T[*S], b: T[*S]) -> c: T[*S] where T: float {
  map *i in S { c[*i] = a[*i] / b[*i] }
}
