/* The driver: text to tokens to tree.
   The grammar is run once over the whole text. After an error bison looks for the end of the
   statement; what stands in brackets is passed over on the way, and the statements of blocks that
   were passed over are parsed afterwards for the sake of their errors alone. Messages are sorted
   by place at the end. */
#include "lang/parse/parse.h"

#include "lang/parse/parser.h"

#include <stdlib.h>
#include <string.h>

/* --- tokens for bison ------------------------------------------------------------------------ */

void parse_pass_over(struct parser *p, uint32_t opener) {
    const struct token *t = &p->tokens.at[opener];
    if (t->match <= opener)
        return;
    if (t->kind == '{' && !p->reserved)
        VEC_PUSH(p->scratch, p->skipped, opener);
    p->pos = t->match + 1;
}

const struct token *parse_next(struct parser *p, uint32_t *index) {
    static const struct token starts[] = {
        {.kind = TOK_START_FILE}, {.kind = TOK_START_BLOCK}, {.kind = TOK_START_MEMBERS}};
    if (p->start != 0) {
        const struct token *start = &starts[p->start - TOK_START_FILE];
        p->start = 0;
        *index = 0;
        return start;
    }
    while (p->recovering && p->pos < p->end && p->tokens.at[p->pos].match > p->pos)
        parse_pass_over(p, p->pos);
    if (p->pos >= p->end) {
        *index = 0;
        p->tokens.at[0].start = p->tokens.at[0].end = p->tokens.at[p->end].start;
        p->last = p->end;
        return &p->tokens.at[0];
    }
    p->last = *index = p->pos++;
    return &p->tokens.at[*index];
}

/* --- running --------------------------------------------------------------------------------- */

static int run_once(struct parser *p, int start, uint32_t from, uint32_t to) {
    p->start = start;
    p->pos = from;
    p->end = to;
    p->recovering = p->spoiled = p->too_deep = p->reserved = false;
    return grammar_parse(p);
}

/* The end of the outermost statement that holds P->last; FROM begins a statement. */
static uint32_t statement_end(const struct parser *p, uint32_t from, uint32_t to) {
    uint32_t i = from;
    while (i < to) {
        const struct token *t = &p->tokens.at[i];
        if (i > p->last && (t->kind == TOK_EOL || t->kind == ';'))
            return i;
        i = t->match > i ? t->match + 1 : i + 1;
    }
    return to;
}

static void run(struct parser *p, int start, uint32_t from, uint32_t to) {
    while (run_once(p, start, from, to) != 0)
        from = statement_end(p, from, to); /* bison's stack was full */
}

/* Errors in blocks that recovery passed over. */
static void run_skipped(struct parser *p) {
    struct ast *file = p->file;
    p->file = ast_new(p->arena, AST_FILE, file->span, 0);
    for (uint32_t i = 0; i < p->skipped.n; i++) {
        const struct token *t = &p->tokens.at[p->skipped.at[i]];
        run(p, t->members ? TOK_START_MEMBERS : TOK_START_BLOCK, p->skipped.at[i] + 1, t->match);
    }
    p->file = file;
}

struct placed {
    struct diag *diag;
    uint32_t arrival;
};

static int by_place(const void *x, const void *y) {
    const struct placed *a = x, *b = y;
    if (a->diag->span.start != b->diag->span.start)
        return a->diag->span.start < b->diag->span.start ? -1 : 1;
    return a->arrival < b->arrival ? -1 : 1;
}

/* Sorts the messages after FORMER (the link that was the last one) by place. */
static void sort_messages(struct diags *d, struct diag **former, struct arena *scratch) {
    VEC(struct placed) all = {0};
    for (struct diag *at = *former; at != NULL; at = at->next) {
        struct placed one = {at, all.n};
        VEC_PUSH(scratch, all, one);
    }
    if (all.n < 2)
        return;
    qsort(all.at, all.n, sizeof *all.at, by_place);
    for (uint32_t i = 0; i < all.n; i++) {
        *former = all.at[i].diag;
        former = &all.at[i].diag->next;
    }
    *former = NULL;
    d->last = former;
}

/* --- the face -------------------------------------------------------------------------------- */

struct holder {
    struct arena *scratch;
};

static void free_scratch(void *data) {
    struct holder *h = data;
    arena_free(h->scratch);
    h->scratch = NULL;
}

struct ast *parse_source(struct arena *a, struct names *names, struct diags *d, uint32_t source) {
    return parse_written(a, names, d, source, NULL);
}

struct ast *parse_written(struct arena *a, struct names *names, struct diags *d, uint32_t source,
                          struct ast_text *written) {
    const struct source *text = sources_get(d->sources, source);
    struct diag **former = d->last;
    /* The arena frees the scratch memory if an allocation here leaves by longjmp. */
    struct holder *h = ARENA_NEW(a, struct holder);
    arena_on_free(a, free_scratch, h);
    h->scratch = arena_new();

    struct scan scan = {.scratch = h->scratch,
                        .arena = a,
                        .names = names,
                        .diags = d,
                        .source = source,
                        .text = text->text,
                        .n = text->n};
    scan_text(&scan);
    if (written) {
        size_t size = scan.comments.n * sizeof *scan.comments.at;
        written->text = text->text;
        written->comments = size ? arena_copy(a, scan.comments.at, size) : NULL;
        written->ncomments = scan.comments.n;
    }
    struct parser p = {.arena = a,
                       .scratch = h->scratch,
                       .names = names,
                       .diags = d,
                       .source = source,
                       .text = text->text};
    p.tokens = lines_resolve(&scan);
    p.file = ast_new(a, AST_FILE, (struct span){source, 0, text->n}, 0);
    run(&p, TOK_START_FILE, 1, p.tokens.n - 1);
    run_skipped(&p);
    sort_messages(d, former, h->scratch);
    free_scratch(h);
    return p.file;
}

bool parse_wants_more(struct buf *open, const char *lines, size_t n) {
    struct arena *scratch = arena_new();
    volatile bool more = false; /* also when memory runs out: the parser will meet it again */
    jmp_buf out_of_memory;
    jmp_buf *former = arena_on_oom(&out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        struct buf text = buf_new(scratch);
        buf_bytes(&text, open->at, open->n);
        buf_bytes(&text, lines, n);
        struct scan scan = {
            .scratch = scratch, .arena = scratch, .text = text.at, .n = (uint32_t)text.n};
        scan_text(&scan);
        more = lines_want_more(&scan, open);
    }
    arena_on_oom(former);
    arena_free(scratch);
    return more;
}
