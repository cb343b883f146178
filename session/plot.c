/* Curves as characters, as SVG and as PNG: points joined by lines, in a frame whose edges are
   labelled with the least and the largest number. Points that are not finite are gaps. */
#include "session/image.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct extent {
    double least, most;
};

static struct extent range_of(uint32_t n, const double *v) {
    struct extent r = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < n; i++)
        if (isfinite(v[i])) {
            r.least = fmin(r.least, v[i]);
            r.most = fmax(r.most, v[i]);
        }
    if (r.least > r.most)
        r = (struct extent){0, 1};
    if (r.least == r.most) {
        double around = fmax(0.5, fabs(r.most) * 1e-6);
        r.least = fmax(r.least - around, -DBL_MAX);
        r.most = fmin(r.most + around, DBL_MAX);
    }
    return r;
}

/* How far from the least V is, of all. */
static double fraction(struct extent r, double v) {
    bool wide = isinf(r.most - r.least);
    return wide ? (v / 2 - r.least / 2) / (r.most / 2 - r.least / 2)
                : (v - r.least) / (r.most - r.least);
}

/* Where V lies from 0 to N - 1. */
static int place(struct extent r, double v, int n) {
    return (int)lround(fraction(r, v) * (n - 1));
}

static bool is_point(const struct curve *c, uint32_t i) {
    return i < c->n && isfinite(c->x[i]) && isfinite(c->y[i]);
}

/* --- on a grid ------------------------------------------------------------------------------- */

struct grid {
    int width, height;
    unsigned char *on; /* rows from the top */
};

static void draw_line(struct grid *g, int x, int y, int to_x, int to_y) {
    int dx = to_x > x ? to_x - x : x - to_x, dy = to_y > y ? to_y - y : y - to_y;
    int steps = dx > dy ? dx : dy;
    for (int k = 0; k <= steps; k++) {
        int column = steps ? x + (int)lround((double)(to_x - x) * k / steps) : x;
        int row = steps ? y + (int)lround((double)(to_y - y) * k / steps) : y;
        g->on[row * g->width + column] = 1;
    }
}

static struct grid draw(struct arena *a, const struct curve *c, int width, int height) {
    struct grid g = {width, height, ARENA_ARRAY(a, unsigned char, width *height)};
    struct extent x = range_of(c->n, c->x), y = range_of(c->n, c->y);
    for (uint32_t i = 0; i < c->n; i++) {
        if (!is_point(c, i))
            continue;
        uint32_t to = is_point(c, i + 1) ? i + 1 : i;
        draw_line(&g, place(x, c->x[i], width), height - 1 - place(y, c->y[i], height),
                  place(x, c->x[to], width), height - 1 - place(y, c->y[to], height));
    }
    return g;
}

/* --- characters ------------------------------------------------------------------------------ */

enum { COLUMNS = 60, ROWS = 15, LABEL = 10 };

/* Eight dots of a character (Unicode, Braille Patterns): 2 columns of 4. */
static void put_dots(const struct grid *g, int row, int column, struct buf *out) {
    static const unsigned char bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    unsigned v = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            if (g->on[(4 * row + i) * g->width + 2 * column + k])
                v |= bits[i][k];
    char text[3] = {(char)0xe2, (char)(0xa0 | v >> 6), (char)(0x80 | (v & 63))};
    buf_bytes(out, text, 3);
}

void plot_print(struct arena *a, const struct curve *c, bool dots, struct buf *out) {
    struct extent x = range_of(c->n, c->x), y = range_of(c->n, c->y);
    struct grid g = draw(a, c, dots ? 2 * COLUMNS : COLUMNS, dots ? 4 * ROWS : ROWS);
    char least[24], most[24];
    for (int row = 0; row < ROWS; row++) {
        snprintf(most, sizeof most, "%.4g", row ? y.least : y.most);
        buf_printf(out, "%*s |", LABEL, row == 0 || row == ROWS - 1 ? most : "");
        for (int column = 0; column < COLUMNS; column++) {
            if (dots)
                put_dots(&g, row, column, out);
            else
                buf_text(out, g.on[row * g.width + column] ? "*" : " ");
        }
        while (!dots && out->at[out->n - 1] == ' ')
            out->at[--out->n] = '\0';
        buf_text(out, "\n");
    }
    buf_printf(out, "%*s +", LABEL, "");
    for (int column = 0; column < COLUMNS; column++)
        buf_text(out, "-");
    snprintf(least, sizeof least, "%.4g", x.least);
    snprintf(most, sizeof most, "%.4g", x.most);
    buf_printf(out, "\n%*s  %s%*s\n", LABEL, "", least, COLUMNS - (int)strlen(least), most);
}

/* --- files ----------------------------------------------------------------------------------- */

enum { WIDTH = 640, HEIGHT = 400, LEFT = 80, RIGHT = 20, TOP = 20, BOTTOM = 40 };
enum { INNER_WIDTH = WIDTH - LEFT - RIGHT, INNER_HEIGHT = HEIGHT - TOP - BOTTOM };

static void put_svg(const struct curve *c, struct buf *out) {
    struct extent x = range_of(c->n, c->x), y = range_of(c->n, c->y);
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "font-family=\"sans-serif\" font-size=\"13\">\n"
               "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n"
               "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
               "stroke=\"black\"/>\n",
               WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, TOP, INNER_WIDTH, INNER_HEIGHT);
    bool open = false;
    for (uint32_t i = 0; i < c->n; i++) {
        if (is_point(c, i)) {
            double px = LEFT + fraction(x, c->x[i]) * INNER_WIDTH;
            double py = TOP + (1 - fraction(y, c->y[i])) * INNER_HEIGHT;
            buf_text(out, open ? " "
                               : "<polyline fill=\"none\" stroke=\"#1f5fa8\" "
                                 "stroke-width=\"2\" stroke-linecap=\"round\" points=\"");
            bool alone = !open && !is_point(c, i + 1); /* a line to itself is a dot */
            buf_printf(out, alone ? "%.2f,%.2f %.2f,%.2f" : "%.2f,%.2f", px, py, px, py);
            open = true;
        }
        if (open && !is_point(c, i + 1)) {
            buf_text(out, "\"/>\n");
            open = false;
        }
    }
    buf_printf(out,
               "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text>\n"
               "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text>\n"
               "<text x=\"%d\" y=\"%d\">%.4g</text>\n"
               "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text>\n</svg>\n",
               LEFT - 8, TOP + 12, y.most, LEFT - 8, HEIGHT - BOTTOM, y.least, LEFT,
               HEIGHT - BOTTOM + 20, x.least, WIDTH - RIGHT, HEIGHT - BOTTOM + 20, x.most);
}

/* What "%.4g" writes, in 3 by 5 pixels: a row is three bits, the top one first. */
static const struct {
    char c;
    unsigned short rows;
} glyphs[] = {
    {'0', 075557}, {'1', 026227}, {'2', 071747}, {'3', 071717}, {'4', 055711},
    {'5', 074717}, {'6', 074757}, {'7', 071111}, {'8', 075757}, {'9', 075717},
    {'.', 000002}, {'-', 000700}, {'+', 002720}, {'e', 007647},
};
enum { GLYPHS = sizeof glyphs / sizeof *glyphs, SCALE = 2, ADVANCE = 4 * SCALE };

static void put_pixel(struct image *m, int x, int y, unsigned rgb) {
    if (x < 0 || y < 0 || x >= (int)m->width || y >= (int)m->height)
        return;
    unsigned char *p = m->rgb + 3 * ((size_t)y * m->width + (size_t)x);
    p[0] = (unsigned char)(rgb >> 16);
    p[1] = (unsigned char)(rgb >> 8);
    p[2] = (unsigned char)rgb;
}

static void put_glyph(struct image *m, char c, int x, int y) {
    for (int k = 0; k < GLYPHS; k++)
        for (int bit = 0; glyphs[k].c == c && bit < 15; bit++)
            for (int i = 0; glyphs[k].rows >> (14 - bit) & 1 && i < SCALE * SCALE; i++)
                put_pixel(m, x + SCALE * (bit % 3) + i % SCALE, y + SCALE * (bit / 3) + i / SCALE,
                          0);
}

/* The number V; X is its right end if RIGHT, else its left one. */
static void put_label(struct image *m, double v, int x, int y, bool right) {
    char text[24];
    int n = snprintf(text, sizeof text, "%.4g", v);
    x -= right ? n * ADVANCE : 0;
    for (int i = 0; i < n; i++)
        put_glyph(m, text[i], x + i * ADVANCE, y);
}

static struct image draw_image(struct arena *a, const struct curve *c) {
    struct image m = image_new(a, WIDTH, HEIGHT);
    struct extent x = range_of(c->n, c->x), y = range_of(c->n, c->y);
    struct grid g = draw(a, c, INNER_WIDTH, INNER_HEIGHT);
    memset(m.rgb, 255, (size_t)3 * WIDTH * HEIGHT);
    for (int i = -1; i <= INNER_WIDTH; i++) {
        put_pixel(&m, LEFT + i, TOP - 1, 0);
        put_pixel(&m, LEFT + i, TOP + INNER_HEIGHT, 0);
    }
    for (int i = -1; i <= INNER_HEIGHT; i++) {
        put_pixel(&m, LEFT - 1, TOP + i, 0);
        put_pixel(&m, LEFT + INNER_WIDTH, TOP + i, 0);
    }
    for (int i = 0; i < g.width * g.height; i++)
        for (int k = 0; g.on[i] && k < 4; k++) /* lines two pixels wide */
            put_pixel(&m, LEFT + i % g.width + k % 2, TOP + i / g.width + k / 2, 0x1f5fa8);
    put_label(&m, y.most, LEFT - 8, TOP, true);
    put_label(&m, y.least, LEFT - 8, HEIGHT - BOTTOM - 5 * SCALE, true);
    put_label(&m, x.least, LEFT, HEIGHT - BOTTOM + 10, false);
    put_label(&m, x.most, WIDTH - RIGHT, HEIGHT - BOTTOM + 10, true);
    return m;
}

bool plot_write(struct dcl_session *s, const struct curve *c, const char *path, struct span span) {
    struct arena *a = s->unit.arena;
    if (path_ends(path, ".png")) {
        struct image m = draw_image(a, c);
        return image_write(s, &m, path, span);
    }
    if (path_ends(path, ".svg")) {
        struct buf out = buf_new(a);
        put_svg(c, &out);
        return files_write_bytes(arena_under(a), &s->diags, span, path, out.at, out.n);
    }
    diag_error(
        &s->diags, span, ERR_VALUE,
        arena_printf(s->messages, "plot: the name of its file ends in .svg or .png: %s", path));
    return false;
}
