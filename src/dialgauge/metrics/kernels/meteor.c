/* METEOR's alignment: words of the hypothesis with words of the target, one to one, in three rounds: equal words, equal
 * stems, synonyms of the stem. In every round the words of the hypothesis choose from the last to the first, and each
 * takes the last target word that is still free. */
#include <stdlib.h>

#include "kernels.h"

enum { NONE = -1 };

typedef struct {
    int32_t *last;   /* word or stem -> the last free position of the target that has it, or NONE */
    int32_t *before; /* position of the target -> the free position before it with the same word or stem, or NONE */
    int32_t *chosen; /* position of the hypothesis -> position of the target, or NONE */
    uint8_t *taken;  /* position of the target -> whether it is taken */
} Alignment;

typedef struct {
    const int32_t *words;
    int64_t length;
} Text;

/* A word's key in a round: the word itself, or its stem. */
static int32_t key_of(const int32_t *stems, int32_t word) { return stems ? stems[word] : word; }

static void index_target(Alignment *alignment, Text target, const int32_t *stems) {
    for (int64_t j = 0; j < target.length; j++) {
        if (alignment->taken[j]) continue;
        int32_t key = key_of(stems, target.words[j]);
        alignment->before[j] = alignment->last[key];
        alignment->last[key] = (int32_t)j;
    }
}

static void forget_target(Alignment *alignment, Text target, const int32_t *stems) {
    for (int64_t j = 0; j < target.length; j++) alignment->last[key_of(stems, target.words[j])] = NONE;
}

static void take(Alignment *alignment, int64_t i, int32_t key) {
    int32_t j = alignment->last[key];
    alignment->last[key] = alignment->before[j];
    alignment->chosen[i] = j;
    alignment->taken[j] = 1;
}

static void match_equal(Alignment *alignment, Text hypothesis, const int32_t *stems) {
    for (int64_t i = hypothesis.length - 1; i >= 0; i--) {
        if (alignment->chosen[i] != NONE) continue;
        int32_t key = key_of(stems, hypothesis.words[i]);
        if (alignment->last[key] != NONE) take(alignment, i, key);
    }
}

static void match_synonyms(Alignment *alignment, Text hypothesis, const int32_t *stems, const int64_t *offsets,
                           const int32_t *synonyms) {
    for (int64_t i = hypothesis.length - 1; i >= 0; i--) {
        if (alignment->chosen[i] != NONE) continue;
        int32_t stem = stems[hypothesis.words[i]], best = NONE, key = NONE;
        for (int64_t s = offsets[stem]; s < offsets[stem + 1]; s++) {
            if (alignment->last[synonyms[s]] > best) {
                key = synonyms[s];
                best = alignment->last[key];
            }
        }
        if (key != NONE) take(alignment, i, key);
    }
}

/* Runs of matched words that stand side by side in both texts. */
static void count(const Alignment *alignment, int64_t length, int64_t *matches, int64_t *chunks) {
    *matches = *chunks = 0;
    for (int64_t i = 0; i < length; i++) {
        int32_t j = alignment->chosen[i];
        if (j == NONE) continue;
        ++*matches;
        if (i == 0 || alignment->chosen[i - 1] == NONE || alignment->chosen[i - 1] != j - 1) ++*chunks;
    }
}

static void align(Alignment *alignment, Text hypothesis, Text target, const int32_t *stems, const int64_t *offsets,
                  const int32_t *synonyms) {
    for (int64_t i = 0; i < hypothesis.length; i++) alignment->chosen[i] = NONE;
    for (int64_t j = 0; j < target.length; j++) alignment->taken[j] = 0;
    index_target(alignment, target, NULL);
    match_equal(alignment, hypothesis, NULL);
    forget_target(alignment, target, NULL);
    index_target(alignment, target, stems);
    match_equal(alignment, hypothesis, stems);
    match_synonyms(alignment, hypothesis, stems, offsets, synonyms);
    forget_target(alignment, target, stems);
}

/* matches[p] and chunks[p] for each pair of texts: text t has the words ids[starts[t]] .. ids[starts[t] + lengths[t] - 1],
 * word w has the stem stems[w], stem s the synonyms synonyms[offsets[s]] .. synonyms[offsets[s + 1] - 1]. Words and stems
 * lie below `size`. */
DG_EXPORT int64_t dg_meteor(const int32_t *ids, const int64_t *starts, const int64_t *lengths, int64_t size,
                            const int32_t *stems, const int64_t *offsets, const int32_t *synonyms,
                            const int64_t *hypotheses, const int64_t *targets, int64_t pairs, int64_t *matches,
                            int64_t *chunks) {
    int64_t longest = 1;
    for (int64_t p = 0; p < pairs; p++) {
        if (lengths[hypotheses[p]] > longest) longest = lengths[hypotheses[p]];
        if (lengths[targets[p]] > longest) longest = lengths[targets[p]];
    }
    Alignment alignment = {
        malloc((size_t)(size + 1) * sizeof(int32_t)),
        malloc((size_t)longest * sizeof(int32_t)),
        malloc((size_t)longest * sizeof(int32_t)),
        malloc((size_t)longest),
    };
    int64_t status = DG_NO_MEMORY;
    if (alignment.last && alignment.before && alignment.chosen && alignment.taken) {
        status = DG_OK;
        for (int64_t key = 0; key < size; key++) alignment.last[key] = NONE;
        for (int64_t p = 0; p < pairs; p++) {
            Text hypothesis = {ids + starts[hypotheses[p]], lengths[hypotheses[p]]};
            Text target = {ids + starts[targets[p]], lengths[targets[p]]};
            align(&alignment, hypothesis, target, stems, offsets, synonyms);
            count(&alignment, hypothesis.length, matches + p, chunks + p);
        }
    }
    free(alignment.last);
    free(alignment.before);
    free(alignment.chosen);
    free(alignment.taken);
    return status;
}
