/* Checked runs: what a program promises and no compiler proves, and where numbers end. Told are a
   subscript outside, an element that is read before it is written, a result that is not written,
   iterations of a map that touch what another writes, the first NaN or infinity, a divisor 0: once
   per place, at the user's line, with the indices of the maps and loops around. The run goes on:
   what is outside or unwritten is read as 0.

   Note [crossing]
   Every iteration gets a time. An element that a map around may touch twice keeps the times of its
   last write and read, and of the last ones that were made in another iteration than these. Of
   those maps and loops around whose present iteration began after such a time, the outermost tells
   what parts the two accesses: if it had begun already, they are two iterations of it, which must
   not meet if it is a map; else it came after the first access, and order is kept.

   What a library function does is told where the user's text calls the library. */
#include "backends/ref/internal.h"

#include <math.h>

#include "lang/scalar/print_number.h"

struct access {
    uint64_t time; /* 0: there was none */
    struct span span;
    enum resolution how; /* of a write */
};

struct shadow {
    struct access write, write_before, read, read_before;
};

struct times {
    uint64_t *at;
    uint32_t n, cap;
};

struct checks {
    struct turns *turns; /* the innermost */
    uint32_t depth;
    struct times times[REF_MAX_NEST]; /* by depth: when the iterations of a map began */
    uint64_t now;
};

void checks_begin(struct ref *r) {
    r->checks = ARENA_NEW(r->arena, struct checks);
}

/* --- maps and loops -------------------------------------------------------------------------- */

static bool in_library(const struct calling *c) {
    return c && !c->module->prelude;
}

void checked_loop_begin(struct ref *r, struct turns *t, bool map, bool unique, struct span span) {
    struct checks *c = r->checks;
    t->outer = c->turns;
    t->map = map;
    t->unique = unique;
    t->library = in_library(r->ev.frame);
    t->span = span;
    t->began = ++c->now;
    t->times = &c->times[c->depth++];
    t->times->n = 0;
    c->turns = t;
}

void checked_turn(struct ref *r) {
    struct turns *t = r->checks->turns;
    t->turn = ++r->checks->now;
    if (t->map)
        VEC_PUSH(r->arena, *t->times, t->turn);
}

void checked_loop_end(struct ref *r) {
    r->checks->turns = r->checks->turns->outer;
    r->checks->depth--;
}

/* --- where and when -------------------------------------------------------------------------- */

static void print_turn(struct ref *r, const struct turns *t, const struct value *index,
                       struct buf *out) {
    for (uint32_t k = 0; k < t->n; k++)
        buf_printf(out, "%s%s = %lld", k ? ", " : "", name_text(r->ev.names, t->range[k].name),
                   (long long)index[k].i);
}

/* The indices of the maps and loops around, of those of the LIBRARY or of the others. */
static void print_turns(struct ref *r, const struct turns *t, bool library, struct buf *out) {
    if (!t)
        return;
    print_turns(r, t->outer, library, out);
    if (t->library != library)
        return;
    if (out->n)
        buf_text(out, ", ");
    print_turn(r, t, t->index, out);
}

static const char *turns_text(struct ref *r, bool library) {
    struct buf out = buf_new(r->ev.arena);
    if (!library && r->script.around)
        r->script.around(r->script.data, &out);
    print_turns(r, r->checks->turns, library, &out);
    return out.n ? out.at : "";
}

static const char *element_text(struct ref *r, const struct tensor *t, int64_t o) {
    struct buf out = buf_new(r->ev.arena);
    const struct ref_tensor *x = real(t);
    int64_t at[EVAL_MAX_RANK];
    for (uint32_t d = x->rank; d-- > 0; o /= x->dims[d])
        at[d] = o % x->dims[d];
    buf_text(&out, tensor_name(r, t));
    for (uint32_t d = 0; d < x->rank; d++)
        buf_printf(&out, "%s%lld", d ? ", " : "[", (long long)at[d]);
    buf_text(&out, x->rank ? "]" : "");
    return out.at;
}

static const char *number_text(struct ref *r, enum dtype t, union scalar v) {
    struct buf out = buf_new(r->ev.arena);
    if (dtype_is_float(t))
        print_number(scalar_to_f64(t, v), t, &out);
    else if (t == DT_bool)
        buf_text(&out, v.b ? "true" : "false");
    else if (dtype_is_unsigned(t))
        buf_printf(&out, "%llu", (unsigned long long)scalar_to_i64(t, v));
    else
        buf_printf(&out, "%lld", (long long)scalar_to_i64(t, v));
    return out.at;
}

/* --- telling --------------------------------------------------------------------------------- */

/* The place of something at SPAN for the user, who did not write the library. */
static struct span place_of(const struct ref *r, struct span span, const struct calling **call) {
    const struct calling *c = r->ev.frame;
    for (; in_library(c); c = c->outer)
        span = c->span;
    *call = c;
    return span;
}

/* Whether KIND, a code of errors or another number, has not been told of SPAN, as it is called now.
 */
static bool is_new(struct ref *r, uint32_t kind, struct span span, struct span *at) {
    const struct calling *c;
    if (r->imagined)
        return false;
    *at = place_of(r, span, &c);
    struct span key[2] = {span, *at};
    uint64_t hash = hash_bytes(key, sizeof key, kind);
    if (map_get(r->script.told, hash, NULL))
        return false;
    map_put(r->script.told, hash, 1);
    return true;
}

enum { CALLS_TOLD = 3 };
enum { INFINITIES = 1 }; /* the key of what has been told if an operation has made one */

/* What D, found at SPAN, says of where: T (may be NULL) and its type, indices, calls. */
static void explain(struct ref *r, struct diag *d, const struct tensor *t, struct span span) {
    const struct calling *c;
    place_of(r, span, &c);
    const char *turns = turns_text(r, false), *inner = turns_text(r, true);
    struct buf detail = buf_new(r->ev.arena);
    if (t)
        buf_printf(&detail, "%s: %s", tensor_name(r, t), type_text(&r->ev, t));
    if (*turns)
        buf_printf(&detail, "%s%s", detail.n ? "   " : "", turns);
    if (detail.n)
        diag_detail(r->ev.diags, d, "%s", detail.at);
    if (in_library(r->ev.frame))
        diag_note(r->ev.diags, d, span, "in %s of the library%s%s",
                  name_text(r->ev.names, r->ev.frame->name), *inner ? ", where " : "", inner);
    for (int told = 0; c && told < CALLS_TOLD; c = c->outer, told++)
        diag_note(r->ev.diags, d, c->span, "%s is called here", name_text(r->ev.names, c->name));
}

void checked_failure(struct ref *r) {
    struct diag *last = r->ev.diags->first;
    while (last && last->next)
        last = last->next;
    const char *turns = turns_text(r, false);
    if (last && last->severity == SEV_ERROR && !last->detail && *turns)
        diag_detail(r->ev.diags, last, "%s", turns);
}

void checked_outside(struct ref *r, const struct tensor *t, const struct value *at, uint32_t bad,
                     struct span span) {
    struct span place;
    if (!is_new(r, ERR_OUT_OF_BOUNDS, span, &place))
        return;
    struct diag *d = ref_outside(r, t, at, bad, span);
    d->span = place;
    explain(r, d, t, span);
}

void checked_unwritten(struct ref *r, const struct tensor *t, int64_t o, struct span span) {
    struct span place;
    if (is_new(r, ERR_UNWRITTEN, span, &place))
        explain(r, diag_error(r->ev.diags, place, ERR_UNWRITTEN, element_text(r, t, o)), t, span);
}

void checked_result(void *host, const struct tensor *t, struct span span) {
    struct ref *r = host;
    const struct ref_tensor *x = real(t);
    struct span place;
    int64_t missing = 0, first = 0;
    if (!r->checks || r->imagined || !x->data.written || x->room)
        return;
    for (int64_t o = x->count; o-- > 0;)
        if (!x->data.written[o]) {
            x->data.written[o] = 1; /* as 0, and told here */
            missing++;
            first = o;
        }
    if (!missing || !is_new(r, ERR_UNWRITTEN_RESULT, span, &place))
        return;
    const char *text =
        missing == x->count
            ? arena_printf(r->ev.arena, "%s is never written", tensor_name(r, t))
            : arena_printf(r->ev.arena, "%lld of %lld elements of %s %s never written: %s%s",
                           (long long)missing, (long long)x->count, tensor_name(r, t),
                           missing == 1 ? "is" : "are", element_text(r, t, first),
                           missing == 1 ? "" : " is the first");
    explain(r, diag_error(r->ev.diags, place, ERR_UNWRITTEN_RESULT, text), t, span);
}

/* --- iterations that meet -------------------------------------------------------------------- */

/* The map of which an access at THEN and now are two iterations; NULL if order parts them. */
static const struct turns *crossed(const struct checks *c, uint64_t then) {
    const struct turns *outermost = NULL;
    for (const struct turns *t = c->turns; t; t = t->outer)
        if (then < t->turn)
            outermost = t;
    return then && outermost && outermost->map && then >= outermost->began ? outermost : NULL;
}

static struct shadow *shadow_of(struct ref *r, const struct tensor *t, int64_t o) {
    struct ref_tensor *x = real(t);
    /* Of what is appended, order is kept; what nobody can write needs none. */
    if (x->maps >= r->maps || x->room || !(t->container || t->live))
        return NULL;
    if (!x->shadow)
        x->shadow = ARENA_ARRAY(x->home, struct shadow, x->count);
    return &x->shadow[o];
}

/* The indices of T's iteration at the time THEN. */
static void indices_at(const struct turns *t, uint64_t then, struct value *index) {
    uint32_t lo = 0, hi = t->times->n; /* the last that began before */
    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (t->times->at[middle] <= then)
            lo = middle;
        else
            hi = middle;
    }
    int64_t rest = lo;
    for (uint32_t k = t->n; k-- > 0;) {
        const struct eval_range *g = &t->range[k];
        int64_t n = (g->hi.i - g->lo.i - 1) / g->step.i + 1;
        index[k] = value_int(g->lo.i + rest % n * g->step.i);
        rest /= n;
    }
}

static bool at_once(enum schedule s) {
    return s == SCHED_PARALLEL || s == SCHED_GRID || s == SCHED_BLOCK || s == SCHED_WARP;
}

/* The first range whose index differs from that of OTHER and is said to run AT ONCE (equal
   resolutions are none the less a conflict), or in lanes, too. */
static const struct eval_range *claimed(const struct turns *t, const struct value *other,
                                        bool lanes) {
    for (uint32_t k = 0; k < t->n; k++)
        if (other[k].i != t->index[k].i &&
            (at_once(t->range[k].schedule) || (lanes && t->range[k].schedule == SCHED_VECTOR)))
            return &t->range[k];
    return NULL;
}

static const char *iteration_text(struct ref *r, const struct turns *t, const struct value *index) {
    struct buf out = buf_new(r->ev.arena);
    buf_text(&out, t->n > 1 ? "(" : "");
    print_turn(r, t, index, &out);
    buf_text(&out, t->n > 1 ? ")" : "");
    return out.at;
}

enum meeting { BOTH_WRITE, READS_WRITTEN, WRITES_READ };

/* What happens now to element O of T meets what was done to it BEFORE. SAME: both are writes with
   one resolution. */
static void meet(struct ref *r, const struct tensor *t, int64_t o, const struct access *before,
                 enum meeting how, bool same, struct span span) {
    const struct turns *m = crossed(r->checks, before->time);
    struct value other[EVAL_MAX_RANK * 2];
    struct span place;
    if (!m)
        return;
    indices_at(m, before->time, other);
    const struct eval_range *claim = claimed(m, other, !same);
    bool wrong = claim || m->unique;
    if ((same && !claim) || !is_new(r, wrong ? ERR_CONFLICT : ERR_COUNT, span, &place))
        return;
    const char *now = iteration_text(r, m, m->index), *then = iteration_text(r, m, other);
    const char *what = element_text(r, t, o);
    const char *text =
        how == BOTH_WRITE
            ? arena_printf(r->ev.arena, "iterations %s and %s both write %s", then, now, what)
        : how == READS_WRITTEN
            ? arena_printf(r->ev.arena, "iteration %s reads %s, which iteration %s writes", now,
                           what, then)
            : arena_printf(r->ev.arena, "iteration %s writes %s, which iteration %s reads", now,
                           what, then);
    struct diag *d = wrong ? diag_error(r->ev.diags, place, ERR_CONFLICT, text)
                           : diag_warning(r->ev.diags, place, ERR_CONFLICT, text);
    if (!span_eq(before->span, span))
        diag_note(r->ev.diags, d, before->span, "the iteration before %s it here",
                  how == WRITES_READ ? "reads" : "writes");
    if (claim)
        diag_note(r->ev.diags, d, claim->span, "%s runs in any order",
                  name_text(r->ev.names, claim->name));
    else
        diag_note(r->ev.diags, d, m->span,
                  wrong ? "the map is said to be unique"
                        : "so this map runs in the order of its indices");
    explain(r, d, t, span);
}

/* LAST becomes an access now; BEFORE keeps the last one of another iteration. */
static void note_access(struct ref *r, struct access *last, struct access *before,
                        struct access now) {
    if (last->time != now.time && crossed(r->checks, last->time))
        *before = *last;
    *last = now;
}

void checked_read(struct ref *r, const struct tensor *t, int64_t o, struct span span) {
    struct shadow *s = shadow_of(r, t, o);
    if (!s)
        return;
    meet(r, t, o, &s->write, READS_WRITTEN, false, span);
    meet(r, t, o, &s->write_before, READS_WRITTEN, false, span);
    note_access(r, &s->read, &s->read_before, (struct access){r->checks->now, span, RES_NONE});
}

void checked_write(struct ref *r, const struct tensor *t, int64_t o, enum resolution res,
                   struct span span) {
    struct shadow *s = shadow_of(r, t, o);
    if (!s)
        return;
    bool resolves = res != RES_NONE;
    meet(r, t, o, &s->write, BOTH_WRITE, resolves && s->write.how == res, span);
    meet(r, t, o, &s->write_before, BOTH_WRITE, resolves && s->write_before.how == res, span);
    meet(r, t, o, &s->read, WRITES_READ, false, span);
    meet(r, t, o, &s->read_before, WRITES_READ, false, span);
    note_access(r, &s->write, &s->write_before, (struct access){r->checks->now, span, res});
}

/* --- numbers --------------------------------------------------------------------------------- */

/* Whether RESULT is a NaN or infinity of finite operands; or a NaN of infinities, none of which any
   operation has made: they stood in the text or the data. */
static bool is_made(struct ref *r, enum dtype t, uint32_t n, const union scalar *args,
                    double result) {
    bool nans = false, finite = true;
    if (isfinite(result) || r->imagined)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        double x = scalar_to_f64(t, args[i]);
        nans = nans || isnan(x);
        finite = finite && isfinite(x);
    }
    return finite || (isnan(result) && !nans && !map_get(r->script.told, INFINITIES, NULL));
}

static void tell_number(struct ref *r, const struct tensor *t, enum dtype of, union scalar result,
                        const char *what, struct span span) {
    struct span place;
    map_put(r->script.told, INFINITIES, 1);
    if (is_new(r, ERR_NOT_FINITE, span, &place))
        explain(r,
                diag_warning(r->ev.diags, place, ERR_NOT_FINITE, what, number_text(r, of, result)),
                t, span);
}

void checked_scalar(struct ref *r, enum scalar_op op, enum dtype t, const union scalar *args,
                    union scalar result, struct span span) {
    const struct scalar_info *info = &scalars[op];
    struct span place;
    if (r->imagined || op == OP_SELECT || info->result == RESULT_BOOL)
        return;
    if (dtype_is_int(t)) {
        if ((op == OP_FLOORDIV || op == OP_MOD) && scalar_to_i64(t, args[1]) == 0 &&
            is_new(r, ERR_DIVISOR, span, &place))
            explain(r,
                    diag_warning(r->ev.diags, place, ERR_DIVISOR, number_text(r, t, args[0]),
                                 info->spelling),
                    NULL, span);
        return;
    }
    if (!dtype_is_float(t) || !is_made(r, t, info->arity, args, scalar_to_f64(t, result)))
        return;
    struct buf text = buf_new(r->ev.arena);
    if (info->form == FORM_INFIX) {
        buf_printf(&text, "%s %s %s", number_text(r, t, args[0]), info->spelling,
                   number_text(r, t, args[1]));
    } else {
        buf_printf(&text, "%s(", info->spelling);
        for (uint32_t i = 0; i < info->arity; i++)
            buf_printf(&text, "%s%s", i ? ", " : "", number_text(r, t, args[i]));
        buf_text(&text, ")");
    }
    tell_number(r, NULL, t, result, text.at, span);
}

void checked_cast(struct ref *r, enum dtype to, const struct value *v, union scalar result,
                  struct span span) {
    if (dtype_is_float(to) && dtype_is_float(v->dtype) &&
        is_made(r, v->dtype, 1, &v->scalar, scalar_to_f64(to, result)))
        tell_number(r, NULL, to, result,
                    arena_printf(r->ev.arena, "%s(%s)", dtypes[to].name,
                                 number_text(r, v->dtype, v->scalar)),
                    span);
}

void checked_resolved(struct ref *r, const struct tensor *t, int64_t o, enum resolution res,
                      union scalar before, union scalar v, union scalar after, struct span span) {
    enum dtype of = t->dtype;
    union scalar args[2] = {before, v};
    if (dtype_is_float(of) && is_made(r, of, 2, args, scalar_to_f64(of, after)))
        tell_number(r, t, of, after,
                    arena_printf(r->ev.arena, "%s of %s, which is %s, and %s",
                                 resolution_names[res], element_text(r, t, o),
                                 number_text(r, of, before), number_text(r, of, v)),
                    span);
}
