/* Data movement: bytes per container, symbolically, against hand-made counts and enumeration. */
#include "compiler/analysis/movement.h"
#include "tests/unit/ir_build.h"

static const char *text(struct build *b, struct sym s) {
    struct buf out = buf_new(b->arena);
    sym_print(b->syms, s, &out);
    return out.at;
}

static void moves(struct build *b, const char *cont, const char *read, const char *write) {
    struct movement *all = graph_movement(b->arena, b->g);
    struct movement *m = &all[build_find(b, build_name(b, cont)).i];
    is_str(text(b, m->read_bytes), read, "%s: read from %s", name_text(b->names, b->g->name), cont);
    is_str(text(b, m->write_bytes), write, "%s: written to %s", name_text(b->names, b->g->name),
           cont);
}

static void total(struct build *b, const char *read, const char *write) {
    struct movement m = graph_movement_total(b->arena, b->g);
    is_str(text(b, m.read_bytes), read, "%s: read in all", name_text(b->names, b->g->name));
    is_str(text(b, m.write_bytes), write, "%s: written in all", name_text(b->names, b->g->name));
    arena_free(b->arena);
}

/* y = exp(x * 2): by way of a container, and in one map. */
static void fusion(void) {
    struct build b = build_new("unfused");
    build_param(&b, "x", DT_f32, "N, M");
    build_result(&b, "y", DT_f32, "N, M");
    build_decl(&b, "t", DT_f32, "N, M", STORE_NONE, NAN);
    build_map(&b, "i in 0:N, j in 0:M");
    build_read(&b, "v", "x[i, j]");
    build_write(&b, op2(&b, OP_MUL, val(&b, "v"), num(&b, 2)), "t[i, j]", RES_NONE);
    build_end(&b);
    build_map(&b, "i in 0:N, j in 0:M");
    build_read(&b, "v", "t[i, j]");
    build_write(&b, op1(&b, OP_EXP, val(&b, "v")), "y[i, j]", RES_NONE);
    build_end(&b);
    moves(&b, "x", "4*M*N", "0");
    moves(&b, "t", "4*M*N", "4*M*N");
    total(&b, "8*M*N", "8*M*N");
    b = build_new("fused");
    build_param(&b, "x", DT_f32, "N, M");
    build_result(&b, "y", DT_f32, "N, M");
    build_map(&b, "i in 0:N, j in 0:M");
    build_decl(&b, "t", DT_f32, "", STORE_NONE, NAN);
    build_read(&b, "v", "x[i, j]");
    build_write(&b, op2(&b, OP_MUL, val(&b, "v"), num(&b, 2)), "t", RES_NONE);
    build_read(&b, "u", "t");
    build_write(&b, op1(&b, OP_EXP, val(&b, "u")), "y[i, j]", RES_NONE);
    build_end(&b);
    moves(&b, "t", "0", "0");
    total(&b, "4*M*N", "4*M*N");
}

static void products(void) {
    struct build b = build_new("matmul");
    build_param(&b, "A", DT_f32, "M, K");
    build_param(&b, "B", DT_f32, "K, N");
    build_result(&b, "C", DT_f32, "M, N");
    build_map(&b, "i in 0:M, j in 0:N");
    build_write(&b, num(&b, 0), "C[i, j]", RES_NONE);
    build_end(&b);
    build_map(&b, "i in 0:M, j in 0:N, k in 0:K");
    build_read(&b, "a", "A[i, k]");
    build_read(&b, "b", "B[k, j]");
    build_write(&b, op2(&b, OP_MUL, val(&b, "a"), val(&b, "b")), "C[i, j]", RES_SUM);
    build_end(&b);
    moves(&b, "A", "4*K*M", "0");
    moves(&b, "B", "4*K*N", "0");
    moves(&b, "C", "4*M*N", "8*M*N");
    arena_free(b.arena);
    b = build_new("tiled");
    build_param(&b, "A", DT_f64, "96, K");
    build_result(&b, "C", DT_f64, "96, K");
    build_map(&b, "io in 0:96:6, k in 0:K");
    build_decl(&b, "acc", DT_f64, "6", STORE_REGISTER, 0);
    build_map(&b, "i in 0:6");
    build_read(&b, "a", "A[io + i, k]");
    build_write(&b, val_of(&b, DT_f64, "a"), "acc[i]", RES_SUM);
    build_read(&b, "s", "acc[i]");
    build_write(&b, val_of(&b, DT_f64, "s"), "C[io + i, k]", RES_NONE);
    build_end(&b);
    build_end(&b);
    moves(&b, "A", "768*K", "0");
    moves(&b, "C", "0", "768*K");
    moves(&b, "acc", "0", "0");
    arena_free(b.arena);
}

static void neighbours(void) {
    struct build b = build_new("stencil");
    build_param(&b, "x", DT_f32, "N");
    build_inout(&b, "y", DT_f32, "N");
    build_map(&b, "i in 1:N - 1");
    build_read(&b, "u", "x[i - 1]");
    build_read(&b, "v", "x[i]");
    build_read(&b, "w", "x[i + 1]");
    build_write(&b, val(&b, "u"), "y[i]", RES_NONE);
    build_end(&b);
    struct movement *all = graph_movement(b.arena, b.g);
    is_str(text(&b, all[1].read_bytes), "4*N", "stencil: the union is read once");
    arena_free(b.arena);
    b = build_new("padded");
    build_param(&b, "x", DT_f32, "64");
    build_inout(&b, "y", DT_f32, "64");
    build_map(&b, "i in 0:64, r in 0:3");
    build_read(&b, "u", "x[i + r - 1]")->read.from.outside = OUTSIDE_VALUE;
    build_write(&b, val(&b, "u"), "y[i]", RES_SUM);
    build_end(&b);
    moves(&b, "x", "256", "0");
    moves(&b, "y", "256", "256");
    arena_free(b.arena);
}

static void data(void) {
    struct build b = build_new("gather");
    build_param(&b, "idx", DT_i64, "B");
    build_param(&b, "table", DT_f32, "1000, D");
    build_result(&b, "y", DT_f32, "B, D");
    build_map(&b, "i in 0:B, d in 0:D");
    build_read(&b, "n", "idx[i]");
    build_read(&b, "v", "table[n, d]");
    build_write(&b, val(&b, "v"), "y[i, d]", RES_NONE);
    build_end(&b);
    moves(&b, "idx", "8*B", "0");
    moves(&b, "table", "4*min(B*D, 1000*D)", "0");
    moves(&b, "y", "0", "4*B*D");
    arena_free(b.arena);
}

static void loops(void) {
    struct build b = build_new("loop");
    build_param(&b, "x", DT_f32, "T, N");
    build_inout(&b, "y", DT_f32, "N");
    build_loop(&b, "t in 0:T");
    build_map(&b, "i in 0:N");
    build_read(&b, "v", "x[t, i]");
    build_write(&b, val(&b, "v"), "y[i]", RES_NONE);
    build_end(&b);
    build_end(&b);
    moves(&b, "x", "4*N*T", "0");
    moves(&b, "y", "0", "4*N*T");
    arena_free(b.arena);
    b = build_new("triangle");
    build_param(&b, "x", DT_f32, "100");
    build_inout(&b, "y", DT_f32, "100");
    build_loop(&b, "t in 0:100");
    build_map(&b, "i in 0:t");
    build_read(&b, "v", "x[i]");
    build_write(&b, val(&b, "v"), "y[i]", RES_NONE);
    build_end(&b);
    build_end(&b);
    moves(&b, "x", "19800", "0"); /* 4 * (0 + 1 + ... + 99) */
    arena_free(b.arena);
    b = build_new("branch");
    build_param(&b, "x", DT_f32, "100");
    build_inout(&b, "y", DT_f32, "100");
    build_integer(&b, "pos");
    struct node *n = build_branch(&b, op2(&b, OP_LT, integer(&b, "pos"), integer(&b, "3")));
    build_map(&b, "i in 0:10");
    build_read(&b, "v", "x[i]");
    build_write(&b, val(&b, "v"), "y[i]", RES_NONE);
    build_end(&b);
    build_else(&b, n);
    build_map(&b, "i in 0:20");
    build_write(&b, num(&b, 0), "y[i]", RES_NONE);
    build_end(&b);
    build_end(&b);
    moves(&b, "x", "40", "0");
    moves(&b, "y", "0", "80");
    arena_free(b.arena);
}

/* A tile that may lie in memory moves with each iteration around it. */
static void local(void) {
    struct build b = build_new("local");
    build_param(&b, "x", DT_f32, "64, N");
    build_inout(&b, "y", DT_f32, "64, N");
    build_map(&b, "io in 0:64:16");
    build_decl(&b, "t", DT_f32, "16, N", STORE_HEAP, 0);
    build_map(&b, "i in 0:16, j in 0:N");
    build_read(&b, "v", "x[io + i, j]");
    build_write(&b, val(&b, "v"), "t[i, j]", RES_SUM);
    build_end(&b);
    build_end(&b);
    moves(&b, "t", "256*N", "512*N");
    moves(&b, "x", "256*N", "0");
    arena_free(b.arena);
}

/* Random affine reads of one container: never less than what is touched, and exact for one memlet
   whose subscripts have one index each. */
static void enumerated(void) {
    uint64_t seed = 7;
    uint32_t less = 0, inexact = 0, exact = 0;
    for (int n = 0; n < 300; n++) {
        int64_t k[8];
        for (int i = 0; i < 8; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            k[i] = (int64_t)(seed >> 40) % 5;
        }
        struct build b = build_new("random");
        build_param(&b, "x", DT_f32, "40, 40");
        build_inout(&b, "y", DT_f32, "40, 40");
        build_map(&b, arena_printf(b.arena, "i in 0:%lld, j in %lld:%lld", (long long)k[0] + 1,
                                   (long long)k[1], (long long)(k[1] + k[2] + 1)));
        build_read(&b, "v",
                   arena_printf(b.arena, "x[%lld*i + %lld, %lld*j + %lld]", (long long)k[3],
                                (long long)k[4], (long long)k[5], (long long)k[6]));
        bool second = k[7] == 0;
        if (second)
            build_read(&b, "u", "x[i + j, j]");
        build_write(&b, val(&b, "v"), "y[i, j]", RES_NONE);
        static bool seen[40][40];
        memset(seen, 0, sizeof seen);
        int64_t count = 0, bytes = -1;
        for (int64_t i = 0; i <= k[0]; i++)
            for (int64_t j = k[1]; j <= k[1] + k[2]; j++) {
                bool *at = &seen[k[3] * i + k[4]][k[5] * j + k[6]];
                count += !*at;
                *at = true;
                if (second) {
                    count += !seen[i + j][j];
                    seen[i + j][j] = true;
                }
            }
        sym_is_const(b.syms, graph_movement(b.arena, b.g)[1].read_bytes, &bytes);
        less += bytes < 4 * count;
        inexact += !second && bytes != 4 * count;
        exact += bytes == 4 * count;
        arena_free(b.arena);
    }
    is_int(less, 0, "never less than what is touched");
    is_int(inexact, 0, "exact where each subscript has one index");
    diag("%u of 300 are exact", exact);
}

int main(void) {
    fusion();
    products();
    neighbours();
    data();
    loops();
    local();
    enumerated();
    return done_testing();
}
