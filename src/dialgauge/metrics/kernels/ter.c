/* Translation edit rate: how many words must be inserted, deleted, replaced, or moved as a block, to turn a hypothesis
 * into its reference. The search for moves is greedy and follows the limits of sacrebleu and tercom; the edit distance
 * keeps to a beam around the diagonal, and the cells outside of it count as unreachable. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum {
    BEAM = 25,             /* cells to each side of the diagonal */
    MAX_MOVED = 10,        /* words in a block that moves */
    MAX_DISTANCE = 50,     /* how far apart the block may be in the hypothesis and in the reference */
    MAX_CANDIDATES = 1000, /* moves tried for one pair before the search gives up */
    UNREACHABLE = 1 << 29
};

typedef struct {
    int64_t n, m;           /* words of the hypothesis and of the reference */
    int32_t *words, *moved; /* the hypothesis as it stands, and with the move that is being tried */
    const int32_t *reference;
    int64_t *low, *high;    /* the beam: row i of the matrix has the columns low[i] .. high[i] - 1 */
    int64_t stride;         /* room for one row, but for row 0, which is m + 1 wide */
    int32_t *rows;          /* the matrix for `words`, and two rows more for a move that is being tried */
    int64_t *aligned;       /* the position in the hypothesis that a reference word is aligned with, or before it */
    int64_t *wrong_words, *wrong_references; /* errors among the first i words */
    int64_t room, cells;    /* allocated: words, cells */
} Pair;

typedef struct {
    int32_t gain;
    int64_t length, start, target;
} Move;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void release(Pair *pair) {
    free(pair->words);
    free(pair->moved);
    free(pair->low);
    free(pair->high);
    free(pair->rows);
    free(pair->aligned);
    free(pair->wrong_words);
    free(pair->wrong_references);
    memset(pair, 0, sizeof *pair);
}

static int reserve_words(Pair *pair, int64_t room) {
    if (room <= pair->room) return DG_OK;
    release(pair);
    size_t count = (size_t)room;
    pair->words = malloc(count * sizeof *pair->words);
    pair->moved = malloc(count * sizeof *pair->moved);
    pair->low = malloc(count * sizeof *pair->low);
    pair->high = malloc(count * sizeof *pair->high);
    pair->aligned = malloc(count * sizeof *pair->aligned);
    pair->wrong_words = malloc(count * sizeof *pair->wrong_words);
    pair->wrong_references = malloc(count * sizeof *pair->wrong_references);
    if (!pair->words || !pair->moved || !pair->low || !pair->high || !pair->aligned || !pair->wrong_words ||
        !pair->wrong_references)
        return DG_NO_MEMORY;
    pair->room = room;
    return DG_OK;
}

static int reserve_cells(Pair *pair) {
    int64_t cells = pair->m + 1 + (pair->n + 2) * pair->stride;
    if (cells <= pair->cells) return DG_OK;
    free(pair->rows);
    pair->rows = malloc((size_t)cells * sizeof *pair->rows);
    pair->cells = pair->rows ? cells : 0;
    return pair->rows ? DG_OK : DG_NO_MEMORY;
}

static int32_t *row_at(const Pair *pair, int64_t i) {
    return i == 0 ? pair->rows : pair->rows + pair->m + 1 + (i - 1) * pair->stride;
}

/* The columns of each row, in the floating-point arithmetic of sacrebleu. */
static void set_beam(Pair *pair) {
    double ratio = (double)pair->m / (double)pair->n;
    int64_t beam = BEAM < ratio / 2 ? (int64_t)ceil(ratio / 2 + BEAM) : BEAM;
    pair->low[0] = 0;
    pair->high[0] = pair->m + 1;
    pair->stride = 0;
    for (int64_t i = 1; i <= pair->n; i++) {
        int64_t diagonal = (int64_t)floor((double)i * ratio);
        pair->low[i] = diagonal > beam ? diagonal - beam : 0;
        pair->high[i] = i == pair->n ? pair->m + 1 : least(pair->m + 1, diagonal + beam);
        if (pair->high[i] - pair->low[i] > pair->stride) pair->stride = pair->high[i] - pair->low[i];
    }
}

/* Row i of the matrix for this word from the row above it. Returns a lower bound of the distance that it leads to. */
static int32_t fill_row(const Pair *pair, int64_t i, int32_t word, const int32_t *above, int32_t *row) {
    int64_t low = pair->low[i], high = pair->high[i], above_low = pair->low[i - 1], above_high = pair->high[i - 1];
    int32_t surplus = (int32_t)(pair->n - i - pair->m); /* words still to come, less reference words after column 0 */
    int32_t bound = UNREACHABLE, left = UNREACHABLE;
    int64_t j = low;
    if (low == 0) {
        row[0] = left = above[0] + 1;
        bound = left + abs(surplus);
        j = 1;
    }
    int32_t corner = j > above_low ? above[j - 1 - above_low] : UNREACHABLE;
    int64_t covered = least(high, above_high);
    for (; j < covered; j++) {
        int32_t up = above[j - above_low];
        int32_t value = corner + (word != pair->reference[j - 1]);
        if (up + 1 < value) value = up + 1;
        if (left + 1 < value) value = left + 1;
        corner = up;
        row[j - low] = left = value;
        int32_t estimate = value + abs(surplus + (int32_t)j);
        if (estimate < bound) bound = estimate;
    }
    for (; j < high; j++) {
        int32_t value = corner + (word != pair->reference[j - 1]);
        if (left + 1 < value) value = left + 1;
        corner = UNREACHABLE;
        row[j - low] = left = value;
        int32_t estimate = value + abs(surplus + (int32_t)j);
        if (estimate < bound) bound = estimate;
    }
    return bound;
}

static int32_t cell(const Pair *pair, int64_t i, int64_t j) {
    return j >= pair->low[i] && j < pair->high[i] ? row_at(pair, i)[j - pair->low[i]] : UNREACHABLE;
}

/* Bring the matrix up to date with `words`, of which the first ones are unchanged. */
static int32_t fill_rows(Pair *pair, int64_t unchanged) {
    for (int64_t i = unchanged + 1; i <= pair->n; i++)
        fill_row(pair, i, pair->words[i - 1], row_at(pair, i - 1), row_at(pair, i));
    return cell(pair, pair->n, pair->m);
}

/* How much better than row i of the matrix a row is, in its best and in its worst column. */
static void compare_row(const Pair *pair, int64_t i, const int32_t *row, int32_t *best, int32_t *worst) {
    const int32_t *present = row_at(pair, i);
    *best = -UNREACHABLE, *worst = UNREACHABLE;
    for (int64_t j = 0; j < pair->high[i] - pair->low[i]; j++) {
        int32_t gain = present[j] - row[j];
        if (gain > *best) *best = gain;
        if (gain < *worst) *worst = gain;
    }
}

/* How much `moved`, of which only the words from `from` to `to` changed, lowers the distance; 0 as soon as that is sure
 * to be less than `wanted`. Once the words are the same again, no row can gain more than the row above it. */
static int32_t gain_of_moved(const Pair *pair, int32_t distance, int64_t from, int64_t to, int32_t wanted) {
    const int32_t *above = row_at(pair, from);
    for (int64_t i = from + 1; i <= pair->n; i++) {
        int32_t *row = row_at(pair, pair->n + 1 + i % 2);
        if (fill_row(pair, i, pair->moved[i - 1], above, row) > distance - wanted) return 0;
        if (i >= to) {
            int32_t best, worst;
            compare_row(pair, i, row, &best, &worst);
            if (best < wanted) return 0;
            if (best == worst) return best;
        }
        above = row;
    }
    return distance - above[pair->m - pair->low[pair->n]];
}

/* Which words are aligned and which are wrong, from the matrix. Replacing is preferred to deleting, that to inserting. */
static void trace(Pair *pair) {
    int64_t i = pair->n, j = pair->m;
    memset(pair->wrong_words, 0, (size_t)(pair->n + 1) * sizeof *pair->wrong_words);
    memset(pair->wrong_references, 0, (size_t)(pair->m + 1) * sizeof *pair->wrong_references);
    while (i > 0 || j > 0) {
        int differ = i > 0 && j > 0 && pair->words[i - 1] != pair->reference[j - 1];
        if (i > 0 && j > 0 && cell(pair, i - 1, j - 1) + differ == cell(pair, i, j)) {
            pair->aligned[j - 1] = i - 1;
            pair->wrong_words[i] = pair->wrong_references[j] = differ;
            i--, j--;
        } else if (i > 0 && (j == 0 || cell(pair, i - 1, j) + 1 == cell(pair, i, j))) {
            pair->wrong_words[i] = 1;
            i--;
        } else {
            pair->aligned[j - 1] = i - 1;
            pair->wrong_references[j] = 1;
            j--;
        }
    }
    for (i = 1; i <= pair->n; i++) pair->wrong_words[i] += pair->wrong_words[i - 1];
    for (j = 1; j <= pair->m; j++) pair->wrong_references[j] += pair->wrong_references[j - 1];
}

/* Write `words` with a block moved to `moved`. The words before *from and from *to on stay the same. */
static void move_block(Pair *pair, int64_t start, int64_t length, int64_t target, int64_t *from, int64_t *to) {
    size_t size = sizeof *pair->words;
    memcpy(pair->moved, pair->words, (size_t)pair->n * size);
    if (target < start) {
        *from = target;
        *to = start + length;
        memcpy(pair->moved + target, pair->words + start, (size_t)length * size);
        memcpy(pair->moved + target + length, pair->words + target, (size_t)(start - target) * size);
    } else { /* a target inside the block moves it by as many words */
        *from = start;
        *to = target > start + length ? target : least(pair->n, target + length);
        memcpy(pair->moved + start, pair->words + start + length, (size_t)(*to - start - length) * size);
        memcpy(pair->moved + *to - length, pair->words + start, (size_t)length * size);
    }
}

static int is_better(const Move *a, const Move *b) {
    if (a->gain != b->gain) return a->gain > b->gain;
    if (a->length != b->length) return a->length > b->length;
    if (a->start != b->start) return a->start < b->start;
    return a->target < b->target;
}

/* Try to move one block, equal to the reference words from `at` on, to where those are aligned, and around. */
static void try_block(Pair *pair, int32_t distance, int64_t start, int64_t at, int64_t length, Move *best,
                      int64_t *tried) {
    if (pair->wrong_words[start + length] == pair->wrong_words[start]) return;
    if (pair->wrong_references[at + length] == pair->wrong_references[at]) return;
    if (start <= pair->aligned[at] && pair->aligned[at] < start + length) return;
    int64_t previous = -1;
    for (int64_t position = at - 1; position < at + length; position++) {
        int64_t target = position < 0 ? 0 : pair->aligned[position] + 1;
        if (target == previous) continue;
        previous = target;
        int64_t from, to;
        move_block(pair, start, length, target, &from, &to);
        int32_t wanted = best->gain > 1 ? best->gain : 1;
        Move move = {gain_of_moved(pair, distance, from, to, wanted), length, start, target};
        if (is_better(&move, best)) *best = move;
        ++*tried;
    }
}

/* The move that brings the hypothesis nearest to the reference; its gain is 0 where none does. */
static Move best_move(Pair *pair, int32_t distance, int64_t *tried) {
    Move best = {0, MAX_MOVED + 1, 0, 0}; /* a move without gain is never better than this one */
    for (int64_t start = 0; start < pair->n; start++) {
        if (pair->wrong_words[least(pair->n, start + MAX_MOVED)] == pair->wrong_words[start]) continue;
        int64_t first = start > MAX_DISTANCE ? start - MAX_DISTANCE : 0;
        int64_t last = least(pair->m, start + MAX_DISTANCE + 1);
        for (int64_t at = first; at < last; at++) {
            int64_t longest = least(MAX_MOVED, least(pair->n - start, pair->m - at));
            for (int64_t length = 1; length <= longest; length++) {
                if (pair->words[start + length - 1] != pair->reference[at + length - 1]) break;
                try_block(pair, distance, start, at, length, &best, tried);
                if (*tried >= MAX_CANDIDATES) return best;
            }
        }
    }
    return best;
}

static int64_t count_edits(Pair *pair) {
    for (int64_t j = 0; j <= pair->m; j++) pair->rows[j] = (int32_t)j;
    int32_t distance = fill_rows(pair, 0);
    int64_t moves = 0, tried = 0;
    for (;;) {
        trace(pair);
        Move best = best_move(pair, distance, &tried);
        if (tried >= MAX_CANDIDATES || best.gain <= 0) return moves + distance;
        int64_t from, to;
        move_block(pair, best.start, best.length, best.target, &from, &to);
        memcpy(pair->words, pair->moved, (size_t)pair->n * sizeof *pair->words);
        distance = fill_rows(pair, from);
        moves++;
    }
}

/* edits[p] for each pair of texts: text t has the words ids[starts[t]] .. ids[starts[t] + lengths[t] - 1]. */
DG_EXPORT int64_t dg_ter(const int32_t *ids, const int64_t *starts, const int64_t *lengths, const int64_t *hypotheses,
                         const int64_t *references, int64_t pairs, int64_t *edits) {
    Pair pair = {0};
    int64_t status = DG_OK;
    for (int64_t p = 0; p < pairs; p++) {
        int64_t n = lengths[hypotheses[p]], m = lengths[references[p]];
        if (n == 0 || m == 0) {
            edits[p] = n + m;
            continue;
        }
        if ((status = reserve_words(&pair, (n > m ? n : m) + 1)) != DG_OK) break;
        pair.n = n;
        pair.m = m;
        set_beam(&pair);
        if ((status = reserve_cells(&pair)) != DG_OK) break;
        memcpy(pair.words, ids + starts[hypotheses[p]], (size_t)n * sizeof *pair.words);
        pair.reference = ids + starts[references[p]];
        edits[p] = count_edits(&pair);
    }
    release(&pair);
    return status;
}
