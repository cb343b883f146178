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
