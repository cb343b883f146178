/* Forms of the language beside maps and memlets: functions of scalars, returns in branches, lists
   of tensors, optional and static arguments, functions as arguments, static recursion, packs as
   lists, branches that give tensors or tuples, loops over lists. */
#ifndef DCL_TESTS_FUZZ_FORMS_H
#define DCL_TESTS_FUZZ_FORMS_H

#include "tests/fuzz/tensors.h"

/* A function `hID` that is being written. */
struct helper {
    struct gen gen;
    struct scope in;
    struct program none;
    int id;
    const char *class;
};

static void helper_begin(struct gen *g, struct helper *h, enum dtype t) {
    memset(h, 0, sizeof *h);
    h->gen = *g;
    h->in = (struct scope){.iterations = 1};
    h->id = g->helpers++;
    h->class = dtype_is_float(t) ? "float" : t == DT_bool ? "bool" : "int";
    h->gen.p = &h->none;
    h->gen.generic = t;
    h->gen.used = map_new(g->arena);
    h->gen.local = map_new(g->arena);
    h->gen.out = buf_new(g->arena);
    h->gen.nintegers = 0;
    h->gen.nscalars = 0;
    add_value(&h->in, "u", t, 0);
}

static void helper_end(struct gen *g, struct helper *h) {
    g->rng = h->gen.rng;
    buf_text(&g->helper_text, h->gen.out.at);
}

#define WRITE(h, ...) buf_printf(&(h)->gen.out, __VA_ARGS__)

static const char *inside_of(struct helper *h, enum dtype t, int depth) {
    return expression_text(&h->gen, &h->in, t, depth);
}

/* --- functions of scalars -------------------------------------------------------------------- */

/* A function of scalars of type T, which any expression may call and which lifts over tensors. */
static int scalar_function(struct gen *g, enum dtype t, int nargs) {
    struct helper h;
    helper_begin(g, &h, t);
    if (nargs == 2)
        add_value(&h.in, "w", t, 0);
    WRITE(&h, "fn h%d(u: T%s) -> T where T: %s {\n", h.id, nargs == 2 ? ", w: T" : "", h.class);
    if (rng_chance(&h.gen.rng, 50))
        WRITE(&h, "  if %s { return %s }\n", inside_of(&h, DT_bool, 2), inside_of(&h, t, 2));
    if (rng_chance(&h.gen.rng, 40)) {
        WRITE(&h, "  k = %s\n", inside_of(&h, t, 2));
        add_value(&h.in, "k", t, 0);
    }
    if (rng_chance(&h.gen.rng, 30)) {
        const char *a = inside_of(&h, t, 2), *b = inside_of(&h, t, 2);
        WRITE(&h, "  if %s { %s } else { %s }\n}\n", inside_of(&h, DT_bool, 2), a, b);
    } else {
        WRITE(&h, "  %s\n}\n", inside_of(&h, t, 3));
    }
    helper_end(g, &h);
    if (g->nscalars < 4)
        g->scalar[g->nscalars++] = (struct scalar_helper){h.id, nargs, t};
    return h.id;
}

static void second_argument(struct gen *g, struct scope *s, const struct view *a, struct buf *b) {
    tensor_expression(g, s, a, a->dtype, false, 1, b);
}

/* v = h(x, y) for each element of the broadcast. */
static bool lifted(struct gen *g, struct scope *s, const struct view *a) {
    int nargs = 1 + rng_below(&g->rng, 2), id = scalar_function(g, a->dtype, nargs);
    struct buf b = buf_new(g->arena);
    buf_printf(&b, "h%d(%s", id, a->name);
    if (nargs == 2) {
        buf_text(&b, ", ");
        second_argument(g, s, a, &b);
    }
    buf_text(&b, ")");
    return name_tensor(g, s, *a, b.at);
}

/* v, c = h(x): several results. */
static bool lifted_pair(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    if (s->nviews >= SCOPE_VIEWS - 3)
        return false;
    helper_begin(g, &h, a->dtype);
    WRITE(&h, "fn h%d(u: T) -> (r: T, c: bool) where T: %s {\n", h.id, h.class);
    WRITE(&h, "  r = %s\n", inside_of(&h, a->dtype, 2));
    WRITE(&h, "  c = %s\n}\n", inside_of(&h, DT_bool, 2));
    helper_end(g, &h);
    struct view v = *a;
    v.mode = MODE_READ;
    v.init = v.value = true;
    v.container = false;
    v.only = RES_NONE;
    v.below = 0;
    fresh(g, "v", v.name);
    struct view c = v;
    c.dtype = DT_bool;
    fresh(g, "c", c.name);
    line(g, s, "%s, %s = h%d(%s)", v.name, c.name, h.id, a->name);
    add_view(s, v);
    add_view(s, c);
    s->size += 3;
    return true;
}

/* h(x, f): a function that is given one. */
static bool given_function(struct gen *g, struct scope *s, const struct view *a) {
    static const char *const known[] = {"tanh", "abs", "floor"};
    const char *f = "abs";
    if (rng_chance(&g->rng, 60))
        f = arena_printf(g->arena, "h%d", scalar_function(g, a->dtype, 1));
    else if (dtype_is_float(a->dtype))
        f = rng_of(&g->rng, known);
    struct helper h;
    helper_begin(g, &h, a->dtype);
    WRITE(&h, "fn h%d(a: T[*S], f) -> c: T[*S] where T: %s {\n", h.id, h.class);
    WRITE(&h, "  map *i in S {\n    u << a[*i]\n    c[*i] = f(%s)\n  }\n}\n",
          inside_of(&h, a->dtype, 2));
    helper_end(g, &h);
    const char *format = rng_chance(&g->rng, 50) ? "h%d(%s, %s)" : "h%d(%s, f = %s)";
    return name_tensor(g, s, *a, arena_printf(g->arena, format, h.id, a->name, f));
}

/* --- functions of tensors -------------------------------------------------------------------- */

static const char *random_infix(struct gen *g) {
    static const char *const infixes[] = {"+", "-", "*"};
    return rng_of(&g->rng, infixes);
}

/* An argument that may be missing. */
static bool optional_argument(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    struct buf b = buf_new(g->arena);
    helper_begin(g, &h, a->dtype);
    const char *op = random_infix(&h.gen), *other = random_infix(&h.gen);
    WRITE(&h, "fn h%d(a: T[*S], b: T[*S]?) -> T[*S] where T: %s {\n", h.id, h.class);
    WRITE(&h, "  if b == none { a %s a } else { a %s b }\n}\n", op, other);
    helper_end(g, &h);
    int k = rng_below(&g->rng, 4);
    buf_printf(&b, k == 3 ? "h%d(b = " : "h%d(%s", h.id, a->name);
    if (k) {
        buf_text(&b, k == 1 ? ", " : k == 2 ? ", b = " : "");
        second_argument(g, s, a, &b);
    }
    if (k == 3)
        buf_printf(&b, ", a = %s", a->name);
    buf_text(&b, ")");
    return name_tensor(g, s, *a, b.at);
}

/* A list of tensors. */
static bool list_argument(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    struct buf b = buf_new(g->arena);
    helper_begin(g, &h, a->dtype);
    const char *op = random_infix(&h.gen);
    WRITE(&h, "fn h%d(xs: T[*S][]) -> y: T[*S] where T: %s {\n  y = 0\n", h.id, h.class);
    switch (rng_below(&h.gen.rng, 4)) {
    case 0: WRITE(&h, "  for x in xs { y = y %s x }\n", op); break;
    case 1:
        WRITE(&h, "  for i, x in [(i, xs[i]) for i in 0:len(xs)] { y = y %s x * T(i) }\n", op);
        break;
    case 2:
        WRITE(&h, "  for x in [x %s 2 for x in xs[:1] + xs if len(xs) > 1] { y += x }\n", op);
        break;
    default: WRITE(&h, "  for x in xs { map *i in S { y[*i] += x[*i] %s T(len(xs)) } }\n", op);
    }
    WRITE(&h, "}\n");
    helper_end(g, &h);
    buf_printf(&b, "h%d([%s", h.id, a->name);
    for (int k = rng_below(&g->rng, 3); k > 0; k--) {
        buf_text(&b, ", ");
        second_argument(g, s, a, &b);
    }
    buf_text(&b, "])");
    return name_tensor(g, s, *a, b.at);
}

/* An element type as an argument. */
static bool type_argument(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    struct view v = *a;
    helper_begin(g, &h, a->dtype);
    WRITE(&h, "fn h%d(a: T[*S]; t: dtype = f32) -> y: t[*S] where T: %s {\n", h.id, h.class);
    WRITE(&h, "  map *i in S {\n    u << a[*i]\n    y[*i] = t(%s)\n  }\n}\n",
          inside_of(&h, a->dtype, 2));
    helper_end(g, &h);
    v.dtype = rng_chance(&g->rng, 20) ? DT_f32 : random_type(g);
    const char *t =
        v.dtype == DT_f32 ? "" : arena_printf(g->arena, ", t = %s", dtypes[v.dtype].name);
    return name_tensor(g, s, v, arena_printf(g->arena, "h%d(%s%s)", h.id, a->name, t));
}

/* A function that calls itself as often as a static number says. */
static bool recursion(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    helper_begin(g, &h, a->dtype);
    WRITE(&h, "fn h%d(a: T[*S]; n: int = 2) -> T[*S] where T: %s {\n", h.id, h.class);
    WRITE(&h, "  if n == 0 { return a }\n  h%d(a, n = n - 1) %s a\n}\n", h.id,
          random_infix(&h.gen));
    helper_end(g, &h);
    const char *n =
        rng_chance(&g->rng, 40) ? "" : arena_printf(g->arena, ", n = %d", rng_below(&g->rng, 4));
    return name_tensor(g, s, *a, arena_printf(g->arena, "h%d(%s%s)", h.id, a->name, n));
}

/* Dimensions in another order. */
static bool permuted(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    int to[PROGRAM_RANK], n = a->rank;
    struct view v = *a;
    struct buf list = buf_new(g->arena);
    helper_begin(g, &h, a->dtype);
    WRITE(&h, "fn h%d(x: T[*S]; perm: list) -> y: T[*[S[p] for p in perm]] where T: any {\n", h.id);
    WRITE(&h, "  map *b in S { y[*[b[p] for p in perm]] = x[*b] }\n}\n");
    helper_end(g, &h);
    for (int i = 0; i < n; i++)
        to[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = rng_below(&g->rng, i + 1), swap = to[i];
        to[i] = to[k];
        to[k] = swap;
    }
    for (int i = 0; i < n; i++) {
        v.slot[i] = a->slot[to[i]];
        buf_printf(&list, "%s%d", i ? ", " : "", to[i]);
    }
    return name_tensor(g, s, v,
                       arena_printf(g->arena, "h%d(%s, perm = [%s])", h.id, a->name, list.at));
}

/* Packs as lists: a reduction of any dimension, and one tensor along the others. */
static bool parts_of_packs(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    struct view v = *a;
    int axis = rng_below(&g->rng, a->rank);
    helper_begin(g, &h, a->dtype);
    WRITE(&h,
          "fn h%d(x: T[*S]; axis: int) -> y: T[*S[:axis], *S[axis + 1:]] where T: %s, len(S) > 0",
          h.id, h.class);
    WRITE(&h, " {\n  map *b in S {\n    u << x[*b]\n    %s >> y[*b[:axis], *b[axis + 1:]] (%s)\n",
          inside_of(&h, a->dtype, 2), rng_chance(&h.gen.rng, 50) ? "sum" : "max");
    WRITE(&h, "  }\n}\n");
    helper_end(g, &h);
    v.rank--;
    for (int d = axis; d < v.rank; d++)
        v.slot[d] = a->slot[d + 1];
    return name_tensor(g, s, v, arena_printf(g->arena, "h%d(%s, axis = %d)", h.id, a->name, axis));
}

/* A shape as an argument. */
static bool shape_argument(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    helper_begin(g, &h, a->dtype);
    WRITE(&h, "fn h%d(S: shape, v: T) -> y: T[*S] where T: %s {\n", h.id, h.class);
    WRITE(&h, rng_chance(&h.gen.rng, 50) ? "  y = v\n}\n"
                                         : "  map *i in *S { y[*i] = v + T(len(S)) }\n}\n");
    helper_end(g, &h);
    const char *value = expression_text(g, s, a->dtype, 2);
    return name_tensor(g, s, *a, arena_printf(g->arena, "h%d(%s.shape, %s)", h.id, a->name, value));
}

/* A result whose size is computed, and a condition. */
static bool spread_out(struct gen *g, struct scope *s, const struct view *a) {
    struct helper h;
    struct view v = *a;
    struct dim *d = &v.slot[0].dim;
    if (a->rank != 1 || strlen(d->text) > 20)
        return false;
    helper_begin(g, &h, a->dtype);
    WRITE(&h, "fn h%d(x: T[N]) -> T[2*N + 1] where T: %s, N >= 0 {\n", h.id, h.class);
    WRITE(&h, "  y: T[2*N + 1] = 1\n  y[1::2] = x\n  y[:N] %s= x\n  y\n}\n",
          rng_chance(&h.gen.rng, 50) ? "+" : "max");
    helper_end(g, &h);
    d->n = 2 * d->n + 1;
    if (a->slot[0].dim.text[0] <= '9')
        *d = dim_number(d->n);
    else if (strchr(a->slot[0].dim.text, ' '))
        snprintf(d->text, sizeof d->text, "(%.20s)*2 + 1", a->slot[0].dim.text);
    else
        snprintf(d->text, sizeof d->text, "%.20s*2 + 1", a->slot[0].dim.text);
    return name_tensor(g, s, v, arena_printf(g->arena, "h%d(%s)", h.id, a->name));
}

/* --- statements ------------------------------------------------------------------------------ */

/* v = if c { x } else { y } of tensors. */
static bool tensor_choice(struct gen *g, struct scope *s, const struct view *a) {
    const char *yes = tensor_text(g, s, a), *no = tensor_text(g, s, a);
    return name_tensor(
        g, s, *a, arena_printf(g->arena, "if %s { %s } else { %s }", condition(g, s), yes, no));
}

/* a, b = if c { (x, y) } else { (z, w) } of scalars. */
static bool tuple_choice(struct gen *g, struct scope *s) {
    char name[2][16];
    enum dtype t[2] = {random_type(g), random_type(g)};
    const char *part[4];
    if (s->nvalues > SCOPE_VALUES - 2)
        return false;
    for (int k = 0; k < 4; k++)
        part[k] = expression_text(g, s, t[k % 2], 2);
    const char *c = condition(g, s);
    local_name(g, s, "abcdegh", name[0]);
    struct scope with = *s;
    add_value(&with, name[0], t[0], 0);
    local_name(g, &with, "abcdegh", name[1]);
    line(g, s, "%s, %s = if %s { (%s, %s) } else { (%s, %s) }", name[0], name[1], c, part[0],
         part[1], part[2], part[3]);
    for (int k = 0; k < 2; k++)
        add_value(s, name[k], t[k], 0);
    return true;
}

/* for x in [..]: unrolled while it is elaborated. */
static bool list_loop(struct gen *g, struct scope *s) {
    int n = 1 + rng_below(&g->rng, 3);
    bool numbers = rng_chance(&g->rng, 50);
    if (s->depth > 4 || s->nvalues > SCOPE_VALUES - 4 || s->nindices == SCOPE_INDICES ||
        s->size > 40 || !pay(g, s, n))
        return false;
    enum dtype t = random_type(g);
    struct buf list = buf_new(g->arena);
    struct scope in = enter(s, true);
    int most = 0;
    for (int k = 0; k < n; k++) {
        int number = rng_below(&g->rng, 5);
        most = number > most ? number : most;
        buf_text(&list, k ? ", " : "");
        if (numbers)
            buf_printf(&list, "%d", number);
        else
            buf_text(&list, expression_text(g, s, t, 2));
    }
    char name[16];
    local_name(g, s, numbers ? "jkl" : "xyz", name);
    line(g, s, "for %s in [%s] {", name, list.at);
    if (numbers) {
        struct counter x = {.lo = 0, .max = most, .step = 1, .loop = true, .level = s->level};
        memcpy(x.name, name, sizeof x.name);
        in.index[in.nindices++] = x;
    } else {
        add_value(&in, name, t, 0);
        in.value[in.nvalues - 1].weak = true;
    }
    in.iterations = n * (s->iterations > 0 ? s->iterations : 1);
    in.in_loop = true;
    block(g, &in, 1 + rng_below(&g->rng, 2));
    if (rng_chance(&g->rng, 60))
        rebind(g, &in);
    line(g, s, "}");
    in.size = (in.size + 1) * n;
    leave(s, &in);
    return true;
}

/* A value of the script's kind of arithmetic on shapes. */
static bool of_shapes(struct gen *g, struct scope *s, const struct view *a) {
    char name[16];
    static const char *const texts[] = {"%s.shape[0] + %s.rank", "len(%s.shape) * %s.shape[0]",
                                        "prod(shape(%s)) - sum(%s.shape)"};
    if (s->nvalues == SCOPE_VALUES)
        return false;
    const char *text = arena_printf(g->arena, rng_of(&g->rng, texts), a->name, a->name);
    local_name(g, s, "abcdegh", name);
    line(g, s, "%s = i64(%s)", name, text);
    add_value(s, name, DT_i64, 0);
    s->value[s->nvalues - 1].weak = true;
    return true;
}

static bool form_statement(struct gen *g, struct scope *s) {
    int k = rng_below(&g->rng, 20);
    if (k < 3)
        return list_loop(g, s);
    if (k < 6)
        return pay(g, s, 2) && tuple_choice(g, s);
    if (g->generic != DT_NONE || g->helpers > 6 || s->nviews == 0 || s->level > 1)
        return false;
    struct view *found = random_tensor(g, s, 0, 1200);
    if (!found || found->dtype == DT_bool || !pay(g, s, 6 * elements(found)))
        return false;
    struct view copy = *found;
    const struct view *a = &copy;
    switch (a->rank == 0 && k > 14 ? k - 9 : k) {
    case 6:
    case 7: return lifted(g, s, a);
    case 8: return lifted_pair(g, s, a);
    case 9: return given_function(g, s, a);
    case 10: return optional_argument(g, s, a);
    case 11: return list_argument(g, s, a);
    case 12: return type_argument(g, s, a);
    case 13: return recursion(g, s, a);
    case 14: return tensor_choice(g, s, a);
    case 15: return permuted(g, s, a);
    case 16: return parts_of_packs(g, s, a);
    case 17: return shape_argument(g, s, a);
    case 18: return spread_out(g, s, a);
    default: return of_shapes(g, s, a);
    }
}

#endif
