/* Long programs in pieces. LLVM takes more than time in proportion for a long function: a pointer
   that lives long is looked at in every block. So when the sequential control flow of a graph, its
   own region and those of loops and branches in it, has more than MOST nodes, `dcl_body` keeps only
   the heads of long loops and branches, and runs of other nodes of at most PIECE nodes each become
   functions.
   What a piece uses from outside lies in a frame, an array in dcl_body: pointers and values in
   fields of 8 bytes, and the elements of small containers. A piece is two functions: one loads the
   fields, the other gets them as parameters, so that pointers are noalias as ever, see compile.c.
   Scratch memory that pieces take lives until the end of the region: freeing a block that dcl_body
   takes first frees all that was taken after it. */
#include "backends/llvm/codegen.h"

#include <stddef.h>
#include <stdio.h>

enum { MOST = 256, PIECE = 64, FIELD = 8, ALIGN = 64 };

/* --- what is long --- */

static uint32_t region_weight(struct cg *c, const struct region *r);

static uint32_t node_weight(struct cg *c, const struct node *n) {
    struct region *inner[2];
    uint32_t count = is_outlined(c, n) ? 0 : node_regions((struct node *)n, inner), w = 1;
    for (uint32_t i = 0; i < count; i++)
        w += region_weight(c, inner[i]);
    return c->weights[n->id] = w;
}

static uint32_t region_weight(struct cg *c, const struct region *r) {
    uint32_t w = 0;
    for (uint32_t i = 0; i < r->nodes.n; i++)
        w += node_weight(c, r->nodes.at[i]);
    return w;
}

void frame_begin(struct cg *c) {
    struct fn *fn = c->fn;
    c->weights = ARENA_ARRAY(c->a, uint32_t, c->g->nodes + 1);
    if (region_weight(c, &c->g->body) <= MOST)
        return;
    c->frame.handed = map_new(c->a);
    c->frame.conts = map_new(c->a);
    c->frame.names = map_new(c->a);
    c->frame.arrays = map_new(c->a);
    fn->frame = LLVMBuildArrayAlloca(fn->allocas, c->i64, cg_i64(c, 1), "frame");
    LLVMSetAlignment(fn->frame, ALIGN);
    fn->divides = true;
}

void frame_end(struct cg *c) {
    if (c->fn->divides)
        LLVMSetOperand(c->fn->frame, 0, cg_i64(c, c->frame.fields ? c->frame.fields : 1));
}

bool region_divides(const struct cg *c) {
    return c->fn->divides && !c->fn->in_map;
}

/* --- the frame --- */

static LLVMValueRef field(struct cg *c, uint32_t i) {
    LLVMValueRef at = cg_i64(c, i);
    return LLVMBuildGEP2(c->b, c->i64, c->fn->frame, &at, 1, "");
}

static uint32_t cont_field(struct cg *c, struct cont k) {
    uint64_t at;
    if (map_get(&c->frame.conts, k.i, &at))
        return (uint32_t)at;
    map_put(&c->frame.conts, k.i, c->frame.fields);
    return c->frame.fields++;
}

static struct frame_name *name_field(struct cg *c, struct name n) {
    uint64_t at;
    if (!map_get(&c->frame.names, n.i, &at)) {
        struct frame_name new = {.field = c->frame.fields++};
        at = c->frame.all.n;
        map_put(&c->frame.names, n.i, at);
        VEC_PUSH(c->a, c->frame.all, new);
    }
    return &c->frame.all.at[at];
}

const struct frame_name *frame_name(const struct cg *c, struct name n) {
    uint64_t at;
    if (!c->fn->divides || !map_get(&c->frame.names, n.i, &at) || !c->frame.all.at[at].handed)
        return NULL;
    return &c->frame.all.at[at];
}

void frame_forget(struct cg *c, struct name n) {
    uint64_t at;
    if (c->fn->divides && map_get(&c->frame.names, n.i, &at))
        c->frame.all.at[at].handed = false;
}

struct val frame_value(struct cg *c, const struct frame_name *n) {
    return cg_val(LLVMBuildLoad2(c->b, cg_type(c, n->t, 1), field(c, n->field), ""), n->t, 1);
}

bool is_handed_on(const struct cg *c, struct cont k) {
    return c->fn->frame && map_get(&c->frame.handed, k.i, NULL);
}

LLVMValueRef frame_pointer(struct cg *c, struct cont k) {
    return LLVMBuildLoad2(c->b, c->ptr, field(c, cont_field(c, k)), "");
}

LLVMValueRef frame_array(struct cg *c, const struct node *n, uint64_t bytes, uint64_t most) {
    uint64_t at;
    if (!map_get(&c->frame.arrays, n->id, &at)) {
        at = (c->frame.fields + ALIGN / FIELD - 1) / (ALIGN / FIELD) * (ALIGN / FIELD);
        if (at * FIELD + bytes > most)
            return NULL;
        map_put(&c->frame.arrays, n->id, at);
        c->frame.fields = (uint32_t)(at + (bytes + FIELD - 1) / FIELD);
    }
    return field(c, (uint32_t)at);
}

void hand_on(struct cg *c, const struct node *n) {
    struct deep d;
    if (n->kind == NODE_DECL) {
        const struct place *p = place_of(c, n->decl.cont);
        if (is_handed_on(c, n->decl.cont) && p->layout == LAYOUT_MEMORY)
            LLVMBuildStore(c->b, p->base, field(c, cont_field(c, n->decl.cont)));
        return;
    }
    if (n->kind != NODE_READ && n->kind != NODE_LET)
        return;
    struct name name = n->kind == NODE_READ ? n->read.name : n->let.name;
    uint64_t at;
    if (!map_get(&c->frame.names, name.i, &at) || !bound_name(c, name, &d))
        return;
    c->frame.all.at[at].handed = true;
    c->frame.all.at[at].t = d.v.t;
    LLVMBuildStore(c->b, d.v.v, field(c, c->frame.all.at[at].field));
}

/* --- what dcl_body itself holds goes to the frame, once per scope --- */

static bool first_here(struct cg *c, uint64_t key) {
    struct deep d;
    if (memo_get(c, key, &d))
        return false;
    memo_put(c, key, (struct deep){cg_int(c, 0), 0});
    return true;
}

static void store_captured(struct cg *c, const struct capture *x) {
    struct deep d;
    uint64_t at;
    for (uint32_t i = 0; i < x->conts.n; i++) {
        struct cont k = x->conts.at[i];
        if (!is_handed_on(c, k) && map_get(&c->fn->placed, k.i, &at) &&
            first_here(c, (uint64_t)3 << 62 | k.i))
            LLVMBuildStore(c->b, c->fn->places.at[at].base, field(c, cont_field(c, k)));
    }
    for (uint32_t i = 0; i < x->names.n; i++) {
        struct name n = x->names.at[i];
        struct frame_name *f = name_field(c, n);
        if (f->handed || !bound_name(c, n, &d) ||
            !first_here(c, (uint64_t)3 << 62 | (uint64_t)1 << 32 | n.i))
            continue;
        f->t = d.v.t;
        LLVMBuildStore(c->b, d.v.v, field(c, f->field));
    }
}

/* --- pieces --- */

struct piece {
    uint32_t from, to;
    bool here; /* lowered in dcl_body */
    struct uses uses;
};

struct pieces {
    VEC(struct piece) all;
};

static bool stays(const struct cg *c, const struct node *n) {
    if (n->kind == NODE_DECL)
        return graph_cont(c->g, n->decl.cont)->storage == STORE_RESERVE;
    bool control = n->kind == NODE_LOOP || n->kind == NODE_WHILE || n->kind == NODE_BRANCH;
    return control && c->weights[n->id] > PIECE;
}

static struct pieces divide(struct cg *c, const struct region *r) {
    struct pieces p = {0};
    for (uint32_t i = 0, to; i < r->nodes.n; i = to) {
        struct piece x = {.from = i, .here = stays(c, r->nodes.at[i])};
        uint32_t weight = c->weights[r->nodes.at[i]->id];
        for (to = i + 1; !x.here && to < r->nodes.n && !stays(c, r->nodes.at[to]); to++) {
            weight += c->weights[r->nodes.at[to]->id];
            if (weight > PIECE)
                break;
        }
        x.to = to;
        nodes_uses(c, r, x.from, x.to, &x.uses);
        VEC_PUSH(c->a, p.all, x);
    }
    return p;
}

/* What one piece of R declares or binds and another one uses gets a field. */
static void find_handed_on(struct cg *c, const struct region *r, const struct pieces *p) {
    struct map conts = map_new(c->a), names = map_new(c->a);
    for (uint32_t i = 0; i < p->all.n; i++) {
        const struct piece *x = &p->all.at[i];
        for (uint32_t k = 0; k < x->uses.conts.n; k++) {
            struct cont used = {(uint32_t)x->uses.conts.entries[k].key};
            if (map_get(&conts, used.i, NULL) && !map_get(&x->uses.declared, used.i, NULL))
                map_put(&c->frame.handed, used.i, 1);
        }
        for (uint32_t k = 0; k < x->uses.names.n; k++) {
            struct name used = {(uint32_t)x->uses.names.entries[k].key};
            if (map_get(&names, used.i, NULL) && !map_get(&x->uses.defined, used.i, NULL))
                name_field(c, used);
        }
        for (uint32_t k = x->from; k < x->to && !x->here; k++) {
            const struct node *n = r->nodes.at[k];
            if (n->kind == NODE_DECL)
                map_put(&conts, n->decl.cont.i, 1);
            if (n->kind == NODE_READ)
                map_put(&names, n->read.name.i, 1);
            if (n->kind == NODE_LET)
                map_put(&names, n->let.name.i, 1);
        }
    }
}

/* f(api, frame): loads what BODY takes. */
static LLVMValueRef lower_call(struct cg *c, LLVMValueRef body, const struct capture *x) {
    char name[32];
    struct fn *outer = c->fn;
    LLVMTypeRef params[] = {c->ptr, c->ptr};
    snprintf(name, sizeof name, "dcl_call_%u", c->functions++);
    struct fn *fn = fn_begin(c, name, LLVMFunctionType(c->i32, params, 2, false), true);
    fn->frame = LLVMGetParam(fn->f, 1);
    uint32_t count = 2 + x->conts.n + x->names.n;
    LLVMValueRef *args = ARENA_ARRAY(c->a, LLVMValueRef, count);
    args[0] = fn->api;
    args[1] = fn->frame;
    for (uint32_t i = 0; i < x->conts.n; i++)
        args[2 + i] = frame_pointer(c, x->conts.at[i]);
    for (uint32_t i = 0; i < x->names.n; i++)
        args[2 + x->conts.n + i] = frame_value(c, name_field(c, x->names.at[i])).v;
    LLVMTypeRef type = LLVMGlobalGetValueType(body);
    bail_unless_ok(c, LLVMBuildCall2(c->b, type, body, args, count, ""));
    fn_end(c);
    c->fn = outer;
    return fn->f;
}

static void lower_piece(struct cg *c, const struct region *r, const struct piece *p) {
    char name[32];
    struct capture x;
    struct fn *outer = c->fn;
    capture_uses(c, &p->uses, &x);
    store_captured(c, &x);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    snprintf(name, sizeof name, "dcl_piece_%u", c->functions++);
    struct fn *fn = outline_begin(c, name, &x, 1, c->ptr);
    fn->frame = LLVMGetParam(fn->f, 1);
    fn->piece = r;
    fn->piece_end = p->to;
    lower_nodes(c, r, p->from, p->to);
    fn_end(c);
    c->fn = outer;
    LLVMValueRef call = lower_call(c, fn->f, &x);
    cg_at(c, here);
    LLVMValueRef args[] = {outer->api, outer->frame};
    bail_unless_ok(c, LLVMBuildCall2(c->b, LLVMGlobalGetValueType(call), call, args, 2, ""));
}

void lower_pieces(struct cg *c, const struct region *r) {
    struct pieces p = divide(c, r);
    find_handed_on(c, r, &p);
    for (uint32_t i = 0; i < r->nodes.n; i++)
        if (r->nodes.at[i]->kind == NODE_DECL) {
            scratch_mark(c);
            break;
        }
    for (uint32_t i = 0; i < p.all.n && !c->failed; i++)
        if (p.all.at[i].here)
            lower_nodes(c, r, p.all.at[i].from, p.all.at[i].to);
        else
            lower_piece(c, r, &p.all.at[i]);
}
