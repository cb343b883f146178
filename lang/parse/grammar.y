/* The grammar. Actions only build nodes (build.c); messages are made in message.c, tokens come from
   lines.c. LALR(1) without conflicts; the parser has no globals. A statement with an error is left
   out: `error` stands for it, and parse.c feeds the parser tokens from the next statement on. */
%define lr.type lalr
%define api.pure full
%define api.prefix {grammar_}
%define api.token.prefix {T_}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%expect 0
%locations
%parse-param {struct parser *parser}
%lex-param {struct parser *parser}

%code requires {
#include "lang/parse/parser.h"
}

%union {
    uint32_t token; /* index into parser->tokens */
    struct sub sub;
    int op;
}

%code {
#define YYLLOC_DEFAULT(whole, rhs, n)                                                              \
    do {                                                                                           \
        if (n) {                                                                                   \
            (whole) = YYRHSLOC(rhs, 1);                                                            \
            (whole).end = YYRHSLOC(rhs, n).end;                                                    \
        } else {                                                                                   \
            (whole) = YYRHSLOC(rhs, 0);                                                            \
            (whole).start = (whole).end;                                                           \
        }                                                                                          \
    } while (0)

/* bison's stacks live in the scratch arena. The lookahead correction's function has no `parser`
   and sees this one: there is no more memory for it, which it never needs (no chain of empty rules
   is 20 long). */
static struct parser *const parser = NULL;
static void *stack_alloc(struct parser *p, size_t size) {
    return p == NULL ? NULL : arena_alloc(p->scratch, size);
}
#define YYMALLOC(size) stack_alloc(parser, (size))
#define YYFREE(at) ((void)(at))
/* PARSE_MAX_DEPTH brackets with operators of every precedence between them; chains of prefix
   operators end here. */
#define YYMAXDEPTH 30000

static int grammar_lex(GRAMMAR_STYPE *value, GRAMMAR_LTYPE *span, struct parser *p);
static void grammar_error(GRAMMAR_LTYPE *span, struct parser *p, const char *text);

/* At the end of a statement or block: tell the next error again. */
#define RECOVERED                                                                                  \
    do {                                                                                           \
        parser->recovering = false;                                                                \
        yyerrok;                                                                                   \
    } while (0)
/* A range without a lower bound begins at its colon. */
#define RANGE_SPAN(lo, colon, whole)                                                               \
    ((struct span){(whole).source, (lo).node ? (whole).start : (colon).start, (whole).end})
#define NAME_OF(index) (parser->tokens.at[index].name)
#define INTEGER_OF(index) (parser->tokens.at[index].integer)
}

%token <token> EOL "end of line" NAME "name" INT "whole number" INT_MIN "2^63" FLOAT "number"
%token <token> STR "string" ARROW "->" PIPE "|>" LE "<=" GE ">=" EQ "==" NE "!=" READ "<<"
%token <token> WRITE ">>" GIVES "=>" UPDATE "+=" FLOORDIV "//" POW "**"
%token <token> FN "fn" GRAD "grad" LAYER "layer" PARAM "param" BUFFER "buffer" MAP "map" IN "in"
%token <token> FOR "for"
%token <token> IF "if" ELSE "else" WHILE "while" WHERE "where" AND "and" OR "or" NOT "not"
%token <token> INOUT "inout" USE "use" RETURN "return" TRUE "true" FALSE "false"
%token <token> GRADIENT "gradient" MINIMIZE "minimize" STEP "update" COMPILE "compile"
%token <token> LAYOUT "layout"
%token <token> OVER "over" WITH "with"
%token <token> REWRITE "rewrite" WHEN "when"
%token START_FILE START_BLOCK START_MEMBERS

%precedence "over" "with"
%precedence ',' /* after `with b`: goes on with the pairs of minimize */
%left "|>"
%left "or"
%left "and"
%precedence "not"
%nonassoc '<' '>' "<=" ">=" "==" "!=" "in"
%left '+' '-'
%left '*' '/' '%' '@' "//"
%precedence NEGATION
%right "**"

%type <sub> item fn grad layer rewrite rules rules_ended rules_full rule lets letlist when
%type <sub> use where conds cond params plist prm prms results rlist result
%type <sub> layout type element_type tensor_type dims dimlist dim any spread one default_opt
%type <sub> block stmts stmts_ended stmts_full members members_ended members_full member
%type <sub> simple state targets subset path callee
%type <sub> indices index range bound expr objective pairs ifx postfix subs sublist sub side
%type <sub> else_sub
%type <sub> args alist arg elements element exprs names
%type <token> tname resolution
%type <op> place kept

%%

text: START_FILE items | START_BLOCK stmts | START_MEMBERS members ;

/* Lists of statements are split in `.._ended` (after an EOL, or empty) and `.._full` (after a
   statement), so that `error` fits after both: an error in a statement leaves out that statement
   and keeps what stands before it. */
eol: EOL { RECOVERED; } | ';' { RECOVERED; } ;

items: items_ended | items_full ;
items_ended: %empty | items_ended eol | items_full eol ;
items_full: items_ended item {
        if ($2.node != NULL)
            ast_push(parser->arena, parser->file, $2.node);
    }
  | items_ended error { build_statement(parser, build_none()); }
  | items_full error { build_drop_last(parser, parser->file); } ;
item: fn | grad | layer | rewrite | use | simple { $$ = build_statement(parser, $1); } ;

use: "use" NAME { $$ = build_named(build(parser, AST_USE, @$, 0), NAME_OF($2)); }
  | "use" STR {
        $$ = build_named(build(parser, AST_USE, @$, 0), NAME_OF($2));
        $$.node->flags |= AST_PATH;
    } ;

fn: "fn" NAME '(' params ')' results where block {
        $$ = build_named(build(parser, AST_FN, @$, 4, $4, $6, $7, $8), NAME_OF($2));
        $$.node->doc = parser->tokens.at[$1].doc;
        $$ = build_statement(parser, $$);
    } ;

grad: "grad" NAME '(' params ')' results where block {
        struct name name = ast_grad_name(parser->arena, parser->names, NAME_OF($2));
        $$ = build_named(build(parser, AST_FN, @$, 4, $4, $6, $7, $8), name);
        $$.node->doc = parser->tokens.at[$1].doc;
        $$ = build_statement(parser, $$);
    } ;

params: prms { $$ = build_of_list($1, AST_PARAMS, @$); }
  | prms ';' prms {
        for (uint32_t i = 0; i < $3.node->nkids; i++) {
            $3.node->kids[i]->flags |= AST_STATIC;
            $1 = build_append(parser, $1, (struct sub){$3.node->kids[i], $3.depth});
        }
        $$ = build_of_list($1, AST_PARAMS, @$);
    } ;
prms: %empty { $$ = build_list(parser, @$); } | plist | plist ',' ;
plist: prm { $$ = build_append(parser, build_list(parser, @$), $1); }
  | plist ',' prm { $$ = build_append(parser, $1, $3); } ;
prm: one
  | "inout" one {
        $$ = $2;
        $$.node->flags |= AST_INOUT;
        $$.node->span = @$;
    } ;
one: NAME default_opt {
        $$ = build_named(build(parser, AST_PARAM, @$, 2, build_none(), $2), NAME_OF($1));
    }
  | NAME ':' type layout default_opt {
        $$ = build_laid(parser, build(parser, AST_PARAM, @$, 2, $3, $5), $4);
        $$ = build_named($$, NAME_OF($1));
    } ;
default_opt: %empty { $$ = build_none(); } | '=' expr { $$ = $2; } ;

results: %empty { $$ = build_of_list(build_list(parser, @$), AST_RESULTS, @$); }
  | "->" result {
        $$ = build_of_list(build_append(parser, build_list(parser, @$), $2), AST_RESULTS, @$);
    }
  | "->" '(' rlist ')' { $$ = build_of_list($3, AST_RESULTS, @$); } ;
rlist: result { $$ = build_append(parser, build_list(parser, @$), $1); }
  | rlist ',' result { $$ = build_append(parser, $1, $3); } ;
result: type layout { $$ = build_laid(parser, build(parser, AST_RESULT, @$, 1, $1), $2); }
  | NAME ':' type layout {
        $$ = build_laid(parser, build(parser, AST_RESULT, @$, 1, $3), $4);
        $$ = build_named($$, NAME_OF($1));
    } ;

where: %empty { $$ = build_of_list(build_list(parser, @$), AST_WHERE, @$); }
  | "where" conds { $$ = build_of_list($2, AST_WHERE, @$); } ;
conds: cond { $$ = build_append(parser, build_list(parser, @$), $1); }
  | conds ',' cond { $$ = build_append(parser, $1, $3); } ;
cond: NAME ':' NAME {
        $$ = build_named(build(parser, AST_CONSTRAINT, @$, 1, build_name(parser, $3)), NAME_OF($1));
    }
  | expr ;

type: element_type
  | element_type '?' { $$ = build_type_flag($1, AST_OPTIONAL, @$); } ;
element_type: tname { $$ = build_type(parser, @$, build_list(parser, @$), $1, @1); }
  | tensor_type
  | tensor_type '[' ']' { $$ = build_type_flag($1, AST_LIST_OF, @$); } ;
tensor_type: tname '[' dims ']' {
        $$ = build_type(parser, @$, $3, $1, @1);
        $$.node->flags |= AST_BRACKETS;
    } ;
tname: NAME | tname '.' NAME ;
dims: %empty { $$ = build_list(parser, @$); } | dimlist | dimlist ',' ;
dimlist: dim { $$ = build_append(parser, build_list(parser, @$), $1); }
  | dimlist ',' dim { $$ = build_append(parser, $1, $3); } ;
dim: expr | spread | any ;
any: '?' { $$ = build(parser, AST_ANY, @$, 0); } ;
spread: '*' expr { $$ = build_spread(parser, @$, $2); } ;

layout: %empty { $$ = build_none(); }
  | "layout" '(' names "=>" exprs ')' { $$ = build_layout(parser, @$, $3, $5); } ;

layer: "layer" NAME where '{' members '}' {
        RECOVERED;
        struct sub params = build_of_list(build_list(parser, @2), AST_PARAMS, @2);
        struct sub body = build_block(parser, $5, (struct span){@4.source, @4.start, @6.end});
        $$ = build_named(build(parser, AST_LAYER, @$, 3, params, $3, body), NAME_OF($2));
        $$.node->doc = parser->tokens.at[$1].doc;
        $$ = build_statement(parser, $$);
    }
  | "layer" NAME '(' params ')' where '{' members '}' {
        RECOVERED;
        struct sub body = build_block(parser, $8, (struct span){@7.source, @7.start, @9.end});
        $$ = build_named(build(parser, AST_LAYER, @$, 3, $4, $6, body), NAME_OF($2));
        $$.node->doc = parser->tokens.at[$1].doc;
        $$ = build_statement(parser, $$);
    } ;
members: members_ended | members_full ;
members_ended: %empty { $$ = build_body(parser, @$); } | members_ended eol | members_full eol ;
members_full: members_ended member { $$ = build_append(parser, $1, $2); }
  | members_ended error { $$ = $1; build_statement(parser, build_none()); }
  | members_full error { $$ = $1; build_drop_last(parser, $1.node); } ;
member: fn | state { $$ = build_statement(parser, $1); }
  | simple { $$ = build_statement(parser, build_member(parser, $1)); } ;
state: kept NAME ':' type layout {
        $$ = build_laid(parser, build_state(parser, @$, $1, $2, $4, build_none()), $5);
    }
  | kept NAME ':' type layout '=' expr {
        $$ = build_laid(parser, build_state(parser, @$, $1, $2, $4, $7), $5);
    }
  | kept NAME ':' type layout '~' expr {
        $$ = build_laid(parser, build_state(parser, @$, $1, $2, $4, $7), $5);
        $$.node->flags |= AST_TILDE;
    } ;
kept: "param" { $$ = 0; } | "buffer" { $$ = AST_BUFFER; } ;

/* --- rewrites -------------------------------------------------------------------------------- */

rewrite: "rewrite" NAME '{' rules '}' {
        RECOVERED;
        struct name name = ast_rewrite_name(parser->arena, parser->names, NAME_OF($2));
        struct sub body = build_block(parser, $4, (struct span){@3.source, @3.start, @5.end});
        $$ = build_named(build(parser, AST_REWRITE, @$, 1, body), name);
        $$.node->doc = parser->tokens.at[$1].doc;
        $$ = build_statement(parser, $$);
    } ;
rules: rules_ended | rules_full ;
rules_ended: %empty { $$ = build_body(parser, @$); } | rules_ended eol | rules_full eol ;
rules_full: rules_ended rule { $$ = build_append(parser, $1, build_statement(parser, $2)); }
  | rules_ended error { $$ = $1; build_statement(parser, build_none()); }
  | rules_full error { $$ = $1; build_drop_last(parser, $1.node); } ;
rule: expr "=>" expr lets when {
        $$ = build_with_list(parser, AST_RULE, @$, $4, 3, $1, $3, $5);
    } ;
lets: %empty { $$ = build_list(parser, @$); } | "where" letlist { $$ = $2; } ;
letlist: NAME '=' expr {
        struct sub let = build_named(build(parser, AST_KEYWORD, @$, 1, $3), NAME_OF($1));
        $$ = build_append(parser, build_list(parser, @$), let);
    }
  | letlist ',' NAME '=' expr {
        struct span at = {@3.source, @3.start, @5.end};
        struct sub let = build_named(build(parser, AST_KEYWORD, at, 1, $5), NAME_OF($3));
        $$ = build_append(parser, $1, let);
    } ;
when: %empty { $$ = build_none(); } | "when" expr { $$ = $2; } ;

/* --- statements ------------------------------------------------------------------------------ */

block: '{' stmts '}' {
        RECOVERED;
        $$ = build_block(parser, $2, @$);
    } ;
stmts: stmts_ended | stmts_full ;
stmts_ended: %empty { $$ = build_body(parser, @$); } | stmts_ended eol | stmts_full eol ;
stmts_full: stmts_ended simple { $$ = build_append(parser, $1, build_statement(parser, $2)); }
  | stmts_ended error { $$ = $1; build_statement(parser, build_none()); }
  | stmts_full error { $$ = $1; build_drop_last(parser, $1.node); } ;

simple: targets '=' expr {
        $$ = build_with_list(parser, AST_ASSIGN, @$, build_targets(parser, $1), 1, $3);
    }
  | postfix UPDATE expr { $$ = build_update(parser, @$, $1, $2, $3); }
  | NAME ':' type layout place {
        $$ = build_laid(parser, build_decl(parser, @$, $1, $3, $5, build_none(), build_none()), $4);
    }
  | NAME ':' type layout place '=' expr {
        $$ = build_laid(parser, build_decl(parser, @$, $1, $3, $5, $7, build_none()), $4);
    }
  | NAME ':' type layout place "<<" subset {
        $$ = build_laid(parser, build_decl(parser, @$, $1, $3, $5, build_none(), $7), $4);
    }
  | NAME "<<" subset { $$ = build_named(build(parser, AST_READ, @$, 1, $3), NAME_OF($1)); }
  | expr ">>" subset { $$ = build(parser, AST_WRITE, @$, 3, $1, $3, build_none()); }
  | expr ">>" subset '(' resolution ')' { $$ = build_write(parser, @$, $1, $3, $5); }
  | "map" indices block { $$ = build_loop(parser, AST_MAP, @$, $2, $3); }
  | "for" indices block { $$ = build_loop(parser, AST_FOR, @$, $2, $3); }
  | "while" expr block { $$ = build(parser, AST_WHILE, @$, 2, $2, $3); }
  | "update" expr NAME expr "with" expr { $$ = build_step(parser, @$, $2, $3, $4, $6); }
  | "compile" callee '(' params ')' { $$ = build(parser, AST_COMPILE, @$, 2, $2, $4); }
  | "return" { $$ = build(parser, AST_RETURN, @$, 1, build_none()); }
  | "return" expr { $$ = build(parser, AST_RETURN, @$, 1, $2); }
  | expr ;

targets: postfix { $$ = build_append(parser, build_list(parser, @$), $1); }
  | targets ',' postfix { $$ = build_append(parser, $1, $3); } ;
place: %empty { $$ = 0; } | "in" NAME { $$ = build_storage(parser, $2); } ;
resolution: NAME | "and" | "or" ;
subset: path | path '[' subs ']' { $$ = build_with_list(parser, AST_INDEX, @$, $3, 1, $1); } ;
path: NAME { $$ = build_name(parser, $1); }
  | path '.' NAME { $$ = build_named(build(parser, AST_MEMBER, @$, 1, $1), NAME_OF($3)); } ;

callee: NAME { $$ = build_name(parser, $1); }
  | callee '.' NAME { $$ = build_named(build(parser, AST_MEMBER, @$, 1, $1), NAME_OF($3)); }
  | callee '[' subs ']' { $$ = build_with_list(parser, AST_INDEX, @$, $3, 1, $1); } ;

indices: index { $$ = build_append(parser, build_list(parser, @$), $1); }
  | indices ',' index { $$ = build_append(parser, $1, $3); } ;
index: NAME { $$ = build_index(parser, @$, $1, build_none()); }
  | '*' NAME { $$ = build_pack(build_index(parser, @$, $2, build_none())); }
  | NAME "in" range { $$ = build_index(parser, @$, $1, $3); }
  | '*' NAME "in" range { $$ = build_pack(build_index(parser, @$, $2, $4)); }
  | index NAME { $$ = build_index_word(parser, @$, $1, $2, 0); }
  | index NAME '(' INT ')' { $$ = build_index_word(parser, @$, $1, $2, $4); } ;
range: bound | spread ;
bound: expr
  | expr ':' expr { $$ = build(parser, AST_RANGE, @$, 3, $1, $3, build_none()); }
  | expr ':' expr ':' expr { $$ = build(parser, AST_RANGE, @$, 3, $1, $3, $5); } ;

/* --- expressions ----------------------------------------------------------------------------- */

expr: postfix
  | ifx
  | expr "or" expr { $$ = build_binary(parser, @$, AOP_OR, $1, $3); }
  | expr "and" expr { $$ = build_binary(parser, @$, AOP_AND, $1, $3); }
  | "not" expr {
        $$ = build(parser, AST_UNARY, @$, 1, $2);
        $$.node->op = AOP_NOT;
    }
  | expr '<' expr { $$ = build_binary(parser, @$, AOP_LT, $1, $3); }
  | expr '>' expr { $$ = build_binary(parser, @$, AOP_GT, $1, $3); }
  | expr "<=" expr { $$ = build_binary(parser, @$, AOP_LE, $1, $3); }
  | expr ">=" expr { $$ = build_binary(parser, @$, AOP_GE, $1, $3); }
  | expr "==" expr { $$ = build_binary(parser, @$, AOP_EQ, $1, $3); }
  | expr "!=" expr { $$ = build_binary(parser, @$, AOP_NE, $1, $3); }
  | expr "in" expr { $$ = build_binary(parser, @$, AOP_IN, $1, $3); }
  | expr '+' expr { $$ = build_binary(parser, @$, AOP_ADD, $1, $3); }
  | expr '-' expr { $$ = build_binary(parser, @$, AOP_SUB, $1, $3); }
  | expr '*' expr { $$ = build_binary(parser, @$, AOP_MUL, $1, $3); }
  | expr '/' expr { $$ = build_binary(parser, @$, AOP_DIV, $1, $3); }
  | expr '%' expr { $$ = build_binary(parser, @$, AOP_MOD, $1, $3); }
  | expr '@' expr { $$ = build_binary(parser, @$, AOP_MATMUL, $1, $3); }
  | expr "//" expr { $$ = build_binary(parser, @$, AOP_FLOORDIV, $1, $3); }
  | expr "**" expr { $$ = build_binary(parser, @$, AOP_POW, $1, $3); }
  | '-' expr %prec NEGATION { $$ = build_negation(parser, @$, $2); }
  | '-' INT_MIN {
        $$ = build(parser, AST_INT, @$, 0);
        $$.node->integer = INT64_MIN;
    }
  | expr "|>" expr { $$ = build(parser, AST_PIPE, @$, 2, $1, $3); }
  | "gradient" objective "over" expr { $$ = build(parser, AST_GRADIENT, @$, 2, $2, $4); }
  | "minimize" objective "over" pairs %prec "over" {
        $$ = build_with_list(parser, AST_MINIMIZE, @$, $4, 1, $2);
    } ;
objective: expr | block ;
pairs: expr "with" expr {
        $$ = build_append(parser, build_append(parser, build_list(parser, @$), $1), $3);
    }
  | pairs ',' expr "with" expr {
        $$ = build_append(parser, build_append(parser, $1, $3), $5);
    } ;

ifx: "if" expr block { $$ = build(parser, AST_IF, @$, 3, $2, $3, build_none()); }
  | "if" expr block "else" block { $$ = build(parser, AST_IF, @$, 3, $2, $3, $5); }
  | "if" expr block "else" ifx { $$ = build(parser, AST_IF, @$, 3, $2, $3, $5); } ;

postfix: NAME { $$ = build_name(parser, $1); }
  | INT {
        $$ = build(parser, AST_INT, @$, 0);
        $$.node->integer = INTEGER_OF($1);
    }
  | FLOAT {
        $$ = build(parser, AST_FLOAT, @$, 0);
        $$.node->number = parser->tokens.at[$1].number;
    }
  | STR { $$ = build_named(build(parser, AST_STR, @$, 0), NAME_OF($1)); }
  | "true" {
        $$ = build(parser, AST_BOOL, @$, 0);
        $$.node->integer = 1;
    }
  | "false" { $$ = build(parser, AST_BOOL, @$, 0); }
  | '(' expr ')' {
        $$ = $2;
        $$.node->flags |= AST_PAREN;
    }
  | '(' ')' { $$ = build(parser, AST_TUPLE, @$, 0); }
  | '(' expr ',' ')' { $$ = build(parser, AST_TUPLE, @$, 1, $2); }
  | '(' expr ',' exprs ')' { $$ = build_with_list(parser, AST_TUPLE, @$, $4, 1, $2); }
  | '(' expr ',' exprs ',' ')' { $$ = build_with_list(parser, AST_TUPLE, @$, $4, 1, $2); }
  | '[' ']' { $$ = build(parser, AST_LIST, @$, 0); }
  | '[' elements ']' { $$ = build_of_list($2, AST_LIST, @$); }
  | '[' elements ',' ']' { $$ = build_of_list($2, AST_LIST, @$); }
  | '[' expr "for" names "in" bound ']' {
        $$ = build_comprehension(parser, @$, $2, $4, $6, build_none());
    }
  | '[' expr "for" names "in" bound "if" expr ']' {
        $$ = build_comprehension(parser, @$, $2, $4, $6, $8);
    }
  | postfix '.' NAME { $$ = build_named(build(parser, AST_MEMBER, @$, 1, $1), NAME_OF($3)); }
  | postfix '[' subs ']' { $$ = build_with_list(parser, AST_INDEX, @$, $3, 1, $1); }
  | postfix '(' args ')' { $$ = build_with_list(parser, AST_CALL, @$, $3, 1, $1); } ;

elements: element { $$ = build_append(parser, build_list(parser, @$), $1); }
  | elements ',' element { $$ = build_append(parser, $1, $3); } ;
element: expr | spread ;
exprs: expr { $$ = build_append(parser, build_list(parser, @$), $1); }
  | exprs ',' expr { $$ = build_append(parser, $1, $3); } ;

names: NAME { $$ = build_append(parser, build_list(parser, @$), build_name(parser, $1)); }
  | names ',' NAME { $$ = build_append(parser, $1, build_name(parser, $3)); } ;

subs: %empty { $$ = build_list(parser, @$); }
  | sublist
  | else_sub { $$ = build_append(parser, build_list(parser, @$), $1); }
  | sublist ',' else_sub { $$ = build_append(parser, $1, $3); } ;
sublist: sub { $$ = build_append(parser, build_list(parser, @$), $1); }
  | sublist ',' sub { $$ = build_append(parser, $1, $3); } ;
sub: expr
  | spread
  | any
  | side ':' side {
        $$ = build(parser, AST_RANGE, RANGE_SPAN($1, @2, @$), 3, $1, $3, build_none());
    }
  | side ':' side ':' expr {
        $$ = build(parser, AST_RANGE, RANGE_SPAN($1, @2, @$), 3, $1, $3, $5);
    } ;
side: %empty { $$ = build_none(); } | expr ;
else_sub: "else" expr { $$ = build_else(parser, @$, $2); } ;

args: %empty { $$ = build_list(parser, @$); } | alist | alist ',' ;
alist: arg { $$ = build_append(parser, build_list(parser, @$), $1); }
  | alist ',' arg { $$ = build_append(parser, $1, $3); } ;
arg: expr
  | NAME '=' expr { $$ = build_named(build(parser, AST_KEYWORD, @$, 1, $3), NAME_OF($1)); }
  | spread ;

%%

/* The kinds of grammar.y and of token.def are the same numbers. */
#define TOKEN(id, spelling) _Static_assert((int)T_##id == (int)TOK_##id, #id);
#define T_RESERVED TOK_RESERVED
#define T_FOREIGN TOK_FOREIGN
#define T_BAD TOK_BAD
#include "lang/parse/token.def"
#undef TOKEN

static int grammar_lex(GRAMMAR_STYPE *value, GRAMMAR_LTYPE *span, struct parser *p) {
    const struct token *t = parse_next(p, &value->token);
    *span = (struct span){p->source, t->start, t->end};
    return t->kind >= TOK_RESERVED ? T_GRAMMAR_UNDEF : t->kind;
}

/* Only for a stack that is full: errors of syntax come through yyreport_syntax_error. */
static void grammar_error(GRAMMAR_LTYPE *span, struct parser *p, const char *text) {
    (void)text;
    message_too_deep(p, *span);
}

/* Which tokens would have fitted, as kinds of token.h. */
static int yyreport_syntax_error(const yypcontext_t *context, struct parser *p) {
    yysymbol_kind_t fits[YYNTOKENS];
    int kinds[YYNTOKENS], n = 0;
    int count = message_is_kept(p) ? yypcontext_expected_tokens(context, fits, YYNTOKENS) : 0;
    for (int kind = 0; kind < TOK_END && count > 0; kind++)
        for (int i = 0; i < count; i++)
            if (YYTRANSLATE(kind) == fits[i])
                kinds[n++] = kind;
    message_unexpected(p, kinds, n);
    return 0;
}
