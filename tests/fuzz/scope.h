/* What the generator knows at a place of the program that it writes: the containers with what may
   be done to them there, indices with their ranges, scalars. Sizes are known as numbers, too, so
   every subscript is inside for the sizes that the program is run with.

   Note [views]. A map gives each iteration its own part of the containers that it writes: the
   dimensions that the map's indices select are `fixed`, the others free. Inside the map that part
   is as good as a local container; reads of other parts would be races and are never made. So a
   container has one mode at each place:
   READ     nobody writes it here; any element can be read
   OWN      this iteration's own: written and (once INIT) read, in program order
   ACC      all iterations write it through one resolution, nobody reads it
   HIDDEN   may not be touched here */
#ifndef DCL_TESTS_FUZZ_SCOPE_H
#define DCL_TESTS_FUZZ_SCOPE_H

#include "lang/base/map.h"
#include "tests/fuzz/program.h"

struct dim {
    char text[64];
    int n;        /* its value; if VARYING the largest */
    bool varying; /* the size of a tile at the edge */
};

#define SUBSCRIPT_TEXT 96 /* a size and a name with what stands between */

struct slot {
    bool fixed;
    char at[SUBSCRIPT_TEXT]; /* FIXED: its subscript */
    struct dim dim;
    char base[64]; /* what is added to subscripts: the tile begins there; "" for none */
};

enum mode { MODE_READ, MODE_OWN, MODE_ACC, MODE_HIDDEN };

struct view {
    char name[16];
    enum dtype dtype;
    int rank;
    struct slot slot[PROGRAM_RANK];
    enum mode mode;
    enum resolution resolution; /* ACC: what writes say */
    enum resolution only;       /* not NONE: starts at the identity; no other writes at all */
    bool init;                  /* every element (of this part) has a value */
    bool value;                 /* a named value: may be rebound */
    bool container;
    bool edges; /* a fixed subscript may lie outside: accesses need `else` */
    int below;  /* > 0: its elements are integers in 0 .. below-1 */
    bool order; /* its elements are all different */
    int level;  /* of maps, where it was made */
};

struct counter {
    char name[16];
    char hi[64]; /* text of the upper bound */
    int lo, max; /* the least and largest value; max < lo: never runs */
    int step;
    bool whole;     /* 0 : hi : 1 */
    bool bare;      /* no range is written: it follows from subscripts */
    bool alone;     /* it stands alone in a subscript of something outside its map */
    bool shared;    /* iterations of it may write one element through a resolution */
    char apart[40]; /* per view: 1 + the one subscript of all its writes that is this index */
    bool loop;      /* of a `for` */
    bool masked;    /* over a whole tile at the edge, too: writes outside are dropped */
    int level;      /* of its map */
    char tile[16];  /* of a tile: the index of the tile's start; name + tile < tile_n */
    int tile_n;
};

struct value_of {
    char name[16];
    enum dtype dtype;
    int level;
    int below; /* > 0: an integer in 0 .. below-1 */
    bool weak; /* bound where it may not be rebound */
};

#define SCOPE_VIEWS 28
#define SCOPE_INDICES 14
#define NEST_INDICES 4
#define SCOPE_VALUES 24

struct scope {
    int nviews, nindices, nvalues;
    struct view view[SCOPE_VIEWS];
    struct counter index[SCOPE_INDICES + NEST_INDICES]; /* a nest may stand on what is full */
    struct value_of value[SCOPE_VALUES];
    int iterations; /* how often this place is reached */
    int level;      /* maps around */
    int depth;      /* blocks around */
    bool in_loop;
    /* What a block has in it, for the words of the maps around. */
    bool has_parallel, has_vector;
    int size; /* statements, unrolled */
};

struct gen {
    struct rng rng;
    struct arena *arena;
    struct program *p;
    struct buf out;   /* lines */
    struct map used;  /* hash of a name -> 1 */
    struct map local; /* and of those that indices and values have had */
    int budget;       /* iterations of statements that may still be written */
    int counter, helpers;
    enum dtype generic; /* written as T; DT_NONE: none */
    struct buf helper_text;
    int nscalars; /* helpers of scalars, that any expression may call */
    struct scalar_helper {
        int id, nargs;
        enum dtype dtype;
    } scalar[4];
    int nintegers; /* run-time integers of the function, with their values */
    struct dim integer[4];
    bool short_form;
};

FUZZ void line(struct gen *g, const struct scope *s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
FUZZ void line(struct gen *g, const struct scope *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    for (int i = 0; i <= s->depth; i++)
        buf_text(&g->out, "  ");
    buf_text(&g->out, arena_vprintf(g->arena, format, args));
    buf_text(&g->out, "\n");
    va_end(args);
}

FUZZ const char *type_name(const struct gen *g, enum dtype t) {
    return t == g->generic ? "T" : dtypes[t].name;
}

static bool name_used(struct gen *g, const char *name) {
    return map_get(&g->used, hash_bytes(name, strlen(name), 0), NULL);
}

static void name_use(struct gen *g, const char *name) {
    map_put(&g->used, hash_bytes(name, strlen(name), 0), 1);
}

/* A name that nothing else in this function has. Some look like those that the compiler makes. */
FUZZ void fresh(struct gen *g, const char *base, char *out) {
    static const char *const traps[] = {"t",   "t_2", "i0", "i1",  "n",    "r", "x_v", "a_v",
                                        "x_2", "acc", "s",  "y_v", "i0_2", "z", "m",   "v"};
    if (rng_chance(&g->rng, 12)) {
        const char *trap = rng_of(&g->rng, traps);
        if (!name_used(g, trap) && !map_get(&g->local, hash_bytes(trap, strlen(trap), 0), NULL)) {
            name_use(g, trap);
            snprintf(out, 16, "%s", trap);
            return;
        }
    }
    do
        snprintf(out, 16, "%s%d", base, g->counter++);
    while (name_used(g, out));
    name_use(g, out);
}

static bool in_scope(const struct scope *s, const char *name) {
    for (int i = 0; i < s->nindices; i++)
        if (strcmp(s->index[i].name, name) == 0)
            return true;
    for (int i = 0; i < s->nvalues; i++)
        if (strcmp(s->value[i].name, name) == 0)
            return true;
    return false;
}

/* A name of an index or value: those that ended with their block may come again. */
FUZZ void local_name(struct gen *g, const struct scope *s, const char *letters, char *out) {
    for (int k = 0; k < 4; k++) {
        snprintf(out, 16, "%c", letters[rng_below(&g->rng, (int)strlen(letters))]);
        if (!in_scope(s, out) && !name_used(g, out)) {
            map_put(&g->local, hash_bytes(out, strlen(out), 0), 1);
            return;
        }
    }
    do
        snprintf(out, 16, "%c_%d", letters[0], g->counter++);
    while (name_used(g, out));
}

FUZZ int free_slots(const struct view *v) {
    int n = 0;
    for (int d = 0; d < v->rank; d++)
        n += !v->slot[d].fixed;
    return n;
}

/* Neither fixed nor part of a tile: its name alone means all of it. */
FUZZ bool is_whole(const struct view *v) {
    for (int d = 0; d < v->rank; d++)
        if (v->slot[d].fixed || v->slot[d].base[0])
            return false;
    return true;
}

FUZZ bool readable(const struct view *v) {
    return v->mode == MODE_READ || (v->mode == MODE_OWN && v->init);
}

FUZZ int elements(const struct view *v) {
    int n = 1;
    for (int d = 0; d < v->rank; d++)
        if (!v->slot[d].fixed)
            n *= v->slot[d].dim.n;
    return n;
}

FUZZ struct dim dim_number(int n) {
    struct dim d = {.n = n};
    snprintf(d.text, sizeof d.text, "%d", n);
    return d;
}

FUZZ bool same_dim(const struct dim *a, const struct dim *b) {
    return strcmp(a->text, b->text) == 0;
}

/* May this be done N times here? Then it is paid for. */
FUZZ bool pay(struct gen *g, const struct scope *s, int n) {
    int64_t cost = (int64_t)(s->iterations > 0 ? s->iterations : 1) * (n > 0 ? n : 1);
    if (cost > g->budget)
        return false;
    g->budget -= (int)cost;
    return true;
}

FUZZ struct view *add_view(struct scope *s, struct view v) {
    v.level = s->level;
    s->view[s->nviews] = v;
    return &s->view[s->nviews++];
}

static const int fuzz_sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 64, 65};

FUZZ int random_size(struct gen *g, int most) {
    int n;
    do
        n = rng_of(&g->rng, fuzz_sizes);
    while (n > most || (n == 0 && !rng_chance(&g->rng, 25)));
    return n;
}

/* A dimension for something new: a number or a size of the call. */
FUZZ struct dim random_dim(struct gen *g, int most) {
    for (int k = 0; k < 6 && !rng_chance(&g->rng, 25); k++) {
        int i = rng_below(&g->rng, g->p->nsizes);
        struct dim d = {.n = g->p->sizes[i].n};
        snprintf(d.text, sizeof d.text, "%s", g->p->sizes[i].name);
        if (2 * d.n + 1 <= most && rng_chance(&g->rng, 6)) {
            d.n = 2 * d.n + 1;
            snprintf(d.text, sizeof d.text, "%s*2 + 1", g->p->sizes[i].name);
        }
        if (d.n <= most)
            return d;
    }
    return dim_number(random_size(g, most));
}

/* DIM as a dimension of an argument: its text is one of random_dim. */
static struct arg_dim arg_dim_of(const struct gen *g, const struct dim *d) {
    for (int i = 0; i < g->p->nsizes; i++)
        if (strcmp(g->p->sizes[i].name, d->text) == 0)
            return (struct arg_dim){i, 1, 0};
    size_t n = strcspn(d->text, "*");
    for (int i = 0; i < g->p->nsizes && strcmp(d->text + n, "*2 + 1") == 0; i++)
        if (strlen(g->p->sizes[i].name) == n && strncmp(g->p->sizes[i].name, d->text, n) == 0)
            return (struct arg_dim){i, 2, 1};
    return (struct arg_dim){-1, 0, d->n};
}

/* A new parameter of `f`, visible in S; NULL if there are enough. */
FUZZ struct view *new_param(struct gen *g, struct scope *s, enum dtype t, int rank,
                            const struct dim *dims, enum content content, bool inout) {
    if (g->p->nargs == PROGRAM_ARGS || s->nviews == SCOPE_VIEWS)
        return NULL;
    struct argument *a = &g->p->args[g->p->nargs++];
    *a = (struct argument){
        .dtype = t, .rank = rank, .inout = inout, .content = content, .generic = t == g->generic};
    fresh(g, inout ? "io" : "x", a->name);
    struct view v = {.dtype = t,
                     .rank = rank,
                     .mode = inout ? MODE_OWN : MODE_READ,
                     .init = true,
                     .container = inout};
    memcpy(v.name, a->name, sizeof v.name);
    for (int d = 0; d < rank; d++) {
        v.slot[d].dim = dims[d];
        a->dims[d] = arg_dim_of(g, &dims[d]);
    }
    return add_view(s, v);
}

#endif
