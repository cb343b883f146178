/* Fusion from calls: programs of plain library calls become, by the general passes, graphs that
   move the same bytes as what one would write by hand; they print and read back the same; and no
   pass knows a name: with every function of the library renamed the graphs are the same. */
#include "compiler/analysis/movement.h"
#include "tests/harness/program.h"
#include "tests/harness/tap.h"
#include "tests/passes/fusion_pairs.h"

#include <ctype.h>

/* Puts `zz_` before every name that the library defines, but for `max` and the like, which are
   operators and resolutions as well. */
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
        if (module_find(library->prelude, name, NULL) && !eval_is_builtin(library->names, name))
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

/* Other shapes for the same elements, between maps: no tensor of their own is left. */
static const struct pair views[] = {
    {"a transposed matrix", "fn f(x: f32[M, N]) -> f32[N, M] { relu(transpose(x * 2) + 1) }\n",
     "fn f(x: f32[M, N]) -> y: f32[N, M] { map i in M, j in N { y[j, i] = max(x[i, j] * 2 + 1, 0) "
     "} "
     "}\n"},
    {"dimensions in another order",
     "fn f(x: f32[L, M, N]) -> f32[N, L, M] { relu(transpose(x * 2, perm = [2, 0, 1])) }\n",
     "fn f(x: f32[L, M, N]) -> y: f32[N, L, M] {\n"
     "  map i in L, j in M, k in N { y[k, i, j] = max(x[i, j, k] * 2, 0) }\n"
     "}\n"},
    {"dimensions joined", "fn f(x: f32[L, M, N]) -> f32[L, M * N] { relu(flatten(x * 2)) }\n",
     "fn f(x: f32[L, M, N]) -> y: f32[L, M * N] {\n"
     "  map i in L, j in M, k in N { y[i, N * j + k] = max(x[i, j, k] * 2, 0) }\n"
     "}\n"},
    {"dimensions of one",
     "fn f(x: f32[M, N]) -> f32[1, M, N, 1] { relu(unsqueeze(x * 2, [0, -1])) }\n",
     "fn f(x: f32[M, N]) -> y: f32[1, M, N, 1] {\n"
     "  map i in M, j in N { y[0, i, j, 0] = max(x[i, j] * 2, 0) }\n"
     "}\n"},
    {"a broadcast", "fn f(x: f32[M, N]) -> f32[3, M, N] { relu(broadcast_to(x * 2, [3, M, N])) }\n",
     "fn f(x: f32[M, N]) -> y: f32[3, M, N] {\n"
     "  map i in M, j in N { v << x[i, j];  map k in 3 { y[k, i, j] = max(v * 2, 0) } }\n"
     "}\n"},
    {"deviations from a mean",
     "fn f(x: f32[M, N]) -> f32[M, N] { x - mean(x, axes = 1, keepdims = true) }\n",
     "fn f(x: f32[M, N]) -> y: f32[M, N] {\n"
     "  map i in M {\n"
     "    s: f32 in register = 0\n"
     "    map j in N { x[i, j] >> s (sum) }\n"
     "    t << s\n"
     "    map j in N { y[i, j] = x[i, j] - t / f32(N) }\n"
     "  }\n"
     "}\n"},
};

int main(void) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check_pair(&pairs[i]);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        check_pair(&views[i]);
    return done_testing();
}
