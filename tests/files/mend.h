/* Damaged files whose checksums are right, so that readers look past them. */
#ifndef DCL_TESTS_FILES_MEND_H
#define DCL_TESTS_FILES_MEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool is_png(const unsigned char *p, size_t n) {
    return n > 8 && p[0] == 0x89 && p[1] == 'P' && p[2] == 'N' && p[3] == 'G';
}

/* Sets the checksums of PNG's chunks right. */
static inline void mend_png(unsigned char *p, size_t n) {
    for (size_t at = 8; at + 12 <= n;) {
        size_t size =
            (size_t)p[at] << 24 | (size_t)p[at + 1] << 16 | (size_t)p[at + 2] << 8 | p[at + 3];
        if (size > n - at - 12)
            return;
        uint32_t crc = UINT32_MAX;
        for (size_t i = at + 4; i < at + 8 + size; i++) {
            crc ^= p[i];
            for (int k = 0; k < 8; k++)
                crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
        crc = ~crc;
        for (size_t k = 0; k < 4; k++)
            p[at + 8 + size + k] = (unsigned char)(crc >> (24 - 8 * k));
        at += size + 12;
    }
}

#endif
