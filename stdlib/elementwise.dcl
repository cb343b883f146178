## max(0, x), element by element; at 0 its derivative is 0.
fn relu(x: T[*S]) -> y: T[*S] where T: number {
  map *i in S { y[*i] = max(0, x[*i]) }
}

## 1 / (1 + exp(-x)), element by element.
fn sigmoid(x: T[*S]) -> y: T[*S] where T: float {
  map *i in S { y[*i] = 1 / (1 + exp(-x[*i])) }
}

## a + b with NumPy's broadcast.
fn add(a: T[*S], b: T[*S]) -> c: T[*S] where T: number {
  map *i in S { c[*i] = a[*i] + b[*i] }
}

## a - b with NumPy's broadcast.
fn sub(a: T[*S], b: T[*S]) -> c: T[*S] where T: number {
  map *i in S { c[*i] = a[*i] - b[*i] }
}

## a * b with NumPy's broadcast.
fn mul(a: T[*S], b: T[*S]) -> c: T[*S] where T: number {
  map *i in S { c[*i] = a[*i] * b[*i] }
}

## a / b with NumPy's broadcast.
fn div(a: T[*S], b: T[*S]) -> c: T[*S] where T: float {
  map *i in S { c[*i] = a[*i] / b[*i] }
}
