/* Random numbers that are a function of seed, stream and position: the same on any number of
   threads and in any order of evaluation.
   Philox 4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as
   easy as 1, 2, 3", SC 2011. */
#include "session/state.h"

#include <math.h>

static void philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)c0 * 0xd2511f53u, p1 = (uint64_t)c2 * 0xcd9e8d57u;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

struct random random_new(uint64_t seed, uint64_t stream) {
    uint64_t words[2] = {seed, stream}, key = hash_bytes(words, sizeof words, 0);
    return (struct random){{(uint32_t)key, (uint32_t)(key >> 32)}};
}

static double unit_interval(uint32_t high, uint32_t low) {
    return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

static void draw(const struct random *r, uint64_t k, double out[2]) {
    uint32_t counter[4] = {(uint32_t)k, (uint32_t)(k >> 32), 0, 0}, word[4];
    philox(r->key, counter, word);
    out[0] = unit_interval(word[0], word[1]);
    out[1] = unit_interval(word[2], word[3]);
}

double random_uniform(const struct random *r, uint64_t k) {
    double u[2];
    draw(r, k / 2, u);
    return u[k % 2];
}

/* G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", 1958. */
double random_normal(const struct random *r, uint64_t k) {
    double u[2];
    draw(r, k / 2, u);
    double radius = sqrt(-2 * log(1 - u[0])), angle = 6.283185307179586 * u[1];
    return radius * (k % 2 ? sin(angle) : cos(angle));
}
