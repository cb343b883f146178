/* One layer, with parameters, for those that differ in sizes only. */
#ifndef DCL_LANG_ONNX_GENERIC_H
#define DCL_LANG_ONNX_GENERIC_H

#include "lang/onnx/members.h"

/* Changes the layers of M and the calls that make them. */
void onnx_merge_layers(struct arena *a, struct names *names, struct onnx_members *m);

#endif
