/* Questions about expressions: shared by ask.c, show.c and time.c. */
#ifndef DCL_SESSION_ASK_H
#define DCL_SESSION_ASK_H

#include "session/state.h"

struct question {
    const char *text; /* an expression or a statement, as it was typed */
    const char *what; /* what else the answer depends on; may be NULL */
    /* Answers about E in the unit that is open for it; false after an error. */
    bool (*answer)(struct dcl_session *s, struct question *q, const struct ast *e);
    const char *reply;     /* the answer, if it is a text; in s->messages */
    struct timing *timing; /* or a time */
};

/* Evaluates for an answer. All that was done on the way is taken back: variables, what states and
   containers hold, random numbers. */
bool question_ask(struct dcl_session *s, struct question *q);
/* Opens a unit for E. */
void question_begin(struct dcl_session *s, const struct ast *e);
/* The function, layer or instance's layer that V is; NULL if it is none. */
const struct ast *value_definition(const struct value *v);

/* The value that a path such as `net.blocks[0]` names, found without evaluating; NULL if it
   names none. */
const struct value *value_at(struct dcl_session *s, const char *path);

/* What still has to be computed of a value: tensors and scalars without data. */
struct pending {
    VEC(struct value) at;
};
void pending_of(struct dcl_session *s, const struct value *v, struct pending *out);

#endif
