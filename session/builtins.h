/* Functions that the language has of the session: print, load, save, seed, assert, .. and pictures.
   What builtins*.c, asserts.c and those who call them share. */
#ifndef DCL_SESSION_BUILTINS_H
#define DCL_SESSION_BUILTINS_H

#include "session/state.h"

/* builtins.c */
bool builtin_has(void *session, struct name n);
bool builtin_call(void *session, struct name n, uint32_t nargs, const struct value *args,
                  const struct name *keywords, struct span span, struct value *out);

/* How the builtin NAME is called and what it does; false if it is none. */
bool builtin_doc(const char *name, const char **usage, const char **doc);
void builtin_each(void (*f)(void *data, const char *name), void *data);

/* asserts.c */
/* Whether the condition V, concrete, holds: a truth value, or all elements of a tensor of them. If
   not, an error at SPAN with TEXT, or the text there; *FAILED: that error, NULL if V is neither. */
bool assert_holds(struct dcl_session *s, const struct value *v, const char *text, struct span span,
                  struct diag **failed);
/* Notes how many elements of V are false, if it is a tensor. */
void assert_note_elements(struct dcl_session *s, struct diag *d, const struct value *v);
/* Whether ST is the assert of a comparison; then it is run by assert_run, and tells both sides. */
bool assert_compares(struct dcl_session *s, const struct ast *st);
bool assert_run(struct dcl_session *s, const struct ast *st);

/* builtins_files.c */
struct load_words;
bool builtin_load_tensor(struct dcl_session *s, struct name path, const struct load_words *words,
                         struct span span, struct value *out);
/* The arguments of `load` by name, NULL where there is none. */
struct load_words {
    const struct value *name;   /* of a tensor */
    const struct value *rename; /* pairs of strings: parts of dotted names here and in the file */
    const struct value *skip;   /* strings: names of the file with such a part are passed over */
    const struct value *dtype;  /* of numbers in text */
    const struct value *raw;    /* an element type: the bytes of the file are such elements */
};
/* All states of X. */
bool builtin_load_states(struct dcl_session *s, const struct instance *x, struct name path,
                         const struct load_words *words, struct span span);
/* The same from F, called PATH in messages. */
bool states_load(struct dcl_session *s, struct data_file *f, const struct instance *x,
                 const char *path, const struct load_words *words, struct span span);
/* An instance of what the ONNX model PATH is; DIMS and SET, or NULL: pairs of names and values. */
bool builtin_load_model(struct dcl_session *s, struct name path, const struct value *dims,
                        const struct value *set, struct span span, struct value *out);
bool builtin_save(struct dcl_session *s, const struct value *args, const int64_t *rate,
                  struct span span);

/* builtins_pictures.c: PATH is none for what is printed. */
bool builtin_show_image(struct dcl_session *s, const struct value *x, struct name path,
                        struct span span);
/* N values: xs if there are two, ys. */
bool builtin_plot(struct dcl_session *s, uint32_t n, const struct value *v, struct name path,
                  struct span span);

#endif
