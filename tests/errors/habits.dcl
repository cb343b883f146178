# check
# Names of other languages, and names whose capitals differ.
#---
opt = sgd(0.1)
Print(1)
x = ReLU(2)
y = zerso(3)
images = 3
print(imges)
fn typed(a: int[3], b: float[3], c: Tensor, d: float32[3]) -> F32 { size }
fn own(sizes: f32[3]) -> f32[3] { size }
fn joined(x: f32[3]) -> f32[6] { concat(x, x) }
fn stacked(x: f32[3]) -> f32[2, 3] { stack(x, x * 2, axis = 0) }
y: int[3] = 0
#---
print(True)
print(False)
print(null)
print(nil)
print(pi)
print(self)
print(np)
print(math)
print(torch)
print(tf)
print(jnp)
print(nn)
print(F)
print(optim)
print(int)
print(float)
print(double)
print(float64)
print(float32)
print(float16)
print(half)
print(bfloat16)
print(long)
print(int64)
print(int32)
print(int16)
print(int8)
print(uint64)
print(uint32)
print(uint16)
print(uint8)
print(string)
print(tuple)
print(array)
print(asarray)
print(tensor)
print(Tensor)
print(empty)
print(full)
print(zeros_like)
print(ones_like)
print(eye)
print(rand)
print(randn)
print(randperm)
#---
print(arange)
print(linspace)
print(dot)
print(mm)
print(bmm)
print(power)
print(absolute)
print(maximum)
print(minimum)
print(clip)
print(clamp)
print(concatenate)
print(cat)
print(vstack)
print(hstack)
print(expand_dims)
print(permute)
print(view)
print(ravel)
print(size)
print(numel)
print(ndim)
print(item)
print(astype)
print(to)
print(clone)
print(copy)
print(detach)
print(cuda)
print(cpu)
print(device)
print(length)
print(append)
print(sorted)
print(type)
print(dir)
print(format)
print(printf)
print(println)
print(echo)
print(MSELoss)
print(CrossEntropyLoss)
print(MaxPool2d)
print(AvgPool2d)
print(BatchNorm2d)
print(BatchNorm1d)
print(Sequential)
print(no_grad)
print(backward)
print(load_state_dict)
print(state_dict)
print(parameters)
print(eval)
print(train)
print(zero_grad)
print(quit)
print(exit)
print(help)
print(pass)
print(continue)
print(break)
#---
fn f(x: f32[N, M]) -> f32[N, M] { x[[0]] }
fn g(x: f32[N, M]) -> f32[N, M] { x[x > 0] }
#---
z: f32(3) = 0
w: f32[2][3] = 0
v: [2, 3] = 0
u = w[..., 0]
#---
x = y = 3
f(x) = x + 1
g = fn(x: f32) -> f32 { x }
for (i = 0; i < 3; i += 1) { print(i) }
for i in 0..3 { print(i) }
for i in [0:3] { print(i) }
// no comment
k = 1_000
?relu
minimize x with y
l = minimize x over y
g = gradient(x, y)
if true { 1 } print(2)
while true { break }
layer Net(n: int) {
  w: f32[n] = 0
  fn forward(x: f32[n]) -> f32[n] { x }
}
#---
layer Net(n: int) {
  param w: f32[n] = 0
  fn forward(x: f32[n]) -> f32[n] {
    w = w + 1
    x * w
  }
}
reshape(3, 1, 2)
max(1, 2, 3)
fn dropped(x: f32[_]) { x + 1 }
fn returned(x: f32[_]) { return x * 2 }
fn kept(inout x: f32[_]) { x = x + 1 }
fn named(x: f32[N]) -> y: f32[N] { x + 1 }
fn same(x: f32[N]) -> y: f32[N] {
  y = x
  y
}
