/* What the generator writes: every construct of the table below in enough of 2,000 programs, so
   that none is lost when the generator changes. A row is an extended regular expression that a line
   of the program matches. */
#include "tests/fuzz/generate.h"
#include "tests/harness/tap.h"

#include <regex.h>

#define PROGRAMS 2000

static const struct {
    const char *name, *pattern;
    int least; /* programs that have it */
} constructs[] = {
    {"f64", ": f64", 200},
    {"f32", ": f32", 200},
    {"f16", ": f16", 100},
    {"bf16", ": bf16", 100},
    {"i64", ": i64", 200},
    {"i32", ": i32", 200},
    {"i16", ": i16", 50},
    {"i8", ": i8", 50},
    {"u64", ": u64", 50},
    {"u32", ": u32", 50},
    {"u16", ": u16", 50},
    {"u8", ": u8", 50},
    {"bool", ": bool", 200},
    {"type variable", "where T:", 100},
    {"inout parameter", "inout", 100},
    {"run-time integer", "pos[0-9]+: i64[,)]", 100},
    {"run-time scalar", ": [a-z0-9]+, [a-z0-9]+:", 100},
    {"computed dimension of a parameter", "^fn f.*\\[[A-Z]\\*2 \\+ 1.* ->", 50},
    {"several results", "-> \\([a-z0-9_]+:.*,", 200},
    {"result without a name", "^fn f.* -> [a-z0-9]+[[ ]", 50},
    {"static parameter", "; [a-z]+: int", 20},
    {"optional parameter", "\\]\\?", 10},
    {"list of tensors", "\\[\\*S\\]\\[\\]", 10},
    {"parameter of type dtype", ": dtype", 10},
    {"parameter of type shape", ": shape", 10},
    {"parameter that is a function", "\\], f\\)", 10},
    {"condition on sizes", "where .*, (N|len)", 10},
    {"pack", "\\*S\\]", 100},
    {"pack as a list", "\\*S\\[", 5},
    {"list as subscripts", "\\*\\[b\\[p\\]", 5},
    {"function of scalars", "^fn h[0-9]+\\(u: T", 50},
    {"return in a branch", "return", 20},
    {"static recursion", "n = n - 1", 10},
    {"argument by name", "[(,] [a-z]+ = ", 20},
    {"comprehension", " for .* in .*\\]", 5},
    {"value", "^ +[a-z0-9_]+ = ", 200},
    {"value from a memlet", "^ +[a-z0-9_]+ << ", 200},
    {"block from a memlet", ": [a-zA-Z0-9]+\\[.*\\] << ", 50},
    {"block that moves", "[a-z_0-9]+:[a-z_0-9]+ \\+ [0-9]", 20},
    {"block that leaves its container", "<< .*:.*, else", 10},
    {"write of a block", "^ +[a-z0-9_]+\\[.*:.*\\] = ", 50},
    {"write of a block by a resolution",
     "(>> [a-z0-9_]+\\[[^(]*:.*\\(|\\[[^=]*:[^=]*\\] [a-z]*[+]?=)", 20},
    {"read with else", "\\[.*, else [^_]", 100},
    {"write with else", "else _", 100},
    {"subscript from data", "\\[[a-z0-9_]+\\[", 20},
    {"(sum)", "(\\(sum\\)|\\+=)", 200},
    {"(prod)", "(\\(prod\\)|prod=)", 100},
    {"(max)", "(\\(max\\)|max=)", 100},
    {"(min)", "(\\(min\\)|min=)", 100},
    {"(and)", "(\\(and\\)|and=)", 20},
    {"(or)", "(\\(or\\)|or=)", 20},
    {"container that grows", "^ +[a-z0-9_]+: [a-zA-Z0-9]+\\[\\?", 100},
    {"result that grows", "^fn f.*\\[\\?.*\\{", 50},
    {"append", "(>> [a-z0-9_]+\\[\\?|\\[\\?.*\\] = )", 100},
    {"size that is found", "\\.shape\\[0\\]", 100},
    {"resolution by a function", "\\(by[0-9]+\\)", 200},
    {"map", "^ +map ", 500},
    {"map of several indices", "^ +map [^{]*,[^{]*,", 200},
    {"bare index", "^ +map ([a-z_0-9]+,? ?)+\\{", 100},
    {"range with a step", "in [0-9]+:[^{]*:[0-9]", 100},
    {"range by another index", " in 0:[ijkl](_[0-9]+)?( \\+ 1)?[ ,]", 20},
    {"range by a run-time integer", "in 0:pos", 20},
    {"tile", "min\\([0-9]+, ", 100},
    {"parallel", " parallel", 100},
    {"vector", " vector", 100},
    {"vector(n)", "vector\\([0-9]", 20},
    {"unroll", " unroll[ ,]", 100},
    {"unroll(n)", "unroll\\([0-9]", 100},
    {"seq", " seq", 100},
    {"unique", " unique", 20},
    {"in register", "in register", 20},
    {"in stack", "in stack", 20},
    {"in heap", "in heap", 50},
    {"layout", " layout\\(", 200},
    {"container without a fill", "^ +[a-z0-9_]+: [^=<(]*$", 100},
    {"for over a range", "^ +for [a-z0-9_]+ in [0-9]+:", 100},
    {"for over a list", "^ +for .* in \\[", 50},
    {"while", "^ +while ", 100},
    {"if", "^ +if ", 200},
    {"else", "^ +\\} else \\{", 100},
    {"else if", "else if", 20},
    {"if as a value", "= if .*\\{$", 100},
    {"if as a value of tensors", "= if .* \\{ .* \\} else \\{ [^(]", 20},
    {"if as a value of tuples", "= if .* \\{ \\(", 50},
    {"exchange", "^ +([a-z0-9_]+), ([a-z0-9_]+) = \\(\\2, \\1\\)", 10},
    {"select", "select\\(", 100},
    {"**", "\\*\\* [0-9]", 100},
    {"power by a fraction", "\\*\\* -0", 50},
    {"//", " // ", 100},
    {"%", " % ", 100},
    {"and, or, not", "(not |\\) and | or )", 100},
    {"in a list of numbers", "in \\[0, 2", 50},
    {"of a list of values", "(sum|max|min|prod)\\(\\[", 100},
    {"exp, log, tanh, sqrt", "(exp|log|tanh|sqrt)\\(", 200},
    {"floor, round", "(floor|round)\\(", 100},
    {"bits", "(bit_and|bit_or|bit_xor|bit_not|shl|shr)\\(", 100},
    {"cast", "(f|i|u|bf)(8|16|32|64)\\([^-0-9]", 200},
    {"@", " @ ", 5},
    {"|>", "\\|> ", 10},
    {"members of a shape", "\\.shape\\[0\\]", 10},
    {".T", "\\.T", 1},
    {"library", "(softmax|sigmoid|layer_norm|conv2d|max_pool|linear|mean|argmax)\\(", 100},
};
enum { CONSTRUCTS = sizeof constructs / sizeof *constructs };

/* Whether a line of TEXT matches R. */
static bool matches_line(const regex_t *r, const char *text) {
    for (const char *line = text; line && *line; line += *line == '\n') {
        const char *end = strchr(line, '\n');
        regmatch_t part = {0, end ? end - line : (regoff_t)strlen(line)};
        if (regexec(r, line, 1, &part, REG_STARTEND) == 0)
            return true;
        line = end ? end : line + strlen(line);
    }
    return false;
}

int main(void) {
    static regex_t pattern[CONSTRUCTS];
    static int found[CONSTRUCTS];
    for (int i = 0; i < CONSTRUCTS; i++)
        if (regcomp(&pattern[i], constructs[i].pattern, REG_EXTENDED) != 0)
            return fprintf(stderr, "%s: a bad pattern\n", constructs[i].name), 1;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct arena *a = arena_new();
        const char *text = program_text(program_generate(a, seed), a);
        for (int i = 0; i < CONSTRUCTS; i++)
            found[i] += matches_line(&pattern[i], text);
        arena_free(a);
    }
    for (int i = 0; i < CONSTRUCTS; i++) {
        ok(found[i] >= constructs[i].least, "%s", constructs[i].name);
        diag("%5d of %d programs: %s", found[i], PROGRAMS, constructs[i].name);
        regfree(&pattern[i]);
    }
    return done_testing();
}
