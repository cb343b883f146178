/* Highlighting for editors, made of the tables of the language: a syntax file for Vim, a grammar in
   TextMate's form, which many editors read, and what makes a folder with it an extension of VS
   Code. Words of one place only (storages, resolutions) are coloured there; schedules, which follow
   any range, wherever they stand.
   Vim has a file type `dcl`, that of another language: ours is `dclang`. */
#include "repl/repl.h"

#include "lang/scalar/placement.h"
#include "lang/scalar/scalar.h"

#include <string.h>

enum kind { KEYWORDS, CONSTANTS, BUILTINS, TYPES, SCHEDULES, STORAGES, RESOLUTIONS, KIND_COUNT };

static const struct {
    const char *text, *token;
} keywords[] = {
#define KEYWORD(text, token) {text, #token},
#include "lang/parse/keyword.def"
#undef KEYWORD
};

static const char *const builtins[] = {
#define BUILTIN(name, writes, usage, doc) #name,
#include "session/builtin.def"
#undef BUILTIN
};

static bool is_constant(const char *token) {
    return strcmp(token, "TRUE") == 0 || strcmp(token, "FALSE") == 0 || strcmp(token, "FLOAT") == 0;
}

/* Word I of a kind: "" if it is of another one, NULL behind the last. */
static const char *word_of(enum kind kind, size_t i) {
    switch (kind) {
    case KEYWORDS:
    case CONSTANTS:
        if (i >= sizeof keywords / sizeof *keywords)
            return NULL;
        return is_constant(keywords[i].token) == (kind == CONSTANTS) ? keywords[i].text : "";
    case BUILTINS: return i < sizeof builtins / sizeof *builtins ? builtins[i] : NULL;
    case TYPES: return i < DT_COUNT ? dtypes[i].name : NULL;
    case SCHEDULES: return i < SCHED_COUNT ? schedule_names[i] : i == SCHED_COUNT ? "unique" : NULL;
    case STORAGES: return i < STORE_COUNT ? storage_names[i] : NULL;
    case RESOLUTIONS: return i < RES_COUNT ? resolution_names[i] : NULL;
    default: return NULL;
    }
}

/* The words of a kind, with BETWEEN between them. */
static void put_words(FILE *to, enum kind kind, const char *between) {
    const char *word, *before = "";
    for (size_t i = 0; (word = word_of(kind, i)); i++)
        if (*word) {
            fprintf(to, "%s%s", before, word);
            before = between;
        }
}

/* Patterns around the words of a kind; NULL before: words wherever they stand. */
struct editor {
    const char *name, *group, *scope;
    const char *before, *after; /* in Vim's form */
    const char *left, *right;   /* in TextMate's, as JSON */
};

static const struct editor places[KIND_COUNT] = {
    [KEYWORDS] = {"Keyword", "Keyword", "keyword.control", NULL, NULL, "\\\\b", "\\\\b"},
    [CONSTANTS] = {"Constant", "Constant", "constant.language", NULL, NULL, "\\\\b", "\\\\b"},
    [BUILTINS] = {"Builtin", "Function", "support.function", "\\<", "\\>\\ze\\s*(", "\\\\b",
                  "\\\\b(?=\\\\s*\\\\()"},
    [TYPES] = {"Type", "Type", "storage.type", NULL, NULL, "\\\\b", "\\\\b"},
    [SCHEDULES] = {"Schedule", "StorageClass", "storage.modifier", NULL, NULL, "\\\\b", "\\\\b"},
    [STORAGES] = {"Storage", "StorageClass", "storage.modifier", "\\%(\\<in\\s\\+\\)\\@<=", "\\>",
                  "(?<=\\\\bin )", "\\\\b"},
    [RESOLUTIONS] = {"Resolution", "Operator", "keyword.operator",
                     "\\%((\\s*\\)\\@<=", "\\>\\ze\\s*)", "(?<=\\\\()", "(?=\\\\))"},
};

void syntax_vim(FILE *to) {
    fputs("\" DCL for Vim; `dcl help --format vim` writes it.\n"
          "if exists(\"b:current_syntax\")\n  finish\nendif\n",
          to);
    for (enum kind k = 0; k < KIND_COUNT; k++) {
        const struct editor *e = &places[k];
        fprintf(to, "syntax %s dcl%s ", e->before ? "match" : "keyword", e->name);
        if (e->before)
            fprintf(to, "\"%s\\%%(", e->before);
        put_words(to, k, e->before ? "\\|" : " ");
        if (e->before)
            fprintf(to, "\\)%s\"", e->after);
        fprintf(to, "\nhighlight default link dcl%s %s\n", e->name, e->group);
    }
    fputs("syntax match dclName \"\\%(\\<\\%(fn\\|layer\\)\\s\\+\\)\\@<=\\h\\w*\"\n"
          "syntax match dclNumber \"\\<\\d\\+\\%(\\.\\d\\+\\)\\=\\%([eE][+-]\\=\\d\\+\\)\\=\\>\"\n"
          "syntax match dclNumber \"\\<0[xX]\\x\\+\\>\"\n"
          "syntax region dclString start=+\"+ skip=+\\\\.+ end=+\"+ oneline\n"
          "syntax match dclComment \"#.*$\" contains=@Spell\n"
          "highlight default link dclName Function\n"
          "highlight default link dclNumber Number\n"
          "highlight default link dclString String\n"
          "highlight default link dclComment Comment\n"
          "setlocal commentstring=#\\ %s\n"
          "let b:current_syntax = \"dclang\"\n",
          to);
}

void syntax_textmate(FILE *to) {
    fputs("{\n  \"name\": \"DCL\",\n  \"scopeName\": \"source.dclang\",\n"
          "  \"fileTypes\": [\"dcl\"],\n  \"patterns\": [\n"
          "    {\"name\": \"comment.line.dclang\", \"match\": \"#.*$\"},\n"
          "    {\"name\": \"string.quoted.double.dclang\",\n"
          "     \"match\": \"\\\"([^\\\"\\\\\\\\]|\\\\\\\\.)*\\\"\"},\n"
          "    {\"name\": \"constant.numeric.dclang\",\n     \"match\": "
          "\"\\\\b(0[xX][0-9A-Fa-f]+|[0-9]+(\\\\.[0-9]+)?([eE][+-]?[0-9]+)?)\\\\b\"},\n",
          to);
    for (enum kind k = KIND_COUNT; k-- > 0;) { /* places before words that stand anywhere */
        const struct editor *e = &places[k];
        fprintf(to, "    {\"name\": \"%s.dclang\",\n     \"match\": \"%s(", e->scope, e->left);
        put_words(to, k, "|");
        fprintf(to, ")%s\"},\n", e->right);
    }
    fputs("    {\"name\": \"entity.name.function.dclang\",\n"
          "     \"match\": \"((?<=\\\\bfn )|(?<=\\\\blayer ))[A-Za-z_]\\\\w*\"}\n  ]\n}\n",
          to);
}

/* The manifest of the extension: its folder has the grammar and syntax_vscode_editing beside it. */
void syntax_vscode(FILE *to) {
    fprintf(to,
            "{\n  \"name\": \"dclang\",\n  \"displayName\": \"DCL\",\n"
            "  \"description\": \"Highlighting for DCL, a data-centric language\",\n"
            "  \"publisher\": \"dcl\",\n  \"version\": \"%s\",\n"
            "  \"license\": \"BSD-3-Clause\",\n  \"engines\": {\"vscode\": \"^1.40.0\"},\n"
            "  \"categories\": [\"Programming Languages\"],\n  \"contributes\": {\n"
            "    \"languages\": [{\"id\": \"dclang\", \"aliases\": [\"DCL\"], \"extensions\": "
            "[\".dcl\"],\n                   \"configuration\": "
            "\"./language-configuration.json\"}],\n"
            "    \"grammars\": [{\"language\": \"dclang\", \"scopeName\": \"source.dclang\",\n"
            "                  \"path\": \"./dcl.tmLanguage.json\"}]\n  }\n}\n",
            dcl_version());
}

/* What belongs together while a text is edited. */
void syntax_vscode_editing(FILE *to) {
    fputs("{\n  \"comments\": {\"lineComment\": \"#\"},\n"
          "  \"brackets\": [[\"{\", \"}\"], [\"[\", \"]\"], [\"(\", \")\"]],\n"
          "  \"autoClosingPairs\": [[\"{\", \"}\"], [\"[\", \"]\"], [\"(\", \")\"], "
          "[\"\\\"\", \"\\\"\"]]\n}\n",
          to);
}
