/* Sums of f16 and bf16 in f32: see wide_sums.c. */
#ifndef DCL_COMPILER_LOWER_WIDE_SUMS_H
#define DCL_COMPILER_LOWER_WIDE_SUMS_H

#include "compiler/ir/graph.h"

/* Makes the sums and products of halves below maps of G those of f32 containers. */
void wide_sums(struct graph *g);

#endif
