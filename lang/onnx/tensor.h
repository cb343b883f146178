/* Element types, and the elements of weights. */
#ifndef DCL_LANG_ONNX_TENSOR_H
#define DCL_LANG_ONNX_TENSOR_H

#include "lang/onnx/model.h"

/* The element type with this number in onnx.proto; DT_NONE if DCL has none. */
enum dtype onnx_element(int64_t number);
/* The number of T, which each element type has. */
int64_t onnx_element_number(enum dtype t);
/* Why there is none of a number. */
const char *onnx_element_reason(struct arena *a, int64_t number);
/* Fills in all of OUT but its names; what is not in the input as it should be is copied into A,
   what is in another file is mapped: FILES. The reason where that cannot be done, else NULL. */
const char *onnx_tensor_read(struct arena *a, const struct wire_tensor *t, struct onnx_files *files,
                             struct onnx_weight *out);

#endif
