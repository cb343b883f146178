/* Fusion from calls: programs of plain library calls become, by the general passes, graphs that
   move the same bytes as what one would write by hand; they print and read back the same; and no
   pass knows a name: with every function of the library renamed the graphs are the same. */
#include "compiler/analysis/movement.h"
#include "tests/harness/program.h"
#include "tests/harness/tap.h"

#include <ctype.h>

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
     "    map jo in 0:W:6 {\n"
     "      acc: f32[6, 16] in register = 0\n"
     "      map cb in CB seq {\n"
     "        map r in max(0, 1 - i):min(3, H + 1 - i) seq, s in 3 seq {\n"
     "          map c in 16 unroll(4), j in 6 unroll, o in 16 vector {\n"
     "            acc[j, o] += x[n, cb, i + r - 1, jo + j + s - 1, c, else 0] * "
     "w[ob, cb, r, s, c, o]\n"
     "          }\n"
     "        }\n"
     "      }\n"
     "      map j in 6 unroll, o in 16 vector {\n"
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

/* Puts `zz_` before every name that the library defines. */
static const char *renamed(struct program *p, const struct program *library, const char *text) {
    struct buf out = buf_new(p->arena);
    for (const char *c = text; *c;) {
        size_t n = 0;
        while (isalnum((unsigned char)c[n]) || c[n] == '_')
            n++;
        if (n == 0) {
            buf_bytes(&out, c++, 1);
            continue;
        }
        struct name name = name_of(library->names, c, n);
        if (module_find(library->prelude, name, NULL))
            buf_text(&out, "zz_");
        buf_bytes(&out, c, n);
        c += n;
    }
    return out.at;
}

static struct program *library_for_renaming;

static void add_renamed(struct program *p, const char *path, char *text) {
    struct ast *f = program_define(p, p->prelude, path, renamed(p, library_for_renaming, text));
    VEC_PUSH(p->arena, p->files, f);
}

static const char *moved(struct program *p, const struct graph *g) {
    struct movement m = graph_movement_total(p->arena, g);
    struct buf b = buf_new(p->arena);
    sym_print(p->syms, sym_add(p->syms, m.read_bytes, m.write_bytes), &b);
    return b.at;
}

static void check_pair(const struct pair *c) {
    struct program *p = program_new(true), *r = program_new(false);
    library_for_renaming = p;
    program_stdlib(r, add_renamed);
    struct module *hand = module_new(p->arena, p->names, "hand", p->prelude);
    struct graph *calls = NULL, *by_hand = NULL, *other = NULL;
    if (program_add(p, p->user, "calls", c->calls))
        calls = program_lower(p, p->user, "f");
    if (program_add(p, hand, "by hand", c->by_hand))
        by_hand = program_lower(p, hand, "f");
    if (program_add(r, r->user, "renamed", renamed(r, p, c->calls)))
        other = program_lower(r, r->user, "f");
    ok(calls && program_round_trip(p, calls), "%s: reads back after lowering", c->what);
    ok(calls && program_passes(p, calls), "%s: the passes keep the invariants", c->what);
    ok(by_hand && program_passes(p, by_hand), "%s by hand: likewise", c->what);
    if (calls && by_hand) {
        ok(program_round_trip(p, calls), "%s: reads back after the passes", c->what);
        is_str(moved(p, calls), moved(p, by_hand), "%s: moves the bytes of the version by hand",
               c->what);
    }
    ok(other && program_passes(r, other) && calls &&
           strcmp(program_text(r, other), program_text(p, calls)) == 0,
       "%s: no pass knows a name of the library", c->what);
    program_free(p);
    program_free(r);
}

int main(void) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check_pair(&pairs[i]);
    return done_testing();
}
