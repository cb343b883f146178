/* From the text of a program to what runs it here: parsed and checked beside the standard library,
   run by backends/ref, walked for its bounds, lowered to a graph. */
#ifndef DCL_TESTS_FUZZ_FRONT_H
#define DCL_TESTS_FUZZ_FRONT_H

#include "backends/ref/ref.h"
#include "compiler/lower/lower.h"
#include "lang/check/check.h"
#include "lang/parse/parse.h"
#include "tests/fuzz/bounds.h"

#include <dirent.h>

/* What all programs of a process share. */
struct front {
    struct arena *arena;
    struct names *names;
    struct sources *sources;
    struct module *prelude;
    VEC(struct ast *) files; /* of the prelude */
    struct diags diags;
};

/* One program while it is looked at. */
struct unit {
    struct front *front;
    struct arena *arena;
    struct program *program;
    struct module *module;
    struct ast *fn;
    struct diags diags;
};

struct result {
    enum dtype dtype;
    uint32_t rank;
    int64_t dims[EVAL_MAX_RANK], n;
    const void *bytes;
};

static bool front_is_builtin(void *names, struct name n) {
    static const char *const of_sessions[] = {
#define BUILTIN(name, writes, usage, doc) #name,
#define INITIALIZER(name, arguments, doc) #name,
#include "session/builtin.def"
#include "session/initializer.def"
#undef BUILTIN
#undef INITIALIZER
    };
    for (size_t i = 0; i < sizeof of_sessions / sizeof *of_sessions; i++)
        if (strcmp(of_sessions[i], name_text(names, n)) == 0)
            return true;
    return eval_is_builtin(names, n);
}

static bool front_no_variable(void *data, struct name n) {
    (void)data;
    (void)n;
    return false;
}

FUZZ const char *front_messages(struct unit *u) {
    struct buf b = buf_new(u->arena);
    diags_print(&u->diags, &b, false);
    return b.at ? b.at : "(no message)";
}

/* Parses and checks TEXT as definitions of M; the last function, NULL after errors. */
static struct ast *front_read(struct front *f, struct arena *a, struct module *m, struct diags *d,
                              const char *path, const char *text) {
    struct check_builtins builtins = {front_is_builtin, f->names, NULL, NULL};
    struct ast *last = NULL;
    struct ast *file =
        parse_source(a, f->names, d, sources_add(f->sources, path, text, strlen(text)));
    for (uint32_t i = 0; i < file->nkids; i++)
        if (file->kids[i]->kind == AST_FN || file->kids[i]->kind == AST_LAYER) {
            module_define(m, file->kids[i]);
            last = file->kids[i];
        }
    return !d->errors && check_file(a, m, &builtins, front_no_variable, NULL, d, file) ? last
                                                                                       : NULL;
}

/* Defines what the files of FOLDER and of those in it hold in M, but for folders of modules.
   Definitions first: files use each other. */
static void front_folder(struct front *f, struct module *m, const char *folder) {
    struct dirent **found;
    int n = scandir(folder, &found, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = found[i]->d_name, *why;
        size_t length = strlen(name), size;
        const char *path = arena_printf(f->arena, "%s/%s", folder, name);
        if (name[0] != '.' && length > 4 && strcmp(name + length - 4, ".dcl") == 0) {
            char *text = source_read_file(f->arena, path, &size, &why);
            struct ast *file = text ? parse_source(f->arena, f->names, &f->diags,
                                                   sources_add(f->sources, path, text, size))
                                    : NULL;
            for (uint32_t k = 0; file && k < file->nkids; k++)
                if (ast_is_definition(file->kids[k]))
                    module_define(m, file->kids[k]);
            if (file && m == f->prelude)
                VEC_PUSH(f->arena, f->files, file);
        } else if (name[0] != '.' && found[i]->d_type == DT_DIR && strcmp(name, "modules") != 0) {
            front_folder(f, m, path);
        }
        free(found[i]);
    }
    if (n >= 0)
        free(found);
}

/* The standard library lies in FOLDER. */
FUZZ struct front *front_new(struct arena *a, const char *folder) {
    struct front *f = ARENA_NEW(a, struct front);
    f->arena = a;
    f->names = names_new(a);
    f->sources = sources_new(a);
    f->prelude = module_new(a, f->names, "stdlib", NULL);
    diags_init(&f->diags, a, f->sources);
    front_folder(f, f->prelude, folder);
    struct check_builtins builtins = {front_is_builtin, f->names, NULL, NULL};
    for (uint32_t i = 0; i < f->files.n; i++)
        check_file(a, f->prelude, &builtins, front_no_variable, NULL, &f->diags, f->files.at[i]);
    return f;
}

/* A module of the library: what the files of FOLDER define. */
FUZZ struct module *front_module(struct front *f, const char *folder) {
    struct module *m = module_new(f->arena, f->names, folder, f->prelude);
    front_folder(f, m, folder);
    return m;
}

/* False after errors, which are in the unit's diags. */
FUZZ bool unit_read(struct front *f, struct arena *a, struct program *p, struct unit *u) {
    *u = (struct unit){.front = f, .arena = a, .program = p};
    diags_init(&u->diags, a, f->sources);
    u->module = module_new(a, f->names, "case", f->prelude);
    u->fn = front_read(f, a, u->module, &u->diags, "case.dcl", program_text(p, a));
    return u->fn != NULL;
}

/* Copies of the arguments' content. */
FUZZ void **unit_memory(struct unit *u) {
    const struct program *p = u->program;
    void **memory = ARENA_ARRAY(u->arena, void *, p->nargs + 1);
    for (int i = 0; i < p->nargs; i++) {
        size_t n = (size_t)argument_elements(p, &p->args[i]) * dtypes[p->args[i].dtype].bytes;
        memory[i] = arena_alloc(u->arena, n + 8);
        argument_fill(p, i, memory[i]);
    }
    return memory;
}

static struct value function_value(struct unit *u, struct ast *fn, const struct module *m) {
    struct function *f = ARENA_NEW(u->arena, struct function);
    *f = (struct function){fn, m, NULL};
    return (struct value){.kind = VAL_FN, .dtype = DT_NONE, .fn = f};
}

/* Runs FN of module M on MEMORY (inout arguments are written there); N results. CHECKED: what a
   checked run finds goes there; NULL: the run is not checked. */
FUZZ struct result *unit_run_ref(struct unit *u, struct ast *fn, const struct module *m,
                                 void **memory, struct diags *checked, uint32_t *n) {
    const struct program *p = u->program;
    struct sym_ctx *syms = sym_ctx_new(u->arena, u->front->names);
    struct map told = map_new(u->arena);
    struct ref_script script = {.told = checked ? &told : NULL};
    struct ref *r = ref_begin(u->arena, u->front->names, syms, checked ? checked : &u->diags,
                              u->front->prelude, 32, 16, &script);
    struct value args[PROGRAM_ARGS], out, callee = function_value(u, fn, m);
    struct name keywords[PROGRAM_ARGS] = {{0}};
    for (int i = 0; i < p->nargs; i++) {
        const struct argument *a = &p->args[i];
        int64_t dims[PROGRAM_RANK];
        argument_shape(p, a, dims);
        args[i] = a->integer ? value_int(a->value)
                             : ref_tensor(r, name_of_text(u->front->names, a->name), a->dtype,
                                          (uint32_t)a->rank, dims, memory[i], a->inout);
    }
    if (!eval_call(ref_eval(r), &callee, (uint32_t)p->nargs, args, keywords, fn->span, &out))
        return NULL;
    *n = fn_result_count(fn);
    struct result *results = ARENA_ARRAY(u->arena, struct result, *n);
    for (uint32_t k = 0; k < *n; k++) {
        struct result *x = &results[k];
        const struct value *v = *n == 1 ? &out : &out.list->at[k];
        x->bytes = ref_bytes(r, v, &x->dtype, &x->rank, x->dims);
        if (!x->bytes)
            return NULL;
        x->n = 1;
        for (uint32_t d = 0; d < x->rank; d++)
            x->n *= x->dims[d];
    }
    return results;
}

/* Bounds of the results and, behind them, of the inout arguments. */
struct bound {
    struct shade *at;
    int64_t n;
};

FUZZ bool unit_bounds(struct unit *u, void *const *memory, bool strict, struct bound *results,
                      struct bound *args) {
    const struct program *p = u->program;
    struct sym_ctx *syms = sym_ctx_new(u->arena, u->front->names);
    struct bounds *b =
        bounds_begin(u->arena, u->front->names, syms, &u->diags, u->front->prelude, strict);
    struct value values[PROGRAM_ARGS], out, callee = function_value(u, u->fn, u->module);
    struct name keywords[PROGRAM_ARGS] = {{0}};
    for (int i = 0; i < p->nargs; i++) {
        const struct argument *a = &p->args[i];
        int64_t dims[PROGRAM_RANK];
        argument_shape(p, a, dims);
        values[i] = a->integer ? value_int(a->value)
                               : bounds_tensor(b, name_of_text(u->front->names, a->name), a->dtype,
                                               (uint32_t)a->rank, dims, memory[i], a->inout);
    }
    struct value in[PROGRAM_ARGS];
    memcpy(in, values, sizeof in);
    if (!eval_call(&b->ev, &callee, (uint32_t)p->nargs, in, keywords, u->fn->span, &out))
        return false;
    uint32_t n = fn_result_count(u->fn);
    for (uint32_t k = 0; k < n; k++)
        results[k].at = bounds_result(b, n == 1 ? &out : &out.list->at[k], &results[k].n);
    for (int i = 0; i < p->nargs; i++)
        if (p->args[i].inout)
            args[i].at = bounds_result(b, &values[i], &args[i].n);
    return true;
}

/* The graph of the program, with its sizes as symbols or as numbers. NULL after errors. */
FUZZ struct graph *unit_lower(struct unit *u, bool symbolic) {
    const struct program *p = u->program;
    struct names *names = u->front->names;
    struct sym_ctx *syms = sym_ctx_new(u->arena, names);
    struct lower *l =
        lower_begin(u->arena, names, syms, &u->diags, u->front->prelude, u->fn->name, 32, 16, NULL);
    struct eval *ev = lower_eval(l);
    struct value sizes[PROGRAM_SIZES], args[PROGRAM_ARGS], out;
    struct name keywords[PROGRAM_ARGS] = {{0}};
    for (int i = 0; i < p->nsizes && symbolic; i++)
        sizes[i] = lower_dim(l, name_of_text(names, p->sizes[i].name));
    for (int i = 0; i < p->nargs; i++) {
        const struct argument *a = &p->args[i];
        struct name name = name_of_text(names, a->name);
        struct value dims[PROGRAM_RANK];
        for (int d = 0; d < a->rank; d++) {
            const struct arg_dim *x = &a->dims[d];
            dims[d] = value_int(program_dim(p, x));
            if (symbolic && x->size >= 0) {
                struct value mul = value_int(x->mul), add = value_int(x->add);
                dims[d] = int_op(ev, INT_MUL, &sizes[x->size], &mul);
                dims[d] = int_op(ev, INT_ADD, &dims[d], &add);
            }
        }
        if (a->integer)
            args[i] = lower_symbol(l, name);
        else if (!lower_tensor(l, name, a->dtype, (uint32_t)a->rank, dims, a->inout, &args[i]))
            return NULL;
    }
    struct value callee = function_value(u, u->fn, u->module);
    if (!eval_call(ev, &callee, (uint32_t)p->nargs, args, keywords, u->fn->span, &out))
        return NULL;
    uint32_t n = fn_result_count(u->fn);
    struct name *result_names = ARENA_ARRAY(u->arena, struct name, n);
    for (uint32_t k = 0; k < n; k++)
        result_names[k] = fn_result_name(u->fn, k);
    return lower_finish(l, n,
                        n == 1 ? &out
                        : n    ? out.list->at
                               : NULL,
                        result_names, lower_found(u->arena, u->fn));
}

#endif
