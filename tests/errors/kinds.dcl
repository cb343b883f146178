# run
# Values of another kind than is wanted, and what is written instead.
x: f32[2, 3] = 1
t: f32[2, 3, 4] = 1
k: i64[2] = 3
l = [1, 2]
#---
y = x[x > 0]
#---
y = x[[0, 1]]
#---
x.reshape([3, 2])
#---
t.T
#---
x.t
#---
x.size
#---
x.item()
#---
x.astype(f16)
#---
x.numpy()
#---
x.T()
#---
x.shape()
#---
x // 2
#---
x % 2
#---
not x
#---
if x > 0 { 1 }
#---
if l { 1 }
#---
if none { 1 }
#---
while x { x = x - 1 }
#---
for row in x { print(row) }
#---
[row for row in x]
#---
[i for i in 3]
#---
l[2]
#---
l[-1]
#---
[][0]
#---
l + 1
#---
"a" + 1
#---
relu + 1
#---
f32 + 1
#---
Linear * 2
#---
Linear(2, 3) + 1
#---
none + 1
#---
k[0:2] = k + 0.5
#---
k = f32(k)
#---
2(3)
#---
print(x, end = 1)
#---
fn g(x: f32[N]) -> f32[N] { x * 2 }
g("a")
#---
fn g(x: f32[N]) -> f32[N] { x * 2 }
g(relu)
#---
random_normal(2, 3)
#---
y = x
x = y[0:1, 0:2]
#---
i = 2.0
k[i]
#---
k[::-1]
#---
for i in 0:3:-1 { print(i) }
#---
net = Linear(3, 2)
loss = sum(net(x))
minimize loss over net with SGD(0.1)
#---
fn f(x: f32[N]) -> f32 { s = 0; for i in 0:N { s = s + x[i] }; s }
#---
net = Linear(3, 2)
net.eval()
#---
l.shape
#---
opt = SGD(0.1)
opt.zero_grad()
