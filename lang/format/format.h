/* Programs as text in the one layout. */
#ifndef DCL_LANG_FORMAT_FORMAT_H
#define DCL_LANG_FORMAT_FORMAT_H

#include "lang/base/buf.h"
#include "lang/base/diag.h"

/* Appends source number SOURCE of D->sources to OUT, laid out anew: the same program with the same
   comments, which is verified. False, and messages in D, if it does not parse. A text that was laid
   out before does not change. */
bool format_source(struct diags *d, uint32_t source, struct buf *out);

#endif
