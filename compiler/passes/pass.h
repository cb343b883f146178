/* Passes: graph to graph, each sound on its own in any order. pass.def lists them in the order of
   the default pipeline; a pass is passes/NAME.c with one function pass_NAME. */
#ifndef DCL_COMPILER_PASSES_PASS_H
#define DCL_COMPILER_PASSES_PASS_H

#include "compiler/ir/graph.h"

/* What passes may know of the target and of what was asked for. */
struct pass_target {
    uint32_t vector_bytes, vector_registers;
    bool strict; /* float sums and products keep the order of the program */
};

enum pass_id {
#define PASS(name, level, doc) PASS_##name,
#include "compiler/passes/pass.def"
#undef PASS
    PASS_COUNT
};

struct pass_info {
    const char *name, *doc;
    int level; /* 1 coarse, 2 local, 3 global, 4 target */
    /* True if G changed. SCRATCH is freed afterwards; what stays goes into G's arena. */
    bool (*run)(struct graph *g, struct arena *scratch, const struct pass_target *t);
};
extern const struct pass_info passes[PASS_COUNT];
/* The pass called TEXT; PASS_COUNT if there is none. */
enum pass_id pass_of(const char *text);

struct pipeline {
    uint32_t n;
    enum pass_id at[64];
};
/* All passes of pass.def in order. */
void pipeline_default(struct pipeline *p);

/* Runs P on G. VERIFY: graph_verify after every pass (a failure is an error in D). AFTER, if not
   NULL, is called after each pass and may end the run. False if it did, or verification failed. */
bool pipeline_run(struct graph *g, const struct pipeline *p, const struct pass_target *t,
                  bool verify, bool (*after)(void *data, enum pass_id pass, const struct graph *g),
                  void *data, struct diags *d);

#endif
