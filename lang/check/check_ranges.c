/* The ranges of bare indices: `map i { y[i] = x[i] }`. While the body of the map is checked, in the
   order of its text, every subscript where the index stands alone offers a range. The first one
   that the map can see becomes kid `whole` of the ITER, further ones (of other names or positions)
   stand behind it and must agree with it (eval). */
#include "lang/check/checker.h"

enum { WHOLE = 3 }; /* the kid of ITER */

void range_begin(struct checker *c, struct binding *index, struct ast *iter, uint32_t before) {
    while (iter->nkids <= WHOLE)
        ast_push(c->arena, iter, NULL);
    iter->nkids = WHOLE + 1;
    iter->kids[WHOLE] = NULL;
    index->node = iter;
    index->before = before;
    index->errors = c->diags->errors;
    index->ranges = ARENA_NEW(c->arena, struct map);
    *index->ranges = map_new(c->arena);
}

static bool has_range(const struct binding *base) {
    switch (base->kind) {
    case THING_PARAM:
    case THING_INOUT:
    case THING_RESULT:
    case THING_CONTAINER:
    case THING_VALUE:
    case THING_STATE:
    case THING_BUFFER:
    case THING_SCRIPT: return true;
    default: return false;
    }
}

void range_offer(struct checker *c, struct binding *index, const struct binding *base,
                 const struct ast *subset, uint32_t position) {
    if (!base && c->place != PLACE_SCRIPT)
        index->unknown = true; /* as a rule reported: then the range is not missed, too */
    else if (base && base->order >= index->before && !index->inner)
        index->inner = base;
    /* What is declared in the map has no size before it; nor has what is no tensor. A variable of
       the session has no binding. */
    if (base ? base->order >= index->before || !has_range(base) : c->place != PLACE_SCRIPT)
        return;
    uint64_t key = (uint64_t)subset->kids[0]->name.i << 32 | position;
    if (map_get(index->ranges, key, NULL))
        return;
    map_put(index->ranges, key, 1);
    struct ast *whole = ast_clone(c->arena, subset);
    whole->integer2 = position;
    struct ast *iter = index->node;
    if (!iter->kids[WHOLE])
        iter->kids[WHOLE] = whole;
    else
        ast_push(c->arena, iter, whole);
}

void range_settle(struct checker *c, struct binding *index) {
    if (index->node->kids[WHOLE] || (index->unknown && c->diags->errors > index->errors))
        return;
    const char *text = text_of(c, index->name);
    struct diag *m = diag_error(c->diags, index->span, ERR_RANGE_UNKNOWN, text);
    if (index->inner)
        diag_note(c->diags, m, index->inner->span, "%s stands inside of the map",
                  text_of(c, index->inner->name));
    if (index->kind == THING_INDEX_PACK)
        diag_help(c->diags, m, "give the pack of dimensions: *%s in S", text);
    else
        diag_help(c->diags, m, "give its range: %s in N", text);
}
