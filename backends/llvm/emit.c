/* The target machine: which processor, which passes, and the object file that comes out.
   Before: a module that verifies. After: a relocatable ELF object for the small code model,
   position independent, in arena memory.

   The passes are few on purpose: schedules have said how to unroll and vectorize, so what remains
   is to make values of stack slots, to fold, and to move what does not change out of loops. Before
   that, bodies of parallel maps that are equal become one function: networks repeat themselves. */
#include "backends/llvm/codegen.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <string.h>

static const char passes[] =
    "mergefunc,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(licm),early-cse<memssa>,instcombine<no-verify-fixpoint>)";

static pthread_once_t target_once = PTHREAD_ONCE_INIT;

static void target_start(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

struct emitter {
    bool gpu;
    LLVMTargetMachineRef machine;
    LLVMTargetDataRef data;
    char *triple;
    bool rounds, halves;
};

static bool has_feature(const char *features, const char *name) {
    size_t n = strlen(name);
    for (const char *at = features; (at = strstr(at, name)); at += n)
        if ((at == features || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}

void emitter_close(struct emitter *e) {
    if (e->data)
        LLVMDisposeTargetData(e->data);
    if (e->machine)
        LLVMDisposeTargetMachine(e->machine);
    e->data = NULL;
    e->machine = NULL;
}

static void close_later(void *e) {
    emitter_close(e);
}

struct emitter *emitter_new(struct arena *a, const struct target *t, unsigned sm, struct diags *d) {
    pthread_once(&target_once, target_start);
    struct emitter *e = ARENA_NEW(a, struct emitter);
    e->gpu = sm != 0;
    e->triple = arena_printf(a, e->gpu ? "nvptx64-nvidia-cuda" : "x86_64-unknown-linux-gnu");
    LLVMTargetRef target;
    char *why = NULL;
    if (LLVMGetTargetFromTriple(e->triple, &target, &why)) {
        diag_error(d, (struct span){0}, ERR_BACKEND, arena_printf(a, "LLVM: %s", why));
        LLVMDisposeMessage(why);
        return NULL;
    }
    bool host = !e->gpu && (strcmp(t->cpu, "host") == 0 || strcmp(t->cpu, "native") == 0);
    const char *name = e->gpu ? arena_printf(a, "sm_%u", sm) : t->cpu;
    char *cpu = host ? LLVMGetHostCPUName() : NULL;
    char *features = host ? LLVMGetHostCPUFeatures() : NULL;
    /* SSE4.1 has the rounding instructions; every processor with 32-byte vectors has them too. F16C
       converts f16; every one with FMA has it. */
    e->rounds = host ? has_feature(features, "+sse4.1") : e->gpu || t->vector_bytes >= 32;
    e->halves = host ? has_feature(features, "+f16c") : e->gpu || t->fma;
    e->machine = LLVMCreateTargetMachine(target, e->triple, host ? cpu : name, host ? features : "",
                                         LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    if (cpu)
        LLVMDisposeMessage(cpu);
    if (features)
        LLVMDisposeMessage(features);
    if (!e->machine) {
        diag_error(d, (struct span){0}, ERR_BACKEND,
                   arena_printf(a, "LLVM makes no code for the processor %s", name));
        return NULL;
    }
    e->data = LLVMCreateTargetDataLayout(e->machine);
    arena_on_free(a, close_later, e);
    return e;
}

void emitter_prepare(struct emitter *e, LLVMModuleRef m) {
    LLVMSetTarget(m, e->triple);
    LLVMSetModuleDataLayout(m, e->data);
}

bool emitter_rounds(const struct emitter *e) {
    return e->rounds;
}

bool emitter_halves(const struct emitter *e) {
    return e->halves;
}

static bool emit(struct emitter *e, struct arena *a, LLVMModuleRef m, LLVMCodeGenFileType type,
                 struct diags *d, const char **bytes, size_t *n) {
    char *why = NULL;
    LLVMMemoryBufferRef buffer = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(e->machine, m, type, &why, &buffer)) {
        diag_error(d, (struct span){0}, ERR_BACKEND, arena_printf(a, "LLVM: %s", why));
        LLVMDisposeMessage(why);
        return false;
    }
    *n = LLVMGetBufferSize(buffer);
    *bytes = arena_strndup(a, LLVMGetBufferStart(buffer), *n);
    LLVMDisposeMemoryBuffer(buffer);
    return true;
}

static bool verify(struct arena *a, LLVMModuleRef m, struct diags *d) {
    char *why = NULL;
    bool broken = LLVMVerifyModule(m, LLVMReturnStatusAction, &why);
    if (broken)
        diag_error(d, (struct span){0}, ERR_INTERNAL,
                   arena_printf(a, "the generated code is malformed: %s", why));
    LLVMDisposeMessage(why);
    return !broken;
}

static const char *module_text(struct arena *a, LLVMModuleRef m) {
    char *text = LLVMPrintModuleToString(m);
    char *copy = arena_strndup(a, text, strlen(text));
    LLVMDisposeMessage(text);
    return copy;
}

bool emitter_run(struct emitter *e, struct arena *a, LLVMModuleRef m, const struct llvm_options *o,
                 struct diags *d, struct llvm_code *out) {
    if (!verify(a, m, d))
        return false;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(m, passes, e->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (failed) {
        char *why = LLVMGetErrorMessage(failed);
        diag_error(d, (struct span){0}, ERR_BACKEND, arena_printf(a, "LLVM: %s", why));
        LLVMDisposeErrorMessage(why);
        return false;
    }
    if (o->keep_ir)
        out->ir = module_text(a, m);
    /* Emitting changes the module, so the assembly is made of a copy. */
    if (o->keep_asm) {
        LLVMModuleRef copy = LLVMCloneModule(m);
        size_t n;
        bool ok = emit(e, a, copy, LLVMAssemblyFile, d, &out->assembly, &n);
        LLVMDisposeModule(copy);
        if (!ok)
            return false;
    }
    if (e->gpu)
        return true;
    const char *object;
    if (!emit(e, a, m, LLVMObjectFile, d, &object, &out->n))
        return false;
    out->object = object;
    return true;
}
