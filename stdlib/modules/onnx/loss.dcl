## Minus x at the class y, times its weight; nothing where y is ignore_index.
fn onnx_nll_loss(x: T[N, C, *D], y: I[N, *D], w: T[C]? = none;
    ignore_index: any = none, reduction: str = "mean") -> T[*loss_shape([N, *D], reduction)]
    where T: float, I: int {
  ones: T[C] = 1
  loss, weight = onnx_nll_parts(x, y, if w == none { ones } else { w }, ignore_index)
  if reduction == "none" { return loss }
  if reduction == "sum" { sum(loss) } else { sum(loss)/sum(weight) }
}

fn onnx_nll_parts(x: T[N, C, *D], y: I[N, *D], w: T[C], ignore)
    -> (loss: T[N, *D], weight: T[N, *D]) where T: float, I: int {
  map n in N, *d in D {
    k = i64(y[n, *d])
    skip = if ignore == none { false } else { k == ignore }
    j = select(skip, 0, k)
    v = select(skip, T(0), w[j])
    weight[n, *d] = v
    loss[n, *d] = select(skip, T(0), -x[n, j, *d]*v)
  }
}

## The same of log_softmax along the classes.
fn onnx_cross_entropy_loss(x: T[N, C, *D], y: I[N, *D], w: T[C]? = none;
    ignore_index: any = none, reduction: str = "mean") -> T[*loss_shape([N, *D], reduction)]
    where T: float, I: int {
  onnx_nll_loss(log_softmax(x, axis = 1), y, w, ignore_index = ignore_index, reduction = reduction)
}

## The same, and log_softmax itself.
fn onnx_cross_entropy_loss_more(x: T[N, C, *D], y: I[N, *D], w: T[C]? = none;
    ignore_index: any = none, reduction: str = "mean")
    -> (T[*loss_shape([N, *D], reduction)], T[N, C, *D]) where T: float, I: int {
  p = log_softmax(x, axis = 1)
  (onnx_nll_loss(p, y, w, ignore_index = ignore_index, reduction = reduction), p)
}
