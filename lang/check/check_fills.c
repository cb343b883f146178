/* Writes: to what, and how they resolve. A container that has no fill and is written through one
   resolution only starts at that resolution's identity: `integer2` of its DECL or RESULT says so.
   RES_NONE is a resolution of its own here: a plain write; RES_COUNT is that by a function. */
#include "lang/check/checker.h"
#include "lang/scalar/scalar.h"

void fill_write(struct binding *b, int resolution) {
    if (b->written && b->resolution != resolution)
        b->mixed = true;
    b->plain = b->plain || resolution == RES_NONE;
    b->by_function = b->by_function || resolution == RES_COUNT;
    b->written = true;
    b->resolution = resolution;
}

/* A function has no identity at which a container could start. */
static void check_start(struct checker *c, const struct binding *b, bool filled) {
    const char *text = text_of(c, b->name);
    bool variable = c->place == PLACE_SCRIPT && b->maps == 0; /* starts at 0 */
    if (filled || b->plain || !b->by_function || variable)
        return;
    struct diag *m = diag_error(c->diags, b->span, ERR_UNWRITTEN, text);
    diag_help(c->diags, m, "what a function resolves with has a value before: %s = 0, or another",
              text);
}

void fill_settle(struct checker *c, struct binding *b) {
    if (b->kind != THING_CONTAINER && b->kind != THING_RESULT)
        return;
    const struct ast *node = b->node;
    bool filled = node->kind == AST_DECL && (node->kids[1] || node->kids[2]);
    check_start(c, b, filled);
    bool grows = type_grows(b->type), open = b->mixed || b->by_function;
    b->node->integer2 = filled || grows || !b->written || open ? RES_NONE : b->resolution;
}

bool is_writable(const struct binding *b) {
    switch (b->kind) {
    case THING_INOUT:
    case THING_RESULT:
    case THING_CONTAINER:
    case THING_BUFFER:
    case THING_SCRIPT: return true; /* of a script's variables eval knows */
    default: return false;
    }
}

void report_read_only(struct checker *c, const struct binding *b, struct span span) {
    const char *text = text_of(c, b->name);
    struct diag *m = diag_error(c->diags, span, ERR_READ_ONLY, text);
    diag_note(c->diags, m, b->span, "%s is %s", text, thing_text(b->kind));
    switch (b->kind) {
    case THING_PARAM:
        diag_help(c->diags, m, "declare the parameter `inout %s`, or a container of your own",
                  text);
        break;
    case THING_VALUE:
        diag_help(c->diags, m, "values do not change: declare a container, as in %s: f32[N] = 0",
                  text);
        break;
    case THING_STATE:
        diag_help(c->diags, m,
                  "minimize, update and load change params; what methods write is a buffer: buffer "
                  "%s: f32[N]",
                  text);
        break;
    default: break;
    }
}

/* The name that a write reaches; nested subscripts reach through. NULL for members. */
static struct ast *root_of(struct ast *target) {
    while (target->kind == AST_INDEX)
        target = target->kids[0];
    return target->kind == AST_NAME ? target : NULL;
}

static void write_outside(struct checker *c, const struct ast *root) {
    const struct ast *def = module_find(c->module, root->name, NULL);
    bool variable =
        c->place == PLACE_SCRIPT && c->is_variable && c->is_variable(c->data, root->name);
    if (!def || variable)
        return; /* a variable of an earlier text, a builtin, or unknown and reported */
    struct diag *m = diag_error(c->diags, root->span, ERR_READ_ONLY, text_of(c, root->name));
    diag_note(c->diags, m, def->span, "%s is a definition", text_of(c, root->name));
}

/* TARGET is a NAME, INDEX or MEMBER that is written into. */
void check_write(struct checker *c, struct ast *target, int resolution) {
    struct ast *root = root_of(target);
    if (!root) {
        check_expr(c, target);
        return;
    }
    struct binding *b = use_name(c, root->name, root->span,
                                 "what is written into must be declared, as in y: f32[N]");
    if (target->kind == AST_INDEX && target->kids[0] != root)
        check_expr(c, target->kids[0]);
    if (target->kind == AST_INDEX) {
        c->appended = resolution == RES_NONE ? target : NULL;
        check_subscripts(c, target, target->kids[0] == root ? b : NULL);
        c->appended = NULL;
    }
    if (!b)
        write_outside(c, root);
    else if (is_writable(b))
        fill_write(b, resolution);
    else
        report_read_only(c, b, root->span);
}
