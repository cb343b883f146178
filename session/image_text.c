/* Images as characters: shades of ASCII; half blocks with colours of 24 bits (ISO 8613-6); the
   protocols of kitty ("Terminal graphics protocol") and of DEC's VT340 ("sixel"). */
#include "session/image.h"

#include <string.h>

enum { COLUMNS_MOST = 64, SIDE_LEAST = 160, SIDE_MOST = 640 };

static const unsigned char *pixel(const struct image *x, uint32_t row, uint32_t column) {
    return x->rgb + 3 * ((size_t)row * x->width + column);
}

/* X at most MOST wide, in proportion; rows are ROW times as high as columns are wide. */
static struct image fitted(struct arena *a, const struct image *x, uint32_t most, uint32_t row) {
    uint32_t width = x->width < most ? x->width : most;
    uint64_t height = (uint64_t)x->height * width / x->width;
    height = (height + row - 1) / row;
    return image_resized(a, x, width, (uint32_t)(height ? height : 1));
}

/* For protocols of pixels: small images grow, large ones shrink. */
static struct image enlarged(struct arena *a, const struct image *x) {
    uint32_t side = x->width > x->height ? x->width : x->height, k = (SIDE_LEAST + side - 1) / side;
    if (side > SIDE_MOST)
        return image_resized(a, x, (uint32_t)((uint64_t)x->width * SIDE_MOST / side) + 1,
                             (uint32_t)((uint64_t)x->height * SIDE_MOST / side) + 1);
    return image_resized(a, x, k * x->width, k * x->height);
}

static void print_shades(struct arena *a, const struct image *x, struct buf *out) {
    static const char shades[] = " .:-=+*#%@";
    struct image y = fitted(a, x, COLUMNS_MOST, 2);
    for (uint32_t row = 0; row < y.height; row++) {
        for (uint32_t column = 0; column < y.width; column++) {
            const unsigned char *p = pixel(&y, row, column);
            unsigned light = (299u * p[0] + 587u * p[1] + 114u * p[2]) / 1000; /* BT.601 */
            buf_bytes(out, shades + (light * (sizeof shades - 2) + 127) / 255, 1);
        }
        buf_text(out, "\n");
    }
}

/* The upper half of a character is one pixel, the lower half the one below. */
static void print_blocks(struct arena *a, const struct image *x, struct buf *out) {
    struct image y = fitted(a, x, COLUMNS_MOST, 1);
    for (uint32_t row = 0; row < y.height; row += 2) {
        for (uint32_t column = 0; column < y.width; column++) {
            const unsigned char *p = pixel(&y, row, column);
            buf_printf(out, "\033[38;2;%d;%d;%dm", p[0], p[1], p[2]);
            if (row + 1 < y.height) {
                p = pixel(&y, row + 1, column);
                buf_printf(out, "\033[48;2;%d;%d;%dm", p[0], p[1], p[2]);
            }
            buf_text(out, "\xe2\x96\x80");
        }
        buf_text(out, "\033[0m\n");
    }
}

static void put_base64(struct buf *out, const unsigned char *p, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) { /* N is a multiple of 3 */
        unsigned v = (unsigned)p[i] << 16 | (unsigned)p[i + 1] << 8 | p[i + 2];
        for (int k = 18; k >= 0; k -= 6)
            buf_bytes(out, &digits[v >> k & 63], 1);
    }
}

static void print_kitty(struct arena *a, const struct image *x, struct buf *out) {
    enum { CHUNK = 3072 }; /* 4096 digits */
    struct image y = enlarged(a, x);
    size_t n = (size_t)3 * y.width * y.height;
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t k = n - at < CHUNK ? n - at : CHUNK;
        buf_text(out, "\033_G");
        if (!at)
            buf_printf(out, "a=T,f=24,s=%u,v=%u,q=2,", y.width, y.height);
        buf_printf(out, "m=%d;", at + k < n);
        put_base64(out, y.rgb + at, k);
        buf_text(out, "\033\\");
    }
    buf_text(out, "\n");
}

/* Six steps of each colour. */
static unsigned palette_of(const unsigned char *p) {
    return (p[0] * 5 + 127) / 255 * 36u + (p[1] * 5 + 127) / 255 * 6u + (p[2] * 5 + 127) / 255;
}

/* One colour in a band of six rows: a character for each column, with runs. */
static void put_band(struct buf *out, const struct image *y, uint32_t top, unsigned colour) {
    char former = 0;
    uint32_t run = 0;
    buf_printf(out, "#%u", colour);
    for (uint32_t column = 0; column <= y->width; column++) {
        unsigned bits = 0;
        for (uint32_t k = 0; column < y->width && k < 6 && top + k < y->height; k++)
            bits |= (unsigned)(palette_of(pixel(y, top + k, column)) == colour) << k;
        char c = (char)(63 + bits);
        if (column && (c != former || column == y->width)) {
            if (run > 3)
                buf_printf(out, "!%u", run);
            for (uint32_t k = run > 3 ? 1 : run; k; k--)
                buf_bytes(out, &former, 1);
            run = 0;
        }
        former = c;
        run++;
    }
    buf_text(out, "$");
}

static void print_sixel(struct arena *a, const struct image *x, struct buf *out) {
    struct image y = enlarged(a, x);
    buf_printf(out, "\033Pq\"1;1;%u;%u", y.width, y.height);
    for (unsigned c = 0; c < 216; c++)
        buf_printf(out, "#%u;2;%u;%u;%u", c, c / 36 * 20, c / 6 % 6 * 20, c % 6 * 20);
    for (uint32_t top = 0; top < y.height; top += 6) {
        bool used[216] = {false};
        for (uint32_t row = top; row < top + 6 && row < y.height; row++)
            for (uint32_t column = 0; column < y.width; column++)
                used[palette_of(pixel(&y, row, column))] = true;
        for (unsigned c = 0; c < 216; c++)
            if (used[c])
                put_band(out, &y, top, c);
        buf_text(out, "-");
    }
    buf_text(out, "\033\\\n");
}

void image_print(struct arena *a, const struct image *x, enum picture_form form, struct buf *out) {
    switch (form) {
    case PICTURE_SHADES: print_shades(a, x, out); break;
    case PICTURE_BLOCKS: print_blocks(a, x, out); break;
    case PICTURE_KITTY: print_kitty(a, x, out); break;
    case PICTURE_SIXEL: print_sixel(a, x, out); break;
    }
}
