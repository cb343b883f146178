/* NumPy's .npz: a zip archive whose members NAME.npy are the tensors NAME. Other members are
   passed over. */
#include "lang/files/npy.h"
#include "lang/files/zip.h"

#include <string.h>

/* The length of NAME without ".npy", 0 if it does not end so. */
static size_t stem(const char *name) {
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : 0;
}

bool npz_read(struct input *in, struct file_tensors *out) {
    struct zip_member *members;
    uint32_t n;
    if (!zip_read(in, &members, &n))
        return false;
    out->at = ARENA_ARRAY(in->arena, struct file_tensor, n);
    for (uint32_t i = 0; i < n; i++) {
        size_t length = stem(members[i].name);
        if (length == 0)
            continue;
        struct file_tensor *t = &out->at[out->n++];
        t->name = arena_strndup(in->arena, members[i].name, length);
        unsigned char *bytes = zip_contents(in, &members[i]);
        if (!bytes)
            return false;
        const char *it = arena_printf(in->arena, "'%s': ", input_show(in, t->name));
        if (!npy_tensor(in, it, bytes, members[i].size, t))
            return false;
    }
    return true;
}

bool npz_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    struct zip_part *parts = ARENA_ARRAY(out->arena, struct zip_part, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct file_tensor *t = &tensors[i];
        struct zip_part *p = &parts[i];
        if (!*t->name)
            return output_fail(out, "a tensor in .npz needs a name");
        p->name = arena_printf(out->arena, "%s.npy", t->name);
        p->pieces[0] = npy_prefix(out->arena, t, &p->sizes[0]);
        p->pieces[1] = t->data;
        tensor_bytes(t->type, t->rank, t->dims, &p->sizes[1]);
    }
    return zip_write(out, parts, n);
}
