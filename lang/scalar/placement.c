/* The spelling of storage and schedule words; the order is that of the enums. */
#include "lang/scalar/placement.h"

const char *const storage_names[STORE_COUNT] = {
    [STORE_NONE] = "",         [STORE_REGISTER] = "register", [STORE_STACK] = "stack",
    [STORE_HEAP] = "heap",     [STORE_RESERVE] = "reserve",   [STORE_SHARED] = "shared",
    [STORE_GLOBAL] = "global",
};

const char *const schedule_names[SCHED_COUNT] = {
    [SCHED_NONE] = "",         [SCHED_SEQ] = "seq",       [SCHED_PARALLEL] = "parallel",
    [SCHED_UNROLL] = "unroll", [SCHED_VECTOR] = "vector", [SCHED_GRID] = "grid",
    [SCHED_BLOCK] = "block",   [SCHED_WARP] = "warp",
};
