/* Where containers live and how iterations run: words of the language that the graph shares. */
#ifndef DCL_LANG_SCALAR_PLACEMENT_H
#define DCL_LANG_SCALAR_PLACEMENT_H

/* Where a container lives; words after `in`.
   NONE: the compiler chooses; REGISTER: scalars and small arrays whose subscripts become constants
   when the maps over them are unrolled; STACK: fixed small arrays; HEAP: any size; RESERVE:
   address space, of which only what is touched becomes memory; SHARED and GLOBAL: GPU. */
enum storage {
    STORE_NONE,
    STORE_REGISTER,
    STORE_STACK,
    STORE_HEAP,
    STORE_RESERVE,
    STORE_SHARED,
    STORE_GLOBAL,
    STORE_COUNT
};
extern const char *const storage_names[STORE_COUNT]; /* "", "register", ... */

/* How the iterations of an index run; words after its range, with an optional argument:
   unroll(n): n at a time; vector(n): n vectors at a time. NONE: the compiler chooses. */
enum schedule {
    SCHED_NONE,
    SCHED_SEQ,
    SCHED_PARALLEL,
    SCHED_UNROLL,
    SCHED_VECTOR,
    SCHED_GRID,
    SCHED_BLOCK,
    SCHED_WARP,
    SCHED_COUNT
};
extern const char *const schedule_names[SCHED_COUNT]; /* "", "seq", ... */

#endif
