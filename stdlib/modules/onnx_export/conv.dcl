# Convolution and pooling: sizes as lists, padding before and after all dimensions.

fn conv2d(x, w; stride: int = 1, pad: int = 0, dilation: int = 1, groups: int = 1) -> any {
  conv(x, w, stride = stride, pad = pad, dilation = dilation, groups = groups)
}

fn conv(x, w; stride = 1, pad = 0, dilation = 1, groups: int = 1) -> any {
  S = x.shape[2:]
  p = each(pad, S)
  node("Conv", [x, w], [("kernel_shape", w.shape[2:]), ("strides", each(stride, S)),
      ("pads", [*p, *p]), ("dilations", each(dilation, S)), ("group", groups)])
}

fn conv_transpose(x, w; stride = 1, pad = 0, dilation = 1, extra = 0, groups: int = 1) -> any {
  S = x.shape[2:]
  p = each(pad, S)
  node("ConvTranspose", [x, w], [("kernel_shape", w.shape[2:]), ("strides", each(stride, S)),
      ("pads", [*p, *p]), ("dilations", each(dilation, S)), ("output_padding", each(extra, S)),
      ("group", groups)])
}

fn add_channels(x, b) -> any {
  if x.rank == 2 { return node("Add", [x, b]) }
  node("Add", [x, node("Unsqueeze", [b, [d for d in 1:x.rank - 1]])])
}

fn max_pool(x, k; stride = none, pad = 0, dilation = 1) -> any {
  S = x.shape[2:]
  p = each(pad, S)
  if not all([2 * p[d] <= n for d, n in enumerate(each(k, S))]) { return none }
  node("MaxPool", [x], [("kernel_shape", each(k, S)),
      ("strides", each(if stride == none { k } else { stride }, S)), ("pads", [*p, *p]),
      ("dilations", each(dilation, S))])
}

fn avg_pool(x, k; stride = none, pad = 0, dilation = 1) -> any {
  S = x.shape[2:]
  p = each(pad, S)
  if not all([a == 1 for a in each(dilation, S)]) { return none }
  node("AveragePool", [x], [("kernel_shape", each(k, S)),
      ("strides", each(if stride == none { k } else { stride }, S)), ("pads", [*p, *p]),
      ("count_include_pad", 1)])
}
