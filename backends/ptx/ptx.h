/* What is different on a GPU. Regions, memlets, scalars and reductions are lowered by backends/llvm
   as for a CPU; it asks here wherever `struct cg` has a `gpu`. See README.md for the meaning of
   grid, block and shared. */
#ifndef DCL_BACKENDS_PTX_PTX_H
#define DCL_BACKENDS_PTX_PTX_H

#include "backends/llvm/codegen.h"

enum {
    PTX_THREADS = 1024,    /* of a block, at most */
    PTX_SHARED = 48 * 1024 /* bytes of shared memory of a block, at most, without asking for more */
};

/* The kernel that is being made. */
struct gpu {
    uint32_t sm;            /* 75: sm_75 */
    const struct node *map; /* the kernel */
    const char *name;       /* of its function */
    uint32_t grids;         /* its grid indices, which come first */
    uint32_t threads[3];    /* of a block: x, y, z */
    bool *barrier;          /* by node id: threads meet before it */
    bool *own;              /* by container id: declared below block indices */
    bool below_block;       /* where code is made now */
    uint64_t shared;        /* bytes so far */
    struct buf heads;       /* a comment per kernel, for who launches it */
};

/* --- kernel.c --- */
/* Ends the compilation with ERR_BACKEND at N. Always false. */
bool ptx_refuse(struct cg *c, const struct node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether LLVM and we make code for sm_SM. */
bool ptx_known(unsigned sm);
/* What code generation asks of a processor, answered for a GPU. */
struct target ptx_target(void);
/* Makes a function of each outermost map of the graph, with these arguments. */
void ptx_kernels(struct cg *c, const struct cont *conts, uint32_t nconts,
                 const struct graph_symbol *symbols, uint32_t nsymbols);

/* --- threads.c --- */
/* A copy of the graph in which a register container that is distributed over threads is what one
   thread has of it. NULL if that is refused. */
struct graph *ptx_per_thread(struct cg *c);

/* --- plan.c --- */
/* Sets the threads of the kernel; false if something cannot run on a GPU. */
bool ptx_plan(struct cg *c);

/* --- barrier.c --- */
/* Sets where the threads of the kernel meet. */
void ptx_barriers(struct cg *c);
/* Before code is made of N. */
void ptx_before(struct cg *c, const struct node *n);

/* --- index.c --- */
bool ptx_is_block(const struct node *n, uint32_t k);
/* Lowers index K of map N and what is inside if it is a grid or block index. */
bool ptx_index(struct cg *c, const struct node *n, uint32_t k);
/* The number of the thread in dimension P, and of them all. */
LLVMValueRef ptx_thread(struct cg *c, uint32_t p);
LLVMValueRef ptx_flat_thread(struct cg *c);

/* --- memory.c --- */
/* A DECL: true if it is done or refused, false if it is to be made as for a CPU. */
bool ptx_decl(struct cg *c, const struct node *n);
/* A WRITE of V: one thread does it where all run the same. */
void ptx_write(struct cg *c, const struct node *n, struct val v);
/* A read at address P where GUARD holds, else OTHER. */
struct val ptx_guarded_load(struct cg *c, LLVMValueRef guard, LLVMValueRef p, struct val other);
/* Stops the kernel where OUTSIDE holds. */
void ptx_trap_if(struct cg *c, LLVMValueRef outside);

#endif
