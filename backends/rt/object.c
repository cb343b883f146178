/* Loads a relocatable ELF object for x86-64 into executable memory, without a linker.
   Three steps: read (check every header and bound of the file), place (lay out sections, stubs and
   the table of far addresses in one mapping), relocate; then the code becomes executable and
   read-only. The file is data from outside: an offset, index, count or name is checked before it
   is used, and the memory and time that loading takes are bounded by the file's size (plus
   BSS_MAX). What the code does once it is called is out of our hands.

   Note [far symbols]
   A call has 32 bits for the distance to its target, and libc may lie further away. Each undefined
   symbol that is called gets a stub in the image ("jmp *slot(%rip)"), used only when the target is
   too far; slots, which also serve GOTPCREL, hold 64-bit addresses. Data at a far address cannot
   be reached by a plain PC32: such an object is refused (it should use -fPIC). */
#include "backends/rt/rt.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Newer than some elf.h. */
#ifndef R_X86_64_REX_GOTPCRELX
#define R_X86_64_GOTPCRELX 41
#define R_X86_64_REX_GOTPCRELX 42
#endif
#ifndef SHF_X86_64_LARGE
#define SHF_X86_64_LARGE 0x10000000
#endif

enum { PAGE = 4096, STUB = 8, SLOT = 8, BSS_MAX = 256 << 20 };

/* Parts of the image, each on pages of its own. */
enum part { PART_CODE, PART_CONST, PART_DATA, PART_COUNT, PART_NONE = PART_COUNT };

struct section {
    Elf64_Shdr h;
    enum part part;  /* PART_NONE: not loaded */
    uint64_t offset; /* in the image */
};

struct symbol {
    Elf64_Sym s;
    uint64_t value;      /* address, once KNOWN */
    uint32_t slot, stub; /* 1 + index; 0 is none */
    bool known;
};

struct rt_object {
    char *image;
    uint64_t size;
    char *names; /* the file's string table; ends in NUL */
    uint32_t nexports;
    struct export {
        uint64_t name; /* in names */
        void *address;
    }
    *exports;
};

struct loader {
    const unsigned char *bytes;
    uint64_t n;
    const struct rt_symbol *given;
    size_t ngiven;
    const char *why;

    struct section *sections;
    uint32_t nsections;
    struct symbol *symbols;
    uint64_t nsymbols;
    uint32_t symtab; /* its section; 0: none */
    const char *names;
    uint64_t nnames;

    uint32_t nslots, nstubs;
    bool low; /* addresses must fit in 31 bits */
    char *image;
    uint64_t size, ends[PART_COUNT]; /* of the parts; each starts where the one before ends */
    uint64_t slots_at, stubs_at;
};

/* The text of the last error that has a name or number in it. Per thread, so that *WHY needs no
   owner. */
static _Thread_local char reason[160];

static bool refuse(struct loader *l, const char *why) {
    l->why = why;
    return false;
}

__attribute__((format(printf, 2, 3))) static bool refuse_with(struct loader *l, const char *format,
                                                              ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    l->why = reason;
    return false;
}

static bool within(uint64_t offset, uint64_t size, uint64_t n) {
    return offset <= n && size <= n - offset;
}

static uint64_t round_up(uint64_t v, uint64_t align) {
    return (v + align - 1) & ~(align - 1);
}

/* --- reading -------------------------------------------------------------------------------- */

static bool read_header(struct loader *l, Elf64_Ehdr *e) {
    if (l->n < sizeof *e)
        return refuse(l, "shorter than an ELF header");
    memcpy(e, l->bytes, sizeof *e);
    if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0)
        return refuse(l, "not an ELF file");
    if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_ident[EI_DATA] != ELFDATA2LSB ||
        e->e_machine != EM_X86_64)
        return refuse(l, "not for x86-64");
    if (e->e_type != ET_REL)
        return refuse(l, "not a relocatable object");
    if (e->e_shentsize != sizeof(Elf64_Shdr) || e->e_shnum == 0 || e->e_shnum >= SHN_LORESERVE)
        return refuse(l, "malformed table of sections");
    if (!within(e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr), l->n))
        return refuse(l, "the table of sections leaves the file");
    return true;
}

/* The file's sum of contents is bounded by its size: many headers over the same bytes would take
   memory and time out of proportion. */
struct budget {
    uint64_t file, bss;
};

static bool spend(uint64_t *budget, uint64_t amount) {
    if (amount > *budget)
        return false;
    *budget -= amount;
    return true;
}

/* Unwind tables, notes and the like are of no use here. */
static bool is_skipped(const Elf64_Shdr *h, const char *name) {
    return !(h->sh_flags & SHF_ALLOC) || h->sh_type == SHT_NOTE ||
           h->sh_type == SHT_X86_64_UNWIND || strcmp(name, ".eh_frame") == 0;
}

static bool classify(struct loader *l, struct section *s, const char *name, struct budget *left) {
    const Elf64_Shdr *h = &s->h;
    s->part = PART_NONE;
    if (h->sh_type == SHT_RELA && !spend(&left->file, h->sh_size))
        return refuse(l, "sections overlap");
    if (is_skipped(h, name))
        return true;
    const uint64_t handled = SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS |
                             SHF_INFO_LINK | SHF_GROUP | SHF_X86_64_LARGE;
    if (h->sh_flags & ~handled || (h->sh_type != SHT_PROGBITS && h->sh_type != SHT_NOBITS))
        return refuse_with(l, "section %.64s: type %u with flags %#llx is not supported", name,
                           h->sh_type, (unsigned long long)h->sh_flags);
    if (h->sh_flags & SHF_WRITE && h->sh_flags & SHF_EXECINSTR)
        return refuse_with(l, "section %.64s is writable code", name);
    if (h->sh_addralign > PAGE || (h->sh_addralign & (h->sh_addralign - 1)))
        return refuse_with(l, "section %.64s: alignment %llu", name,
                           (unsigned long long)h->sh_addralign);
    if (!spend(h->sh_type == SHT_NOBITS ? &left->bss : &left->file, h->sh_size))
        return refuse_with(l, "section %.64s is too large", name);
    s->part = h->sh_flags & SHF_EXECINSTR ? PART_CODE
              : h->sh_flags & SHF_WRITE   ? PART_DATA
                                          : PART_CONST;
    return true;
}

/* A name in the N bytes of a string table, NULL if it leaves them. */
static const char *string_at(const char *strings, uint64_t n, uint64_t at) {
    return at < n ? strings + at : NULL;
}

/* The contents of string table SECTION, which end in NUL. */
static bool strings_of(struct loader *l, uint32_t section, const char **strings, uint64_t *n) {
    if (section >= l->nsections || l->sections[section].h.sh_type != SHT_STRTAB)
        return refuse(l, "malformed string table");
    const Elf64_Shdr *h = &l->sections[section].h;
    *strings = (const char *)l->bytes + h->sh_offset;
    *n = h->sh_size;
    if (*n == 0 || (*strings)[*n - 1] != '\0')
        return refuse(l, "malformed string table");
    return true;
}

static bool read_sections(struct loader *l) {
    Elf64_Ehdr e;
    if (!read_header(l, &e))
        return false;
    l->nsections = e.e_shnum;
    l->sections = calloc(l->nsections, sizeof *l->sections);
    if (!l->sections)
        return refuse(l, "not enough memory");
    for (uint32_t i = 0; i < l->nsections; i++) {
        Elf64_Shdr *h = &l->sections[i].h;
        memcpy(h, l->bytes + e.e_shoff + i * sizeof *h, sizeof *h);
        if (h->sh_type != SHT_NOBITS && h->sh_type != SHT_NULL &&
            !within(h->sh_offset, h->sh_size, l->n))
            return refuse(l, "a section leaves the file");
    }
    const char *names = NULL;
    uint64_t nnames = 0;
    if (!strings_of(l, e.e_shstrndx, &names, &nnames))
        return false;
    struct budget left = {.file = l->n, .bss = BSS_MAX};
    for (uint32_t i = 0; i < l->nsections; i++) {
        struct section *s = &l->sections[i];
        const char *name = string_at(names, nnames, s->h.sh_name);
        if (!name)
            return refuse(l, "malformed section name");
        if (!classify(l, s, name, &left))
            return false;
        if (s->h.sh_type == SHT_SYMTAB) {
            if (l->symtab)
                return refuse(l, "two symbol tables");
            l->symtab = i;
        }
    }
    return true;
}

static bool read_symbols(struct loader *l) {
    if (!l->symtab)
        return true;
    const Elf64_Shdr *h = &l->sections[l->symtab].h;
    if (h->sh_entsize != sizeof(Elf64_Sym) || h->sh_size % sizeof(Elf64_Sym))
        return refuse(l, "malformed symbol table");
    if (!strings_of(l, h->sh_link, &l->names, &l->nnames))
        return false;
    l->nsymbols = h->sh_size / sizeof(Elf64_Sym);
    l->symbols = calloc(l->nsymbols + 1, sizeof *l->symbols);
    if (!l->symbols)
        return refuse(l, "not enough memory");
    for (uint64_t i = 0; i < l->nsymbols; i++) {
        Elf64_Sym *s = &l->symbols[i].s;
        memcpy(s, l->bytes + h->sh_offset + i * sizeof *s, sizeof *s);
        if (!string_at(l->names, l->nnames, s->st_name))
            return refuse(l, "malformed symbol name");
    }
    return true;
}

/* --- relocations ---------------------------------------------------------------------------- */

typedef bool visit(struct loader *l, struct section *target, const Elf64_Rela *r,
                   struct symbol *symbol);

/* VISITs each relocation of a loaded section, after checking what it points at. */
static bool each_relocation(struct loader *l, visit *f) {
    for (uint32_t i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *h = &l->sections[i].h;
        if (h->sh_type != SHT_RELA && h->sh_type != SHT_REL)
            continue;
        if (h->sh_info >= l->nsections)
            return refuse(l, "relocations of a section that is not there");
        struct section *target = &l->sections[h->sh_info];
        if (target->part == PART_NONE)
            continue;
        if (h->sh_type == SHT_REL || h->sh_entsize != sizeof(Elf64_Rela) ||
            h->sh_size % sizeof(Elf64_Rela) || !l->symtab || h->sh_link != l->symtab ||
            target->h.sh_type == SHT_NOBITS)
            return refuse(l, "malformed relocations");
        for (uint64_t at = 0; at < h->sh_size; at += sizeof(Elf64_Rela)) {
            Elf64_Rela r;
            memcpy(&r, l->bytes + h->sh_offset + at, sizeof r);
            uint64_t symbol = ELF64_R_SYM(r.r_info);
            if (symbol >= l->nsymbols)
                return refuse(l, "a relocation names a symbol that is not there");
            if (ELF64_R_TYPE(r.r_info) != R_X86_64_NONE && !f(l, target, &r, &l->symbols[symbol]))
                return false;
        }
    }
    return true;
}

static bool is_undefined(const struct symbol *s) {
    return s->s.st_shndx == SHN_UNDEF;
}

/* First visit: which slots and stubs are needed. */
static bool count_needs(struct loader *l, struct section *target, const Elf64_Rela *r,
                        struct symbol *s) {
    (void)target;
    bool slot = false;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_32:
    case R_X86_64_32S: l->low = true; break;
    case R_X86_64_PLT32:
        slot = is_undefined(s);
        if (slot && !s->stub)
            s->stub = ++l->nstubs;
        break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: slot = true; break;
    default: break;
    }
    if (slot && !s->slot)
        s->slot = ++l->nslots;
    return true;
}

static void *address_of(const struct loader *l, const char *name) {
    for (size_t i = 0; i < l->ngiven; i++)
        if (strcmp(l->given[i].name, name) == 0)
            return l->given[i].address;
    if (strcmp(name, "memcpy") == 0)
        return (void *)(uintptr_t)memcpy;
    if (strcmp(name, "memmove") == 0)
        return (void *)(uintptr_t)memmove;
    if (strcmp(name, "memset") == 0)
        return (void *)(uintptr_t)memset;
    return NULL;
}

/* The address of a symbol that lies in a loaded section; false without a reason otherwise. */
static bool defined_at(const struct loader *l, const Elf64_Sym *s, uint64_t *value) {
    if (s->st_shndx == SHN_UNDEF || s->st_shndx >= l->nsections)
        return false;
    const struct section *in = &l->sections[s->st_shndx];
    if (in->part == PART_NONE || s->st_value > in->h.sh_size)
        return false;
    *value = (uint64_t)(uintptr_t)l->image + in->offset + s->st_value;
    return true;
}

static bool resolve(struct loader *l, struct symbol *s) {
    if (s->known)
        return true;
    const char *name = l->names + s->s.st_name;
    if (s->s.st_shndx == SHN_ABS) {
        s->value = s->s.st_value;
    } else if (is_undefined(s)) {
        void *p = s->s.st_name ? address_of(l, name) : NULL;
        if (!p)
            return refuse_with(l, "undefined symbol %.100s", name);
        s->value = (uint64_t)(uintptr_t)p;
    } else if (!defined_at(l, &s->s, &s->value)) {
        return refuse_with(l, "symbol %.100s has no place in the object", name);
    }
    s->known = true;
    return true;
}

/* The address of slot K (from 1), which now holds VALUE. */
static uint64_t fill_slot(struct loader *l, uint32_t k, uint64_t value) {
    char *at = l->image + l->slots_at + (uint64_t)(k - 1) * SLOT;
    memcpy(at, &value, sizeof value);
    return (uint64_t)(uintptr_t)at;
}

/* The address of the symbol's stub, which now jumps through its slot. */
static uint64_t fill_stub(struct loader *l, const struct symbol *s) {
    char *at = l->image + l->stubs_at + (uint64_t)(s->stub - 1) * STUB;
    uint64_t slot = fill_slot(l, s->slot, s->value);
    int32_t distance = (int32_t)(int64_t)(slot - ((uint64_t)(uintptr_t)at + 6));
    const unsigned char code[STUB] = {0xff, 0x25, 0, 0, 0, 0, 0x66, 0x90}; /* jmp; 2-byte nop */
    memcpy(at, code, sizeof code);
    memcpy(at + 2, &distance, sizeof distance);
    return (uint64_t)(uintptr_t)at;
}

static bool fits_signed(uint64_t v) {
    return (int64_t)v == (int32_t)(uint32_t)v;
}

/* Bytes that a relocation changes; 0: not supported. */
static uint64_t width_of(uint32_t type) {
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64: return 8;
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: return 4;
    default: return 0;
    }
}

/* Second visit: writes the value. All arithmetic is modulo 2^64, as ELF has it. */
static bool relocate(struct loader *l, struct section *target, const Elf64_Rela *r,
                     struct symbol *s) {
    uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
    uint64_t width = width_of(type);
    if (width == 0)
        return refuse_with(l, "relocation type %u is not supported", type);
    if (!within(r->r_offset, width, target->h.sh_size))
        return refuse(l, "a relocation leaves its section");
    if (!resolve(l, s))
        return false;
    char *at = l->image + target->offset + r->r_offset;
    uint64_t addend = (uint64_t)r->r_addend, place = (uint64_t)(uintptr_t)at;
    uint64_t v = s->value + addend;
    bool fits = true;
    switch (type) {
    case R_X86_64_PC64: v -= place; break;
    case R_X86_64_32: fits = v <= UINT32_MAX; break;
    case R_X86_64_32S: fits = fits_signed(v); break;
    case R_X86_64_PC32: fits = fits_signed(v -= place); break;
    case R_X86_64_PLT32:
        if (s->stub && !fits_signed(v - place))
            v = fill_stub(l, s) + addend;
        fits = fits_signed(v -= place);
        break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        v = fill_slot(l, s->slot, s->value) + addend - place;
        fits = fits_signed(v);
        break;
    default: break; /* R_X86_64_64 */
    }
    if (!fits)
        return refuse_with(l, "%.100s is out of reach of a 32-bit relocation",
                           l->names + s->s.st_name);
    memcpy(at, &v, width); /* little-endian: the low bytes */
    return true;
}

/* --- placing -------------------------------------------------------------------------------- */

/* Gives each loaded section its offset. Sizes were bounded in classify, so sums cannot wrap. */
static void lay_out(struct loader *l) {
    uint64_t at = 0;
    for (enum part p = 0; p < PART_COUNT; p++) {
        for (uint32_t i = 0; i < l->nsections; i++) {
            struct section *s = &l->sections[i];
            if (s->part != p)
                continue;
            s->offset = round_up(at, s->h.sh_addralign ? s->h.sh_addralign : 1);
            at = s->offset + s->h.sh_size;
        }
        if (p == PART_CODE) {
            l->stubs_at = round_up(at, STUB);
            at = l->stubs_at + (uint64_t)l->nstubs * STUB;
        } else if (p == PART_CONST) {
            l->slots_at = round_up(at, SLOT);
            at = l->slots_at + (uint64_t)l->nslots * SLOT;
        }
        l->ends[p] = at = round_up(at, PAGE);
    }
    l->size = at;
}

static bool place(struct loader *l) {
    lay_out(l);
    if (l->size == 0)
        return refuse(l, "nothing to load");
    if (l->size > INT32_MAX)
        return refuse(l, "larger than 2 GiB");
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (l->low ? MAP_32BIT : 0);
    void *p = mmap(NULL, l->size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED)
        return refuse(l, "not enough memory");
    l->image = p;
    for (uint32_t i = 0; i < l->nsections; i++) {
        const struct section *s = &l->sections[i];
        if (s->part != PART_NONE && s->h.sh_type == SHT_PROGBITS)
            memcpy(l->image + s->offset, l->bytes + s->h.sh_offset, s->h.sh_size);
    }
    return true;
}

static bool protect(struct loader *l) {
    const int access[PART_COUNT] = {[PART_CODE] = PROT_READ | PROT_EXEC,
                                    [PART_CONST] = PROT_READ,
                                    [PART_DATA] = PROT_READ | PROT_WRITE};
    uint64_t begin = 0;
    for (enum part p = 0; p < PART_COUNT; begin = l->ends[p++])
        if (l->ends[p] > begin && mprotect(l->image + begin, l->ends[p] - begin, access[p]))
            return refuse(l, "the system does not allow executable memory");
    return true;
}

/* --- the object ----------------------------------------------------------------------------- */

static bool is_exported(const struct loader *l, const Elf64_Sym *s, uint64_t *value) {
    unsigned bind = ELF64_ST_BIND(s->st_info);
    return (bind == STB_GLOBAL || bind == STB_WEAK) && s->st_name && defined_at(l, s, value);
}

static struct rt_object *export_symbols(struct loader *l) {
    uint64_t count = 0, value = 0;
    for (uint64_t i = 0; i < l->nsymbols; i++)
        count += is_exported(l, &l->symbols[i].s, &value);
    struct rt_object *o = calloc(1, sizeof *o);
    struct export *exports = calloc(count + 1, sizeof *exports);
    char *names = malloc(l->nnames + 1);
    if (!o || !exports || !names) {
        free(o);
        free(exports);
        free(names);
        refuse(l, "not enough memory");
        return NULL;
    }
    if (l->nnames)
        memcpy(names, l->names, l->nnames);
    *o = (struct rt_object){.image = l->image, .size = l->size, .names = names, .exports = exports};
    for (uint64_t i = 0; i < l->nsymbols; i++) {
        const Elf64_Sym *s = &l->symbols[i].s;
        if (is_exported(l, s, &value))
            exports[o->nexports++] = (struct export){s->st_name, (void *)(uintptr_t)value};
    }
    return o;
}

struct rt_object *rt_object_load(const void *bytes, size_t n, const struct rt_symbol *symbols,
                                 size_t nsymbols, const char **why) {
    struct loader l = {.bytes = bytes, .n = n, .given = symbols, .ngiven = nsymbols};
    struct rt_object *o = NULL;
    if (read_sections(&l) && read_symbols(&l) && each_relocation(&l, count_needs) && place(&l) &&
        each_relocation(&l, relocate) && protect(&l))
        o = export_symbols(&l);
    if (!o && l.image)
        munmap(l.image, l.size);
    free(l.sections);
    free(l.symbols);
    if (!o && why)
        *why = l.why;
    return o;
}

void *rt_object_symbol(const struct rt_object *o, const char *name) {
    for (uint32_t i = 0; i < o->nexports; i++)
        if (strcmp(o->names + o->exports[i].name, name) == 0)
            return o->exports[i].address;
    return NULL;
}

void rt_object_free(struct rt_object *o) {
    if (!o)
        return;
    munmap(o->image, o->size);
    free(o->names);
    free(o->exports);
    free(o);
}
