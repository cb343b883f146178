/* The options of a session: text of `name=value` separated by spaces. */
#include "session/state.h"

#include <stdlib.h>
#include <string.h>

enum option_id {
#define OPTION(name, values, doc) OPTION_##name,
#include "session/option.def"
#undef OPTION
    OPTION_COUNT
};

static const char *const option_names[OPTION_COUNT] = {
#define OPTION(name, values, doc) [OPTION_##name] = #name,
#include "session/option.def"
#undef OPTION
};

/* Names are written with hyphens, identifiers with underscores. */
static bool option_is(const char *text, size_t n, const char *name) {
    if (strlen(name) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((name[i] == '_' ? '-' : name[i]) != text[i])
            return false;
    return true;
}

static const char *default_cache(struct arena *a) {
    const char *dir = getenv("DCL_CACHE_DIR");
    if (dir && *dir)
        return strcmp(dir, "off") == 0 ? NULL : arena_printf(a, "%s", dir);
    dir = getenv("XDG_CACHE_HOME");
    if (dir && *dir == '/')
        return arena_printf(a, "%s/dcl", dir);
    dir = getenv("HOME");
    return dir && *dir == '/' ? arena_printf(a, "%s/.cache/dcl", dir) : NULL;
}

static const char *bad(struct arena *a, const char *name, const char *value, const char *want) {
    return arena_printf(a, "option %s: %s expected, not '%s'", name, want, value);
}

static const char *read_flag(struct arena *a, const char *name, const char *value, bool *flag) {
    if ((value[0] != '0' && value[0] != '1') || value[1])
        return bad(a, name, value, "0 or 1");
    *flag = value[0] == '1';
    return NULL;
}

static const char *read_verify(struct arena *a, const char *value, enum verify *v) {
    static const char *const words[] = {"0", "end", "1"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            *v = (enum verify)i;
            return NULL;
        }
    return bad(a, "verify", value, "0, end or 1");
}

/* A list of passes separated by commas into P. */
static const char *read_passes(struct arena *a, const char *value, struct pipeline *p) {
    char *list = arena_strndup(a, value, strlen(value)), *next = NULL;
    p->n = 0;
    for (char *word = strtok_r(list, ",", &next); word; word = strtok_r(NULL, ",", &next)) {
        enum pass_id id = pass_of(word);
        if (id == PASS_COUNT)
            return arena_printf(a, "there is no pass '%s'", word);
        if (p->n == sizeof p->at / sizeof *p->at)
            return "too many passes";
        p->at[p->n++] = id;
    }
    return NULL;
}

static void remove_passes(struct pipeline *p, const struct pipeline *without) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        bool keep = true;
        for (uint32_t k = 0; k < without->n; k++)
            keep = keep && p->at[i] != without->at[k];
        if (keep)
            p->at[n++] = p->at[i];
    }
    p->n = n;
}

static const char *read_option(struct arena *a, enum option_id id, const char *value,
                               struct options *o, struct pipeline *without) {
    switch (id) {
    case OPTION_backend:
        if (strcmp(value, "cpu") == 0)
            o->backend = BACKEND_CPU;
        else if (strcmp(value, "ref") == 0)
            o->backend = BACKEND_REF;
        else
            return bad(a, "backend", value, "cpu or ref");
        return NULL;
    case OPTION_check: return read_flag(a, "check", value, &o->check);
    case OPTION_threads: {
        char *end;
        long n = strtol(value, &end, 10);
        if (!*value || *end || n < 1 || n > 4096)
            return bad(a, "threads", value, "a number from 1 to 4096");
        o->threads = (int)n;
        return NULL;
    }
    case OPTION_target_cpu: {
        if (!target_named(&o->target, value)) {
            struct buf names = buf_new(a);
            for (uint32_t k = 0; target_name(k); k++)
                buf_printf(&names, "%s%s", k ? " " : "", target_name(k));
            return arena_printf(a, "unknown processor '%s'; known are host %s", value, names.at);
        }
        o->foreign = !target_runs_here(&o->target);
        return NULL;
    }
    case OPTION_cache:
        o->cache = strcmp(value, "off") == 0 ? NULL : arena_printf(a, "%s", value);
        return NULL;
    case OPTION_strict: return read_flag(a, "strict", value, &o->strict);
    case OPTION_verify: return read_verify(a, value, &o->verify);
    case OPTION_profile: return read_flag(a, "profile", value, &o->profile);
    case OPTION_passes:
        if (strcmp(value, "default") == 0)
            pipeline_default(&o->pipeline);
        else if (strcmp(value, "none") == 0)
            o->pipeline.n = 0;
        else
            return read_passes(a, value, &o->pipeline);
        return NULL;
    case OPTION_without: return read_passes(a, value, without);
    case OPTION_COUNT: break;
    }
    return NULL;
}

const char *options_read(struct arena *a, const char *text, struct options *o) {
    struct pipeline without = {0};
    *o = (struct options){.verify = VERIFY_END};
    const char *verify = getenv("DCL_VERIFY");
    if (verify && *verify) /* who asks for anything else gets the default */
        read_verify(a, verify, &o->verify);
    target_host(&o->target);
    pipeline_default(&o->pipeline);
    o->cache = default_cache(a);
    for (const char *p = text ? text : ""; *p;) {
        p += strspn(p, " \t\n");
        size_t n = strcspn(p, " \t\n");
        if (n == 0)
            break;
        const char *word = arena_strndup(a, p, n), *equals = strchr(word, '=');
        p += n;
        if (!equals)
            return arena_printf(a, "options are name=value, not '%s'", word);
        enum option_id id = 0;
        while (id < OPTION_COUNT && !option_is(word, (size_t)(equals - word), option_names[id]))
            id++;
        if (id == OPTION_COUNT)
            return arena_printf(a, "there is no option '%.*s'", (int)(equals - word), word);
        const char *why = read_option(a, id, equals + 1, o, &without);
        if (why)
            return why;
    }
    remove_passes(&o->pipeline, &without);
    if (o->profile)
        o->cache = NULL;
    if (o->check)
        o->backend = BACKEND_REF;
    return NULL;
}
