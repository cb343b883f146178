/* Modules: where a name's definition is found. Lookup is lexical: the module itself, then what it
   uses (in the order of its `use`), then the prelude with what that uses. */
#include "lang/check/module.h"

struct module *module_new(struct arena *a, struct names *names, const char *path,
                          const struct module *prelude) {
    struct module *m = ARENA_NEW(a, struct module);
    m->arena = a;
    m->names = names;
    m->path = path;
    m->defs = map_new(a);
    m->prelude = prelude;
    return m;
}

void module_define(struct module *m, struct ast *def) {
    m->rewrites = m->rewrites || def->kind == AST_REWRITE;
    map_put(&m->defs, def->name.i, (uintptr_t)def);
}

void module_forget_gradient(struct module *m, struct name f) {
    struct name n = ast_grad_name(m->arena, m->names, f);
    if (map_get(&m->defs, n.i, &(uint64_t){0}))
        map_put(&m->defs, n.i, 0);
}

void module_enter(struct module *m, struct ast *file) {
    for (uint32_t i = file->nkids; i-- > 0;)
        if (ast_is_definition(file->kids[i]))
            module_define(m, file->kids[i]);
}

bool module_pass(struct module *m, struct ast *def) {
    bool again = module_find(m, def->name, NULL) != def;
    if (again)
        module_forget_gradient(m, def->name);
    module_define(m, def);
    return again;
}

static struct ast *own(const struct module *m, struct name n) {
    uint64_t def = 0;
    map_get(&m->defs, n.i, &def);
    return (struct ast *)(uintptr_t)def;
}

struct ast *module_find(const struct module *m, struct name n, const struct module **where) {
    for (; m; m = m->prelude) {
        const struct module *found = m;
        struct ast *def = own(m, n);
        for (uint32_t i = 0; !def && i < m->uses.n; i++) {
            found = m->uses.at[i];
            def = own(found, n);
        }
        if (def) {
            if (where)
                *where = found;
            return def;
        }
    }
    return NULL;
}

/* The definitions of FROM that M sees, which are those that nothing nearer hides. */
static void each_of(const struct module *m, const struct module *from,
                    void (*f)(void *, struct name, struct ast *), void *data) {
    for (uint32_t i = 0; i < from->defs.n; i++) {
        struct name n = {(uint32_t)from->defs.entries[i].key};
        const struct module *where = NULL;
        struct ast *def = module_find(m, n, &where);
        if (where == from && ast_is_spelled(m->names, n))
            f(data, n, def);
    }
}

void module_each(const struct module *m, void (*f)(void *, struct name, struct ast *), void *data) {
    for (const struct module *at = m; at; at = at->prelude) {
        each_of(m, at, f, data);
        for (uint32_t i = 0; i < at->uses.n; i++)
            each_of(m, at->uses.at[i], f, data);
    }
}
