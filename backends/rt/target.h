/* What the compiler must know of a processor, without LLVM: for the host from CPUID, for others
   from target.def. */
#ifndef DCL_BACKENDS_RT_TARGET_H
#define DCL_BACKENDS_RT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct target {
    char cpu[32]; /* LLVM's name ("haswell", "znver3", "x86-64"); "host" means this machine */
    uint32_t vector_bytes;     /* widest vector to use: 16, 32 or 64 */
    uint32_t vector_registers; /* 16 or 32 */
    bool fma;
    uint64_t fingerprint; /* for the cache key: all CPUID bits that code generation depends on */
};

/* This machine. */
void target_host(struct target *t);
/* A processor by LLVM's name; false if target.def does not list it. "host" and "native" are this
   machine. */
bool target_named(struct target *t, const char *cpu);
/* Whether code for T runs on this machine. */
bool target_runs_here(const struct target *t);
/* Names for messages: the K-th in target.def, NULL past the end. */
const char *target_name(uint32_t k);

#endif
