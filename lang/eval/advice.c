/* What to write where a value of another kind is wanted: helps of messages. */
#include "lang/check/check.h"
#include "lang/eval/internal.h"

void advise_operand(struct eval *ev, struct diag *d, const struct value *v) {
    const char *text = NULL;
    switch (v->kind) {
    case VAL_LIST:
    case VAL_PACK: text = "stack([..]) makes a tensor of numbers; l + [x] is a longer list"; break;
    case VAL_STR: text = "str(x) is x as text, and joins: \"a\" + str(x)"; break;
    case VAL_FN:
    case VAL_BUILTIN: text = "a function is called, as in f(x)"; break;
    case VAL_LAYER: text = "a layer is made, then called: net = L(..), then net(x)"; break;
    case VAL_INSTANCE: text = "an instance is called, as in net(x)"; break;
    case VAL_DTYPE: text = "an element type converts, as in f32(x)"; break;
    case VAL_ABSENT:
        text = "what may be absent is compared first: if b == none { .. } else { .. }";
        break;
    case VAL_NONE: text = "a statement, or a call that gives nothing, has no value"; break;
    default: return;
    }
    diag_help(ev->diags, d, "%s", text);
}

void advise_truth(struct diags *diags, struct diag *d, const struct value *v) {
    const char *text = NULL;
    if (v->kind == VAL_TENSOR && v->tensor->rank)
        text = v->dtype == DT_bool ? "all(c) and any(c) make one of the elements"
                                   : "compare it, and all(..) or any(..) make one of the elements";
    else if (v->kind == VAL_LIST || v->kind == VAL_PACK || v->kind == VAL_STR)
        text = "compare it, as in len(l) > 0";
    else if (v->kind == VAL_ABSENT)
        text = "compare it, as in b != none";
    else if (value_is_scalar(v) || v->kind == VAL_TENSOR)
        text = "compare it, as in x != 0";
    if (text)
        diag_help(diags, d, "%s", text);
}

void advise_call(struct eval *ev, struct diag *d, const struct value *v) {
    const char *text = NULL;
    if (v->kind == VAL_TENSOR || v->kind == VAL_STATE)
        text = "elements are read in brackets, x[0]; shape, rank, dtype and T have no parentheses";
    else if (v->kind == VAL_LIST || v->kind == VAL_PACK)
        text = "elements are read in brackets, l[0]; shape has no parentheses";
    else if (value_is_scalar(v))
        text = "a product is written a * (b)";
    if (text)
        diag_help(ev->diags, d, "%s", text);
}

void advise_subscript(struct eval *ev, uint32_t errors, const struct ast *s,
                      const struct value *v) {
    struct diag *d = diags_last(ev->diags);
    if (!d || ev->diags->errors == errors || !span_eq(d->span, s->span) || d->help)
        return;
    const char *text = NULL;
    if (v->kind == VAL_TENSOR && v->tensor->rank && v->dtype == DT_bool)
        text = SELECT_WHERE;
    else if (v->kind == VAL_LIST || (v->kind == VAL_TENSOR && v->tensor->rank))
        text = SELECT_ROWS;
    else if (v->kind == VAL_ABSENT)
        text = "unsqueeze(x, 1) adds a dimension of size 1";
    if (text)
        diag_help(ev->diags, d, "%s", text);
}
