# run
# Calls of the library: told at the user's line, in the user's names.
x: f32[3] = 1
y: f32[2, 3] = 1
w: f32[4] = 1
k: i64[3] = 1
#---
softmax(3)
#---
layer_norm(y, w)
#---
net = Linear(3, 4)
net(w)
#---
conv2d(x, y)
#---
cross_entropy(y, x)
#---
concat([y, x], axis = 0)
#---
mean(k)
#---
fn f(x: f32[N]) -> f32[N] { layer_norm(x, x[1:]) }
f(x)
#---
max_pool(y, [2, 2])
#---
net = MultiHeadAttention(3, heads = 2)
#---
reshape(x, [2, 2])
#---
gelu("a")
#---
topk(x, k = 5)
#---
softmax(x, axis = 4)
#---
embedding(x, y)
