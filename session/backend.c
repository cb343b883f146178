/* The compiler's library, libdcl_llvm.so: it alone needs LLVM, and is opened when something has to
   be compiled. Looked for beside libdcl, in dcl/ below, then where it was installed. */
#include "session/state.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libdcl_llvm.so"

const char *backend_path(struct arena *a) {
    const char *folder = library_folder(a);
    const char *places[] = {
        arena_printf(a, "%s/" LIBRARY, folder),
        arena_printf(a, "%s/dcl/" LIBRARY, folder),
        DCL_LIB_DIR "/" LIBRARY,
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], R_OK) == 0)
            return places[i];
    return NULL;
}

static const struct llvm_backend *fail(struct dcl_session *s, const char *why) {
    struct diag *d =
        diag_error(&s->diags, (struct span){0}, ERR_BACKEND,
                   arena_printf(s->messages, "the compiler cannot be loaded: %s", why));
    diag_help(&s->diags, d, "--backend ref runs without it, slowly");
    return NULL;
}

const struct llvm_backend *backend_open(struct dcl_session *s) {
    if (s->llvm)
        return s->llvm;
    const char *path = backend_path(s->messages);
    if (!path)
        return fail(s, "there is no " LIBRARY);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail(s, dlerror());
    const struct llvm_backend *(*face)(void);
    void *symbol = dlsym(library, "dcl_llvm_backend");
    if (!symbol) {
        dlclose(library);
        return fail(s, LIBRARY " is of another version");
    }
    memcpy(&face, &symbol, sizeof symbol); /* C has no conversion to functions */
    s->llvm_library = library;
    s->llvm = face();
    return s->llvm;
}

/* The library stays loaded: LLVM registers what must not be unloaded. */
void backend_close(struct dcl_session *s) {
    s->llvm = NULL;
    s->llvm_library = NULL;
}
