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

int main(void) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check_pair(&pairs[i]);
    return done_testing();
}
