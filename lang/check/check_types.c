/* Types and signatures: which names a parameter list binds, and which types they may have.
   A NAME that stands alone as a dimension of a parameter is a symbol, unless it is a parameter
   itself; *NAME is a pack; an element type that `where` constrains is a type variable. All three
   may stand in any parameter, in any order, so a signature is read in three rounds: the names of
   parameters, the conditions' type variables; the names that types bind; then everything that only
   uses names. */
#include "lang/check/checker.h"

#include <ctype.h>
#include <string.h>

static bool is_lone_name(const struct ast *dim) {
    return dim->kind == AST_NAME;
}

/* `*S`, but not `*S[1:]`. */
static bool is_pack(const struct ast *dim) {
    return dim->kind == AST_SPREAD && dim->nkids == 0;
}

/* Types of static values and of layers: they have no dimensions. */
static bool is_static_type(const struct checker *c, const struct ast *type) {
    unsigned word = word_of(c, type->name);
    const struct binding *b = scope_find(c, type->name);
    if (word & WORD_DTYPE || (b && b->kind != THING_SCRIPT))
        return false;
    const struct ast *def = module_find(c->module, type->name, NULL);
    return word & WORD_STATIC || (def && def->kind == AST_LAYER);
}

/* --- binding what stands alone --- */

static void bind_dim(struct checker *c, const struct ast *dim) {
    bool pack = dim->kind == AST_SPREAD;
    if (name_eq(dim->name, c->underscore))
        return;
    struct binding *b = scope_find(c, dim->name);
    if (!b || b->kind == THING_SCRIPT) {
        b = scope_bind(c, pack ? THING_DIM_PACK : THING_DIM, dim->name, dim->span);
        b->uses++;
        if (!pack)
            VEC_PUSH(c->arena, c->dims, b);
        return;
    }
    b->uses++;
    switch (b->kind) {
    case THING_DIM:
        if (pack)
            report_taken(c, b, dim->span);
        break;
    case THING_DIM_PACK:
        if (!pack)
            report_taken(c, b, dim->span);
        break;
    case THING_PARAM:
    case THING_LAYER_PARAM:
    case THING_MEMBER: break; /* a static value or a run-time integer */
    default: report_taken(c, b, dim->span); break;
    }
}

static void bind_dims(struct checker *c, const struct ast *type) {
    if (is_static_type(c, type))
        return;
    for (uint32_t i = 0; i < type->nkids; i++) {
        const struct ast *dim = type->kids[i];
        if (is_lone_name(dim) || is_pack(dim))
            bind_dim(c, dim);
    }
}

/* --- element types --- */

static void report_type(struct checker *c, const struct ast *type, enum role role) {
    struct diag *m = diag_error(c->diags, type->span, ERR_UNKNOWN_TYPE, text_of(c, type->name));
    if (!worth_helping(c))
        return;
    bool statics = role == ROLE_PARAM || role == ROLE_RESULT;
    struct name near =
        nearest_type(c, type->name, WORD_DTYPE | (statics ? WORD_STATIC : 0u), statics);
    const struct binding *b = scope_find(c, type->name);
    const char *elsewhere = foreign_help(c, type->name);
    if (b)
        diag_note(c->diags, m, b->span, "%s is %s", text_of(c, b->name), thing_text(b->kind));
    else if (elsewhere)
        diag_help(c->diags, m, "%s", elsewhere);
    else if (!name_none(near))
        diag_help(c->diags, m, "did you mean %s?", text_of(c, near));
    else if (role == ROLE_RESULT && isupper((unsigned char)*text_of(c, type->name)))
        diag_help(c->diags, m, "a type variable must stand in the type of a parameter");
}

/* An element type of a parameter that nothing knows: a type variable without a constraint, or a
   slip. Binds it, so that it is told once. */
static void report_free(struct checker *c, const struct ast *type) {
    const char *text = text_of(c, type->name);
    struct name near = nearest_type(c, type->name, WORD_DTYPE | WORD_STATIC, true);
    if (!name_none(near) || !isupper((unsigned char)*text) || foreign_help(c, type->name)) {
        report_type(c, type, ROLE_PARAM);
        return;
    }
    diag_error(c->diags, type->span, ERR_TYPE_VAR_FREE, text, text);
    scope_bind(c, THING_TYPE, type->name, type->span)->uses++;
}

/* `x.T`, `net.Block`: only the first name is known here. */
static bool check_dotted(struct checker *c, const struct ast *type) {
    const char *text = text_of(c, type->name), *dot = strchr(text, '.');
    if (!dot)
        return false;
    use_name(c, name_of(c->module->names, text, (size_t)(dot - text)), type->span, NULL);
    return true;
}

static void check_static_type(struct checker *c, const struct ast *type, enum role role) {
    const char *text = text_of(c, type->name);
    bool brackets = type->flags & AST_BRACKETS;
    if (!brackets && role != ROLE_CONTAINER && role != ROLE_STATE)
        return;
    const char *format =
        brackets ? "%s has no dimensions" : "%s is the type of a static value, not an element type";
    struct diag *m =
        diag_error(c->diags, type->span, ERR_NOT_HERE, arena_printf(c->arena, format, text));
    const char *elsewhere = foreign_help(c, type->name);
    if (elsewhere)
        diag_help(c->diags, m, "%s", elsewhere);
}

/* `?` and `[]` behind a type. */
static void check_marks(struct checker *c, const struct ast *type, enum role role) {
    if (role == ROLE_PARAM)
        return;
    if (type->flags & AST_OPTIONAL)
        diag_error(c->diags, type->span, ERR_NOT_HERE,
                   "`?` stands behind the type of a parameter: nothing else may be absent");
    if (type->flags & AST_LIST_OF)
        diag_error(c->diags, type->span, ERR_NOT_HERE,
                   role == ROLE_RESULT ? "a list of tensors as a result is of the type `list`"
                                       : "a list of tensors is a value, no container");
}

static void check_element(struct checker *c, const struct ast *type, enum role role) {
    if (word_of(c, type->name) & WORD_DTYPE)
        return;
    struct binding *b = scope_find(c, type->name);
    if (b && b->kind != THING_SCRIPT) {
        b->uses++;
        if (b->kind != THING_TYPE && b->kind != THING_PARAM && b->kind != THING_LAYER_PARAM)
            report_type(c, type, role);
        return;
    }
    if (is_static_type(c, type))
        check_static_type(c, type, role);
    else if (!check_dotted(c, type)) {
        if (role == ROLE_PARAM)
            report_free(c, type);
        else
            report_type(c, type, role);
    }
}

/* --- types --- */

bool type_grows(const struct ast *type) {
    return type && type->nkids && type->kids[0]->kind == AST_ANY;
}

/* `?` as dimension number POSITION. A result that is a value has any such; a container grows by
   rows. */
static void check_any(struct checker *c, const struct ast *dim, uint32_t position, enum role role) {
    const char *text = NULL;
    if (role == ROLE_PARAM || role == ROLE_STATE)
        text = role == ROLE_PARAM ? "`?` is a dimension of containers and results: any size of a "
                                    "parameter is `_`"
                                  : "a state has constant dimensions";
    else if (role == ROLE_CONTAINER && position > 0)
        text = "`?` is the first dimension: a container grows by rows";
    else if (role == ROLE_CONTAINER && c->place == PLACE_SCRIPT && c->maps == 0)
        text = "a container that grows stands in a function: call one that gives it";
    if (text)
        diag_error(c->diags, dim->span, ERR_NOT_HERE, text);
}

static void check_dim(struct checker *c, struct ast *dim, enum role role) {
    if (is_pack(dim) || is_lone_name(dim)) {
        if (role == ROLE_PARAM)
            return; /* bind_dims has been there */
        if (name_eq(dim->name, c->underscore)) {
            diag_error(c->diags, dim->span, ERR_NOT_HERE,
                       "`_` is a dimension of parameters only: here the size must be known");
            return;
        }
        use_name(c, dim->name, dim->span,
                 role == ROLE_RESULT ? "a call binds the dimensions of parameters: this one must "
                                       "stand in a parameter's type, or be a parameter"
                                     : NULL);
        return;
    }
    if (role == ROLE_PARAM) {
        /* The help for a symbol that only compound expressions use. */
        if (dim->kind == AST_BINARY || dim->kind == AST_UNARY) {
            for (uint32_t i = 0; i < dim->nkids; i++) {
                struct ast *kid = dim->kids[i];
                if (is_lone_name(kid))
                    use_name(c, kid->name, kid->span,
                             "a symbol is bound where it stands alone as a dimension; here it "
                             "must be known");
                else
                    check_dim(c, kid, role);
            }
            return;
        }
    }
    check_expr(c, dim);
}

static void check_dims(struct checker *c, struct ast *type, enum role role) {
    if (is_static_type(c, type))
        return;
    for (uint32_t i = 0; i < type->nkids; i++)
        if (type->kids[i]->kind == AST_ANY)
            check_any(c, type->kids[i], i, role);
        else
            check_dim(c, type->kids[i], role);
}

void check_type(struct checker *c, struct ast *type, enum role role) {
    check_marks(c, type, role);
    check_element(c, type, role);
    check_dims(c, type, role);
}

int type_rank(const struct checker *c, const struct ast *type) {
    if (!type || (type->flags & AST_LIST_OF))
        return -1;
    if (!(word_of(c, type->name) & WORD_DTYPE)) {
        const struct binding *b = scope_find(c, type->name);
        if (!(type->flags & AST_BRACKETS) && !(b && b->kind == THING_TYPE))
            return -1; /* a static value or a layer */
    }
    for (uint32_t i = 0; i < type->nkids; i++)
        if (type->kids[i]->kind == AST_SPREAD)
            return -1;
    return (int)type->nkids;
}

bool type_callable(const struct checker *c, const struct ast *type) {
    if (!type)
        return true;
    const struct binding *b = scope_find(c, type->name);
    return !(type->flags & AST_BRACKETS) && !(word_of(c, type->name) & WORD_DTYPE) &&
           !(b && b->kind == THING_TYPE);
}

/* --- signatures --- */

static void bind_params(struct checker *c, struct ast *params) {
    for (uint32_t i = 0; i < params->nkids; i++) {
        struct ast *p = params->kids[i];
        enum thing kind = c->place == PLACE_LAYER       ? THING_LAYER_PARAM
                          : (p->flags & AST_INOUT) != 0 ? THING_INOUT
                                                        : THING_PARAM;
        struct binding *b = scope_bind(c, kind, p->name, span_of_name(c, p));
        b->type = p->kids[0];
        b->node = p;
    }
}

/* `T: float`: a type variable, or a parameter that is an element type. */
static void bind_constraint(struct checker *c, struct ast *constraint) {
    struct ast *class = constraint->kids[0];
    if (!(word_of(c, class->name) & WORD_CLASS)) {
        struct diag *m =
            diag_error(c->diags, class->span, ERR_UNKNOWN_CLASS, text_of(c, class->name));
        diag_help(c->diags, m, "the classes are float, int, number, bool, any");
    }
    struct binding *b = scope_find(c, constraint->name);
    if (b && (b->kind == THING_PARAM || b->kind == THING_LAYER_PARAM)) {
        b->uses++;
        return;
    }
    b = scope_bind(c, THING_TYPE, constraint->name, span_of_name(c, constraint));
    b->node = constraint;
}

/* Type variables that no parameter mentions. */
static void check_bound(struct checker *c, const struct ast *where) {
    for (uint32_t i = 0; i < where->nkids; i++) {
        const struct ast *k = where->kids[i];
        if (k->kind != AST_CONSTRAINT)
            continue;
        const struct binding *b = scope_find(c, k->name);
        if (!b || b->node != k || b->uses)
            continue;
        struct diag *m = diag_error(c->diags, k->span, ERR_UNKNOWN_TYPE, text_of(c, k->name));
        diag_help(c->diags, m, "a type variable must stand in the type of a parameter");
    }
}

static void bind_results(struct checker *c, struct ast *results) {
    for (uint32_t i = 0; i < results->nkids; i++) {
        struct ast *r = results->kids[i];
        r->integer2 = 0;
        check_type(c, r->kids[0], ROLE_RESULT);
        check_layout(c, r, ROLE_RESULT);
        if (name_none(r->name))
            continue;
        if (is_static_type(c, r->kids[0]))
            diag_error(c->diags, r->span, ERR_NOT_HERE,
                       "only tensors and run-time scalars are named results: this one is the value "
                       "of the last expression");
        struct binding *b = scope_bind(c, THING_RESULT, r->name, span_of_name(c, r));
        b->type = r->kids[0];
        b->node = r;
    }
}

void check_signature(struct checker *c, struct ast *params, struct ast *results,
                     struct ast *where) {
    bind_params(c, params);
    for (uint32_t i = 0; i < where->nkids; i++)
        if (where->kids[i]->kind == AST_CONSTRAINT)
            bind_constraint(c, where->kids[i]);
    for (uint32_t i = 0; i < params->nkids; i++) {
        struct ast *type = params->kids[i]->kids[0];
        if (type) {
            check_element(c, type, ROLE_PARAM);
            bind_dims(c, type);
        }
    }
    if (c->place != PLACE_LAYER)
        check_bound(c, where);
    for (uint32_t i = 0; i < params->nkids; i++) {
        struct ast *p = params->kids[i];
        if (p->kids[0])
            check_dims(c, p->kids[0], ROLE_PARAM);
        check_layout(c, p, ROLE_PARAM);
        if (p->kids[1])
            check_expr(c, p->kids[1]);
    }
    if (results)
        bind_results(c, results);
    for (uint32_t i = 0; i < where->nkids; i++)
        if (where->kids[i]->kind != AST_CONSTRAINT)
            check_expr(c, where->kids[i]);
}

void warn_unused_dims(struct checker *c) {
    for (uint32_t i = 0; i < c->dims.n; i++) {
        const struct binding *b = c->dims.at[i];
        if (b->uses != 1)
            continue;
        struct diag *m = diag_warning(c->diags, b->span, ERR_UNUSED_DIM, text_of(c, b->name));
        diag_help(c->diags, m, "write `_` if any size will do");
    }
    c->dims.n = 0;
}
