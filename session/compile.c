/* From a graph to a kernel: the kernels of this session, then the cache on disk, then passes and
   the compiler. The key is the text of the graph as it was lowered with all else that code depends
   on: passes and options, the processor, and which build of DCL this is. So equal graphs are
   compiled once, and a second start neither compiles nor runs passes. */
#include "session/state.h"

#include "compiler/print/print.h"

#include <string.h>
#include <sys/stat.h>

static bool goes_on(void *session, enum pass_id pass, const struct graph *g) {
    (void)pass;
    (void)g;
    return !session_stopped(session);
}

bool compile_passes(struct dcl_session *s, struct graph *g, const struct pipeline *p) {
    const struct options *o = &s->options;
    struct pass_target t = {o->target.vector_bytes, o->target.vector_registers, o->strict};
    bool all = o->verify == VERIFY_ALL;
    /* What is wrong before any pass is the user's mistake, such as iterations that conflict. */
    if (o->verify != VERIFY_NEVER && !graph_verify(g, "lower", &s->diags))
        return false;
    return pipeline_run(g, p, &t, all, goes_on, s, &s->diags) &&
           (o->verify != VERIFY_END || graph_verify(g, "the last pass", &s->diags));
}

/* The passes and the code generator may change without a number changing, so the files of the two
   libraries count. */
static void print_build(struct buf *out, const char *path) {
    struct stat st;
    if (path && stat(path, &st) == 0)
        buf_printf(out, " %lld.%09ld %lld %llu", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                   (long long)st.st_size, (unsigned long long)st.st_ino);
}

/* What is the same for all kernels of a session. */
static const char *key_suffix(struct dcl_session *s) {
    const struct options *o = &s->options;
    struct buf text = buf_new(s->arena);
    buf_printf(&text, "\n%s llvm %d rt %d cpu %s %016llx strict %d", DCL_VERSION,
               LLVM_BACKEND_VERSION, RT_ABI_VERSION, o->target.cpu,
               (unsigned long long)o->target.fingerprint, o->strict);
    for (uint32_t i = 0; i < o->pipeline.n; i++)
        buf_printf(&text, " %s", passes[o->pipeline.at[i]].name);
    print_build(&text, library_path(s->arena));
    print_build(&text, backend_path(s->arena));
    return text.at;
}

static struct rt_key key_of(struct dcl_session *s, const struct graph *g, struct arena *scratch) {
    struct buf text = buf_new(scratch);
    if (!s->key_suffix)
        s->key_suffix = key_suffix(s);
    graph_print(g, &text);
    buf_text(&text, s->key_suffix);
    struct rt_key key = {hash_bytes(text.at, text.n, 1), hash_bytes(text.at, text.n, 2)};
    return key;
}

static struct kernel *find_kernel(struct dcl_session *s, struct rt_key key) {
    for (struct kernel *k = s->kernels; k; k = k->next)
        if (k->key.hi == key.hi && k->key.lo == key.lo)
            return k;
    return NULL;
}

/* A kernel of machine code BYTES; NULL with a reason in *WHY. */
static struct kernel *load_kernel(struct dcl_session *s, struct rt_key key, const void *bytes,
                                  size_t n, const char **why) {
    struct kernel *k = s->spare;
    *k = (struct kernel){.key = key, .object = rt_object_load(bytes, n, NULL, 0, why)};
    void *entry = k->object ? rt_object_symbol(k->object, "dcl_kernel") : NULL;
    if (!entry) {
        if (k->object) {
            *why = "it has no entry";
            rt_object_free(k->object);
        }
        return NULL;
    }
    s->spare = NULL;
    memcpy(&k->run, &entry, sizeof entry); /* C has no conversion to functions */
    k->next = s->kernels;
    s->kernels = k;
    return k;
}

static struct kernel *from_cache(struct dcl_session *s, struct rt_key key) {
    void *bytes;
    size_t n;
    const char *why;
    if (!s->options.cache || !rt_cache_read(s->options.cache, key, &bytes, &n))
        return NULL;
    struct kernel *k = load_kernel(s, key, bytes, n, &why);
    rt_cache_release(bytes);
    return k; /* if it cannot be loaded it is compiled anew */
}

static struct kernel *from_compiler(struct dcl_session *s, struct graph *g, struct rt_key key,
                                    struct arena *scratch) {
    const struct llvm_backend *llvm =
        compile_passes(s, g, &s->options.pipeline) ? backend_open(s) : NULL;
    struct llvm_options o = {
        .target = s->options.target, .strict = s->options.strict, .profile = s->options.profile};
    struct llvm_code code;
    if (!llvm || !llvm->compile(g, &o, scratch, &s->diags, &code))
        return NULL;
    const char *why = "";
    struct kernel *k = load_kernel(s, key, code.object, code.n, &why);
    if (!k) {
        diag_error(&s->diags, g->span, ERR_INTERNAL,
                   arena_printf(s->messages, "the compiled code cannot be loaded: %s", why));
        return NULL;
    }
    if (s->options.cache)
        rt_cache_write(s->options.cache, key, code.object, code.n);
    return k;
}

struct kernel *compile_graph(struct dcl_session *s, struct graph *g) {
    if (s->options.foreign) {
        struct diag *d =
            diag_error(&s->diags, g->span, ERR_USAGE,
                       arena_printf(s->messages, "code for %s does not run on this machine",
                                    s->options.target.cpu));
        diag_help(&s->diags, d, "it can be shown");
        return NULL;
    }
    struct arena *scratch = arena_under(g->arena);
    graph_number_sites(g);
    struct rt_key key = key_of(s, g, scratch);
    struct kernel *k = find_kernel(s, key);
    if (!k && !s->spare)
        s->spare = mem_alloc(sizeof *s->spare);
    if (!k)
        k = from_cache(s, key);
    if (!k) {
        doing_compile(s, true);
        k = from_compiler(s, g, key, scratch);
        doing_compile(s, false);
    }
    if (k)
        k->used = ++s->clock;
    return k;
}

static void free_kernel(struct kernel *k) {
    rt_object_free(k->object);
    mem_free(k);
}

/* A session that goes on for long keeps the kernels that its functions hold and MOST others. */
void kernels_trim(struct dcl_session *s, uint32_t most) {
    for (;;) {
        uint32_t idle = 0;
        struct kernel **oldest = NULL;
        for (struct kernel **at = &s->kernels; *at; at = &(*at)->next) {
            if ((*at)->users)
                continue;
            idle++;
            if (!oldest || (*at)->used < (*oldest)->used)
                oldest = at;
        }
        if (idle <= most)
            return;
        struct kernel *k = *oldest;
        *oldest = k->next;
        free_kernel(k);
    }
}

void kernels_free(struct dcl_session *s) {
    mem_free(s->spare);
    while (s->kernels) {
        struct kernel *k = s->kernels;
        s->kernels = k->next;
        free_kernel(k);
    }
}
