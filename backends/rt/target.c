/* Processors: what this one is by CPUID, what others are by target.def.
   A feature counts only if the processor has it and the system saves its registers (XCR0). */
#include "backends/rt/target.h"

#include <cpuid.h>
#include <string.h>

enum feature_index {
#define FEATURE(id, leaf, sub, reg, bit, state, doc) INDEX_##id,
#include "backends/rt/target.def"
#undef FEATURE
    FEATURE_COUNT
};

_Static_assert(FEATURE_COUNT <= 64, "a set of features is one word");

/* The sets that target.def speaks of. */
#define HAS(id) (UINT64_C(1) << INDEX_##id)
#define V2 (HAS(SSE3) | HAS(SSSE3) | HAS(SSE41) | HAS(SSE42) | HAS(POPCNT) | HAS(CX16) | HAS(LAHF))
#define V3                                                                                         \
    (V2 | HAS(AVX) | HAS(AVX2) | HAS(FMA) | HAS(F16C) | HAS(BMI) | HAS(BMI2) | HAS(LZCNT) |        \
     HAS(MOVBE))
#define V4 (V3 | HAS(AVX512F) | HAS(AVX512DQ) | HAS(AVX512CD) | HAS(AVX512BW) | HAS(AVX512VL))
#define VECTOR_BITS                                                                                \
    (HAS(AVX512IFMA) | HAS(AVX512VBMI) | HAS(AVX512VBMI2) | HAS(AVX512VNNI) | HAS(AVX512BITALG) |  \
     HAS(AVX512VPOPCNTDQ) | HAS(GFNI))
#define ICELAKE (V4 | HAS(PREFETCHW) | VECTOR_BITS)
#define ZEN (V3 | HAS(PREFETCHW) | HAS(SSE4A))
#define ZEN4 (ZEN | V4 | VECTOR_BITS | HAS(AVX512BF16))

static const struct {
    const char *name;
    uint64_t features;
} targets[] = {
#define TARGET(name, features, doc) {name, features},
#include "backends/rt/target.def"
#undef TARGET
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

/* Registers that the system saves, as bits of XCR0. */
enum { SSE = 0x2, YMM = 0x6, ZMM = 0xe6, TILE = 0x60006 };
enum { EAX, EBX, ECX, EDX };

/* All of CPUID that LLVM's choice of processor and features looks at: leaf, subleaf, and a mask of
   the registers that count. Not leaf 1's EBX and the like, which differ from core to core. */
static const struct {
    uint32_t leaf, sub, registers;
} leaves[] = {
    {0, 0, 0xf},    {1, 0, 0xd},          {7, 0, 0xf},          {7, 1, 0xf},
    {0xd, 1, 0x1},  {0x14, 0, 0xf},       {0x19, 0, 0xf},       {0x1e, 1, 0xf},
    {0x24, 0, 0xf}, {0x80000001, 0, 0xf}, {0x80000008, 0, 0x2}, {0x80000021, 0, 0xf},
};
enum { LEAVES = sizeof leaves / sizeof leaves[0] };

/* A reading takes microseconds in a virtual machine: each leaf is read once. */
struct processor {
    uint32_t r[LEAVES][4]; /* zeros where the processor has no such leaf */
    uint64_t saved;        /* XCR0 */
};

static const uint32_t *leaf_of(const struct processor *p, uint32_t leaf, uint32_t sub) {
    static const uint32_t none[4];
    for (size_t i = 0; i < LEAVES; i++)
        if (leaves[i].leaf == leaf && leaves[i].sub == sub)
            return p->r[i];
    return none;
}

static void read_processor(struct processor *p) {
    *p = (struct processor){.saved = SSE};
    uint32_t low_max = (uint32_t)__get_cpuid_max(0, NULL);
    uint32_t high_max = (uint32_t)__get_cpuid_max(0x80000000, NULL);
    for (size_t i = 0; i < LEAVES; i++) {
        uint32_t leaf = leaves[i].leaf, sub = leaves[i].sub, *r = p->r[i];
        if (leaf > (leaf & 0x80000000 ? high_max : low_max))
            continue;
        if (leaf == 7 && sub > leaf_of(p, 7, 0)[EAX]) /* the last subleaf */
            continue;
        __cpuid_count(leaf, sub, r[EAX], r[EBX], r[ECX], r[EDX]);
        for (int k = 0; k < 4; k++)
            if (!(leaves[i].registers >> k & 1))
                r[k] = 0;
    }
    if (leaf_of(p, 1, 0)[ECX] & bit_OSXSAVE) {
        uint32_t low = 0, high = 0;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        p->saved = (uint64_t)high << 32 | low;
    }
}

static uint64_t features_of(const struct processor *p) {
    uint64_t features = 0;
#define FEATURE(id, leaf, sub, reg, bit, state, doc)                                               \
    if ((leaf_of(p, leaf, sub)[reg] >> (bit)&1) && (p->saved & (state)) == (state))                \
        features |= HAS(id);
#include "backends/rt/target.def"
#undef FEATURE
    return features;
}

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static uint64_t fingerprint_of(const struct processor *p) {
    uint64_t h = mix(1, p->saved);
    for (size_t i = 0; i < LEAVES; i++)
        for (int k = 0; k < 4; k++)
            h = mix(h, p->r[i][k]);
    return h;
}

static void set_name(struct target *t, const char *name) {
    memset(t->cpu, 0, sizeof t->cpu);
    strncpy(t->cpu, name, sizeof t->cpu - 1);
}

static void set_features(struct target *t, uint64_t features) {
    const uint64_t wide = HAS(AVX512F) | HAS(AVX512VL) | HAS(AVX512DQ) | HAS(AVX512BW);
    bool all = (features & wide) == wide;
    t->vector_bytes = all ? 64 : features & HAS(AVX) ? 32 : 16;
    t->vector_registers = all ? 32 : 16;
    t->fma = (features & HAS(FMA)) != 0;
}

void target_host(struct target *t) {
    struct processor p;
    read_processor(&p);
    set_name(t, "host");
    set_features(t, features_of(&p));
    t->fingerprint = fingerprint_of(&p);
}

static bool is_host(const char *cpu) {
    return strcmp(cpu, "host") == 0 || strcmp(cpu, "native") == 0;
}

/* The index in targets, TARGETS if there is none. */
static uint32_t find(const char *cpu) {
    uint32_t k = 0;
    while (k < TARGETS && strcmp(targets[k].name, cpu) != 0)
        k++;
    return k;
}

bool target_named(struct target *t, const char *cpu) {
    if (is_host(cpu)) {
        target_host(t);
        return true;
    }
    uint32_t k = find(cpu);
    if (k == TARGETS)
        return false;
    set_name(t, cpu);
    set_features(t, targets[k].features);
    t->fingerprint = mix(2, targets[k].features);
    for (const char *p = cpu; *p; p++)
        t->fingerprint = mix(t->fingerprint, (unsigned char)*p);
    return true;
}

bool target_runs_here(const struct target *t) {
    struct processor p;
    read_processor(&p);
    if (is_host(t->cpu))
        return t->fingerprint == fingerprint_of(&p);
    uint32_t k = find(t->cpu);
    return k < TARGETS && (targets[k].features & ~features_of(&p)) == 0;
}

const char *target_name(uint32_t k) {
    return k < TARGETS ? targets[k].name : NULL;
}
