/* The shortest decimal text of a number. */
#ifndef DCL_LANG_SCALAR_PRINT_NUMBER_H
#define DCL_LANG_SCALAR_PRINT_NUMBER_H

#include "lang/base/buf.h"
#include "lang/scalar/scalar.h"

/* The shortest decimal text that reads back as V, rounded to the float type T; "inf", "-inf",
   "nan"; always with a point or exponent. Independent of the locale. */
void print_number(double v, enum dtype t, struct buf *out);
/* The f64 that this text says: 0.1 for the f32 nearest to it. */
double print_number_value(double v, enum dtype t);

#endif
