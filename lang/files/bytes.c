/* Numbers as bytes: from the lowest up, and the other way around. */
#include "lang/files/format.h"

uint64_t get_little(const unsigned char *p, unsigned bytes) {
    uint64_t v = 0;
    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

unsigned char *put_little(unsigned char *p, uint64_t v, unsigned bytes) {
    for (; bytes--; v >>= 8)
        *p++ = (unsigned char)v;
    return p;
}

void swap_bytes(unsigned char *p, size_t n, size_t size) {
    for (; n--; p += size)
        for (size_t i = 0; i < size / 2; i++) {
            unsigned char c = p[i];
            p[i] = p[size - 1 - i];
            p[size - 1 - i] = c;
        }
}
