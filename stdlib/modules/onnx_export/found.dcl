# Sorting, and sizes that the run finds.

fn topk(x, k: int; axis: int = -1, largest = true) -> any {
  n = node("TopK", [x, [k]], [("axis", axis), ("largest", largest), ("sorted", 1)])
  [n, output(1, n)]
}

fn sort(x; axis: int = -1, descending = false) -> any {
  topk(x, x.shape[axis_of(axis, x.rank)], axis = axis, largest = descending)
}

fn argsort(x; axis: int = -1, descending = false) -> any {
  output(1, sort(x, axis = axis, descending = descending)[0])
}

fn nonzero(x) -> any { node("Transpose", [node("NonZero", [x])], [("perm", [1, 0])]) }

fn masked(x, keep) -> any {
  if x.shape != keep.shape { return none }
  node("Compress", [x, node("Reshape", [keep, [-1]])])
}

fn compress(x, keep; axis: int = 0) -> any { node("Compress", [x, keep], [("axis", axis)]) }

fn cumsum(x; axis: int = -1, reverse = false) -> any {
  node("CumSum", [x, constant(i64, axis)], [("reverse", reverse)])
}
