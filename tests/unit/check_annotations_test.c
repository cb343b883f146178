/* What check writes into the tree: the ranges of bare indices, the identities at which containers
   start. */
#include "tests/harness/tap.h"
#include "tests/unit/check_program.h"

#include "lang/scalar/scalar.h"

/* Every ITER with what gives its range, as "i: x@0 y@1; ", in the order of the text. */
static void list_ranges(const struct program *p, const struct ast *node, struct buf *out) {
    if (!node)
        return;
    if (node->kind == AST_ITER) {
        buf_printf(out, "%s:", name_text(p->names, node->name));
        for (uint32_t i = 3; i < node->nkids && node->kids[3]; i++)
            buf_printf(out, " %s@%d", name_text(p->names, node->kids[i]->kids[0]->name),
                       (int)node->kids[i]->integer2);
        buf_text(out, "; ");
        return;
    }
    bool loop = node->kind == AST_MAP || node->kind == AST_FOR;
    for (uint32_t i = loop; i < node->nkids; i++)
        list_ranges(p, node->kids[i], out);
    if (loop)
        list_ranges(p, node->kids[0], out);
}

/* Every named RESULT and DECL with the resolution it starts at, as "y: sum; ". */
static void list_fills(const struct program *p, const struct ast *node, struct buf *out) {
    if (!node)
        return;
    if ((node->kind == AST_DECL || node->kind == AST_RESULT) && !name_none(node->name))
        buf_printf(out, "%s: %s; ", name_text(p->names, node->name),
                   node->integer2 == RES_NONE ? "-" : resolution_names[node->integer2]);
    for (uint32_t i = 0; i < node->nkids; i++)
        list_fills(p, node->kids[i], out);
}

typedef void list_fn(const struct program *p, const struct ast *node, struct buf *out);

static void annotated(list_fn *list, const char *text, const char *want, const char *name) {
    struct arena *a = arena_new();
    struct program p;
    program_run(&p, a, "t.dcl", text, strlen(text));
    struct buf got = buf_new(a), again = buf_new(a);
    list(&p, p.file, &got);
    if (!ok(p.good, "%s: no errors", name))
        diag("%s", program_messages(&p));
    is_str(got.at, want, "%s", name);
    program_check(&p); /* as after the redefinition of what it depends on */
    list(&p, p.file, &again);
    ok(strcmp(got.at, again.at) == 0, "%s: the same when checked again", name);
    arena_free(a);
}

static void test_ranges(void) {
    annotated(list_ranges,
              "fn f(A: T[*P, M, K], B: T[*P, K, N]) -> C: T[*P, M, N] where T: float {\n"
              "  map *p, i, j, k { C[*p, i, j] += A[*p, i, k] * B[*p, k, j] }\n"
              "}",
              "p: C@0 A@0 B@0; i: C@1 A@1; j: C@2 B@2; k: A@2 B@1; ", "matmul");
    annotated(list_ranges,
              "fn f(x: f32[N], w: f32[R]) -> y: f32[N - R] {\n"
              "  map i, r { y[i] += x[i + r] * w[r] * w[r] }\n"
              "}",
              "i: y@0; r: w@0; ", "only where it stands alone, once for a name and position");
    annotated(list_ranges,
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  map i { v << x[i];  v >> y[i] }\n"
              "}",
              "i: x@0 y@0; ", "`<<` and `>>` in the order of the text");
    annotated(list_ranges,
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  map i in N { map j { c: f32 << x[j];  c >> y[i] (sum) } }\n"
              "}",
              "i:; j: x@0; ", "a subscript in a declaration");
    annotated(list_ranges,
              "fn f(x: f32[N], n: i64[N]) -> y: f32[N] {\n"
              "  map i { y[n[i]] = x[i] }\n"
              "}",
              "i: n@0 x@0; ", "a subscript in a subscript");
    annotated(list_ranges,
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  map i in N { c: f32[4] = 0;  map j { c[j] = x[i];  c[j] >> y[i] (sum) } }\n"
              "}",
              "i:; j: c@0; ", "the inner map sees what the outer one declares");
    annotated(list_ranges,
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  map i { c: f32[4] = 0;  c[i] = x[i];  c[0] >> y[i] }\n"
              "}",
              "i: x@0 y@0; ", "a map does not see what it declares");
    annotated(list_ranges,
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  h = relu(x)\n"
              "  map i { y[i] = h[(i), else 0] }\n"
              "}",
              "i: y@0 h@0; ", "a value, parentheses, else");
    annotated(list_ranges,
              "fn f(x: f32[N, 4]) -> y: f32[N, 4] {\n"
              "  map i { for j in 0:4 { map k in j:4 { y[i, j] += x[i, k] } } }\n"
              "}",
              "i: y@0 x@0; j:; k:; ", "loops and given ranges");
    annotated(list_ranges, "x: f32[3] = 0\nmap i { x[i] = 1 }\nmap j { session_variable[j] = 1 }",
              "i: x@0; j: session_variable@0; ", "variables of a script");
}

static void test_fills(void) {
    annotated(list_fills,
              "fn f(x: f32[N]) -> (y: f32[N], z: f32[N], w: f32) {\n"
              "  map i { x[i] >> y[i] (max);  z[i] = x[i];  w += x[i] }\n"
              "}",
              "y: max; z: -; w: sum; ", "results");
    annotated(list_fills,
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  a: f32[N]\n  b: f32[N] = 0\n  c: f32[N]\n  d: f32[N]\n  e: f32[N] << x[:]\n"
              "  g: f32[N]\n  h: f32[N]\n"
              "  map i {\n"
              "    x[i] >> a[i] (prod);  x[i] >> a[i] (prod)\n"
              "    x[i] >> b[i] (sum)\n"
              "    x[i] >> c[i] (sum);  x[i] >> c[i] (max)\n"
              "    x[i] >> d[i] (sum);  x[i] >> e[i] (sum);  x[i] >> g[i] (min)\n"
              "  }\n"
              "  d[0] = 1\n  g = x\n"
              "  y = a + b + c + d + e + g\n"
              "}",
              "y: -; a: prod; b: -; c: -; d: -; e: -; g: -; h: -; ", "one resolution and no fill");
    annotated(list_fills,
              "fn set(inout c: f32[N]) { c[:] = relu(c) }\n"
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  map i { y[i] += x[i] }\n"
              "  s: f32[N]\n"
              "  map i { s[i] += x[i] }\n"
              "  set(s)\n"
              "  t: bool\n"
              "  map i { x[i] > 1 >> t (or) }\n"
              "}",
              "y: sum; s: -; t: or; ", "an inout argument is a plain write");
    annotated(list_fills,
              "fn f(x: f32[N]) -> y: f32[N] {\n"
              "  map i { c: f32;  for k in 0:3 { c += x[i] };  c >> y[i] (and) }\n"
              "  map i { c: f32;  for k in 0:3 { c = x[i] };  c >> y[i] (and) }\n"
              "}",
              "y: and; c: sum; c: -; ", "scopes side by side");
    annotated(list_fills, "s: f32\nfor i in 0:3 { s += 1;  t: f32;  t += 1 }", "s: -; t: sum; ",
              "later lines may write a variable of the script, but not what a block declares");
}

int main(void) {
    test_ranges();
    test_fills();
    return done_testing();
}
