/* The clock that measures: it never goes back. */
#ifndef DCL_LANG_BASE_CLOCK_H
#define DCL_LANG_BASE_CLOCK_H

/* Seconds since some moment. */
double clock_seconds(void);

#endif
