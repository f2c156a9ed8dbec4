/* How many n-grams of a hypothesis occur in its target, clipped: the count behind ROUGE-N, BLEU and chrF.
 *
 * The n-grams of a target form a trie, built once for all hypotheses that share the target; each position of a
 * hypothesis walks down it and stops at the first n-gram that the target does not have. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* The trie is a hash table from (parent, token) to a node; a node is named by its slot. */
typedef struct {
    uint64_t key;    /* (parent slot + 1) << 32 | token, parent 0 is the root; FREE where the slot is free */
    int32_t count;   /* how often the n-gram may match */
    int32_t seen;    /* how often the text of `reader` has it so far */
    uint64_t reader;
} Node;

#define FREE UINT64_MAX

typedef struct {
    Node *nodes;
    uint64_t allocated, capacity;
    int bits;
    uint64_t readers; /* texts read so far: a node's `seen` is from this text only if its reader is this number */
} Trie;

static uint64_t find(const Trie *trie, uint64_t parent, int32_t token) {
    uint64_t key = parent << 32 | (uint32_t)token;
    uint64_t slot = (key * 0x9E3779B97F4A7C15u) >> (64 - trie->bits);
    while (trie->nodes[slot].key != key && trie->nodes[slot].key != FREE) slot = (slot + 1) & (trie->capacity - 1);
    return slot;
}

static int32_t read_node(Trie *trie, Node *node) {
    /* Without branches: which texts have an n-gram before cannot be foreseen. */
    int32_t seen = (node->reader == trie->readers ? node->seen : 0) + 1;
    node->reader = trie->readers;
    node->seen = seen;
    return seen;
}

static int clear(Trie *trie, uint64_t entries) {
    /* Room to spare makes for short searches, as long as the table stays in the processor's cache. */
    uint64_t wanted = entries < 1 << 16 ? 4 * entries : 2 * entries;
    trie->bits = 6;
    while ((uint64_t)1 << trie->bits < wanted) trie->bits++;
    trie->capacity = (uint64_t)1 << trie->bits;
    if (trie->bits > 31) return DG_NO_MEMORY;
    if (trie->capacity > trie->allocated) {
        free(trie->nodes);
        trie->nodes = malloc(trie->capacity * sizeof *trie->nodes);
        trie->allocated = trie->nodes ? trie->capacity : 0;
        if (!trie->nodes) return DG_NO_MEMORY;
    }
    for (uint64_t slot = 0; slot < trie->capacity; slot++) trie->nodes[slot].key = FREE;
    return DG_OK;
}

/* Add a text's n-grams; with several texts an n-gram may match as often as in the text that has most of it. */
static void add_text(Trie *trie, const int32_t *tokens, int64_t length, int64_t orders) {
    trie->readers++;
    for (int64_t i = 0; i < length; i++) {
        uint64_t parent = 0;
        for (int64_t k = 0; k < orders && i + k < length; k++) {
            uint64_t slot = find(trie, parent, tokens[i + k]);
            Node *node = &trie->nodes[slot];
            if (node->key == FREE) {
                node->key = parent << 32 | (uint32_t)tokens[i + k];
                node->count = 0;
                node->reader = 0;
            }
            int32_t seen = read_node(trie, node);
            if (seen > node->count) node->count = seen;
            parent = slot + 1;
        }
    }
}

static void match_text(Trie *trie, const int32_t *tokens, int64_t length, int64_t orders, int64_t *matches) {
    trie->readers++;
    for (int64_t k = 0; k < orders; k++) matches[k] = 0;
    for (int64_t i = 0; i < length; i++) {
        uint64_t parent = 0;
        for (int64_t k = 0; k < orders && i + k < length; k++) {
            uint64_t slot = find(trie, parent, tokens[i + k]);
            Node *node = &trie->nodes[slot];
            if (node->key == FREE) break;
            matches[k] += read_node(trie, node) <= node->count;
            parent = slot + 1;
        }
    }
}

/* Item i compares the text hypotheses[i] with the texts set_texts[set_offsets[s] .. set_offsets[s + 1]), s = sets[i].
 * Items are visited in the given order, which should bring equal sets together. matches[i * orders + n - 1] becomes the
 * clipped number of common n-grams. */
DG_EXPORT int dg_ngram_match(const int32_t *tokens, const int64_t *starts, const int64_t *lengths,
                             const int64_t *hypotheses, const int64_t *sets, const int64_t *order, int64_t items,
                             const int64_t *set_offsets, const int64_t *set_texts, int64_t orders, int64_t *matches) {
    Trie trie = {NULL, 0, 0, 0, 0};
    int64_t present = -1;
    int status = DG_OK;
    for (int64_t position = 0; position < items; position++) {
        int64_t item = order[position], set = sets[item], text = hypotheses[item];
        if (set != present) {
            uint64_t entries = 0;
            for (int64_t t = set_offsets[set]; t < set_offsets[set + 1]; t++)
                entries += (uint64_t)lengths[set_texts[t]] * (uint64_t)orders;
            status = clear(&trie, entries);
            if (status != DG_OK) break;
            for (int64_t t = set_offsets[set]; t < set_offsets[set + 1]; t++)
                add_text(&trie, tokens + starts[set_texts[t]], lengths[set_texts[t]], orders);
            present = set;
        }
        match_text(&trie, tokens + starts[text], lengths[text], orders, matches + item * orders);
    }
    free(trie.nodes);
    return status;
}

/* The same counts, and after them the length of the longest common subsequence, for pairs whose target has at most 64
 * tokens, which fit into the bits of a machine word. Bit j of `here` says that the n-gram at a position of the hypothesis
 * is also at position j of the target. Equal n-grams are at the same positions of the target and others elsewhere, so
 * that taking one position for each match clips the count. `column` is as in lcs.c. Token ids lie below vocabulary;
 * counts[p * (orders + 1) + n - 1] becomes the count of n-grams of pair p. */
DG_EXPORT int dg_short_overlaps(const int32_t *tokens, const int64_t *starts, const int64_t *lengths,
                                const int64_t *hypotheses, const int64_t *targets, int64_t pairs, int64_t vocabulary,
                                int64_t orders, int64_t *counts) {
    uint64_t *masks = calloc((size_t)vocabulary + 1, sizeof *masks);
    uint64_t *taken = malloc(((size_t)orders + 1) * sizeof *taken);
    int status = masks && taken ? DG_OK : DG_NO_MEMORY;
    for (int64_t p = 0; p < pairs && status == DG_OK; p++) {
        const int32_t *hypothesis = tokens + starts[hypotheses[p]], *target = tokens + starts[targets[p]];
        int64_t length = lengths[hypotheses[p]], rows = lengths[targets[p]];
        uint64_t column = UINT64_MAX;
        for (int64_t j = 0; j < rows; j++) masks[target[j]] |= (uint64_t)1 << j;
        for (int64_t k = 0; k < orders; k++) taken[k] = 0;
        for (int64_t i = 0; i < length; i++) {
            uint64_t here = masks[hypothesis[i]];
            column = (column + (column & here)) | (column & ~here);
            for (int64_t k = 0; here && k < orders;) {
                uint64_t left = here & ~taken[k];
                taken[k] |= left & (0 - left); /* the lowest bit */
                if (++k >= 64 || i + k >= length) break;
                here &= masks[hypothesis[i + k]] >> k;
            }
        }
        for (int64_t k = 0; k < orders; k++) counts[p * (orders + 1) + k] = ones(taken[k]);
        counts[p * (orders + 1) + orders] = ones(rows > 0 ? ~column & (UINT64_MAX >> (64 - rows)) : 0);
        for (int64_t j = 0; j < rows; j++) masks[target[j]] = 0;
    }
    free(masks);
    free(taken);
    return status;
}
