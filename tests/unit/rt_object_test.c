/* The object loader: objects that the C compiler makes with all kinds of relocations are loaded and
   called; hostile ones, and thousands of damaged ones, are refused or loaded but never called. */
#include "backends/rt/rt.h"
#include "tests/harness/tap.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
    unsigned char *bytes;
    size_t n;
};

static struct file load_file(const char *path) {
    struct file f = {NULL, 0};
    FILE *in = fopen(path, "rb");
    if (!in)
        return f;
    f.bytes = malloc(1 << 20);
    f.n = fread(f.bytes, 1, 1 << 20, in);
    fclose(in);
    return f;
}

/* The object of SOURCE, compiled with OPTIONS. */
static struct file compile(const char *source, const char *options) {
    FILE *f = fopen("t.c", "w");
    if (f) {
        fputs(source, f);
        fclose(f);
    }
    const char *cc = getenv("CC");
    char command[500];
    snprintf(command, sizeof command, "%s -w %s -c -o t.o t.c", cc && *cc ? cc : "cc", options);
    unlink("t.o");
    if (system(command) != 0)
        diag("failed: %s", command);
    return load_file("t.o");
}

/* Everything that kernels do and more: calls out, tables, constants of all kinds, data, bss. */
static const char program[] =
    "typedef unsigned long size_t;\n"
    "void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);\n"
    "void *memmove(void *, const void *, size_t);\n"
    "extern int twice(int); extern int thrice(int);\n"
    "int counter; static long big[5000]; int start = 40; static int hidden = 2;\n"
    "static int *const pointers[] = {&counter, &start, &hidden};\n"
    "const char *text(void) { return \"hello\"; }\n"
    "double constant(int k) { static const double t[] = {0.5, 1.25, 3}; return t[k] + 1e10; }\n"
    "int calls(int x) { return twice(x) + 1000 * thrice(x); }\n"
    "int (*address(int k))(int) { return k ? twice : thrice; }\n"
    "int data(int k) { counter += k; return *pointers[0] + *pointers[1] + *pointers[2]; }\n"
    "long bss(int i, long v) { big[i] += v; return big[i]; }\n"
    "void copies(char *a, const char *b, size_t n) { memcpy(a, b, n); memmove(a + 1, a, n - 1);\n"
    "    memset(a, 'x', n / 2); }\n"
    "int jumps(int k, int x) { switch (k) { case 0: return x * 3; case 1: return twice(x);\n"
    "    case 2: return x - 7; case 3: return x ^ 12; case 4: return thrice(x + 1);\n"
    "    case 5: return x << 3; case 6: return counter; case 7: return 1 - x; } return -1; }\n"
    "__attribute__((noinline)) static int inner(int x) { return x * x + hidden; }\n"
    "int local(int x) { return inner(x) + inner(x + 1); }\n"
    "__attribute__((weak)) int weak(void) { return 77; }\n"
    "extern __attribute__((visibility(\"hidden\"))) int chosen(int);\n"
    "__attribute__((section(\".text.other\"))) int chosen(int x) { return x + 5; }\n"
    "int through(int x) { return chosen(x) + weak(); }\n";

static int twice(int x) {
    return 2 * x;
}

static int thrice(int x) {
    return 3 * x;
}

static int (*function(const struct rt_object *o, const char *name))(int, int) {
    return (int (*)(int, int))(uintptr_t)rt_object_symbol(o, name);
}

static void check_program(const struct rt_object *o, const char *how) {
    const char *(*text)(void) = (const char *(*)(void))(uintptr_t)rt_object_symbol(o, "text");
    double (*constant)(int) = (double (*)(int))(uintptr_t)rt_object_symbol(o, "constant");
    long (*bss)(int, long) = (long (*)(int, long))(uintptr_t)rt_object_symbol(o, "bss");
    void (*copies)(char *, const char *, size_t) =
        (void (*)(char *, const char *, size_t))(uintptr_t)rt_object_symbol(o, "copies");
    int (*(*address)(int))(int) = (int (*(*)(int))(int))(uintptr_t)rt_object_symbol(o, "address");
    is_str(text(), "hello", "%s: a string", how);
    is_near(constant(2), 3 + 1e10, 0, "%s: a constant", how);
    is_int(function(o, "calls")(7, 0), 14 + 21000, "%s: calls out", how);
    is_int(address(1)(4) + address(0)(4), 20, "%s: addresses of functions outside", how);
    is_int(function(o, "data")(100, 0), 142, "%s: initialized data", how);
    is_int(function(o, "data")(1, 0), 143, "%s: data keeps its value", how);
    is_int(bss(4999, 3) + bss(4999, 4) + bss(0, 1), 11, "%s: bss", how);
    char a[] = "..........";
    copies(a, "abcdefghij", 10);
    is_str(a, "xxxxxefghi", "%s: memcpy, memmove, memset", how);
    static const int want[] = {30, 20, 3, 6, 33, 80, 101, -9, -1};
    bool good = true;
    for (int k = 0; k < 9; k++)
        good &= function(o, "jumps")(k, 10) == want[k];
    ok(good, "%s: a jump table", how);
    is_int(function(o, "local")(3, 0), 9 + 16 + 4, "%s: a local function", how);
    is_int(function(o, "through")(1, 0), 83, "%s: weak and hidden functions", how);
    ok(rt_object_symbol(o, "counter") != NULL, "%s: data has a name, too", how);
    ok(!rt_object_symbol(o, "hidden") && !rt_object_symbol(o, "twice") &&
           !rt_object_symbol(o, "") && !rt_object_symbol(o, "no"),
       "%s: others have none", how);
}

static const struct rt_symbol near[] = {{"twice", (void *)(uintptr_t)twice},
                                        {"thrice", (void *)(uintptr_t)thrice}};

/* Code at an address below 2^31: lea (%rdi,%rdi,SCALE), %eax; ret. */
static void *low_function(unsigned char scale) {
    const unsigned char code[] = {0x8d, 0x04, scale, 0xc3};
    void *p =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    memcpy(p, code, sizeof code);
    mprotect(p, 4096, PROT_READ | PROT_EXEC);
    return p;
}

static void test_program(void) {
    static const char *const options[] = {
        "-O2 -fPIC",
        "-O0 -fPIC",
        "-O2 -fPIC -fno-plt",
        "-O2 -fno-pic",
        "-O0 -fno-pic -mcmodel=medium",
        "-O2 -fno-pic -mcmodel=large",
        "-O2 -fPIE -ffunction-sections -fdata-sections",
        "-O3 -fPIC -g -fasynchronous-unwind-tables",
        "-O2 -fPIC -fno-jump-tables -fno-asynchronous-unwind-tables -march=x86-64-v3",
    };
    const struct rt_symbol low[] = {{"twice", low_function(0x3f)}, {"thrice", low_function(0x7f)}};
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        struct file f = compile(program, options[k]);
        const char *why = NULL;
        bool pic = strstr(options[k], "-fno-pic") == NULL;
        struct rt_object *o = rt_object_load(f.bytes, f.n, pic ? near : low, 2, &why);
        if (ok(o != NULL, "%s: loads", options[k]))
            check_program(o, options[k]);
        else
            diag("%s", why);
        rt_object_free(o);
        free(f.bytes);
    }
}

/* Code at an address that no 32-bit distance reaches: mov $X, %eax; ret. */
static void *far_function(uint32_t x) {
    static uint64_t at = UINT64_C(0x100000000000);
    unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3};
    memcpy(code + 1, &x, 4);
    void *p = mmap((void *)at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    at += UINT64_C(0x10000000000);
    memcpy(p, code, sizeof code);
    mprotect(p, 4096, PROT_READ | PROT_EXEC);
    return p;
}

static void test_far(void) {
    struct rt_symbol far[] = {{"twice", far_function(1234)}, {"thrice", far_function(56)}};
    static const char *const options[] = {"-O2 -fPIC", "-O2 -fPIC -fno-plt", "-O0 -fPIE"};
    for (size_t k = 0; k < 3; k++) {
        struct file f = compile(program, options[k]);
        const char *why = NULL;
        struct rt_object *o = rt_object_load(f.bytes, f.n, far, 2, &why);
        if (ok(o != NULL, "%s: far symbols", options[k])) {
            int (*(*address)(int))(int) =
                (int (*(*)(int))(int))(uintptr_t)rt_object_symbol(o, "address");
            is_int(function(o, "calls")(0, 0), 1234 + 56000, "calls go there");
            is_int(address(1)(0), 1234, "addresses do, too");
        } else {
            diag("%s", why);
        }
        rt_object_free(o);
        free(f.bytes);
    }
}

/* --- refusals ------------------------------------------------------------------------------- */

static void refused(struct file f, const char *want, const char *name) {
    const char *why = "(loaded)";
    struct rt_object *o = rt_object_load(f.bytes, f.n, near, 2, &why);
    if (!ok(!o && strstr(why, want), "%s: %s", name, want))
        diag("%s", why);
    rt_object_free(o);
}

static void refuse_source(const char *source, const char *options, const char *want) {
    struct file f = compile(source, options);
    refused(f, want, source);
    free(f.bytes);
}

static void test_refused(void) {
    refuse_source("int missing(int); int f(int x) { return missing(x); }", "-O2 -fPIC",
                  "undefined symbol missing");
    refuse_source("__thread int t; int f(void) { return t++; }", "-O2 -fPIC", "section");
    refuse_source("volatile int x; __attribute__((constructor)) void f(void) { x = 3; }",
                  "-O2 -fPIC", "section");
    refuse_source("int common; int f(void) { return common; }", "-O2 -fPIC -fcommon",
                  "no place in the object");
    refuse_source("char x[300000000]; int f(void) { return x[5]; }", "-O2 -fPIC", "too large");
    refuse_source("__asm__(\".section .odd,\\\"awx\\\"\\n.byte 1\\n\");", "-O2", "writable code");
    refuse_source("__asm__(\".text\\n.byte x - .\\n.globl x\\n\");", "-O2", "type 15");
    refuse_source("int unused;", "-O2 -m32 2>/dev/null -ffreestanding", "not for x86-64");
    refuse_source("", "-O2 -fPIC", "nothing to load");

    struct rt_symbol far[] = {{"x", (void *)(uintptr_t)0x200000000000}};
    struct file f =
        compile("extern __attribute__((visibility(\"hidden\"))) int x; int f(void) { return x; }",
                "-O2 -fPIC");
    const char *why = "";
    ok(!rt_object_load(f.bytes, f.n, far, 1, &why) && strstr(why, "out of reach"),
       "far data is not reached through a stub");
    free(f.bytes);

    f = compile(program, "-O2 -fPIC");
    ok(!rt_object_load(f.bytes, f.n, NULL, 0, NULL), "nobody wants the reason");
    f.n = 10;
    refused(f, "shorter", "10 bytes");
    f.n = 0;
    refused(f, "shorter", "nothing");
    f.n = 1 << 16;
    memset(f.bytes, 0, 1 << 16);
    refused(f, "not an ELF", "zeros");
    free(f.bytes);
    system("cp /proc/self/exe t.o");
    f = load_file("t.o");
    refused(f, "not a relocatable", "an executable");
    free(f.bytes);
}

/* --- hostile headers ------------------------------------------------------------------------ */

static Elf64_Shdr *section_headers(struct file f, uint32_t *n) {
    Elf64_Ehdr *e = (Elf64_Ehdr *)f.bytes;
    *n = e->e_shnum;
    return (Elf64_Shdr *)(f.bytes + e->e_shoff);
}

/* The header of the first section of TYPE. */
static Elf64_Shdr *section_of(struct file f, uint32_t type) {
    uint32_t n;
    Elf64_Shdr *h = section_headers(f, &n);
    for (uint32_t i = 0; i < n; i++)
        if (h[i].sh_type == type)
            return &h[i];
    return h;
}

static void check_relocations(struct file f) {
    uint32_t n;
    Elf64_Shdr *h = section_headers(f, &n), *relas = section_of(f, SHT_RELA), old = *relas;
    Elf64_Rela *r = (Elf64_Rela *)(f.bytes + relas->sh_offset), rela = *r;
    r->r_offset = h[relas->sh_info].sh_size - 3;
    refused(f, "leaves its section", "a relocation of the last 3 bytes");
    r->r_offset = UINT64_MAX - 1;
    refused(f, "leaves its section", "a relocation at the end of all memory");
    *r = rela;
    r->r_info = ELF64_R_INFO(section_of(f, SHT_SYMTAB)->sh_size / sizeof(Elf64_Sym), R_X86_64_64);
    refused(f, "not there", "a symbol one too far");
    r->r_info = ELF64_R_INFO(0, R_X86_64_PC32);
    refused(f, "undefined symbol", "symbol 0");
    *r = rela;

    relas->sh_info = n;
    refused(f, "not there", "relocations of a section one too far");
    *relas = old;
    relas->sh_type = SHT_REL;
    refused(f, "malformed relocations", "relocations without addends");
    *relas = old;
    relas->sh_link = 0;
    refused(f, "malformed relocations", "relocations without symbols");
    *relas = old;
    relas->sh_size -= 1;
    refused(f, "malformed relocations", "half a relocation");
    *relas = old;
}

static void check_symbols(struct file f) {
    uint32_t n;
    Elf64_Shdr *h = section_headers(f, &n), *symtab = section_of(f, SHT_SYMTAB);
    Elf64_Shdr *strtab = &h[symtab->sh_link], old = *strtab;
    char *names = (char *)f.bytes + strtab->sh_offset;
    names[strtab->sh_size - 1] = 'x';
    refused(f, "malformed string table", "names that do not end");
    names[strtab->sh_size - 1] = '\0';
    strtab->sh_type = SHT_NOBITS;
    refused(f, "malformed string table", "names that are not in the file");
    *strtab = old;
    strtab->sh_size = 0;
    refused(f, "malformed string table", "no names");
    *strtab = old;
    old = *symtab;
    symtab->sh_link = n;
    refused(f, "malformed string table", "names in a section one too far");
    *symtab = old;

    /* The last symbol that can be asked for. */
    Elf64_Sym *s = (Elf64_Sym *)(f.bytes + symtab->sh_offset) + symtab->sh_size / sizeof *s - 1;
    while (s->st_shndx == SHN_UNDEF)
        s--;
    Elf64_Sym symbol = *s;
    s->st_name = (Elf64_Word)strtab->sh_size;
    refused(f, "malformed symbol name", "a name one too far");
    *s = symbol;
    s->st_value = h[s->st_shndx].sh_size + 1;
    struct rt_object *o = rt_object_load(f.bytes, f.n, near, 2, NULL);
    ok(!o || !rt_object_symbol(o, names + symbol.st_name), "a place outside is not given out");
    rt_object_free(o);
    *s = symbol;
    o = rt_object_load(f.bytes, f.n, near, 2, NULL);
    ok(o && rt_object_symbol(o, names + symbol.st_name), "a place inside is");
    rt_object_free(o);
}

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int loaded, refusals;

/* Loads from memory of exactly N bytes, so that the sanitizer sees a read beyond. Never calls. */
static void try_load(const unsigned char *bytes, size_t n) {
    unsigned char *exact = malloc(n ? n : 1);
    memcpy(exact, bytes, n);
    const char *why = NULL;
    struct rt_object *o = rt_object_load(exact, n, near, 2, &why);
    if (o) {
        loaded++;
        rt_object_symbol(o, "data");
    } else {
        refusals++;
        if (!why || !*why)
            fail("no reason");
    }
    free(exact);
    rt_object_free(o);
}

/* Each field of each header gets each of the values that break arithmetic. */
static void test_fields(struct file f) {
    static const uint64_t values[] = {0,
                                      1,
                                      7,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      UINT64_MAX,
                                      UINT64_MAX - 7,
                                      (uint64_t)1 << 63,
                                      (uint64_t)INT64_MAX,
                                      4096,
                                      4097};
    uint32_t n;
    Elf64_Shdr *h = section_headers(f, &n);
    unsigned char *begin = (unsigned char *)h;
    loaded = refusals = 0;
    for (size_t at = 0; at < n * sizeof *h; at += 8)
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            uint64_t old;
            memcpy(&old, begin + at, 8);
            memcpy(begin + at, &values[k], 8);
            try_load(f.bytes, f.n);
            memcpy(begin + at, &old, 8);
        }
    for (size_t at = 0; at < sizeof(Elf64_Ehdr); at += 2)
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            uint16_t old;
            memcpy(&old, f.bytes + at, 2);
            memcpy(f.bytes + at, &values[k], 2);
            try_load(f.bytes, f.n);
            memcpy(f.bytes + at, &old, 2);
        }
    ok(refusals > 100, "hostile values in headers (%d loaded, %d refused)", loaded, refusals);
}

/* The same in symbols and relocations, the tables that headers point at. */
static void test_tables(struct file f) {
    uint32_t n;
    Elf64_Shdr *h = section_headers(f, &n);
    static const uint64_t values[] = {0, 1, 0xffffffff, UINT64_MAX, (uint64_t)INT64_MAX, 0xfff2};
    loaded = refusals = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (h[i].sh_type != SHT_SYMTAB && h[i].sh_type != SHT_RELA)
            continue;
        for (size_t at = 0; at + 8 <= h[i].sh_size && at < 2000; at += 8)
            for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
                unsigned char *p = f.bytes + h[i].sh_offset + at;
                uint64_t old;
                memcpy(&old, p, 8);
                memcpy(p, &values[k], 8);
                try_load(f.bytes, f.n);
                memcpy(p, &old, 8);
            }
    }
    ok(refusals > 100, "hostile symbols and relocations (%d loaded, %d refused)", loaded, refusals);
}

/* Many headers over the same bytes must not multiply memory. */
static void test_overlap(struct file f) {
    uint32_t n;
    Elf64_Shdr *h = section_headers(f, &n);
    enum { COPIES = 5000 };
    size_t room = f.n + (n + COPIES) * sizeof *h;
    unsigned char *bytes = calloc(1, room);
    memcpy(bytes, f.bytes, f.n);
    Elf64_Shdr *more = (Elf64_Shdr *)(bytes + f.n);
    uint32_t code = 0;
    for (uint32_t i = 0; i < n; i++) {
        more[i] = h[i];
        if (h[i].sh_flags & SHF_EXECINSTR && h[i].sh_size)
            code = i;
    }
    for (uint32_t i = 0; i < COPIES; i++) {
        more[n + i] = h[code];
        more[n + i].sh_offset = 0;
        more[n + i].sh_size = f.n;
    }
    ((Elf64_Ehdr *)bytes)->e_shoff = f.n;
    ((Elf64_Ehdr *)bytes)->e_shnum = (uint16_t)(n + COPIES);
    refused((struct file){bytes, room}, "too large", "5,000 sections over the same bytes");
    free(bytes);
}

static void test_damage(struct file f, int count, const char *name) {
    loaded = refusals = 0;
    unsigned char *copy = malloc(f.n);
    for (int k = 0; k < count; k++) {
        memcpy(copy, f.bytes, f.n);
        int flips = 1 + (int)(next_random() % 8);
        for (int i = 0; i < flips; i++)
            copy[next_random() % f.n] ^= (unsigned char)(1 << next_random() % 8);
        try_load(copy, f.n);
    }
    ok(loaded + refusals == count, "%s: %d damaged objects (%d loaded, %d refused)", name, count,
       loaded, refusals);
    loaded = refusals = 0;
    for (size_t n = 0; n < f.n; n += 1 + f.n / 997)
        try_load(f.bytes, n);
    is_int(loaded, 0, "%s: all %d objects cut short are refused", name, refusals);
    free(copy);
}

int main(void) {
    test_program();
    test_far();
    test_refused();
    struct file f = compile(program, "-O2 -fPIC -fno-plt");
    check_relocations(f);
    check_symbols(f);
    test_fields(f);
    test_tables(f);
    test_overlap(f);
    test_damage(f, 5000, "-fPIC");
    free(f.bytes);
    f = compile(program, "-O1 -fno-pic -ffunction-sections");
    test_damage(f, 5000, "-fno-pic");
    free(f.bytes);
    return done_testing();
}
