## softmax over the dimension `axis`, counted from the end if it is negative: the last one only.
fn softmax_axis(x: T[*S]; axis: int = -1) -> T[*S]
    where T: float, axis == -1 or axis == len(S) - 1 {
  softmax(x)
}
