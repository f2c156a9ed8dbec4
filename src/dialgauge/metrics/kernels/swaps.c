/* The swap test of every two systems: how many swaps of their values within dialogues leave two systems at least as
 * far apart as they are. A signed sum of differences is the difference of two signed sums, so each system is summed
 * once per swap. Four dialogues at a time have sixteen signed sums, which are looked up. */
#include <math.h>
#include <stdlib.h>

#include "kernels.h"

enum {
    GROUP = 4,            /* dialogues that are looked up together */
    WAYS = 1 << GROUP,    /* signs that these can have */
    STRIP = 8,            /* systems that are summed together: the table of 100 dialogues stays in the nearest cache */
    BLOCK = 256,          /* swaps whose sums are compared together */
    STRIDE = BLOCK + STRIP /* from one system's sums to the next: rows must not meet in the cache */
};

/* The signed sums of a strip of systems (groups × ways × systems): bit d of a way turns the sign of dialogue d. */
static void fill_table(const double *values, int64_t dialogues, int64_t systems, int64_t first, double *table) {
    int64_t wide = systems - first < STRIP ? systems - first : STRIP;
    for (int64_t begin = 0; begin < dialogues; begin += GROUP) {
        int64_t end = begin + GROUP < dialogues ? begin + GROUP : dialogues;
        for (int64_t way = 0; way < WAYS; way++, table += STRIP) {
            for (int64_t s = 0; s < STRIP; s++) table[s] = 0.0;
            for (int64_t d = begin; d < end; d++) {
                double sign = (way >> (d - begin)) & 1 ? -1.0 : 1.0;
                for (int64_t s = 0; s < wide; s++) table[s] += sign * values[d * systems + first + s];
            }
        }
    }
}

/* The signed sums of a strip of systems for some swaps. */
DG_WIDE
static void add_up(const double *table, const uint8_t *ways, int64_t groups, int64_t swaps, double *restrict sums) {
    for (int64_t k = 0; k < swaps; k++, ways += groups) {
        double total[STRIP] = {0};
        for (int64_t g = 0; g < groups; g++) {
            const double *row = table + (g * WAYS + ways[g]) * STRIP;
            for (int s = 0; s < STRIP; s++) total[s] += row[s];
        }
        for (int s = 0; s < STRIP; s++) sums[s * STRIDE + k] = total[s];
    }
}

/* The smallest and the largest sum of each system. */
DG_WIDE
static void find_ranges(const double *sums, int64_t systems, int64_t swaps, double *ranges) {
    for (int64_t s = 0; s < systems; s++, sums += STRIDE) {
        double low = sums[0], high = sums[0];
        for (int64_t k = 1; k < swaps; k++) {
            low = sums[k] < low ? sums[k] : low;
            high = sums[k] > high ? sums[k] : high;
        }
        ranges[2 * s] = low;
        ranges[2 * s + 1] = high;
    }
}

/* Add in how many swaps the first system's sums are this far from those of each of the others. */
DG_WIDE
static void count_apart(const double *sums, int64_t systems, int64_t swaps, const double *ranges,
                        const double *distances, int64_t *reached) {
    for (int64_t other = 1; other < systems; other++) {
        double above = ranges[1] - ranges[2 * other], below = ranges[2 * other + 1] - ranges[0];
        double distance = distances[other - 1];
        /* So far apart that none of these swaps can reach their difference. */
        if ((above > below ? above : below) < distance) continue;
        const double *theirs = sums + other * STRIDE;
        int64_t count = 0;
        for (int64_t k = 0; k < swaps; k++) count += fabs(sums[k] - theirs[k]) >= distance;
        reached[other - 1] += count;
    }
}

/* values: dialogues × systems. ways: swaps × groups of dialogues, a bit per dialogue. distances, reached: an entry per
 * pair of systems, (0, 1), (0, 2) … */
DG_EXPORT int dg_swaps_reached(const double *values, int64_t dialogues, int64_t systems, const uint8_t *ways,
                               int64_t swaps, const double *distances, int64_t *reached) {
    int64_t groups = (dialogues + GROUP - 1) / GROUP, strips = (systems + STRIP - 1) / STRIP;
    int64_t size = groups * WAYS * STRIP;
    double *tables = malloc((size_t)(strips * size + 1) * sizeof(double));
    double *sums = malloc((size_t)(strips * STRIP * STRIDE + 1) * sizeof(double));
    double *ranges = malloc((size_t)(systems * 2 + 1) * sizeof(double));
    int outcome = tables && sums && ranges ? DG_OK : DG_NO_MEMORY;
    for (int64_t strip = 0; outcome == DG_OK && strip < strips; strip++)
        fill_table(values, dialogues, systems, strip * STRIP, tables + strip * size);
    for (int64_t start = 0; outcome == DG_OK && start < swaps; start += BLOCK) {
        int64_t here = swaps - start < BLOCK ? swaps - start : BLOCK, pair = 0;
        for (int64_t strip = 0; strip < strips; strip++)
            add_up(tables + strip * size, ways + start * groups, groups, here, sums + strip * STRIP * STRIDE);
        find_ranges(sums, systems, here, ranges);
        for (int64_t i = 0; i < systems; pair += systems - i - 1, i++)
            count_apart(sums + i * STRIDE, systems - i, here, ranges + 2 * i, distances + pair, reached + pair);
    }
    free(tables);
    free(sums);
    free(ranges);
    return outcome;
}
