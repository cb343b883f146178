/* Programs of plain library calls, each beside what one would write by hand: function f of both.
   fusion_test.c compares the graphs, tests/bench/fusion.c the times. */
#ifndef DCL_TESTS_PASSES_FUSION_PAIRS_H
#define DCL_TESTS_PASSES_FUSION_PAIRS_H

struct pair {
    const char *what, *calls, *by_hand;
};

static const struct pair pairs[] = {
    {"convolution, bias, relu",
     "fn f(x: f32[N, CB, H, W, 16], w: f32[OB, CB, 3, 3, 16, 16], b: f32[1, OB, 1, 1, 16])\n"
     "    -> f32[N, OB, H, W, 16] {\n"
     "  conv3x3_blocked(x, w) |> add(b) |> relu\n"
     "}\n",
     "fn f(x: f32[N, CB, H, W, 16], w: f32[OB, CB, 3, 3, 16, 16], b: f32[1, OB, 1, 1, 16])\n"
     "    -> y: f32[N, OB, H, W, 16] {\n"
     "  map n in N parallel, ob in OB parallel, i in H parallel {\n"
     "    map jo in 0:W:4 {\n"
     "      acc: f32[4, 16] in register = 0\n"
     "      map cb in CB seq {\n"
     "        map r in max(0, 1 - i):min(3, H + 1 - i) seq, s in 3 seq {\n"
     "          map c in 16 unroll(4), j in 4 unroll, o in 16 vector {\n"
     "            acc[j, o] += x[n, cb, i + r - 1, jo + j + s - 1, c, else 0] * "
     "w[ob, cb, r, s, c, o]\n"
     "          }\n"
     "        }\n"
     "      }\n"
     "      map j in 4 unroll, o in 16 vector {\n"
     "        v << acc[j, o]\n"
     "        max(v + b[0, ob, 0, 0, o], 0) >> y[n, ob, i, jo + j, o, else _]\n"
     "      }\n"
     "    }\n"
     "  }\n"
     "}\n"},
    {"softmax", "fn f(x: f32[M, N]) -> f32[M, N] { softmax(x) }\n",
     "fn f(x: f32[M, N]) -> y: f32[M, N] {\n"
     "  map b in M parallel {\n"
     "    m: f32 in register = -inf;  s: f32 in register = 0;  e: f32[N] in heap\n"
     "    map i in N vector(4) { x[b, i] >> m (max) }\n"
     "    map i in N vector(4) { v << x[b, i];  t << m;  u = exp(v - t);  u >> e[i];  u >> s (sum) "
     "}\n"
     "    map i in N vector { u << e[i];  t << s;  u / t >> y[b, i] }\n"
     "  }\n"
     "}\n"},
    {"layer norm",
     "fn f(x: f32[M, N], g: f32[N], b: f32[N]) -> f32[M, N] { layer_norm(x, g, b) }\n",
     "fn f(x: f32[M, N], g: f32[N], b: f32[N]) -> y: f32[M, N] {\n"
     "  map r in M parallel {\n"
     "    s: f32 in register = 0;  q: f32 in register = 0;  d: f32[N] in heap\n"
     "    map i in N vector(4) { x[r, i] >> s (sum) }\n"
     "    t << s\n"
     "    m = t / f32(N)\n"
     "    map i in N vector(4) { v << x[r, i];  u = v - m;  u >> d[i];  u * u >> q (sum) }\n"
     "    t2 << q\n"
     "    k = t2 / f32(N)\n"
     "    map i in N vector { u << d[i];  u / sqrt(k + 1e-5) * g[i] + b[i] >> y[r, i] }\n"
     "  }\n"
     "}\n"},
    {"an elementwise chain with a broadcast",
     "fn f(x: f32[M, N], b: f32[N]) -> f32[M, N] { y = relu(add(x, b));  mul(y, sub(y, x)) }\n",
     "fn f(x: f32[M, N], b: f32[N]) -> y: f32[M, N] {\n"
     "  map i in M parallel, j in N vector {\n"
     "    v << x[i, j]\n"
     "    r = max(v + b[j], 0)\n"
     "    r * (r - v) >> y[i, j]\n"
     "  }\n"
     "}\n"},
};

#endif
