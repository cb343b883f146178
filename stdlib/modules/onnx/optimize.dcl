# PART of N parts of a list.
fn onnx_list_part(l: list, part: int, n: int) -> list {
  k = len(l)//n
  l[part*k:(part + 1)*k]
}

fn onnx_only(x: T[*S]) -> T where T: any { x[*[0 for n in S]] }

# What steps gave for each tensor, first all first things.
fn onnx_by_kind(steps: list) -> list { joined([[s[k] for s in steps] for k in 0:len(steps[0])]) }

## One step of Adagrad (Duchi and others, 2011) for all of the tensors, their gradients and sums of
## squares: new tensors and sums.
fn onnx_adagrad(r: T[*_], t: i64[*_], xs: list; decay_factor: float = 0, epsilon: float = 1e-6,
    norm_coefficient: float = 0) -> list where T: float {
  x = onnx_list_part(xs, 0, 3)
  g = onnx_list_part(xs, 1, 3)
  h = onnx_list_part(xs, 2, 3)
  rate = onnx_only(r)/(1 + T(onnx_only(t))*decay_factor)
  onnx_by_kind([onnx_adagrad_step(rate, v, g[i], h[i], epsilon, norm_coefficient)
      for i, v in enumerate(x)])
}

fn onnx_adagrad_step(rate: T, x: T[*S], g: T[*S], h: T[*S], epsilon: float, norm: float) -> list
    where T: float {
  d = norm*x + g
  s = h + d*d
  [x - rate*d/(sqrt(s) + epsilon), s]
}

## One step of Adam (Kingma and Ba, 2015) for all of the tensors, their gradients, means and mean
## squares: new tensors, means and mean squares.
fn onnx_adam(r: T[*_], t: i64[*_], xs: list; alpha: float = 0.9, beta: float = 0.999,
    epsilon: float = 1e-6, norm_coefficient: float = 0, norm_coefficient_post: float = 0) -> list
    where T: float {
  x = onnx_list_part(xs, 0, 4)
  g = onnx_list_part(xs, 1, 4)
  v = onnx_list_part(xs, 2, 4)
  h = onnx_list_part(xs, 3, 4)
  n = T(onnx_only(t))
  c = onnx_only(r)
  later = c*sqrt(1 - exp(n*log(T(beta))))/(1 - exp(n*log(T(alpha))))
  rate = select(n > 0, later, c)
  onnx_by_kind([onnx_adam_step(rate, w, g[i], v[i], h[i], alpha, beta, epsilon, norm_coefficient,
      norm_coefficient_post) for i, w in enumerate(x)])
}

fn onnx_adam_step(rate: T, x: T[*S], g: T[*S], v: T[*S], h: T[*S], alpha: float, beta: float,
    epsilon: float, norm: float, post: float) -> list where T: float {
  d = norm*x + g
  m = alpha*v + (1 - alpha)*d
  s = beta*h + (1 - beta)*(d*d)
  [(1 - post)*(x - rate*(m/(sqrt(s) + epsilon))), m, s]
}

## One step of gradient descent with momentum, perhaps as Nesterov (1983) has it, for all of the
## tensors, their gradients and momenta: new tensors and momenta.
fn onnx_momentum(r: T[*_], t: i64[*_], xs: list;
    alpha: float, beta: float, mode: str, norm_coefficient: float) -> list where T: float {
  x = onnx_list_part(xs, 0, 3)
  g = onnx_list_part(xs, 1, 3)
  v = onnx_list_part(xs, 2, 3)
  b = select(onnx_only(t) > 0, T(beta), T(1))
  onnx_by_kind([onnx_momentum_step(onnx_only(r), b, w, g[i], v[i], alpha, mode, norm_coefficient)
      for i, w in enumerate(x)])
}

fn onnx_momentum_step(r: T, b: T, x: T[*S], g: T[*S], v: T[*S], alpha: float, mode: str,
    norm: float) -> list where T: float {
  d = norm*x + g
  m = alpha*v + b*d
  [if mode == "nesterov" { x - r*(d + alpha*m) } else { x - r*m }, m]
}
