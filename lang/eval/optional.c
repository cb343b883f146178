/* The verbs that a host may leave out: those of a script's statements, of gradients taken apart,
   and builtins. */
#include "lang/eval/internal.h"

static bool of_scripts(struct eval *ev, struct span span) {
    diag_error(ev->diags, span, ERR_NOT_HERE, "this is for the statements of a script");
    return false;
}

bool host_concrete(struct eval *ev, struct value *v, struct span span) {
    return ev->ops->concrete ? ev->ops->concrete(ev->host, v, span) : of_scripts(ev, span);
}

bool host_new_state(struct eval *ev, struct state *s, const struct value *init, struct span span) {
    return ev->ops->new_state ? ev->ops->new_state(ev->host, s, init, span) : of_scripts(ev, span);
}

bool host_keep_begin(struct eval *ev) {
    return ev->ops->keep_begin && ev->ops->keep_begin(ev->host);
}

bool host_writable(struct eval *ev, struct tensor *t, struct span span) {
    return !ev->ops->writable || ev->ops->writable(ev->host, t, span);
}

bool host_has_builtin(struct eval *ev, struct name n) {
    return ev->ops->has_builtin && ev->ops->has_builtin(ev->host, n);
}
