/* graph_verify: graphs that are whole pass; each way to break an invariant of IR.md is told under
   its number. */
#include "tests/unit/ir_build.h"

static struct region *body_of(struct build *b, uint32_t node) {
    return &b->g->body.nodes.at[node]->map.body;
}

static struct node *node_at(struct build *b, uint32_t node, uint32_t inner) {
    return body_of(b, node)->nodes.at[inner];
}

static struct container *cont_at(struct build *b, uint32_t i) {
    return &b->g->conts.at[i];
}

/* A map over i in 0:N with what BREAKS needs: x and idx read-only, y written. */
static struct build plain(void) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N, M");
    build_param(&b, "idx", DT_i64, "N");
    build_integer(&b, "pos");
    build_result(&b, "y", DT_f32, "N");
    build_map(&b, "i in 0:N");
    build_read(&b, "v", "x[i, 0]");
    build_read(&b, "n", "idx[i]");
    build_write(&b, op1(&b, OP_EXP, val(&b, "v")), "y[i]", RES_NONE);
    return b;
}

/* --- one function per break ------------------------------------------------------------------- */

static void same_id(struct build *b) {
    node_at(b, 0, 1)->id = node_at(b, 0, 0)->id;
}
static void id_too_large(struct build *b) {
    node_at(b, 0, 1)->id = b->g->nodes;
}
static void no_node(struct build *b) {
    body_of(b, 0)->nodes.at[1] = NULL;
}
static void node_twice(struct build *b) {
    region_add(b->g, &b->g->body, b->g->body.nodes.at[0]);
}
static void no_expression(struct build *b) {
    node_at(b, 0, 2)->write.value = NULL;
}
static void no_subscript(struct build *b) {
    node_at(b, 0, 0)->read.from.at[0] = (struct sym){0};
}
static void no_step(struct build *b) {
    b->g->body.nodes.at[0]->map.index[0].step = (struct sym){0};
}
static void no_kind(struct build *b) {
    node_at(b, 0, 0)->kind = NODE_COUNT;
}
static void no_type(struct build *b) {
    cont_at(b, 3)->dtype = DT_NONE;
}
static void no_dimension(struct build *b) {
    cont_at(b, 1)->dims[1] = (struct sym){0};
}
static void no_such_container(struct build *b) {
    node_at(b, 0, 0)->read.from.cont.i = 99;
}
static void container_zero(struct build *b) {
    node_at(b, 0, 2)->write.to.cont.i = 0;
}
static void no_such_result(struct build *b) {
    b->g->results.at[0].i = 50;
}
static void no_such_declaration(struct build *b) {
    build_node(b, NODE_DECL)->decl.cont.i = 77;
}
static void result_twice(struct build *b) {
    VEC_PUSH(b->arena, b->g->results, b->g->results.at[0]);
}
static void parameter_as_result(struct build *b) {
    b->g->results.at[0].i = 1;
}
static void transient_as_parameter(struct build *b) {
    cont_at(b, 1)->role = ROLE_TRANSIENT;
}
static void declared_argument(struct build *b) {
    build_node(b, NODE_DECL)->decl.cont.i = 1;
}
static void declared_twice(struct build *b) {
    struct cont c = build_decl(b, "t", DT_f32, "4", STORE_NONE, 0)->decl.cont;
    build_node(b, NODE_DECL)->decl.cont = c;
}
static void lost_result(struct build *b) {
    b->g->results.n = 0;
}
static void name_of_a_function(struct build *b) {
    build_let(b, "exp", num(b, 1));
}
static void name_of_a_type(struct build *b) {
    build_decl(b, "f32", DT_f32, "", STORE_NONE, 0);
}
static void keyword_name(struct build *b) {
    build_loop(b, "where in 0:N");
}
static void dotted_name(struct build *b) {
    cont_at(b, 1)->name = build_name(b, "net.W");
}
static void digit_name(struct build *b) {
    build_let(b, "2x", num(b, 1));
}
static void no_name(struct build *b) {
    build_let(b, "", num(b, 1));
}
static void value_hides_value(struct build *b) {
    build_let(b, "v", num(b, 1));
}
static void value_hides_index(struct build *b) {
    build_let(b, "i", num(b, 1));
}
static void index_hides_index(struct build *b) {
    build_map(b, "i in 0:N");
}
static void index_hides_symbol(struct build *b) {
    build_map(b, "N in 0:3");
}
static void value_hides_container(struct build *b) {
    build_let(b, "y", num(b, 1));
}
static void container_twice(struct build *b) {
    build_decl(b, "x", DT_f32, "3", STORE_NONE, 0);
}
static void container_and_symbol(struct build *b) {
    cont_at(b, 1)->name = build_name(b, "M");
}
static void container_and_value(struct build *b) { /* in scopes side by side */
    build_end(b);
    build_decl(b, "v", DT_f32, "3", STORE_NONE, 0);
}
static void value_out_of_scope(struct build *b) {
    build_end(b);
    build_let(b, "e", val(b, "v"));
}
static void unknown_atom(struct build *b) {
    build_read(b, "u", "x[q, 0]");
}
static void float_atom(struct build *b) {
    build_read(b, "u", "x[v, 0]");
}
static void container_atom(struct build *b) {
    build_read(b, "u", "x[y, 0]");
}
static void index_to_the_right(struct build *b) {
    build_map(b, "a in 0:b, b in 0:3");
}
static void own_bound(struct build *b) {
    build_map(b, "a in 0:a");
}
static void index_after_its_map(struct build *b) {
    build_end(b);
    build_read(b, "u", "idx[i]");
}
static void index_as_value(struct build *b) {
    build_let(b, "e", val_of(b, DT_i64, "i"));
}
static void unbound_dimension(struct build *b) {
    cont_at(b, 3)->dims[0] = sym(b, "Q");
}
static void dimension_in_a_sum_only(struct build *b) {
    cont_at(b, 1)->dims[1] = sym(b, "Q + 1");
}
static void condition_on_a_container(struct build *b) {
    build_condition(b, op2(b, OP_LT, integer(b, "x"), integer(b, "N")));
}
static void condition_on_a_value(struct build *b) {
    build_condition(b, val_of(b, DT_bool, "v"));
}
static void used_before_declared(struct build *b) {
    struct memlet m;
    build_decl(b, "t", DT_f32, "4", STORE_NONE, 0);
    m = build_memlet(b, "t[0]");
    struct region *r = b->at[b->depth];
    build_read(b, "u", "x[0, 0]")->read.from = m;
    struct node *read = r->nodes.at[r->nodes.n - 1];
    r->nodes.at[r->nodes.n - 1] = r->nodes.at[r->nodes.n - 2];
    r->nodes.at[r->nodes.n - 2] = read;
}
static void used_after_its_region(struct build *b) {
    build_decl(b, "t", DT_f32, "4", STORE_NONE, 0);
    build_end(b);
    build_read(b, "u", "t[0]");
}
static void used_in_the_other_branch(struct build *b) {
    struct node *n = build_branch(b, op2(b, OP_LT, val(b, "v"), num(b, 0)));
    build_decl(b, "t", DT_f32, "4", STORE_NONE, 0);
    build_else(b, n);
    build_read(b, "u", "t[0]");
}
static void rank_too_small(struct build *b) {
    node_at(b, 0, 0)->read.from.rank = 1;
}
static void rank_too_large(struct build *b) {
    build_write(b, num(b, 1), "y[i, i]", RES_NONE);
}
static void mixed_types(struct build *b) {
    struct expr *e = (struct expr *)op2(b, OP_ADD, val(b, "v"), val(b, "v"));
    e->args[1] = val_of(b, DT_i64, "n");
    build_let(b, "e", e);
}
static void exp_of_an_integer(struct build *b) {
    build_let(b, "e", op1(b, OP_EXP, val_of(b, DT_i64, "n")));
}
static void and_of_numbers(struct build *b) {
    build_let(b, "e", op2(b, OP_AND, val(b, "v"), val(b, "v")));
}
static void select_by_a_number(struct build *b) {
    build_let(b, "e", expr_op(b->g, OP_SELECT, val(b, "v"), val(b, "v"), val(b, "v")));
}
static void wrong_result_type(struct build *b) {
    struct expr *e = (struct expr *)op2(b, OP_LT, val(b, "v"), num(b, 0));
    e->dtype = DT_f32;
    build_let(b, "e", e);
}
static void value_of_another_type(struct build *b) {
    build_let(b, "e", val_of(b, DT_f64, "v"));
}
static void written_as_another_type(struct build *b) {
    build_write(b, val_of(b, DT_i64, "n"), "y[i]", RES_NONE);
}
static void branch_on_a_number(struct build *b) {
    build_branch(b, val(b, "v"));
}
static void while_on_a_number(struct build *b) {
    build_decl(b, "go", DT_i32, "", STORE_NONE, 1);
    build_while(b, "go");
}
static void while_on_a_tensor(struct build *b) {
    build_decl(b, "go", DT_bool, "4", STORE_NONE, 1);
    build_while(b, "go[0]");
}
static void number_as_condition(struct build *b) {
    build_condition(b, integer(b, "N"));
}
static void constants_not_folded(struct build *b) {
    struct expr *e = (struct expr *)op2(b, OP_ADD, val(b, "v"), num(b, 1));
    e->args[0] = num(b, 2);
    build_let(b, "e", e);
}
static void cast_of_a_constant(struct build *b) {
    struct expr *e = (struct expr *)expr_cast(b->g, DT_f64, val(b, "v"));
    e->args[0] = num(b, 2);
    build_let(b, "e", e);
}
static void cast_to_the_same(struct build *b) {
    struct expr *e = (struct expr *)expr_cast(b->g, DT_f64, val(b, "v"));
    e->dtype = DT_f32;
    build_let(b, "e", e);
}
static void value_as_symbolic(struct build *b) {
    build_let(b, "e", integer(b, "n + 1"));
}
static void symbolic_constant(struct build *b) {
    struct expr *e = (struct expr *)integer(b, "N");
    e->sym = sym(b, "4");
    build_let(b, "e", e);
}
static void read_that_resolves(struct build *b) {
    node_at(b, 0, 0)->read.from.resolution = RES_SUM;
}
static void sum_of_truths(struct build *b) {
    build_decl(b, "t", DT_bool, "4", STORE_NONE, 0);
    build_write(b, op2(b, OP_LT, val(b, "v"), num(b, 0)), "t[0]", RES_SUM);
}
static void or_of_numbers(struct build *b) {
    build_decl(b, "t", DT_f32, "4", STORE_NONE, 0);
    build_write(b, val(b, "v"), "t[0]", RES_OR);
}
static void read_that_drops(struct build *b) {
    node_at(b, 0, 0)->read.from.outside = OUTSIDE_DROP;
}
static void write_that_has_a_value_outside(struct build *b) {
    node_at(b, 0, 2)->write.to.outside = OUTSIDE_VALUE;
}
static void outside_of_a_scalar(struct build *b) {
    build_decl(b, "t", DT_f32, "", STORE_NONE, 0);
    build_read(b, "u", "t")->read.from.outside = OUTSIDE_VALUE;
}
static void parameter_written(struct build *b) {
    build_write(b, val(b, "v"), "x[i, 0]", RES_NONE);
}
static void result_read_first(struct build *b) {
    struct region *r = body_of(b, 0);
    struct node *write = r->nodes.at[--r->nodes.n];
    build_read(b, "u", "y[i]");
    region_add(b->g, r, write);
}
static void transient_unwritten(struct build *b) {
    build_decl(b, "t", DT_f32, "4", STORE_NONE, NAN);
    build_read(b, "u", "t[0]");
}
static void while_unwritten(struct build *b) { /* the body comes after the first question */
    build_decl(b, "go", DT_bool, "", STORE_NONE, NAN);
    build_while(b, "go");
    build_write(b, op2(b, OP_GT, val(b, "v"), num(b, 1)), "go", RES_NONE);
}
static void result_by_sum_only(struct build *b) {
    node_at(b, 0, 2)->write.to.resolution = RES_SUM;
}
static void declared_in_the_loop(struct build *b) { /* the former iteration's is another one */
    build_loop(b, "t in 0:3");
    build_decl(b, "c", DT_f32, "4", STORE_NONE, NAN);
    build_read(b, "u", "c[0]");
    build_write(b, val(b, "u"), "c[1]", RES_NONE);
}
static void result_unwritten(struct build *b) {
    body_of(b, 0)->nodes.n--;
}
static void map_without_index(struct build *b) {
    b->g->body.nodes.at[0]->map.n = 0;
}
static void step_zero(struct build *b) {
    build_map(b, "a in 0:3:0");
}
static void step_negative(struct build *b) {
    build_loop(b, "a in 0:3:-1");
}
static void step_unknown(struct build *b) {
    build_map(b, "a in 0:3:M");
}
static void step_of_a_known_symbol(struct build *b) {
    build_condition(b, op2(b, OP_GT, integer(b, "M"), integer(b, "2")));
    build_map(b, "a in 0:N:M - 2");
}
static void negative_size(struct build *b) {
    build_decl(b, "t", DT_f32, "3 - 4", STORE_NONE, 0);
}
static void symbolic_register(struct build *b) {
    build_decl(b, "t", DT_f32, "4, N", STORE_REGISTER, 0);
}
static void parameter_in_registers(struct build *b) {
    cont_at(b, 2)->storage = STORE_REGISTER;
}
static void result_on_the_stack(struct build *b) {
    cont_at(b, 3)->storage = STORE_STACK;
}
static void parallel_loop(struct build *b) {
    build_loop(b, "t in 0:3 parallel");
}
static void factor_without_unroll(struct build *b) {
    build_map(b, "a in 0:3 seq(2)");
}
static void vector_outside(struct build *b) {
    build_map(b, "a in 0:8 vector, c in 0:3");
}
static void vector_in_vector(struct build *b) {
    build_map(b, "a in 0:8 vector");
    build_map(b, "c in 0:8 vector");
}
static void parallel_in_parallel(struct build *b) {
    build_map(b, "a in 0:8 parallel");
    build_map(b, "c in 0:8 parallel");
}
static void block_outside_of_grid(struct build *b) {
    build_map(b, "a in 0:8 block");
}
static void grid_in_block(struct build *b) {
    build_map(b, "a in 0:8 grid, c in 0:8 block, d in 0:8 grid");
}
static void shared_outside_of_grid(struct build *b) {
    build_decl(b, "t", DT_f32, "4", STORE_SHARED, 0);
}
static void parallel_sum(struct build *b) {
    build_end(b);
    build_decl(b, "t", DT_f32, "4", STORE_NONE, 0);
    build_map(b, "a in 0:N parallel");
    build_write(b, num(b, 1), "t[0]", RES_SUM);
}
static void parallel_by_data(struct build *b) {
    build_end(b);
    build_decl(b, "t", DT_f32, "N", STORE_NONE, 0);
    build_map(b, "a in 0:N parallel");
    build_read(b, "k", "idx[a]");
    build_write(b, num(b, 1), "t[k]", RES_NONE);
}
static void unique_sum_by_data(struct build *b) {
    parallel_by_data(b);
    b->last->write.to.resolution = RES_SUM;
    b->g->body.nodes.at[2]->map.unique = true;
}
static void vector_by_data(struct build *b) {
    parallel_by_data(b);
    b->g->body.nodes.at[2]->map.index[0].schedule = SCHED_VECTOR;
}
static void one_element_by_all(struct build *b) {
    build_write(b, val(b, "v"), "y[0]", RES_NONE);
}
static void unique_does_not_excuse(struct build *b) {
    one_element_by_all(b);
    b->g->body.nodes.at[0]->map.unique = true;
}
static void reads_the_former(struct build *b) {
    build_end(b);
    build_map(b, "a in 1:N");
    build_read(b, "u", "y[a - 1]");
    build_write(b, val(b, "u"), "y[a]", RES_NONE);
}

static void result_declared_in_a_map(struct build *b) {
    build_node(b, NODE_DECL)->decl.cont = b->g->results.at[0];
}
static void result_before_its_declaration(struct build *b) {
    build_end(b);
    build_node(b, NODE_DECL)->decl.cont = b->g->results.at[0];
}
static void found_size_out_of_scope(struct build *b) {
    struct cont c = build_result(b, "z", DT_f32, "n");
    build_end(b);
    build_node(b, NODE_DECL)->decl.cont = c;
}
static void fill_in_reserve(struct build *b) {
    build_decl(b, "t", DT_f32, "4", STORE_RESERVE, 0);
}
static void sum_in_reserve(struct build *b) {
    build_decl(b, "t", DT_f32, "4", STORE_RESERVE, NAN);
    build_write(b, val(b, "v"), "t[0]", RES_NONE);
    build_write(b, val(b, "v"), "t[0]", RES_SUM);
}

static const struct {
    int invariant;
    void (*breaks)(struct build *b);
    const char *what;
} cases[] = {
#define BREAK(n, f)                                                                                \
    { n, f, #f }
    BREAK(1, same_id),
    BREAK(1, id_too_large),
    BREAK(1, no_node),
    BREAK(1, node_twice),
    BREAK(1, no_expression),
    BREAK(1, no_subscript),
    BREAK(1, no_step),
    BREAK(1, no_kind),
    BREAK(1, no_type),
    BREAK(1, no_dimension),
    BREAK(2, no_such_container),
    BREAK(2, container_zero),
    BREAK(2, no_such_result),
    BREAK(2, no_such_declaration),
    BREAK(3, result_twice),
    BREAK(3, parameter_as_result),
    BREAK(3, transient_as_parameter),
    BREAK(3, declared_argument),
    BREAK(3, declared_twice),
    BREAK(3, result_declared_in_a_map),
    BREAK(8, result_before_its_declaration),
    BREAK(6, found_size_out_of_scope),
    BREAK(8, lost_result),
    BREAK(4, name_of_a_function),
    BREAK(4, name_of_a_type),
    BREAK(4, keyword_name),
    BREAK(4, dotted_name),
    BREAK(4, digit_name),
    BREAK(4, no_name),
    BREAK(5, value_hides_value),
    BREAK(5, value_hides_index),
    BREAK(5, index_hides_index),
    BREAK(5, index_hides_symbol),
    BREAK(5, value_hides_container),
    BREAK(5, container_twice),
    BREAK(5, container_and_symbol),
    BREAK(5, container_and_value),
    BREAK(6, value_out_of_scope),
    BREAK(6, unknown_atom),
    BREAK(6, float_atom),
    BREAK(6, container_atom),
    BREAK(6, index_to_the_right),
    BREAK(6, own_bound),
    BREAK(6, index_after_its_map),
    BREAK(6, index_as_value),
    BREAK(6, unbound_dimension),
    BREAK(6, dimension_in_a_sum_only),
    BREAK(6, condition_on_a_container),
    BREAK(7, condition_on_a_value),
    BREAK(8, used_before_declared),
    BREAK(8, used_after_its_region),
    BREAK(8, used_in_the_other_branch),
    BREAK(9, rank_too_small),
    BREAK(9, rank_too_large),
    BREAK(10, mixed_types),
    BREAK(10, exp_of_an_integer),
    BREAK(10, and_of_numbers),
    BREAK(10, select_by_a_number),
    BREAK(10, wrong_result_type),
    BREAK(10, value_of_another_type),
    BREAK(10, written_as_another_type),
    BREAK(10, branch_on_a_number),
    BREAK(10, while_on_a_number),
    BREAK(10, while_on_a_tensor),
    BREAK(10, number_as_condition),
    BREAK(11, constants_not_folded),
    BREAK(11, cast_of_a_constant),
    BREAK(11, cast_to_the_same),
    BREAK(11, value_as_symbolic),
    BREAK(11, symbolic_constant),
    BREAK(12, read_that_resolves),
    BREAK(12, sum_of_truths),
    BREAK(12, or_of_numbers),
    BREAK(12, read_that_drops),
    BREAK(12, write_that_has_a_value_outside),
    BREAK(12, outside_of_a_scalar),
    BREAK(12, sum_in_reserve),
    BREAK(13, parameter_written),
    BREAK(14, result_read_first),
    BREAK(14, transient_unwritten),
    BREAK(14, while_unwritten),
    BREAK(14, result_by_sum_only),
    BREAK(14, declared_in_the_loop),
    BREAK(14, result_unwritten),
    BREAK(15, map_without_index),
    BREAK(15, step_zero),
    BREAK(15, step_negative),
    BREAK(15, step_unknown),
    BREAK(15, step_of_a_known_symbol),
    BREAK(16, negative_size),
    BREAK(16, symbolic_register),
    BREAK(16, fill_in_reserve),
    BREAK(17, parameter_in_registers),
    BREAK(17, result_on_the_stack),
    BREAK(18, parallel_loop),
    BREAK(18, factor_without_unroll),
    BREAK(18, vector_outside),
    BREAK(18, vector_in_vector),
    BREAK(18, parallel_in_parallel),
    BREAK(19, block_outside_of_grid),
    BREAK(19, grid_in_block),
    BREAK(19, shared_outside_of_grid),
    BREAK(20, parallel_sum),
    BREAK(20, parallel_by_data),
    BREAK(20, unique_sum_by_data),
    BREAK(20, vector_by_data),
    BREAK(21, one_element_by_all),
    BREAK(21, unique_does_not_excuse),
    BREAK(21, reads_the_former),
};

enum { INVARIANTS = 21 };

static void breaks(void) {
    bool covered[INVARIANTS + 1] = {false};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b = plain();
        cases[i].breaks(&b);
        char want[64];
        snprintf(want, sizeof want, "internal: test: invariant %d of IR.md", cases[i].invariant);
        const char *got = build_verify(&b);
        if (!ok(strncmp(got, want, strlen(want)) == 0, "%d: %s", cases[i].invariant, cases[i].what))
            diag("got: %s", got);
        covered[cases[i].invariant] = true;
        arena_free(b.arena);
    }
    for (int i = 1; i <= INVARIANTS; i++)
        ok(covered[i], "invariant %d is broken somewhere", i);
}

/* --- what must pass --------------------------------------------------------------------------- */

static void carried_in_a_loop(struct build *b) { /* read in an iteration after the write */
    build_decl(b, "c", DT_f32, "4", STORE_NONE, NAN);
    build_loop(b, "t in 0:3");
    struct node *first = build_branch(b, op2(b, OP_GT, integer(b, "t"), integer(b, "0")));
    build_read(b, "u", "c[0]");
    (void)first;
    build_end(b);
    build_write(b, val(b, "v"), "c[0]", RES_NONE);
}
static void carried_in_a_while(struct build *b) {
    build_decl(b, "c", DT_f32, "4", STORE_NONE, NAN);
    build_decl(b, "go", DT_bool, "", STORE_NONE, 1);
    build_while(b, "go");
    build_branch(b, op2(b, OP_GT, val(b, "v"), num(b, 0)));
    build_read(b, "u", "c[0]");
    build_end(b);
    build_write(b, val(b, "v"), "c[0]", RES_NONE);
    build_write(b, op2(b, OP_GT, val(b, "v"), num(b, 1)), "go", RES_NONE);
}
static void a_found_result(struct build *b) {
    struct cont c = build_result(b, "z", DT_f32, "k");
    build_end(b);
    build_read(b, "k", "idx[pos]");
    build_node(b, NODE_DECL)->decl.cont = c;
    build_map(b, "a in 0:k");
    build_write(b, num(b, 1), "z[a]", RES_NONE);
}
static void names_side_by_side(struct build *b) {
    build_map(b, "a in 0:3");
    build_let(b, "e", num(b, 1));
    build_end(b);
    build_loop(b, "a in 0:4");
    build_let(b, "e", num_of(b, DT_i32, 1));
}
static void vouched_for(struct build *b) {
    parallel_by_data(b);
    b->g->body.nodes.at[2]->map.unique = true;
}
static void in_order_by_data(struct build *b) {
    parallel_by_data(b);
    b->g->body.nodes.at[2]->map.index[0].schedule = SCHED_NONE;
}
static void vector_sum(struct build *b) {
    parallel_sum(b);
    b->g->body.nodes.at[2]->map.index[0].schedule = SCHED_VECTOR;
}
static void sum_onto_a_fill(struct build *b) {
    build_end(b);
    build_map(b, "a in 0:N, c in 0:M");
    build_write(b, num(b, 1), "y[a]", RES_SUM);
}
static void a_gpu_kernel(struct build *b) {
    build_end(b);
    build_map(b, "a in 0:N:32 grid");
    build_decl(b, "t", DT_f32, "32", STORE_SHARED, 0);
    build_map(b, "c in 0:min(32, N - a) block");
    build_read(b, "u", "y[a + c]");
    build_write(b, val(b, "u"), "y[a + c]", RES_NONE);
}
static void subscript_by_data(struct build *b) {
    build_read(b, "u", "x[n*2 + i, pos]");
}
static void size_by_index(struct build *b) {
    build_decl(b, "t", DT_f32, "min(4, N - i), n", STORE_STACK, 0);
}

static void forgotten_container(struct build *b) { /* a pass removed it with all uses */
    build_cont(b, "t", DT_f32, "4", STORE_NONE, ROLE_TRANSIENT);
}

static void passes(void) {
    static const struct {
        void (*make)(struct build *b);
        const char *what;
    } good[] = {
#define GOOD(f) {f, #f}
        GOOD(carried_in_a_loop), GOOD(names_side_by_side),  GOOD(vouched_for),
        GOOD(in_order_by_data),  GOOD(vector_sum),          GOOD(sum_onto_a_fill),
        GOOD(a_gpu_kernel),      GOOD(subscript_by_data),   GOOD(a_found_result),
        GOOD(size_by_index),     GOOD(forgotten_container), GOOD(carried_in_a_while),
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct build b = plain();
        good[i].make(&b);
        is_str(build_verify(&b), "", "passes: %s", good[i].what);
        struct graph *copy = graph_clone(b.arena, b.g);
        b.g = copy;
        is_str(build_verify(&b), "", "... and its copy");
        arena_free(b.arena);
    }
    struct build b = build_softmax();
    is_str(build_verify(&b), "", "softmax passes");
    arena_free(b.arena);
    b = build_new("nothing");
    is_str(build_verify(&b), "", "an empty function passes");
    arena_free(b.arena);
}

/* The manual numbers as many invariants as are tested. */
static void manual(void) {
    const char *root = getenv("DCL_SRC"), *why = "";
    size_t n;
    if (!root) {
        skip("DCL_SRC does not say where IR.md is");
        return;
    }
    struct arena *a = arena_new();
    const char *text = source_read_file(a, arena_printf(a, "%s/compiler/IR.md", root), &n, &why);
    const char *from = text ? strstr(text, "## Invariants") : NULL;
    ok(from, "IR.md has invariants%s", why);
    for (int i = 1; from && i <= INVARIANTS; i++)
        ok(strstr(from, arena_printf(a, "\n%d. ", i)), "... number %d", i);
    ok(from && !strstr(from, arena_printf(a, "\n%d. ", INVARIANTS + 1)), "... and no more");
    arena_free(a);
}

int main(void) {
    manual();
    passes();
    breaks();
    return done_testing();
}
