/* The session's life, its messages, and what happens when memory runs out.

   Note [the boundary]
   Every function of dcl.h that can fail runs its work in session_guard: messages of the call
   before are dropped, the out-of-memory handler points here, and a jump to it ends the unit that
   was open and takes back a half-done line. Texts that are handed out lie in s->messages and live
   until the next call. */
#include "session/session.h"

#include "session/state.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static void close_session(struct dcl_session *s) {
    doing_closed(s);
    unit_end(s);
    functions_free(s);
    kernels_free(s);
    store_free(s);
    for (uint32_t i = 0; i < s->texts.n; i++)
        arena_free(s->texts.at[i]->arena);
    rt_free(s->rt);
    backend_close(s);
    arena_free(s->messages);
    arena_free(s->arena);
}

/* Fills S; false if there are no threads to be had. */
static bool open_session(struct dcl_session *s, const char *options) {
    struct arena *a = s->arena;
    s->errors = "";
    s->messages = arena_new();
    s->store.arena = arena_new();
    s->names = names_new(a);
    s->sources = sources_new(a);
    s->modules = map_new(a);
    s->pairs = map_new(a);
    s->mentions = map_new(a);
    s->unfit = map_new(a);
    s->store.owned = map_new(s->store.arena);
    diags_init(&s->diags, s->messages, s->sources);
    const char *wrong = options_read(a, options, &s->options);
    if (wrong) { /* every call says so */
        s->errors = arena_printf(a, "error: %s\n", wrong);
        s->failed = true;
        return true;
    }
    s->rt = rt_new(s->options.threads);
    return s->rt != NULL;
}

dcl_session *dcl_open(const char *options) {
    jmp_buf here, *former;
    struct arena *volatile a = NULL;
    struct dcl_session *volatile s = NULL;
    volatile bool ok = false;
    former = arena_on_oom(&here);
    if (setjmp(here) == 0) {
        a = arena_new();
        s = ARENA_NEW(a, struct dcl_session);
        s->arena = a;
        ok = open_session(s, options);
    }
    arena_on_oom(former);
    if (ok)
        return s;
    if (s)
        close_session(s);
    else
        arena_free(a);
    return NULL;
}

void dcl_close(dcl_session *s) {
    if (s)
        close_session(s);
}

/* The text of what was collected. */
static void make_errors(struct dcl_session *s) {
    if (!s->diags.first)
        return;
    struct buf text = buf_new(s->messages);
    diags_print(&s->diags, &text, s->colour);
    s->errors = text.at;
}

int session_guard(struct dcl_session *s, bool (*body)(struct dcl_session *s, void *data),
                  void *data) {
    jmp_buf here, *former;
    volatile bool ok = false;
    if (!s->rt) /* it was never opened properly */
        return 1;
    if (s->broken) {
        s->errors = s->broken;
        s->failed = true;
        return 1;
    }
    s->errors = "";
    s->refused = false;
    session_begin(s, NULL);
    former = arena_on_oom(&here);
    if (setjmp(here) == 0) {
        arena_reset(s->messages);
        diags_init(&s->diags, s->messages, s->sources);
        s->told = map_new(s->messages);
        bool stopped = session_stopped(s); /* before it began */
        ok = !stopped && prelude_read(s) && body(s, data) && s->diags.errors == 0;
        if (!ok && s->diags.errors == 0)
            diag_error(&s->diags, (struct span){0}, ERR_INTERNAL, "a call failed without a reason");
        make_errors(s);
        if (!stopped && !s->prelude_read && s->diags.errors)
            s->broken = s->errors = arena_printf(s->arena, "%s", s->errors);
    } else {
        s->errors = "error: not enough memory\n";
        ok = false;
    }
    arena_on_oom(former);
    unit_end(s);
    for (uint32_t i = 0; i < s->texts.n; i++)
        s->texts.at[i]->running = false;
    s->frames = NULL;
    arena_free(s->loop);
    arena_free(s->scratch);
    s->loop = s->scratch = NULL;
    s->folder = NULL;
    if (s->in_line)
        undo_end(s, !ok);
    if (!ok) /* a stop that came meanwhile was for this call; after a success it still waits */
        dcl_go_on(s);
    session_end(s);
    s->failed = !ok;
    return ok ? 0 : 1;
}

const char *dcl_errors(dcl_session *s) {
    return s->failed ? s->errors : "";
}

const char *session_messages(dcl_session *s) {
    return s->errors;
}

bool session_bug(dcl_session *s) {
    for (const struct diag *d = s->failed ? s->diags.first : NULL; d; d = d->next)
        if (d->code == ERR_INTERNAL || d->code == ERR_VERIFY)
            return true;
    return false;
}

void session_colour(dcl_session *s, bool on) {
    s->colour = on;
}

void session_pictures(dcl_session *s, enum picture_form form) {
    s->picture = form;
}

void dcl_output(dcl_session *s, void (*write)(void *data, const char *text, size_t n), void *data) {
    s->write = write;
    s->write_data = data;
}

void session_write(struct dcl_session *s, const char *text, size_t n) {
    doing_output(s);
    if (s->write)
        s->write(s->write_data, text, n);
    else
        fwrite(text, 1, n, stdout);
}

void dcl_stop(dcl_session *s) {
    s->stop = 1;
    if (s->rt)
        rt_stop(s->rt);
}

void dcl_go_on(dcl_session *s) {
    s->stop = 0;
    if (s->rt)
        rt_clear_stop(s->rt);
}

bool session_stopped(struct dcl_session *s) {
    if (s->stop)
        diag_error(&s->diags, (struct span){0}, ERR_INTERRUPTED);
    return s->stop;
}

const char *dcl_version(void) {
    return DCL_VERSION;
}

/* --- running text --------------------------------------------------------------------------- */

struct run {
    const char *text, *path;
    size_t n;
    bool line;
};

void session_want(dcl_session *s, const struct session_wants *w) {
    s->wants = w;
}

bool session_refused(dcl_session *s) {
    return s->refused;
}

static bool run_text(struct dcl_session *s, void *data) {
    struct run *r = data;
    if (r->line)
        undo_begin(s);
    struct text *t = text_read(s, s->module, r->path ? r->path : "<text>", r->text, r->n);
    if (!t)
        return false;
    undo_variables(s, t->file);
    bool ok = wanted_check(s, t->file) && script_run(s, t, r->line);
    text_release(s, t);
    return ok;
}

int dcl_run(dcl_session *s, const char *text, const char *path) {
    struct run r = {text, path, strlen(text), false};
    return session_guard(s, run_text, &r);
}

int session_line(dcl_session *s, const char *text, const char *path) {
    struct run r = {text, path, strlen(text), true};
    return session_guard(s, run_text, &r);
}

static bool run_file(struct dcl_session *s, void *data) {
    struct run *r = data;
    const char *why;
    if (model_is_path(r->path))
        return model_run(s, r->path);
    r->text = source_read_text(s->messages, r->path, &r->n, &why);
    if (!r->text) {
        diag_error(&s->diags, (struct span){0}, ERR_FILE_READ, r->path, why);
        return false;
    }
    const char *slash = strrchr(r->path, '/');
    s->folder = slash ? arena_strndup(s->messages, r->path, (size_t)(slash - r->path + 1)) : NULL;
    return run_text(s, r);
}

int dcl_run_file(dcl_session *s, const char *path) {
    struct run r = {.path = path};
    return session_guard(s, run_file, &r);
}

static bool load_file(struct dcl_session *s, void *data) {
    undo_begin(s);
    return run_file(s, data);
}

int session_load(dcl_session *s, const char *path, const char **text) {
    struct run r = {.path = path};
    int failed = session_guard(s, load_file, &r);
    *text = failed ? NULL : r.text;
    return failed;
}

struct reading {
    const char *path;
    bool keep;
};

static bool read_definitions(struct dcl_session *s, void *data) {
    struct reading *r = data;
    const char *why;
    size_t n;
    if (model_is_path(r->path)) /* what it defines is its own */
        return r->keep || model_check(s, r->path);
    char *text = source_read_text(s->messages, r->path, &n, &why);
    if (!text) {
        diag_error(&s->diags, (struct span){0}, ERR_FILE_READ, r->path, why);
        return false;
    }
    undo_begin(s);
    struct text *t = text_read(s, s->module, r->path, text, n);
    bool ok = t && wanted_check(s, t->file);
    if (t)
        text_release(s, t);
    undo_end(s, !ok || !r->keep);
    return ok;
}

int session_check(dcl_session *s, const char *path) {
    struct reading r = {path, false};
    return session_guard(s, read_definitions, &r);
}

int session_define(dcl_session *s, const char *path) {
    struct reading r = {path, true};
    return session_guard(s, read_definitions, &r);
}
