/* PNG (ISO/IEC 15948), by libpng. All forms become gray or colours of 8 or 16 bits, with alpha
   where anything is transparent; gamma and colour profiles are passed over.
   libpng reports errors by a jump: each stretch of calls of it is a function of its own, which asks
   the arena for nothing. Its memory is that of lang/base and goes with the arena at the latest. */
#include "lang/files/pixels.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK_MAX = 1 << 20, CHUNKS_MAX = 100 }; /* bytes and number of those beside the image */

struct coder {
    const struct input *in; /* one of these is NULL */
    struct output *out;
    size_t at; /* in the input */
    png_structp png;
    png_infop info;
    char why[100];
};

static void on_error(png_structp png, png_const_charp text) {
    struct coder *c = png_get_error_ptr(png);
    snprintf(c->why, sizeof c->why, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

/* A chunk that says it has 2 GiB gets no room for them. */
static png_voidp take(png_structp png, png_alloc_size_t size) {
    const struct coder *c = png_get_mem_ptr(png);
    return c->in && size > input_bound(c->in) ? NULL : mem_room(size, 16);
}

static void release(png_structp png, png_voidp p) {
    (void)png;
    mem_free(p);
}

static void close_coder(void *data) {
    struct coder *c = data;
    if (c->in)
        png_destroy_read_struct(&c->png, &c->info, NULL);
    else
        png_destroy_write_struct(&c->png, &c->info);
}

static struct coder *coder_new(struct arena *a, const struct input *in, struct output *out) {
    struct coder *c = ARENA_NEW(a, struct coder);
    *c = (struct coder){.in = in, .out = out};
    strcpy(c->why, "not enough memory");
    arena_on_free(a, close_coder, c);
    c->png = in ? png_create_read_struct_2(PNG_LIBPNG_VER_STRING, c, on_error, on_warning, c, take,
                                           release)
                : png_create_write_struct_2(PNG_LIBPNG_VER_STRING, c, on_error, on_warning, c, take,
                                            release);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    if (c->png)
        png_set_user_limits(c->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    return c;
}

/* --- reading -------------------------------------------------------------------------------- */

static void read_bytes(png_structp png, png_bytep to, size_t n) {
    struct coder *c = png_get_io_ptr(png);
    if (n > c->in->n - c->at)
        png_error(png, "the file is cut short");
    memcpy(to, c->in->bytes + c->at, n);
    c->at += n;
}

/* Up to the image: P's sizes and *TYPE as they will be. */
static bool read_head(struct coder *c, struct pixels *p, enum dtype *type) {
    if (setjmp(png_jmpbuf(c->png)))
        return false;
    png_set_read_fn(c->png, c, read_bytes);
    png_set_chunk_malloc_max(c->png, CHUNK_MAX);
    png_set_chunk_cache_max(c->png, CHUNKS_MAX);
    png_read_info(c->png, c->info);
    bool coloured = png_get_color_type(c->png, c->info) & PNG_COLOR_MASK_COLOR;
    bool clear = png_get_color_type(c->png, c->info) & PNG_COLOR_MASK_ALPHA ||
                 png_get_valid(c->png, c->info, PNG_INFO_tRNS);
    *type = png_get_bit_depth(c->png, c->info) == 16 ? DT_u16 : DT_u8;
    *p = (struct pixels){.height = png_get_image_height(c->png, c->info),
                         .width = png_get_image_width(c->png, c->info),
                         .colours = (coloured ? 3 : 1) + clear};
    return true;
}

/* Chooses the form; libpng makes room for rows. */
static bool read_form(struct coder *c, const struct pixels *p, int *passes) {
    if (setjmp(png_jmpbuf(c->png)))
        return false;
    png_set_expand(c->png); /* palettes, less than 8 bits, transparent colours */
    if (png_get_bit_depth(c->png, c->info) == 16)
        png_set_swap(c->png);
    *passes = png_set_interlace_handling(c->png);
    png_read_update_info(c->png, c->info);
    if (png_get_rowbytes(c->png, c->info) != p->row)
        png_error(c->png, "rows of another size");
    return true;
}

static void read_passes(const struct coder *c, const struct pixels *p, int passes) {
    for (int k = 0; k < passes; k++)
        for (uint32_t y = 0; y < p->height; y++) {
            if (input_stopped(c->in))
                png_error(c->png, "it is not read to its end");
            png_read_row(c->png, p->rows + y * p->row, NULL);
        }
}

static bool read_rows(struct coder *c, const struct pixels *p, int passes) {
    if (setjmp(png_jmpbuf(c->png)))
        return false;
    read_passes(c, p, passes);
    png_read_end(c->png, NULL);
    return true;
}

bool png_read(struct input *in, struct file_tensors *out) {
    struct coder *c = coder_new(in->arena, in, NULL);
    struct pixels p;
    enum dtype type;
    int passes;
    if (!c->info || !read_head(c, &p, &type))
        return input_fail(in, "PNG: %s", c->why);
    if (!pixels_new(in, out, type, &p)) /* before libpng asks for rows of any size */
        return false;
    if (!read_form(c, &p, &passes) || !read_rows(c, &p, passes))
        return input_fail(in, "PNG: %s", c->why);
    close_coder(c);
    return true;
}

/* --- writing -------------------------------------------------------------------------------- */

static void write_bytes(png_structp png, png_bytep from, size_t n) {
    struct coder *c = png_get_io_ptr(png);
    output_put(c->out, from, n);
}

static void write_nothing(png_structp png) {
    (void)png;
}

static bool write_image(struct coder *c, const struct pixels *p, bool deep) {
    static const int colour_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                       PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(c->png)))
        return false;
    png_set_write_fn(c->png, c, write_bytes, write_nothing);
    png_set_IHDR(c->png, c->info, p->width, p->height, deep ? 16 : 8, colour_types[p->colours - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(c->png, c->info);
    if (deep)
        png_set_swap(c->png);
    for (uint32_t y = 0; y < p->height; y++) {
        if (output_failed(c->out))
            png_error(c->png, "it is not written to its end");
        png_write_row(c->png, p->rows + y * p->row);
    }
    png_write_end(c->png, c->info);
    return true;
}

bool png_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    struct pixels p;
    if (!pixels_of(out, tensors, n, true, &p))
        return false;
    struct coder *c = coder_new(out->arena, NULL, out);
    if (!c->info)
        return output_fail(out, "PNG: %s", c->why);
    if (!output_open(out))
        return false;
    bool good = write_image(c, &p, tensors->type == DT_u16);
    close_coder(c);
    return good ? output_close(out) : output_abandon(out, c->why);
}
