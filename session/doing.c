/* What a session is doing, told to whoever shows it: the statement of a script that runs, which one
   of how many, the indices of the script's loops, whether something is being compiled. Nothing is
   told, and no time spent, where nobody asked. */
#include "session/state.h"

#include "session/session.h"

void session_progress(dcl_session *s, session_tell *tell, void *data) {
    s->doing.tell = tell;
    s->doing.data = data;
}

static void say(struct dcl_session *s, enum session_moment m) {
    s->doing.tell(s->doing.data, m, &s->doing.now);
}

void session_begin(dcl_session *s, const char *what) {
    if (!s->doing.tell || s->doing.depth++)
        return;
    s->doing.now = (struct session_doing){.what = what};
    say(s, MOMENT_BEGIN);
}

void session_end(dcl_session *s) {
    if (s->doing.tell && --s->doing.depth == 0)
        say(s, MOMENT_END);
}

void doing_output(struct dcl_session *s) {
    if (s->doing.tell && s->doing.depth)
        say(s, MOMENT_OUTPUT);
}

void doing_closed(struct dcl_session *s) {
    if (s->doing.tell)
        say(s, MOMENT_CLOSE);
}

void doing_compile(struct dcl_session *s, bool on) {
    if (!s->doing.tell)
        return;
    s->doing.now.compiles = on;
    say(s, MOMENT_STEP);
}

void doing_item(struct dcl_session *s, uint32_t at, uint32_t all) {
    s->doing.now.at = at;
    s->doing.now.all = all;
}

void doing_statement(struct dcl_session *s, const struct ast *st) {
    const struct source *source;
    uint32_t column;
    if (!s->doing.tell || !(source = sources_get(s->sources, st->span.source)))
        return;
    struct session_doing *d = &s->doing.now;
    d->path = source->path;
    source_position(source, st->span.start, &d->line, &column);
    loop_indices(s, d->indices, sizeof d->indices);
    say(s, MOMENT_STEP);
}
