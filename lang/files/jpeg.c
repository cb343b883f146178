/* JPEG (ISO/IEC 10918), by libjpeg: gray or red, green and blue. What is damaged or cut short is an
   error, not a gray rest as libjpeg would have it; the orientation that a camera notes is not
   looked at.
   libjpeg reports errors by a jump: each stretch of calls of it is a function of its own, which
   asks the arena for nothing. */
#include "lang/files/pixels.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

enum {
    QUALITY = 95,
    SCANS_MAX = 64 /* an ordinary image has 10; each may cost time for all of it and few bytes */
};

/* What reading and writing share; its first part is how libjpeg knows it. */
struct errors {
    struct jpeg_error_mgr manager;
    jmp_buf back;
    char why[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr j) {
    struct errors *e = (struct errors *)j->err;
    j->err->format_message(j, e->why);
    longjmp(e->back, 1);
}

/* Warnings, of which some are about what is beside the image. */
static void on_message(j_common_ptr j, int level) {
    static const int harmless[] = {JWRN_ADOBE_XFORM, JWRN_BOGUS_ICC, JWRN_EXTRANEOUS_DATA,
                                   JWRN_JFIF_MAJOR, JWRN_TOO_MUCH_DATA};
    if (level >= 0)
        return; /* a trace */
    for (size_t k = 0; k < sizeof harmless / sizeof harmless[0]; k++)
        if (j->err->msg_code == harmless[k])
            return;
    on_error(j);
}

static struct jpeg_error_mgr *errors_init(struct errors *e) {
    struct jpeg_error_mgr *manager = jpeg_std_error(&e->manager);
    manager->error_exit = on_error;
    manager->emit_message = on_message;
    return manager;
}

/* --- reading -------------------------------------------------------------------------------- */

struct reading {
    struct errors errors;
    const struct input *in;
    struct jpeg_decompress_struct j;
    struct jpeg_progress_mgr progress;
};

static void close_reading(void *data) {
    jpeg_destroy_decompress(&((struct reading *)data)->j);
}

static void on_progress(j_common_ptr j) {
    struct errors *e = (struct errors *)j->err;
    const struct reading *r = (const struct reading *)e; /* its first part */
    if (input_stopped(r->in))
        longjmp(e->back, 1);
    if (((j_decompress_ptr)j)->input_scan_number > SCANS_MAX) {
        snprintf(e->why, sizeof e->why, "more than %d scans", SCANS_MAX);
        longjmp(e->back, 1);
    }
}

static bool read_head(struct reading *r, const struct input *in, struct pixels *p) {
    if (setjmp(r->errors.back))
        return false;
    jpeg_create_decompress(&r->j);
    r->in = in;
    r->progress.progress_monitor = on_progress;
    r->j.progress = &r->progress;
    jpeg_mem_src(&r->j, in->bytes, in->n);
    jpeg_read_header(&r->j, TRUE);
    bool gray = r->j.jpeg_color_space == JCS_GRAYSCALE;
    r->j.out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
    *p = (struct pixels){
        .height = r->j.image_height, .width = r->j.image_width, .colours = gray ? 1 : 3};
    return true;
}

static bool read_rows(struct reading *r, const struct pixels *p) {
    if (setjmp(r->errors.back))
        return false;
    jpeg_start_decompress(&r->j);
    while (r->j.output_scanline < p->height) {
        JSAMPROW row = p->rows + r->j.output_scanline * p->row;
        jpeg_read_scanlines(&r->j, &row, 1);
    }
    jpeg_finish_decompress(&r->j);
    return true;
}

bool jpeg_read(struct input *in, struct file_tensors *out) {
    struct reading *r = ARENA_NEW(in->arena, struct reading);
    struct pixels p;
    r->j.err = errors_init(&r->errors);
    arena_on_free(in->arena, close_reading, r);
    if (!read_head(r, in, &p))
        return input_fail(in, "JPEG: %s", r->errors.why);
    if (r->j.jpeg_color_space == JCS_CMYK || r->j.jpeg_color_space == JCS_YCCK)
        return input_fail(in, "JPEG: colours for print (CMYK) are not supported");
    if (!pixels_new(in, out, DT_u8, &p))
        return false;
    if (!read_rows(r, &p))
        return input_fail(in, "JPEG: %s", r->errors.why);
    close_reading(r);
    return true;
}

/* --- writing -------------------------------------------------------------------------------- */

struct writing {
    struct errors errors;
    struct jpeg_compress_struct j;
    struct jpeg_destination_mgr target;
    struct output *out;
    JOCTET buffer[4096];
};

static void close_writing(void *data) {
    jpeg_destroy_compress(&((struct writing *)data)->j);
}

static void start(j_compress_ptr j) {
    struct writing *w = j->client_data;
    w->target.next_output_byte = w->buffer;
    w->target.free_in_buffer = sizeof w->buffer;
}

static boolean put_full(j_compress_ptr j) {
    struct writing *w = j->client_data;
    output_put(w->out, w->buffer, sizeof w->buffer);
    start(j);
    return TRUE;
}

static void put_rest(j_compress_ptr j) {
    struct writing *w = j->client_data;
    output_put(w->out, w->buffer, sizeof w->buffer - w->target.free_in_buffer);
}

static bool write_image(struct writing *w, const struct pixels *p) {
    if (setjmp(w->errors.back))
        return false;
    jpeg_create_compress(&w->j);
    w->target.init_destination = start;
    w->target.empty_output_buffer = put_full;
    w->target.term_destination = put_rest;
    w->j.client_data = w;
    w->j.dest = &w->target;
    w->j.image_height = p->height;
    w->j.image_width = p->width;
    w->j.input_components = (int)p->colours;
    w->j.in_color_space = p->colours == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&w->j);
    jpeg_set_quality(&w->j, QUALITY, TRUE);
    for (int k = 0; k < w->j.num_components; k++) /* colours as sharp as brightness */
        w->j.comp_info[k].h_samp_factor = w->j.comp_info[k].v_samp_factor = 1;
    jpeg_start_compress(&w->j, TRUE);
    while (w->j.next_scanline < p->height && !output_failed(w->out)) { /* else one is missing */
        JSAMPROW row = p->rows + w->j.next_scanline * p->row;
        jpeg_write_scanlines(&w->j, &row, 1);
    }
    jpeg_finish_compress(&w->j);
    return true;
}

bool jpeg_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    struct pixels p;
    if (!pixels_of(out, tensors, n, false, &p))
        return false;
    if (p.colours != 1 && p.colours != 3)
        return output_fail(out, "JPEG has 1 or 3 colours, not %u", p.colours);
    struct writing *w = ARENA_NEW(out->arena, struct writing);
    w->out = out;
    w->j.err = errors_init(&w->errors);
    arena_on_free(out->arena, close_writing, w);
    if (!output_open(out))
        return false;
    bool good = write_image(w, &p);
    close_writing(w);
    return good ? output_close(out) : output_abandon(out, w->errors.why);
}
