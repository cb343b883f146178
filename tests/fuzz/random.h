/* Random choices for generators: one number decides all (splitmix64). */
#ifndef DCL_TESTS_FUZZ_RANDOM_H
#define DCL_TESTS_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#define FUZZ __attribute__((unused)) static

struct rng {
    uint64_t state;
};

FUZZ uint64_t rng_next(struct rng *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. n-1; 0 if N is 0. */
FUZZ int rng_below(struct rng *r, int n) {
    return n > 0 ? (int)(rng_next(r) % (uint64_t)n) : 0;
}

FUZZ bool rng_chance(struct rng *r, int percent) {
    return rng_below(r, 100) < percent;
}

/* An element of an array. */
#define rng_of(r, array) ((array)[rng_below((r), (int)(sizeof(array) / sizeof *(array)))])

/* Position k with weight[k] in sum. */
FUZZ int rng_weighted(struct rng *r, int n, const int *weight) {
    int sum = 0, k = 0;
    for (int i = 0; i < n; i++)
        sum += weight[i];
    int x = rng_below(r, sum);
    while (k < n - 1 && x >= weight[k])
        x -= weight[k++];
    return k;
}

#endif
