# run
# Files: what they hold, and what they are asked for.
layer Net(n: int) {
  param a: f32[n] ~ ones
  param b: f32[n] ~ ones
  fn forward(x: f32[n]) -> f32[n] { x * a + b }
}
net = Net(3)
x: f32[3] = 1
#---
save(net, "net.npz")
print(load("net.npz"))
#---
save(net, "net.npz")
print(load("net.npz", name = "aa"))
#---
save(net, "net.npy")
#---
save(net, "net.safetensors")
load(net, "net.safetensors", rename = [("a", "c")])
#---
load(net, "net.safetensors", rename = 3)
#---
print(load("library/garbage.npy"))
#---
print(load("library/garbage.npz"))
#---
print(load("library/garbage.safetensors"))
#---
load(net, "library/garbage.safetensors")
#---
print(load("library"))
#---
save("x.npy", [1, 2])
#---
save("x.npy", net)
#---
save("x.npy", [x, x])
#---
load("x.npy", nme = "x")
#---
load(x, "x.npy")
#---
save("", x)
#---
print(x, end = "")
#---
use 3
#---
save("x.csv", x)
print(load("x.csv", dtype = u8), load("x.csv"))
print(load("x.csv", dtype = bool))
#---
save("x.csv", x + 0.5)
print(load("x.csv", dtype = u8))
#---
save("x.png", x)
#---
save("x.txt", x)
#---
save("x.wav", x, rate = "a")
#---
save("x.idx", x == 1)
#---
save("x.index.json", net)
#---
load("x.npy", dtype = f32)
#---
save("x.wav", x, rate = 8000)
print(load("x.wav", name = "y"))
#---
save(x, "x.wav", rate = 8000)
assert(load("x.wav", name = "rate") == 8001)
