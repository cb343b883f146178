/* For tests of files: what lies in a folder, and whether a file is still what it was. */
#ifndef DCL_TESTS_UNIT_FILES_AROUND_H
#define DCL_TESTS_UNIT_FILES_AROUND_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many entries PATH has, `.` and `..` among them. */
static inline int entries(const char *path) {
    int n = 0;
    DIR *d = opendir(path);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static inline void make_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

/* Whether the file holds "old". */
static inline bool holds_old(const char *path) {
    char text[10] = "";
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return n == 3 && memcmp(text, "old", 3) == 0;
}

#endif
