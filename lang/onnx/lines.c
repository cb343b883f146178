/* The second turn (Note [two turns] in importer.h): lines get names and become statements.

   A block's names are free again after it, so that those of two sides of an `if` may be alike. */
#include "lang/onnx/importer.h"

#include <string.h>

/* --- what lines read ------------------------------------------------------------------------- */

struct operand *stood_for(struct importer *m, const struct ast *e) {
    uint64_t x = 0;
    return e->kind == AST_NAME && map_get(&m->stand_ins, e->name.i, &x)
               ? (struct operand *)(uintptr_t)x
               : NULL;
}

void visit_expression(const struct visitor *v, const struct ast *e) {
    struct operand *x = stood_for(v->m, e);
    if (x)
        v->each(v->data, x);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            visit_expression(v, e->kids[k]);
}

void visit_body(const struct visitor *v, const struct body *b) {
    for (uint32_t i = 0; i < b->lines.n; i++)
        visit_line(v, &b->lines.at[i]);
}

/* What LOOP reads at the end of a turn. */
void visit_turn(const struct visitor *v, const struct loop *loop) {
    for (uint32_t k = 0; k < loop->ncarried; k++)
        if (loop->carried[k].next)
            visit_expression(v, loop->carried[k].next);
    for (uint32_t k = 0; k < loop->nstacked; k++)
        visit_expression(v, loop->stacked[k].element);
}

void visit_line(const struct visitor *v, const struct line *line) {
    const struct choice *c = line->choice;
    const struct loop *loop = line->loop;
    if (line->value)
        visit_expression(v, line->value);
    for (uint32_t s = 0; c && s < 2; s++) {
        visit_body(v, &c->sides[s]);
        for (uint32_t k = 0; k < line->ntargets; k++)
            visit_expression(v, c->results[s][k]);
    }
    if (!loop)
        return;
    for (uint32_t k = 0; k < loop->ncarried; k++)
        visit_expression(v, loop->carried[k].start);
    visit_body(v, &loop->body);
    visit_turn(v, loop);
}

static void note_weight(void *data, struct operand *x) {
    struct importer *m = data;
    if (x->kind == OPERAND_WEIGHT)
        m->model->weights.at[x->weight].used = true;
}

void drop_weights(struct importer *m) {
    struct onnx_model *model = m->model;
    struct visitor v = {m, note_weight, m};
    for (uint32_t i = 0; i < model->weights.n; i++)
        model->weights.at[i].used = false;
    visit_body(&v, m->body);
    for (uint32_t i = 0; i < model->outputs.n; i++) {
        const struct operand *x = operand_of(m, model->outputs.at[i].id);
        if (x && x->kind != OPERAND_UNKNOWN)
            visit_expression(&v, operand_tensor(m, x, false));
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < model->weights.n; i++)
        if (model->weights.at[i].used) {
            m->weights.at[i]->weight = n;
            m->weights.at[n] = m->weights.at[i];
            model->weights.at[n++] = model->weights.at[i];
        }
    model->weights.n = n;
}

/* --- names ----------------------------------------------------------------------------------- */

static char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether X begins with Y, in lower case, and then, if DOTTED, a dot. */
static bool begins(struct wire_bytes x, struct wire_bytes y, bool dotted) {
    bool same = x.n >= y.n + dotted && y.n > 0 && (!dotted || x.at[y.n] == '.');
    for (size_t i = 0; same && i < y.n; i++)
        same = lower_case(x.at[i]) == lower_case(y.at[i]);
    return same;
}

enum { SCOPES_MOST = 32 };

/* NAME in lower case without scopes that the next one repeats, and if SHORT without the operator if
   its scope is called like it: `/layer1/layer1.0/conv1/Conv` is layer1.0/conv1. */
static struct wire_bytes plain_name(struct importer *m, struct wire_bytes name, bool shorter) {
    struct wire_bytes part[SCOPES_MOST];
    uint32_t n = 0;
    struct buf b = buf_new(m->arena);
    for (size_t i = 0; i < name.n && n < SCOPES_MOST;) {
        const char *slash = memchr(name.at + i, '/', name.n - i);
        size_t k = slash ? (size_t)(slash - name.at) - i : name.n - i;
        if (k)
            part[n++] = (struct wire_bytes){name.at + i, k};
        i += k + 1;
    }
    for (uint32_t k = 0; k < n; k++) {
        bool repeated = k + 1 < n && begins(part[k + 1], part[k], true);
        bool same = shorter && k + 1 == n && k && begins(part[k - 1], part[k], false);
        if (!repeated && !same)
            buf_printf(&b, "%s%.*s", b.n ? "/" : "", (int)part[k].n, part[k].at);
    }
    for (size_t i = 0; i < b.n; i++)
        b.at[i] = lower_case(b.at[i]);
    return (struct wire_bytes){b.at, b.n};
}

/* `MatMul_12` as MatMul. */
static struct wire_bytes without_number(struct wire_bytes name) {
    size_t n = name.n;
    while (n && name.at[n - 1] >= '0' && name.at[n - 1] <= '9')
        n--;
    if (n > 1 && n < name.n && name.at[n - 1] == '_' && name.at[n - 2] != '/')
        name.n = n - 1;
    return name;
}

struct name claim_value(struct importer *m, struct wire_bytes name) {
    static const char ending[] = "_output_0";
    size_t n = sizeof ending - 1;
    if (name.n > n && memcmp(name.at + name.n - n, ending, n) == 0)
        name.n -= n;
    if (m->inside) /* numbers may count through the file */
        name = without_number(name);
    const char *text = ident_text(m->arena, plain_name(m, name, true), "v");
    if (idents_taken(&m->scope, name_of_text(m->names, text)))
        text = ident_text(m->arena, plain_name(m, name, false), "v");
    return idents_claim(&m->scope, text);
}

/* --- lines ----------------------------------------------------------------------------------- */

struct ast *finished(struct importer *m, struct ast *e) {
    const struct operand *x = stood_for(m, e);
    if (x)
        return x->read ? ast_clone(m->arena, x->read) : new_text_name(m, "_");
    const struct ast *member = instance_read(m, e);
    if (member) {
        while (e->kids[e->nkids - 1]->kind == AST_KEYWORD)
            e->nkids--;
        e->kids[0] = ast_clone(m->arena, member);
    }
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            e->kids[k] = finished(m, e->kids[k]);
    return e;
}

static void finish_loop(struct importer *m, const struct line *line, struct ast *block);

/* A side of CHOICE as a block, whose value is what it gives. */
static struct ast *finish_side(struct importer *m, const struct line *line, uint32_t s) {
    const struct body *b = &line->choice->sides[s];
    struct ast *block = new_node(m, AST_BLOCK, 0), *value;
    uint32_t mark = idents_mark(&m->scope);
    finish_body(m, b, block);
    value = new_node(m, AST_TUPLE, 0);
    for (uint32_t k = 0; k < line->ntargets; k++)
        ast_push(m->arena, value, finished(m, line->choice->results[s][k]));
    if (line->ntargets == 1)
        value = value->kids[0];
    idents_release(&m->scope, mark);
    struct ast *last = block->nkids ? block->kids[block->nkids - 1] : NULL;
    bool names_it = last && last->kind == AST_ASSIGN && last->nkids == 2 &&
                    value->kind == AST_NAME && last->kids[1]->kind == AST_NAME &&
                    last->kids[1]->name.i == value->name.i;
    if (names_it) /* of one use, at once */
        block->kids[block->nkids - 1] = last->kids[0];
    else
        ast_push(m->arena, block, value);
    return block;
}

/* A line that only gives a value another name, as rules leave them, is none. */
static bool finish_alias(struct importer *m, const struct line *line) {
    struct operand *x = line->rewritten ? stood_for(m, line->value) : NULL;
    bool alias =
        x && x->read && line->ntargets == 1 && (m->inside || name_none(line->targets[0]->result));
    if (alias) {
        line->targets[0]->read = x->read;
        x->aliased = true;
    }
    return alias;
}

/* Takes PREFIX and a slash off NAME; false if it does not begin so. */
static bool cut_prefix(struct wire_bytes *name, struct wire_bytes prefix) {
    bool begins_so = name->n > prefix.n && memcmp(name->at, prefix.at, prefix.n) == 0 &&
                     name->at[prefix.n] == '/';
    if (begins_so)
        *name = (struct wire_bytes){name->at + prefix.n + 1, name->n - prefix.n - 1};
    return begins_so;
}

/* What the instance that MEMBER reads gives is fc1_out, of an element of a list blocks_0_out. */
static struct wire_bytes name_of_member(struct importer *m, const struct ast *member) {
    struct buf b = buf_new(m->arena);
    const struct ast *of = member->kind == AST_INDEX ? member->kids[0] : member;
    const char *text = of->kind == AST_INDEX ? "layer" : name_text(m->names, of->name);
    buf_text(&b, text);
    if (member->kind == AST_INDEX)
        buf_printf(&b, "_%lld", (long long)member->kids[1]->integer);
    buf_text(&b, "_out");
    return (struct wire_bytes){b.at, b.n};
}

/* What target K of a line is called: after the function that stands for its nodes, of
   `/ln/Add_1_output_0` ln_layer_norm. */
static struct wire_bytes name_of_line(struct importer *m, const struct line *line, uint32_t k) {
    const struct operand *to = line->targets[k];
    struct wire_bytes name = to->label.n ? to->label : line->names[k];
    if (m->prefix.n && !cut_prefix(&name, m->prefix)) {
        struct wire_bytes node = line->node;
        name = cut_prefix(&node, m->prefix) ? node : name;
    }
    size_t n = name.n;
    while (n && name.at[n - 1] != '/')
        n--;
    if (!line->rewritten || line->value->kind != AST_CALL)
        return name;
    const char *text = arena_printf(m->arena, "%.*s%s", (int)n, name.at,
                                    name_text(m->names, line->value->kids[0]->name));
    return (struct wire_bytes){text, strlen(text)};
}

void finish_line(struct importer *m, const struct line *line, struct ast *block) {
    if (line->loop) {
        finish_loop(m, line, block);
        return;
    }
    if (finish_alias(m, line))
        return;
    const struct ast *member = instance_read(m, line->value);
    struct ast *value = finished(m, line->value), *x = new_node(m, AST_ASSIGN, 1);
    if (line->choice) {
        struct ast *condition = value;
        value = new_node(m, AST_IF, 3);
        value->kids[0] = condition;
        value->kids[1] = finish_side(m, line, 0);
        value->kids[2] = finish_side(m, line, 1);
    }
    x->kids[0] = value;
    for (uint32_t k = 0; k < line->ntargets; k++) {
        struct name name = name_of_text(m->names, "_");
        struct operand *to = line->targets[k];
        if (to) {
            bool result = !m->inside && !name_none(to->result);
            name = result ? to->result
                          : claim_value(m, member ? name_of_member(m, member)
                                                  : name_of_line(m, line, k));
            to->read = new_name(m, name);
        }
        ast_push(m->arena, x, new_name(m, name));
    }
    ast_push(m->arena, block, x);
}

void finish_body(struct importer *m, const struct body *b, struct ast *block) {
    for (uint32_t i = 0; i < b->lines.n; i++)
        finish_line(m, &b->lines.at[i], block);
}

/* --- loops ----------------------------------------------------------------------------------- */

/* Where operands are read last in a turn: stand-in -> 1 + line. */
struct reads {
    struct map last;
    uint32_t line;
};

static void note_read(void *data, struct operand *x) {
    struct reads *r = data;
    map_put(&r->last, x->stand_in.i, r->line + 1);
}

/* 1 + the line that reads X last, one behind the last line if the end of the turn does; 0: none. */
static uint64_t last_read(const struct reads *r, const struct operand *x) {
    uint64_t line = 0;
    map_get(&r->last, x->stand_in.i, &line);
    return line;
}

static void read_turn(struct importer *m, const struct loop *loop, struct reads *r) {
    struct visitor v = {m, note_read, r};
    *r = (struct reads){.last = map_new(m->arena)};
    for (; r->line < loop->body.lines.n; r->line++)
        visit_line(&v, &loop->body.lines.at[r->line]);
    visit_turn(&v, loop);
}

/* A line whose value is what is carried next gets its name, if nothing reads the old one later. */
static void name_next(struct importer *m, const struct loop *loop, const struct reads *r) {
    const struct body *b = &loop->body;
    struct map made = map_new(m->arena);
    for (uint32_t i = 0; i < b->lines.n; i++)
        for (uint32_t k = 0; !b->lines.at[i].loop && k < b->lines.at[i].ntargets; k++)
            if (b->lines.at[i].targets[k])
                map_put(&made, (uintptr_t)b->lines.at[i].targets[k], i + 1);
    for (uint32_t k = 0; k < loop->ncarried; k++) {
        const struct carried *c = &loop->carried[k];
        struct operand *x = c->next ? stood_for(m, c->next) : NULL;
        uint64_t line = 0;
        if (x && name_none(x->result) && map_get(&made, (uintptr_t)x, &line) &&
            last_read(r, c->to) <= line)
            x->result = c->to->read->name;
    }
}

/* It is called as what is left of it, unless that is a result's name. */
static struct name claim_carried(struct importer *m, const struct carried *c) {
    const char *text = ident_text(m->arena, plain_name(m, c->later, true), "v");
    bool free = c->later.n && !idents_taken(&m->scope, name_of_text(m->names, text));
    return claim_value(m, free ? c->later : c->name);
}

/* `a = ..` before the loop. */
static void start_carried(struct importer *m, const struct loop *loop, struct ast *block) {
    for (uint32_t k = 0; k < loop->ncarried; k++) {
        const struct carried *c = &loop->carried[k];
        struct ast *start = finished(m, c->start);
        struct name name = claim_carried(m, c);
        c->to->read = new_name(m, name);
        add_assignment(m, block, new_name(m, name), start);
    }
}

/* `s: f32[n, ..]` before the loop, unless it is a result of the method. */
static void declare_stacked(struct importer *m, const struct loop *loop, struct ast *block) {
    for (uint32_t k = 0; k < loop->nstacked; k++) {
        const struct stacked *s = &loop->stacked[k];
        const struct tensor *t = s->to->v.tensor;
        bool result = !name_none(s->to->result);
        struct name name = result ? s->to->result : claim_value(m, s->name);
        s->to->read = new_name(m, name);
        if (result && !m->open)
            continue;
        struct ast *declaration = new_node(m, AST_DECL, 3);
        declaration->name = name;
        declaration->kids[0] = make_type(m, t->dtype, t->rank, t->dims);
        ast_push(m->arena, block, declaration);
    }
}

static void write_stacked(struct importer *m, const struct stacked *s, struct ast *block) {
    struct ast *element = finished(m, s->element), *to = finished(m, s->place);
    if (s->appended) {
        struct ast *write = new_node(m, AST_WRITE, 3);
        write->kids[0] = element;
        write->kids[1] = to;
        ast_push(m->arena, block, write);
        return;
    }
    add_assignment(m, block, to, element);
}

static void note_name(struct map *names, const struct ast *e) {
    if (e->kind == AST_NAME)
        map_put(names, e->name.i, 1);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            note_name(names, e->kids[k]);
}

/* `a = ..` at the end of a turn: at once if one reads what another one changes. */
static void assign_next(struct importer *m, const struct loop *loop, struct ast *block) {
    struct ast *all = new_node(m, AST_ASSIGN, 1), *values = new_node(m, AST_TUPLE, 0);
    struct map read = map_new(m->arena);
    bool meet = false;
    for (uint32_t k = loop->ncarried; k-- > 0;) { /* backwards: what later ones read */
        const struct carried *c = &loop->carried[k];
        uint64_t at = 0;
        if (!c->next)
            continue;
        struct ast *next = loop->carried[k].next = finished(m, c->next);
        bool same = next->kind == AST_NAME && next->name.i == c->to->read->name.i;
        meet = meet || (!same && map_get(&read, c->to->read->name.i, &at));
        note_name(&read, next);
    }
    for (uint32_t k = 0; k < loop->ncarried; k++) {
        const struct carried *c = &loop->carried[k];
        if (!c->next || (c->next->kind == AST_NAME && c->next->name.i == c->to->read->name.i))
            continue;
        if (!meet) {
            add_assignment(m, block, new_name(m, c->to->read->name), c->next);
            continue;
        }
        ast_push(m->arena, values, c->next);
        ast_push(m->arena, all, new_name(m, c->to->read->name));
    }
    all->kids[0] = values->nkids == 1 ? values->kids[0] : values;
    if (values->nkids)
        ast_push(m->arena, block, all);
}

/* `k += 1` */
static void count_turn(struct importer *m, const struct carried *counter, struct ast *block) {
    struct ast *x = new_node(m, AST_UPDATE, 2);
    x->op = RES_SUM;
    x->kids[0] = new_name(m, counter->to->read->name);
    x->kids[1] = new_int(m, 1);
    ast_push(m->arena, block, x);
}

static struct ast *make_for(struct importer *m, const struct loop *loop, struct ast *count,
                            struct ast *block) {
    struct ast *x = new_node(m, AST_FOR, 2), *index = new_node(m, AST_ITER, 4);
    index->name = loop->index;
    index->kids[0] = new_int(m, 0);
    index->kids[1] = count;
    x->kids[0] = block;
    x->kids[1] = index;
    return x;
}

static struct ast *make_while(struct importer *m, struct ast *condition, struct ast *block) {
    struct ast *x = new_node(m, AST_WHILE, 2);
    x->kids[0] = condition;
    x->kids[1] = block;
    return x;
}

static void finish_loop(struct importer *m, const struct line *line, struct ast *block) {
    struct loop *loop = line->loop;
    struct ast *turn = new_node(m, AST_BLOCK, 0);
    struct ast *count = line->value ? finished(m, line->value) : NULL;
    struct reads reads;
    read_turn(m, loop, &reads);
    const struct carried *last = loop->ncarried ? &loop->carried[loop->ncarried - 1] : NULL;
    bool counts = last && !last->next;
    if (counts && !loop->bounded && last_read(&reads, last->to) == 0) {
        loop->ncarried--;
        counts = false;
    }
    start_carried(m, loop, block);
    declare_stacked(m, loop, block);
    name_next(m, loop, &reads);
    uint32_t mark = idents_mark(&m->scope);
    finish_body(m, &loop->body, turn);
    for (uint32_t k = 0; k < loop->nstacked; k++)
        write_stacked(m, &loop->stacked[k], turn);
    assign_next(m, loop, turn);
    if (counts)
        count_turn(m, last, turn);
    idents_release(&m->scope, mark);
    struct ast *condition = loop->condition ? finished(m, loop->condition) : NULL;
    ast_push(m->arena, block,
             condition ? make_while(m, condition, turn) : make_for(m, loop, count, turn));
}
