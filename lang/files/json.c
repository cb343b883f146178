/* JSON (RFC 8259), read in place; only strings take memory, at most the text's size. */
#include "lang/files/json.h"

#include "lang/files/format.h"

#include <string.h>

static bool fail(struct json *j, const char *why) {
    j->why = why;
    return false;
}

static void skip_space(struct json *j) {
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
        j->at++;
}

bool json_take(struct json *j, char c) {
    skip_space(j);
    if (j->at == j->end || *j->at != c)
        return false;
    j->at++;
    return true;
}

bool json_expect(struct json *j, char c) {
    return json_take(j, c) || fail(j, "malformed JSON");
}

bool json_end(struct json *j) {
    skip_space(j);
    return j->at == j->end || fail(j, "text after the JSON header");
}

static bool take_hex(struct json *j, uint32_t *v) {
    if (j->end - j->at < 4)
        return false;
    *v = 0;
    for (int k = 0; k < 4; k++) {
        char c = *j->at++;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16)
            return false;
        *v = *v << 4 | digit;
    }
    return true;
}

static char *put_utf8(char *to, uint32_t c) {
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    int rest = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[rest] | c >> 6 * rest);
    while (rest--)
        *to++ = (char)(0x80 | (c >> 6 * rest & 0x3f));
    return to;
}

/* What follows a backslash, as UTF-8; never longer than the escape. NULL if it is none. */
static char *take_escape(struct json *j, char *to) {
    static const char signs[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (j->at == j->end)
        return NULL;
    char c = *j->at++;
    if (c != 'u') {
        const char *found = memchr(signs, c, sizeof signs - 1);
        if (!found)
            return NULL;
        *to = means[found - signs];
        return to + 1;
    }
    uint32_t v, low;
    if (!take_hex(j, &v) || v == 0 || (v >= 0xdc00 && v <= 0xdfff))
        return NULL;
    if (v >= 0xd800 && v <= 0xdbff) { /* the first half of a pair */
        if (j->end - j->at < 2 || *j->at++ != '\\' || *j->at++ != 'u' || !take_hex(j, &low) ||
            low < 0xdc00 || low > 0xdfff)
            return NULL;
        v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
    }
    return put_utf8(to, v);
}

/* Moves past the closing quote; returns the length of the raw text, before the quote. */
static bool find_quote(struct json *j, size_t *n) {
    const char *start = j->at;
    for (; j->at < j->end && *j->at != '"'; j->at++) {
        if ((unsigned char)*j->at < ' ')
            return fail(j, "a control character in a JSON string");
        if (*j->at == '\\' && ++j->at == j->end)
            break;
    }
    if (j->at == j->end)
        return fail(j, "a JSON string is not closed");
    *n = (size_t)(j->at++ - start);
    return true;
}

bool json_string(struct json *j, const char **text) {
    size_t n;
    if (!json_expect(j, '"'))
        return false;
    struct json raw = *j;
    if (!find_quote(j, &n))
        return false;
    raw.end = raw.at + n;
    char *out = arena_alloc(j->arena, n + 1), *to = out;
    while (raw.at < raw.end) {
        if (*raw.at != '\\') {
            *to++ = *raw.at++;
            continue;
        }
        raw.at++;
        to = take_escape(&raw, to);
        if (!to)
            return fail(j, "malformed escape in a JSON string");
    }
    if (!text_is_utf8(out, (size_t)(to - out)))
        return fail(j, "a JSON string is not UTF-8");
    *to = '\0';
    *text = out;
    return true;
}

bool json_natural(struct json *j, int64_t *v) {
    skip_space(j);
    if (j->at < j->end && *j->at == '-')
        return fail(j, "a number is negative");
    const char *start = j->at;
    int64_t n = 0;
    for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *j->at - '0', &n))
            return fail(j, "a number is too large");
    if (j->at == start || (*start == '0' && j->at - start > 1))
        return fail(j, "malformed JSON number");
    if (j->at < j->end && (*j->at == '.' || *j->at == 'e' || *j->at == 'E'))
        return fail(j, "a number is not whole");
    *v = n;
    return true;
}

/* A number or word: what stands up to the next sign. Its form does not matter where it is skipped.
 */
static bool skip_scalar(struct json *j) {
    const char *start = j->at;
    while (j->at < j->end && *j->at && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *j->at))
        j->at++;
    return j->at > start || fail(j, "malformed JSON");
}

/* Without recursion: OPEN holds the closing signs of what is open. */
bool json_skip(struct json *j) {
    char open[JSON_DEPTH_MAX];
    int depth = 0;
    size_t n;
    bool first = false; /* nothing stands yet in what was just opened */
    for (;;) {
        skip_space(j);
        bool closes = first && j->at < j->end && *j->at == open[depth - 1];
        if (!closes && depth && open[depth - 1] == '}')
            if (!json_expect(j, '"') || !find_quote(j, &n) || !json_expect(j, ':'))
                return false;
        first = false;
        if (closes) {
            j->at++;
            depth--;
        } else if (json_take(j, '{') || json_take(j, '[')) {
            if (depth == JSON_DEPTH_MAX)
                return fail(j, "JSON nested too deeply");
            open[depth++] = j->at[-1] == '{' ? '}' : ']';
            first = true;
            continue;
        } else if (json_take(j, '"')) {
            if (!find_quote(j, &n))
                return false;
        } else if (!skip_scalar(j)) {
            return false;
        }
        /* A value has ended. */
        while (depth && json_take(j, open[depth - 1]))
            depth--;
        if (depth == 0)
            return true;
        if (!json_expect(j, ','))
            return false;
    }
}
