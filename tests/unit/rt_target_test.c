/* Processors: the table, and this machine held against what the system says of it. */
#include "backends/rt/target.h"
#include "tests/harness/tap.h"

/* The flags of /proc/cpuinfo, with a blank before and after. */
static char flags[20000];

static void read_flags(void) {
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(flags, sizeof flags, f))
        if (strncmp(flags, "flags", 5) == 0)
            break;
    if (f)
        fclose(f);
    for (char *p = flags; *p; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
}

static bool has(const char *words) {
    char copy[500];
    snprintf(copy, sizeof copy, "%s", words);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char spaced[60];
        snprintf(spaced, sizeof spaced, " %s ", word);
        if (!strstr(flags, spaced))
            return false;
    }
    return true;
}

#define V2 "pni ssse3 sse4_1 sse4_2 popcnt cx16 lahf_lm "
#define V3 V2 "avx avx2 fma f16c bmi1 bmi2 abm movbe "
#define V4 V3 "avx512f avx512dq avx512cd avx512bw avx512vl "
#define ICELAKE                                                                                    \
    V4 "3dnowprefetch avx512ifma avx512vbmi avx512_vbmi2 avx512_vnni avx512_bitalg "               \
       "avx512_vpopcntdq gfni "

static const struct {
    const char *name, *flags;
    uint32_t bytes, registers;
    bool fma;
} known[] = {
    {"x86-64", "", 16, 16, false},
    {"x86-64-v2", V2, 16, 16, false},
    {"x86-64-v3", V3, 32, 16, true},
    {"x86-64-v4", V4, 64, 32, true},
    {"nehalem", V2, 16, 16, false},
    {"sandybridge", V2 "avx", 32, 16, false},
    {"haswell", V3, 32, 16, true},
    {"skylake", V3 "3dnowprefetch", 32, 16, true},
    {"skylake-avx512", V4 "3dnowprefetch", 64, 32, true},
    {"icelake-server", ICELAKE, 64, 32, true},
    {"sapphirerapids", ICELAKE "avx512_bf16 avx512_fp16 avx_vnni amx_tile", 64, 32, true},
    {"znver2", V3 "3dnowprefetch sse4a", 32, 16, true},
    {"znver3", V3 "3dnowprefetch sse4a", 32, 16, true},
    {"znver4", ICELAKE "sse4a avx512_bf16", 64, 32, true},
    {"znver5", ICELAKE "sse4a avx512_bf16 avx_vnni", 64, 32, true},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static void test_table(void) {
    uint64_t fingerprints[KNOWN];
    for (uint32_t k = 0; k < KNOWN; k++) {
        struct target t;
        is_str(target_name(k), known[k].name, "entry %u", k);
        ok(target_named(&t, known[k].name), "%s is found", known[k].name);
        is_str(t.cpu, known[k].name, "its name is LLVM's");
        is_int(t.vector_bytes, known[k].bytes, "vectors of %s", known[k].name);
        is_int(t.vector_registers, known[k].registers, "registers of %s", known[k].name);
        is_int(t.fma, known[k].fma, "fma of %s", known[k].name);
        if (*flags)
            is_int(target_runs_here(&t), has(known[k].flags), "whether %s runs here, by its flags",
                   known[k].name);
        fingerprints[k] = t.fingerprint;
        for (uint32_t i = 0; i < k; i++)
            if (fingerprints[i] == fingerprints[k])
                fail("%s and %s have one fingerprint", known[i].name, known[k].name);
    }
    ok(!target_name(KNOWN), "the table ends");
    ok(!target_name(UINT32_MAX), "and stays ended");
    struct target t;
    ok(!target_named(&t, "pdp11"), "an unknown processor");
    ok(!target_named(&t, ""), "no name");
    ok(!target_named(&t, "x86-64-v33"), "a name with more behind it");
}

static void test_host(void) {
    struct target t, again, named;
    target_host(&t);
    target_host(&again);
    is_str(t.cpu, "host", "this machine is called host");
    ok(t.fingerprint == again.fingerprint, "its fingerprint stays");
    ok(target_runs_here(&t), "and its code runs here");
    ok(target_named(&named, "native") && named.fingerprint == t.fingerprint, "native is host");
    ok(target_named(&named, "host") && named.fingerprint == t.fingerprint, "host is host");
    named.fingerprint++;
    ok(!target_runs_here(&named), "code for another machine's host does not run here");
    if (!*flags) {
        skip("no flags in /proc/cpuinfo");
        return;
    }
    uint32_t bytes = has("avx512f avx512vl avx512dq avx512bw") ? 64 : has("avx") ? 32 : 16;
    is_int(t.vector_bytes, bytes, "vectors as the system's flags say");
    is_int(t.vector_registers, bytes == 64 ? 32 : 16, "registers, too");
    is_int(t.fma, has("fma"), "and fma");
}

int main(void) {
    read_flags();
    test_table();
    test_host();
    return done_testing();
}
