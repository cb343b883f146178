/* Reads a program from a file: the function `f`, and in comments what its arguments are:
     # sizes: N = 3, M = 17, pos = 2     every name in dimensions, and run-time integers
     # below: x4 = 7                     x4 holds integers in 0 .. 6
     # special: x = 1                    extreme numbers */
#ifndef DCL_TESTS_FUZZ_FOUND_H
#define DCL_TESTS_FUZZ_FOUND_H

#include "tests/fuzz/front.h"

/* The number that a comment line beginning with WORD gives to NAME, or -1. */
static int found_number(const char *text, const char *word, const char *name) {
    size_t n = strlen(name);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "# ", 2) != 0 || strncmp(line + 2, word, strlen(word)) != 0)
            continue;
        for (const char *p = line + 2 + strlen(word); *p && *p != '\n'; p++)
            if (strncmp(p, name, n) == 0 && strncmp(p + n, " = ", 3) == 0 && p[-1] == ' ')
                return atoi(p + n + 3);
    }
    return -1;
}

_Noreturn static void found_bad(const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    exit(2);
}

static struct arg_dim found_dim(struct front *f, struct program *p, const struct ast *e,
                                const char *path) {
    if (e->kind == AST_BINARY && e->kids[1]->kind == AST_INT) { /* N*2 + 1 */
        struct arg_dim d = found_dim(f, p, e->kids[0], path);
        if (e->op == AOP_ADD)
            d.add += (int)e->kids[1]->integer;
        else if (e->op == AOP_MUL)
            d.mul *= (int)e->kids[1]->integer;
        else
            found_bad(path, "a dimension that is neither a sum nor a product");
        return d;
    }
    if (e->kind == AST_INT)
        return (struct arg_dim){-1, 0, (int)e->integer};
    const char *name = e->kind == AST_NAME ? name_text(f->names, e->name) : "";
    int n = found_number(p->whole, "sizes:", name), at = 0;
    if (!*name || n < 0 || p->nsizes == PROGRAM_SIZES)
        found_bad(path, "a dimension is neither a number nor one of the sizes");
    while (at < p->nsizes && strcmp(p->sizes[at].name, name) != 0)
        at++;
    if (at == p->nsizes) {
        snprintf(p->sizes[at].name, sizeof p->sizes[at].name, "%s", name);
        p->sizes[p->nsizes++].n = n;
    }
    return (struct arg_dim){at, 1, 0};
}

__attribute__((unused)) static struct program *found_load(struct front *f, const char *path) {
    struct program *p = ARENA_NEW(f->arena, struct program);
    struct diags d;
    size_t n;
    const char *why;
    p->arena = f->arena;
    p->whole = source_read_file(f->arena, path, &n, &why);
    if (!p->whole)
        found_bad(path, why);
    diags_init(&d, f->arena, f->sources);
    struct ast *file =
        parse_source(f->arena, f->names, &d, sources_add(f->sources, path, p->whole, n));
    const struct ast *fn = file->nkids ? file->kids[file->nkids - 1] : NULL;
    if (!fn || fn->kind != AST_FN || fn->kids[0]->nkids > PROGRAM_ARGS)
        found_bad(path, "no function at the end");
    for (uint32_t i = 0; i < fn->kids[0]->nkids; i++) {
        const struct ast *param = fn->kids[0]->kids[i], *type = param->kids[0];
        struct argument *a = &p->args[p->nargs++];
        snprintf(a->name, sizeof a->name, "%s", name_text(f->names, param->name));
        a->dtype = dtype_of(name_text(f->names, type->name));
        a->inout = param->flags & AST_INOUT;
        a->rank = (int)type->nkids;
        if (a->dtype == DT_NONE || a->rank > PROGRAM_RANK)
            found_bad(path, "an argument's type");
        for (int k = 0; k < a->rank; k++)
            a->dims[k] = found_dim(f, p, type->kids[k], path);
        a->below = found_number(p->whole, "below:", a->name);
        a->content = a->below > 0                                      ? CONTENT_INDEX
                     : found_number(p->whole, "special:", a->name) > 0 ? CONTENT_SPECIAL
                                                                       : CONTENT_PLAIN;
        if (a->rank == 0 && a->dtype == DT_i64) {
            a->integer = true;
            a->value = found_number(p->whole, "sizes:", a->name);
        }
    }
    return p;
}

#endif
