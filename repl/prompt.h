/* What the files of the REPL share: the loop with its commands, and where lines come from. */
#ifndef DCL_REPL_PROMPT_H
#define DCL_REPL_PROMPT_H

#include "repl/repl.h"

#include "lang/base/buf.h"
#include "lang/base/vec.h"

/* --- loop.c ---------------------------------------------------------------------------------- */

/* A text that has run. */
struct saved_text {
    const char *text, *folder; /* of its file, with a slash; "" of what was typed */
};

struct prompt {
    const struct command_line *options;
    struct arena *arena; /* of one input */
    dcl_session *session;
    struct line_reader *reader;
    enum picture_form pictures;
    struct arena *kept;           /* of SAVED */
    VEC(struct saved_text) saved; /* the inputs that had no error: what :save writes */
    unsigned inputs;
    bool failed, quit;
};

/* --- saved.c --------------------------------------------------------------------------------- */

/* Notes TEXT, which has run, for :save; from the file PATH, or NULL. */
void saved_add(struct prompt *p, const char *text, const char *path);
/* Writes what was noted to the file PATH; false with errno. */
bool saved_write(struct prompt *p, const char *path);

/* --- words.c: the commands of word.def -------------------------------------------------------- */

enum word_completes { WORD_NAMES, WORD_FILES, WORD_HELP };
struct word {
    const char *name, *arguments, *doc;
    enum word_completes completes;
    /* Runs it with the rest of its line; false after a message. */
    bool (*run)(struct prompt *p, const char *arguments);
};
enum word_id {
#define WORD(name, arguments, completes, doc) WORD_##name,
#include "repl/word.def"
#undef WORD
    WORD_COUNT
};
extern const struct word words[WORD_COUNT];

#define WORD(name, arguments, completes, doc) bool word_##name(struct prompt *p, const char *rest);
#include "repl/word.def"
#undef WORD

/* Whether TEXT, what stands behind a colon, begins with a command. */
bool word_begins(const char *text);
/* Runs TEXT, a command without its colon; false after a message. */
bool word_run(struct prompt *p, const char *text);
/* A message: how W is used; gives false. */
bool word_usage(enum word_id w);

/* --- line.c ---------------------------------------------------------------------------------- */

struct line_reader;
/* From standard input: with editing, history and completion on a terminal. What that tells of
   itself later than pictures.c waits for it goes to PICTURES and S. */
struct line_reader *line_reader_new(struct arena *a, dcl_session *s, enum picture_form *pictures);
void line_reader_close(struct line_reader *r);
/* Whose names are completed from here on. */
void line_reader_session(struct line_reader *r, dcl_session *s);
enum line_status { LINE_READ, LINE_END, LINE_INTERRUPTED, LINE_FAILED };
/* A line without its end, valid until the next call. MORE: it goes on with one before. LINE_FAILED
   is with errno. */
enum line_status line_read(struct line_reader *r, bool more, const char **line, size_t *n);
/* The line is read again. */
void line_unread(struct line_reader *r);
/* Drops what was pasted or typed ahead and, if a line has come in part, the rest of it: after
   Ctrl-C or a jump out of line_read. */
void line_drop(struct line_reader *r);
bool line_is_terminal(const struct line_reader *r);
/* Whether the next line can be looked at without waiting for somebody. */
bool line_can_look(const struct line_reader *r);
/* Where the next line begins if it belongs to a text that was pasted, as the last one does; else
   NULL. */
const char *line_pasted(const struct line_reader *r);
/* Whether more has arrived than was read: not somebody who types. */
bool line_waits(const struct line_reader *r);
/* TEXT, lines that have been read and that belong together, is an entry of the history. */
void line_remember(struct line_reader *r, const char *text, size_t n);
/* The last MOST entries, oldest first. */
void line_history(struct line_reader *r, int most, void (*f)(void *data, int number, const char *),
                  void *data);

/* What was typed before the reader was there. */
void line_typed(struct line_reader *r, const char *keys);

/* --- pictures.c ------------------------------------------------------------------------------- */

/* Whether ANSWER, ESC [ ? NUMBER ; .. c, says that the terminal shows sixel images. */
bool answer_has_sixel(const char *answer);

/* --- history.c: what was typed, kept over sessions -------------------------------------------- */

struct line_history;
/* The history; from a file and to it, if KEPT. */
struct line_history *history_open(struct arena *a, bool kept);
void history_close(struct line_history *h);
/* N bytes that hold no zero. */
void history_add(struct line_history *h, const char *text, size_t n);
void history_each(struct line_history *h, int most, void (*f)(void *data, int number, const char *),
                  void *data);
/* libedit's own, for EL_HIST. */
void *history_of_libedit(const struct line_history *h);

/* --- tab.c ------------------------------------------------------------------------------ */

struct completions {
    size_t from; /* where in the line what is completed begins */
    VEC(const char *) at;
};
/* What may stand at the end of LINE (N bytes), sorted, in arena A. */
struct completions complete_line(struct arena *a, dcl_session *s, const char *line, size_t n);

#endif
