/* Examples in documentation: reading them, running them, comparing what they print. */
#include "repl/example.h"

#include "lang/parse/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --------------------------------------------------------------------------------- */

/* A place in the text of an example; NULL at once something is not as it should be. */
struct reader {
    struct arena *arena;
    const char *at;
};

static bool accept(struct reader *r, const char *text) {
    size_t n = strlen(text);
    if (!r->at || strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void expect(struct reader *r, const char *text) {
    if (!accept(r, text))
        r->at = NULL;
}

/* What stands between backticks. */
static const char *quoted(struct reader *r) {
    expect(r, "`");
    size_t n = r->at ? strcspn(r->at, "`") : 0;
    if (n == 0 || r->at[n] != '`') {
        r->at = NULL;
        return "";
    }
    r->at += n + 1;
    return arena_strndup(r->arena, r->at - n - 1, n);
}

static const char *word(struct reader *r) {
    size_t n = 0;
    while (r->at && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        n++;
    if (n == 0) {
        r->at = NULL;
        return "";
    }
    r->at += n;
    return arena_strndup(r->arena, r->at - n, n);
}

/* Numbers in brackets, as many as there are elements. */
static bool given_values(struct reader *r, double *to, int64_t n) {
    int64_t found = 0;
    int depth = 0;
    while (depth > 0 || found == 0) {
        char *end;
        r->at += strspn(r->at, ", ");
        if (*r->at == '[' || *r->at == ']') {
            depth += *r->at++ == '[' ? 1 : -1;
            continue;
        }
        double v = strtod(r->at, &end);
        if (end == r->at || found == n)
            return false;
        to[found++] = v;
        r->at = end;
    }
    return depth == 0 && found == n;
}

/* Small numbers, as the type has them. */
static void some_values(const char *type, double *to, int64_t n, int which) {
    bool whole = type[0] == 'i' || type[0] == 'u' || strcmp(type, "bool") == 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t mixed = ((i + 1) * 7919 + which * 104729) % 401;
        to[i] = whole ? (double)(i % 2) : (double)(mixed - 200) / 100;
    }
}

enum { EXAMPLE_ELEMENTS = 1000000 }; /* of one input */

static void input(struct reader *r, struct example *e) {
    struct example_input *in = &e->inputs[e->ninputs];
    int64_t n = 1;
    in->name = word(r);
    expect(r, ": ");
    in->type = word(r);
    expect(r, "[");
    for (in->rank = 0; r->at && !accept(r, "]"); accept(r, ", ")) {
        char *end;
        long size = strtol(r->at, &end, 10);
        if (end == r->at || in->rank == EXAMPLE_RANK || size < 0 ||
            (size && n > EXAMPLE_ELEMENTS / size)) {
            r->at = NULL;
            return;
        }
        r->at = end;
        in->shape[in->rank++] = size;
        n *= size;
    }
    if (!r->at)
        return;
    in->values = ARENA_ARRAY(r->arena, double, n);
    if (!accept(r, " = "))
        some_values(in->type, in->values, n, e->ninputs);
    else if (!given_values(r, in->values, n))
        r->at = NULL;
    e->ninputs++;
}

int example_read(struct arena *a, const char *doc, struct example *e) {
    const char *from = doc && *doc == '`' ? doc : doc ? strstr(doc, "\n`") : NULL;
    bool any = from != NULL;
    for (; from; from = strstr(from, "\n`")) {
        char *text = arena_strndup(a, from, strlen(from));
        for (char *p = text; *p; p++)
            if (*p == '\n')
                *p = ' ';
        struct reader r = {a, text + (*text == ' ')};
        *e = (struct example){.expression = quoted(&r)};
        if (accept(&r, " with "))
            do
                input(&r, e);
            while (r.at && accept(&r, ", ") && e->ninputs < EXAMPLE_INPUTS);
        if (accept(&r, " is "))
            e->result = quoted(&r);
        e->at = (size_t)(from - doc) + (*from == '\n');
        if (r.at && !*r.at)
            return 1;
        from++;
    }
    return any ? -1 : 0;
}

/* --- running --------------------------------------------------------------------------------- */

static void collect(void *data, const char *text, size_t n) {
    buf_bytes(data, text, n);
}

/* The program: all statements, and the last one's value or names are printed. */
static const char *program_of(struct arena *a, const char *text) {
    struct diags d;
    diags_init(&d, a, sources_new(a));
    const struct ast *file =
        parse_source(a, names_new(a), &d, sources_add(d.sources, "", text, strlen(text)));
    if (d.errors || file->nkids == 0)
        return arena_printf(a, "%s\n", text); /* running it tells what is wrong */
    const struct ast *last = file->kids[file->nkids - 1];
    if (last->kind == AST_ASSIGN) {
        uint32_t start = last->kids[1]->span.start, end = last->kids[last->nkids - 1]->span.end;
        return arena_printf(a, "%s\nprint(%.*s)\n", text, (int)(end - start), text + start);
    }
    return arena_printf(a, "%.*s\nprint(%s)\n", (int)last->span.start, text,
                        text + last->span.start);
}

bool example_run(dcl_session *s, struct arena *a, const struct example *e, struct buf *out) {
    for (int i = 0; i < e->ninputs; i++) {
        const struct example_input *in = &e->inputs[i];
        if (session_tensor(s, in->name, in->type, in->rank, in->shape, in->values))
            return false;
    }
    dcl_output(s, collect, out);
    return dcl_run(s, program_of(a, e->expression), "<example>") == 0;
}

/* --- comparing ------------------------------------------------------------------------------- */

/* Bytes of the element type and shape that follow a printed tensor, like "  f32[2, 3]". */
static size_t type_length(const char *at) {
    size_t n = strspn(at, " ");
    if (n < 2)
        return 0;
    while (isalnum((unsigned char)at[n]))
        n++;
    if (at[n] != '[' || !isalpha((unsigned char)at[strspn(at, " ")]))
        return 0;
    n += 1 + strspn(at + n + 1, "0123456789, ");
    return at[n] == ']' ? n + 1 : 0;
}

/* The next number, string, word or bracket at *AT; 0 at the end. */
static size_t next_token(const char **at) {
    for (;; (*at)++) {
        const char *p = *at;
        size_t type = type_length(p);
        if (type) {
            *at += type - 1;
            continue;
        }
        if (!*p)
            return 0;
        if (*p == '"') {
            size_t n = strcspn(p + 1, "\"");
            return n + (p[n + 1] == '"' ? 2 : 1);
        }
        if (strchr("()[]", *p))
            return 1;
        size_t n = *p == '-';
        bool number = isdigit((unsigned char)p[n]) != 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_' || (number && p[n] == '.') ||
               (number && strchr("+-", p[n]) && p[n] && tolower(p[n - 1]) == 'e'))
            n++;
        if (n > (size_t)(*p == '-'))
            return n;
    }
}

static bool near(const char *x, size_t n, const char *y, size_t m) {
    if (n == m && memcmp(x, y, n) == 0)
        return true;
    char *xe, *ye;
    double a = strtod(x, &xe), b = strtod(y, &ye);
    bool whole = !memchr(x, '.', n) && !memchr(y, '.', m);
    if (xe != x + n || ye != y + m || whole)
        return false;
    double most = fmax(fabs(a), fabs(b)) * 2e-5;
    return fabs(a - b) <= fmax(most, 2e-6);
}

bool example_agrees(const char *got, const char *want) {
    size_t n, m;
    do {
        n = next_token(&got);
        m = next_token(&want);
        if ((n == 0) != (m == 0) || (n && !near(got, n, want, m)))
            return false;
        got += n;
        want += m;
    } while (n);
    return true;
}
