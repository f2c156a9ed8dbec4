/* Longest common subsequences, bit-parallel: 64 rows of the table per machine word.
 *
 * A block is up to 64 tokens of the target. Column j of the table is kept as its vertical differences, one bit per token
 * of the target: 0 where the LCS of the target's first i tokens is one longer than that of its first i - 1 (Crochemore
 * et al. 2001, Hyyrö 2004). Blocks follow one another; what one carries into the next is one bit per column. */
#include <stdlib.h>

#include "kernels.h"

enum { WIDTH = 64 };

/* Run one block over all columns. carry_in may be NULL (zeros); carry_out and history may be NULL (not wanted); carry_in
 * and carry_out may be the same row. Returns the last column. */
static uint64_t run_block(const int32_t *hypothesis, int64_t length, const uint64_t *masks, const uint64_t *carry_in,
                          uint64_t *carry_out, uint64_t *history) {
    uint64_t column = UINT64_MAX;
    for (int64_t from = 0; from < length; from += WIDTH) {
        int64_t to = from + WIDTH < length ? from + WIDTH : length;
        uint64_t in = carry_in ? carry_in[from / WIDTH] : 0, out = 0;
        for (int64_t j = from; j < to; j++) {
            uint64_t mask = masks[hypothesis[j]];
            uint64_t sum = column + (column & mask);
            uint64_t carry = sum < column;
            sum += in & 1;
            carry |= sum < (in & 1);
            in >>= 1;
            out |= carry << (j - from);
            column = sum | (column & ~mask);
            if (history) history[j] = column;
        }
        if (carry_out) carry_out[from / WIDTH] = out;
    }
    return column;
}

static int64_t block_length(int64_t length, int64_t block) {
    int64_t rest = length - block * WIDTH;
    return rest < WIDTH ? rest : WIDTH;
}

static void set_masks(uint64_t *masks, const int32_t *tokens, int64_t length) {
    for (int64_t i = 0; i < length; i++) masks[tokens[i]] |= (uint64_t)1 << i;
}

static void clear_masks(uint64_t *masks, const int32_t *tokens, int64_t length) {
    for (int64_t i = 0; i < length; i++) masks[tokens[i]] = 0;
}

static int64_t zeros(uint64_t column, int64_t length) {
    uint64_t bits = ~column;
    int64_t n = 0;
    if (length < WIDTH) bits &= ((uint64_t)1 << length) - 1;
    for (; bits; bits &= bits - 1) n++;
    return n;
}

static int64_t words_for(int64_t columns) { return columns / WIDTH + 1; }

static int64_t longest_of(const int64_t *texts, const int64_t *lengths, int64_t pairs) {
    int64_t longest = 0;
    for (int64_t p = 0; p < pairs; p++)
        if (lengths[texts[p]] > longest) longest = lengths[texts[p]];
    return longest;
}

/* The length of the LCS of each pair of texts. Token ids lie below vocabulary. */
DG_EXPORT int dg_lcs_length(const int32_t *tokens, const int64_t *starts, const int64_t *lengths,
                            const int64_t *hypotheses, const int64_t *targets, int64_t pairs, int64_t vocabulary,
                            int64_t *result) {
    uint64_t *masks = calloc((size_t)vocabulary + 1, sizeof *masks);
    uint64_t *carry = calloc((size_t)words_for(longest_of(hypotheses, lengths, pairs)), sizeof *carry);
    int status = masks && carry ? DG_OK : DG_NO_MEMORY;
    for (int64_t p = 0; p < pairs && status == DG_OK; p++) {
        const int32_t *hypothesis = tokens + starts[hypotheses[p]], *target = tokens + starts[targets[p]];
        int64_t length = lengths[hypotheses[p]], rows = lengths[targets[p]];
        result[p] = 0;
        for (int64_t block = 0; block * WIDTH < rows; block++) {
            int64_t n = block_length(rows, block);
            int last = (block + 1) * WIDTH >= rows;
            set_masks(masks, target + block * WIDTH, n);
            result[p] += zeros(run_block(hypothesis, length, masks, block ? carry : NULL, last ? NULL : carry, NULL), n);
            clear_masks(masks, target + block * WIDTH, n);
        }
    }
    free(masks);
    free(carry);
    return status;
}

/* Scratch space of the union LCS; the dense arrays are indexed by token and all zero between uses. */
typedef struct {
    uint64_t *masks;
    int32_t *available; /* how often the hypothesis has the token */
    int32_t *unspent;   /* the same, less what was counted as a hit */
    uint8_t *in_union;  /* of each token of the present line of the target */
    uint64_t *history;  /* columns of one block */
    uint64_t *carries;  /* a row per block but the last */
    uint64_t carries_allocated;
} Scratch;

/* Follow the path that the reference implementation takes through the table, from the end, within one block: at
 * unequal tokens it goes left where the cell above is smaller, else up. *column is the 1-based column, moved along.
 * Returns how many tokens were added to the union. */
static int64_t backtrack(const int32_t *target, int64_t rows, const int32_t *hypothesis, int64_t *column,
                         const uint64_t *history, uint8_t *in_union) {
    int64_t i = rows, j = *column, added = 0;
    while (i > 0 && j > 0) {
        if (target[i - 1] == hypothesis[j - 1]) {
            added += !in_union[i - 1];
            in_union[i - 1] = 1;
            i--;
            j--;
        } else if (history[j - 1] >> (i - 1) & 1)
            i--;
        else
            j--;
    }
    *column = j;
    return added;
}

/* Add the LCS of a line of the target with a line of the hypothesis to the union. The table of a long line is not kept:
 * a first run keeps what each block carries into the next, and the blocks are run again, last first, to walk back. */
static int64_t add_lcs(Scratch *s, const int32_t *line, int64_t rows, const int32_t *hypothesis, int64_t columns,
                       int *status) {
    int64_t blocks = (rows + WIDTH - 1) / WIDTH, row_words = words_for(columns), added = 0, column = columns;
    if (blocks > 1 && (uint64_t)(blocks - 1) * (uint64_t)row_words > s->carries_allocated) {
        free(s->carries);
        s->carries_allocated = (uint64_t)(blocks - 1) * (uint64_t)row_words;
        s->carries = malloc(s->carries_allocated * sizeof *s->carries);
        if (!s->carries) {
            s->carries_allocated = 0;
            *status = DG_NO_MEMORY;
            return 0;
        }
    }
    for (int64_t b = 0; b + 1 < blocks; b++) {
        set_masks(s->masks, line + b * WIDTH, WIDTH);
        run_block(hypothesis, columns, s->masks, b ? s->carries + (b - 1) * row_words : NULL,
                  s->carries + b * row_words, NULL);
        clear_masks(s->masks, line + b * WIDTH, WIDTH);
    }
    for (int64_t b = blocks - 1; b >= 0 && column > 0; b--) {
        const int32_t *block = line + b * WIDTH;
        int64_t n = block_length(rows, b);
        if (blocks > 1) set_masks(s->masks, block, n); /* a single block has its masks already */
        run_block(hypothesis, column, s->masks, b ? s->carries + (b - 1) * row_words : NULL, NULL, s->history);
        if (blocks > 1) clear_masks(s->masks, block, n);
        added += backtrack(block, n, hypothesis, &column, s->history, s->in_union + b * WIDTH);
    }
    return added;
}

static int64_t line_end(const uint8_t *breaks, int64_t i, int64_t length) {
    do i++;
    while (i < length && !breaks[i]);
    return i;
}

/* The hits of one line of the target: its tokens in the union of its LCS with each line of the hypothesis, each counted
 * at most as often as the hypothesis has the token. */
static int64_t line_hits(Scratch *s, const int32_t *line, int64_t rows, const int32_t *hypothesis, const uint8_t *breaks,
                         int64_t length, int *status) {
    int64_t reachable = 0, found = 0, hits = 0;
    for (int64_t i = 0; i < rows; i++) {
        s->in_union[i] = 0;
        reachable += s->available[line[i]] > 0;
    }
    if (rows <= WIDTH) set_masks(s->masks, line, rows);
    for (int64_t from = 0, to; from < length && found < reachable && *status == DG_OK; from = to) {
        to = line_end(breaks, from, length);
        found += add_lcs(s, line, rows, hypothesis + from, to - from, status);
    }
    if (rows <= WIDTH) clear_masks(s->masks, line, rows);
    for (int64_t i = 0; i < rows; i++)
        if (s->in_union[i] && s->unspent[line[i]] > 0) {
            s->unspent[line[i]]--;
            hits++;
        }
    return hits;
}

/* The hits of summary-level LCS (ROUGE-Lsum) of each pair of texts; breaks marks the tokens that begin a line. */
DG_EXPORT int dg_lcs_union(const int32_t *tokens, const uint8_t *breaks, const int64_t *starts, const int64_t *lengths,
                           const int64_t *hypotheses, const int64_t *targets, int64_t pairs, int64_t vocabulary,
                           int64_t *result) {
    int64_t columns = longest_of(hypotheses, lengths, pairs), rows = longest_of(targets, lengths, pairs);
    Scratch s = {calloc((size_t)vocabulary + 1, sizeof *s.masks),
                 calloc((size_t)vocabulary + 1, sizeof *s.available),
                 calloc((size_t)vocabulary + 1, sizeof *s.unspent),
                 malloc((size_t)rows + 1),
                 malloc((size_t)(columns + 1) * sizeof *s.history),
                 NULL,
                 0};
    int status = s.masks && s.available && s.unspent && s.in_union && s.history ? DG_OK : DG_NO_MEMORY;
    for (int64_t p = 0; p < pairs && status == DG_OK; p++) {
        int64_t start = starts[hypotheses[p]], length = lengths[hypotheses[p]];
        int64_t target = starts[targets[p]], end = lengths[targets[p]];
        for (int64_t j = 0; j < length; j++) s.unspent[tokens[start + j]] = ++s.available[tokens[start + j]];
        result[p] = 0;
        for (int64_t from = 0, to; from < end && status == DG_OK; from = to) {
            to = line_end(breaks + target, from, end);
            result[p] += line_hits(&s, tokens + target + from, to - from, tokens + start, breaks + start, length, &status);
        }
        for (int64_t j = 0; j < length; j++) s.unspent[tokens[start + j]] = s.available[tokens[start + j]] = 0;
    }
    free(s.masks);
    free(s.available);
    free(s.unspent);
    free(s.in_union);
    free(s.history);
    free(s.carries);
    return status;
}
