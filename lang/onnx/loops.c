/* Loop and Scan: `for` where the number of turns hangs on nothing that a turn makes, else `while`.
   Values that go from one turn to the next keep their shape. What is stacked is written part by
   part, or appended where nobody knows how many parts there will be. */
#include "lang/onnx/bodies.h"

#include <string.h>

/* A loop while it is imported. */
struct work {
    struct importer *m;
    const struct onnx_node *x;
    struct loop *loop;
    struct line line;
    struct inner in;
    bool counted;       /* COUNT is known now */
    struct value count; /* the number of turns, INT or SYM */
    uint32_t *next;     /* of what is carried: 1 + the graph's output, 0: none */
    struct operand **results;
};

static const struct wire_bytes *input_name(const struct work *w, uint32_t k) {
    return &((struct wire_value *)w->in.wire->input.at[k])->name;
}

static struct wire_bytes output_name(const struct work *w, uint32_t k) {
    return ((struct wire_value *)w->in.wire->output.at[k])->name;
}

static struct work work_new(struct importer *m, const struct onnx_node *x, uint32_t n) {
    struct work w = {.m = m, .x = x, .loop = ARENA_NEW(m->arena, struct loop)};
    uint32_t room = n + x->noutputs + 2;
    *w.loop = (struct loop){.carried = ARENA_ARRAY(m->arena, struct carried, room),
                            .stacked = ARENA_ARRAY(m->arena, struct stacked, room)};
    w.line.loop = w.loop;
    w.next = ARENA_ARRAY(m->arena, uint32_t, room);
    w.results = ARENA_ARRAY(m->arena, struct operand *, x->noutputs + 1);
    return w;
}

/* Whether the graph has as many inputs and outputs as it needs, some of the latter stacked. */
static bool check_graph(const struct work *w, uint32_t inputs, uint32_t outputs, uint32_t first) {
    const struct onnx_subgraph *g = &w->in.g;
    uint32_t most = g->outputs.n > first ? g->outputs.n - first : 0;
    if (g->inputs.n == inputs && g->outputs.n >= outputs && w->x->noutputs <= most)
        return true;
    onnx_problem(w->m->problems,
                 "%s: its graph has %u inputs and %u outputs, where it needs %u and at least %u",
                 w->x->text, g->inputs.n, g->outputs.n, inputs,
                 outputs > w->x->noutputs + first ? outputs : w->x->noutputs + first);
    return false;
}

/* --- what goes from turn to turn ------------------------------------------------------------- */

/* NEXT: 1 + the output of the graph that it becomes. */
static struct carried *add_carried(struct work *w, struct operand *to, struct ast *start,
                                   struct wire_bytes name, uint32_t next) {
    struct carried *c = &w->loop->carried[w->loop->ncarried];
    to->carried = true;
    *c = (struct carried){.to = to, .start = start, .name = name};
    w->next[w->loop->ncarried++] = next;
    return c;
}

/* Input K of the graph begins as START and goes on as output NEXT; result R is what is left. What
   no turn changes is START itself. */
static bool carry(struct work *w, uint32_t k, struct operand *start, uint32_t next, uint32_t r) {
    struct type t;
    struct name id = w->in.g.inputs.at[k];
    if (id.i == w->in.g.outputs.at[next].i) {
        operand_same(w->m, id, start);
        if (r < w->x->noutputs)
            w->results[r] = start;
        return true;
    }
    if (!type_of(w->m, start, &t))
        return false;
    struct operand *to = typed_operand(w->m, &t);
    operand_same(w->m, id, to);
    struct ast *e = exact_tensor(w->m, start);
    struct carried *c = add_carried(w, to, e, *input_name(w, k), next + 1);
    if (is_wanted(w->x, r)) {
        c->later = w->x->wire->output.at[r];
        w->results[r] = to;
    }
    return true;
}

/* Whether T hangs on the number of the turn. */
static bool hangs_on_turn(const struct work *w, const struct type *t) {
    const struct sym_ctx *syms = outline_eval(w->m->outline)->syms;
    bool hangs = false;
    for (uint32_t d = 0; d < t->rank && !name_none(w->loop->index); d++)
        hangs = hangs ||
                (t->dims[d].kind == VAL_SYM && sym_contains(syms, t->dims[d].sym, w->loop->index));
    return hangs;
}

/* The type of output K of the graph, the same in all turns; false after a problem. */
static bool turn_type(struct work *w, uint32_t k, struct operand **given, struct type *t) {
    *given = inner_gives(&w->in, w->x, k, output_name(w, k));
    if (!*given || !type_of(w->m, *given, t))
        return false;
    if (!hangs_on_turn(w, t))
        return true;
    onnx_problem(w->m->problems, "%s: the shape of %s is another one in each turn", w->x->text,
                 wire_text(w->m->arena, output_name(w, k)));
    return false;
}

/* What is carried is known after a turn. */
static bool close_carried(struct work *w) {
    bool good = true;
    for (uint32_t i = 0; i < w->loop->ncarried; i++) {
        struct carried *c = &w->loop->carried[i];
        struct operand *given;
        struct type before, after;
        if (w->next[i] == 0)
            continue;
        bool fits = turn_type(w, w->next[i] - 1, &given, &after) && type_of(w->m, c->to, &before) &&
                    same_type(w->m, w->x, c->name, &before, &after,
                              "after a turn; what a loop carries keeps its type");
        good = good && fits;
        if (fits)
            c->next = exact_tensor(w->m, given);
    }
    return good;
}

static struct ast *binary(struct importer *m, enum ast_op op, struct ast *a, struct ast *b) {
    struct ast *x = new_node(m, AST_BINARY, 2);
    x->op = op;
    x->kids[0] = a;
    x->kids[1] = b;
    return x;
}

/* The number of the turn, from the end. */
static struct ast *turn_from_end(struct work *w) {
    struct importer *m = w->m;
    struct value one = value_int(1);
    struct value last = int_op(outline_eval(m->outline), INT_SUB, &w->count, &one);
    return binary(m, AOP_SUB, ast_of_value(m, &last), new_name(m, w->loop->index));
}

/* How many parts are stacked. */
static struct value stacked_size(struct work *w) {
    struct eval *ev = outline_eval(w->m->outline);
    struct value zero = value_int(0);
    bool sure = sym_prove_nonneg(ev->facts, value_sym(ev, &w->count));
    return sure ? w->count : int_op(ev, INT_MAX, &w->count, &zero);
}

/* GIVEN, a T, of all turns together is result R: along AXIS, and if REVERSED from the last to the
   first. */
static bool stack_part(struct work *w, const struct operand *given, const struct type *t,
                       uint32_t r, int64_t axis, bool reversed) {
    struct importer *m = w->m;
    uint32_t rank = t->rank + 1;
    axis = axis < 0 ? axis + rank : axis;
    bool found = !w->counted || is_found(m, &w->count);
    bool fits = axis >= 0 && axis < rank && rank <= ONNX_RANK_MAX;
    if (!fits || (found && (axis || reversed))) {
        onnx_problem(m->problems, "%s: output %s cannot be stacked there", w->x->text,
                     wire_text(m->arena, w->x->wire->output.at[r]));
        return false;
    }
    struct value dims[ONNX_RANK_MAX];
    for (uint32_t d = 0, e = 0; d < rank; d++)
        if (d != axis)
            dims[d] = t->dims[e++];
        else
            dims[d] = found ? outline_found(m->outline) : stacked_size(w);
    struct type all = {t->element, rank, dims};
    struct stacked *s = &w->loop->stacked[w->loop->nstacked++];
    struct operand *to = typed_operand(m, &all);
    struct ast *at = found      ? new_node(m, AST_ANY, 0)
                     : reversed ? turn_from_end(w)
                                : new_name(m, w->loop->index);
    *s = (struct stacked){.to = to,
                          .element = operand_tensor(m, given, false),
                          .place = new_part(m, new_name(m, to->stand_in), rank, (uint32_t)axis, at),
                          .appended = found,
                          .name = w->x->wire->output.at[r]};
    w->results[r] = to;
    return true;
}

/* Output K of the graph, stacked so, if it is wanted. */
static bool stack_up(struct work *w, uint32_t k, uint32_t r, int64_t axis, bool reversed) {
    struct operand *given;
    struct type t;
    return !is_wanted(w->x, r) ||
           (turn_type(w, k, &given, &t) && stack_part(w, given, &t, r, axis, reversed));
}

static void add_loop(struct work *w) {
    if (w->loop->ncarried + w->loop->nstacked)
        VEC_PUSH(w->m->arena, w->m->body->lines, w->line);
}

static void finish(struct work *w) {
    for (uint32_t r = 0; r < w->x->noutputs; r++)
        set_result(w->m, w->x, r, w->results[r]);
    add_loop(w);
}

/* COUNT turns, of which INDEX is the number. */
static struct value begin_for(struct work *w, struct ast *count, struct name index) {
    struct value v = outline_index(w->m->outline, index, w->counted ? &w->count : NULL);
    w->loop->index = index;
    w->line.value = count;
    env_bind(w->m->env, index, v, (struct span){0});
    return v;
}

/* --- Loop ------------------------------------------------------------------------------------ */

/* Whether the graph gives its condition as it came, which is true: by operators of one input,
   on what is known. These nodes are imported, then forgotten. */
static bool goes_on(struct work *w) {
    struct importer *m = w->m;
    const struct onnx_subgraph *g = &w->in.g;
    struct map made = map_new(m->arena);
    VEC(const struct onnx_node *) chain = {0};
    struct value v;
    for (uint32_t i = 0; i < g->nodes.n; i++)
        for (uint32_t k = 0; k < g->nodes.at[i].noutputs; k++)
            map_put(&made, g->nodes.at[i].outputs[k].i, i + 1);
    struct name id = g->outputs.at[0];
    for (uint64_t at = 0; chain.n <= g->nodes.n && map_get(&made, id.i, &at);) {
        const struct onnx_node *x = &g->nodes.at[at - 1];
        int64_t first;
        const struct onnx_operator *o =
            onnx_operator_find(x->wire->domain, x->wire->op_type, x->version, &first);
        VEC_PUSH(m->arena, chain, x);
        bool own = onnx_function_of(m->model, x->wire) != NULL;
        if (own || !o || x->noutputs != 1 || x->ninputs > 1 ||
            (x->ninputs && name_none(x->inputs[0])))
            return false;
        if (x->ninputs == 0 && o->form == WRITTEN_CONSTANT)
            break;
        if (x->ninputs == 0 || (o->form != WRITTEN_SAME && !o->fixed))
            return false;
        id = x->inputs[0];
    }
    struct operands inner;
    struct body lines = {0}, *outer = m->body;
    uint32_t problems = m->problems->lines.n;
    operands_enter(m, &inner, false);
    m->body = &lines;
    for (uint32_t i = chain.n; i-- > 0;)
        import_node(m, chain.at[i]);
    const struct operand *end = operand_of(m, g->outputs.at[0]);
    bool on = end && one_value(m, end, &v) && v.kind == VAL_BOOL && v.b;
    m->body = outer;
    operands_leave(m);
    m->problems->lines.n = problems; /* the nodes tell again */
    return on;
}

/* A loop that may end before LIMIT (NULL: there is none) counts its turns itself. */
static void begin_while(struct work *w, struct ast *limit, const struct operand *condition) {
    struct importer *m = w->m;
    struct type truth = {.element = DT_bool}, number = {.element = DT_i64};
    struct operand *go = typed_operand(m, &truth);
    struct ast *start = new_node(m, AST_BOOL, 0);
    start->integer = true;
    add_carried(w, go, condition ? only_element(m, condition) : start, output_name(w, 0), 0);
    w->loop->condition = new_name(m, go->stand_in);
    struct operand *turn = typed_operand(m, &number);
    operand_same(m, w->in.g.inputs.at[0], turn);
    w->loop->bounded = limit != NULL;
    if (limit)
        w->loop->condition = binary(
            m, AOP_AND, binary(m, AOP_LT, new_name(m, turn->stand_in), limit), w->loop->condition);
    turn->carried = true;
}

/* The number of the turn is an input of the graph. */
static void begin_counted(struct work *w, struct ast *count) {
    struct value v = begin_for(w, count, claim_value(w->m, *input_name(w, 0)));
    operand_new(w->m, w->in.g.inputs.at[0], OPERAND_FIXED, DT_i64, v);
}

enum { TURNS_MOST = 1 << 30 }; /* more are as many as one likes */

/* The number of turns and the condition before the first one: a `for` if none of them hangs on what
   a turn makes. False after a problem. */
static bool begin_loop(struct work *w, const struct operand *turns,
                       const struct operand *condition) {
    struct importer *m = w->m;
    struct value go = value_bool(true);
    bool known = !condition || (one_value(m, condition, &go) && go.kind == VAL_BOOL);
    w->counted = turns && one_value(m, turns, &w->count);
    bool endless = !turns || (w->counted && w->count.kind == VAL_INT && w->count.i >= TURNS_MOST);
    bool on = goes_on(w);
    if (known && !go.b) {
        w->counted = true;
        w->count = value_int(0);
        begin_counted(w, new_int(m, 0));
        return true;
    }
    if (on && endless) {
        onnx_problem(m->problems, "%s: nothing ends it", w->x->text);
        return false;
    }
    struct ast *limit = endless ? NULL : only_element(m, turns);
    if (on && known)
        begin_counted(w, limit);
    else {
        w->counted = false;
        begin_while(w, limit, known ? NULL : condition);
    }
    return true;
}

/* The condition after a turn, and the number of the turn. */
static void end_while(struct work *w) {
    struct importer *m = w->m;
    struct operand *given = inner_gives(&w->in, w->x, 0, output_name(w, 0));
    if (given && given->kind != OPERAND_UNKNOWN)
        w->loop->carried[0].next = only_element(m, given);
    struct operand *turn = operand_here(m, w->in.g.inputs.at[0]);
    add_carried(w, turn, new_int(m, 0), *input_name(w, 0), 0);
}

void import_loop(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                 struct operand *const *at, uint32_t n) {
    struct work w = work_new(m, x, n);
    uint32_t ncarried = n > 2 ? n - 2 : 0;
    if (!inner_enter(m, x, o->graphs[0], &w.in))
        return;
    bool good = check_graph(&w, ncarried + 2, ncarried + 1, 1);
    if (good) {
        operand_new(m, w.in.g.inputs.at[1], OPERAND_FIXED, DT_bool, value_bool(true));
        good = begin_loop(&w, n > 0 ? at[0] : NULL, n > 1 ? at[1] : NULL);
    }
    for (uint32_t k = 0; good && k < ncarried; k++)
        good = carry(&w, k + 2, at[k + 2], k + 1, k);
    if (good) {
        inner_nodes(&w.in, &w.loop->body);
        good = close_carried(&w);
        for (uint32_t r = ncarried; good && r < x->noutputs; r++)
            good = stack_up(&w, r + 1, r, 0, false);
    }
    if (good && w.loop->condition)
        end_while(&w);
    operands_leave(m);
    if (good)
        finish(&w);
}

/* --- Scan ------------------------------------------------------------------------------------ */

static const struct wire_attribute *attribute_of(const struct onnx_node *x, const char *name) {
    for (uint32_t i = 0; i < x->wire->attribute.n; i++) {
        const struct wire_attribute *w = x->wire->attribute.at[i];
        if (wire_is(w->name, name))
            return w;
    }
    return NULL;
}

/* The K-th of the whole numbers that W is, 0 if it has not so many. */
static int64_t whole(const struct wire_attribute *w, uint32_t k) {
    return w && k < w->ints.n ? w->ints.at[k] : 0;
}

/* The part of OF along AXIS that is meant in a turn, as the line NAME. The first one says how many
   turns there are. NULL after a problem. */
static struct operand *take_part(struct work *w, struct operand *of, int64_t axis, bool reversed,
                                 const struct wire_bytes *name) {
    struct importer *m = w->m;
    struct type t;
    struct value dims[ONNX_RANK_MAX];
    if (!type_of(m, of, &t))
        return NULL;
    axis = axis < 0 ? axis + t.rank : axis;
    if (axis < 0 || axis >= t.rank) {
        onnx_problem(m->problems, "%s: %s has no dimension %lld", w->x->text,
                     wire_text(m->arena, *name), (long long)axis);
        return NULL;
    }
    if (!w->counted) {
        w->counted = true;
        w->count = t.dims[axis];
        begin_for(w, ast_of_value(m, &w->count), idents_claim(&m->scope, "i"));
    }
    if (int_equal(outline_eval(m->outline), &w->count, &t.dims[axis]) == 0) {
        onnx_problem(m->problems, "%s: %s is shorter or longer than another input", w->x->text,
                     wire_text(m->arena, *name));
        return NULL;
    }
    for (uint32_t d = 0, e = 0; d < t.rank; d++)
        if (d != axis)
            dims[e++] = t.dims[d];
    struct type part = {t.element, t.rank - 1, dims};
    struct ast *index = reversed ? turn_from_end(w) : new_name(m, w->loop->index);
    struct line line = {.value = new_part(m, exact_tensor(m, of), t.rank, (uint32_t)axis, index),
                        .ntargets = 1,
                        .targets = ARENA_ARRAY(m->arena, struct operand *, 1),
                        .names = name};
    line.targets[0] = typed_operand(m, &part);
    VEC_PUSH(m->arena, w->loop->body.lines, line);
    return line.targets[0];
}

/* A Scan of the N operands AT: a line behind those of the body. */
static bool scan(struct work *w, const struct onnx_operator *o, struct operand *const *at,
                 uint32_t n) {
    const struct onnx_node *x = w->x;
    const struct wire_attribute *number = attribute_of(x, "num_scan_inputs");
    int64_t parts = number ? number->i : 0;
    if (parts < 1 || parts > n) {
        onnx_problem(w->m->problems, "%s: %lld of its %u inputs are scanned", x->text,
                     (long long)parts, n);
        return false;
    }
    uint32_t states = n - (uint32_t)parts;
    const struct wire_attribute *in_axes = attribute_of(x, "scan_input_axes");
    const struct wire_attribute *in_directions =
        attribute_of(x, o->batched ? "directions" : "scan_input_directions");
    const struct wire_attribute *out_axes = attribute_of(x, "scan_output_axes");
    const struct wire_attribute *out_directions = attribute_of(x, "scan_output_directions");
    if (!inner_enter(w->m, x, o->graphs[0], &w->in))
        return false;
    bool good = check_graph(w, n, states, 0);
    for (uint32_t k = 0; good && k < parts; k++) {
        struct operand *part = take_part(w, at[states + k], whole(in_axes, k),
                                         whole(in_directions, k) == 1, input_name(w, states + k));
        good = part != NULL;
        operand_same(w->m, w->in.g.inputs.at[states + k], part);
    }
    for (uint32_t k = 0; good && k < states; k++)
        good = carry(w, k, at[k], k, k);
    if (good) {
        inner_nodes(&w->in, &w->loop->body);
        good = close_carried(w);
        for (uint32_t r = states; good && r < x->noutputs; r++)
            good = stack_up(w, r, r, whole(out_axes, r - states),
                            whole(out_directions, r - states) == 1);
    }
    operands_leave(w->m);
    return good;
}

/* The Scan of each part of a batch, as parts of its results. */
static bool scan_batch(struct work *w, const struct onnx_operator *o, struct operand *const *at,
                       uint32_t n) {
    struct importer *m = w->m;
    struct operand **parts = ARENA_ARRAY(m->arena, struct operand *, n);
    struct body *outer = m->body;
    struct type t;
    bool good = true;
    for (uint32_t k = 0; good && k < n; k++)
        good = (parts[k] = take_part(w, at[k], 0, false, &w->x->wire->input.at[k + 1]));
    if (!good)
        return false;
    struct work one = work_new(m, w->x, n);
    m->body = &w->loop->body;
    good = scan(&one, o, parts, n);
    if (good)
        add_loop(&one);
    m->body = outer;
    for (uint32_t r = 0; good && r < w->x->noutputs; r++)
        good = !is_wanted(w->x, r) ||
               (type_of(m, one.results[r], &t) && stack_part(w, one.results[r], &t, r, 0, false));
    return good;
}

void import_scan(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                 struct operand *const *at, uint32_t n) {
    struct work w = work_new(m, x, n);
    if (o->batched && at[0]) {
        onnx_problem(m->problems, "%s: lengths of its parts are not supported", x->text);
        return;
    }
    if (o->batched ? scan_batch(&w, o, at + 1, n - 1) : scan(&w, o, at, n))
        finish(&w);
}
