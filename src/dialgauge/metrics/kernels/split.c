/* Splitting texts into tokens, and numbering the distinct ones.
 *
 * Texts come as code points, one after the other. A token is always a run of them as they stand (every tokeniser here
 * only cuts), so a word is described by where it first occurs. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { SPLIT_ALPHANUMERIC = 0, SPLIT_WHITESPACE = 1, SPLIT_13A = 2, SPLIT_CHRF_WORDS = 3 };

/* Distinct words by hash, open addressing. Slots hold word number + 1; 0 is free. */
typedef struct {
    const uint32_t *codes;
    int64_t *starts, *lengths; /* of each word, arrays of the caller */
    int64_t words;
    int32_t *slots;
    uint64_t *hashes; /* of each slot */
    uint64_t capacity;
} Vocabulary;

/* Where tokens go. */
typedef struct {
    Vocabulary vocabulary;
    int32_t *tokens;
    uint8_t *breaks;
    int64_t count;
    int status;
} Output;

static int grow(Vocabulary *v) {
    uint64_t capacity = v->capacity ? v->capacity * 4 : 4096;
    int32_t *slots = calloc(capacity, sizeof *slots);
    uint64_t *hashes = malloc(capacity * sizeof *hashes);
    if (!slots || !hashes) {
        free(slots);
        free(hashes);
        return DG_NO_MEMORY;
    }
    for (uint64_t old = 0; old < v->capacity; old++) {
        if (!v->slots[old]) continue;
        uint64_t slot = v->hashes[old] & (capacity - 1);
        while (slots[slot]) slot = (slot + 1) & (capacity - 1);
        slots[slot] = v->slots[old];
        hashes[slot] = v->hashes[old];
    }
    free(v->slots);
    free(v->hashes);
    v->slots = slots;
    v->hashes = hashes;
    v->capacity = capacity;
    return DG_OK;
}

static void emit(Output *out, int64_t start, int64_t end, int new_line) {
    Vocabulary *v = &out->vocabulary;
    uint64_t hash = 0x243F6A8885A308D3u;
    if (out->status != DG_OK) return;
    for (int64_t i = start; i < end; i++) hash = (hash ^ v->codes[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    if (v->words * 2 >= (int64_t)v->capacity && (out->status = grow(v)) != DG_OK) return;
    uint64_t slot = hash & (v->capacity - 1);
    while (v->slots[slot]) {
        int64_t word = v->slots[slot] - 1;
        if (v->hashes[slot] == hash && v->lengths[word] == end - start &&
            !memcmp(v->codes + v->starts[word], v->codes + start, (size_t)(end - start) * sizeof *v->codes))
            break;
        slot = (slot + 1) & (v->capacity - 1);
    }
    if (!v->slots[slot]) {
        v->starts[v->words] = start;
        v->lengths[v->words] = end - start;
        v->hashes[slot] = hash;
        v->slots[slot] = (int32_t)++v->words;
    }
    out->tokens[out->count] = v->slots[slot] - 1;
    out->breaks[out->count++] = (uint8_t)new_line;
}

static int is_digit(uint32_t c) { return c >= '0' && c <= '9'; }

static int is_alphanumeric(uint32_t c) { return (c >= 'a' && c <= 'z') || is_digit(c); }

/* What Python's str.split() takes for white space. */
static int is_space(uint32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

static int is_punctuation(uint32_t c) { return c > ' ' && c < 0x7F && !is_alphanumeric(c | 0x20); }

static void split_alphanumeric(Output *out, int64_t i, int64_t end) {
    const uint32_t *codes = out->vocabulary.codes;
    int new_line = 1;
    while (i < end) {
        if (!is_alphanumeric(codes[i])) {
            if (codes[i++] == '\n') new_line = 1;
            continue;
        }
        int64_t start = i;
        while (i < end && is_alphanumeric(codes[i])) i++;
        emit(out, start, i, new_line);
        new_line = 0;
    }
}

/* At white space; for chrF++ also one punctuation mark off the end of a word, or else off its beginning. */
static void split_whitespace(Output *out, int64_t i, int64_t end, int punctuation) {
    const uint32_t *codes = out->vocabulary.codes;
    int first = 1;
    while (i < end) {
        if (is_space(codes[i])) {
            i++;
            continue;
        }
        int64_t start = i, cut;
        while (i < end && !is_space(codes[i])) i++;
        cut = i;
        if (punctuation && i - start > 1) {
            if (is_punctuation(codes[i - 1]))
                cut = i - 1;
            else if (is_punctuation(codes[start]))
                cut = start + 1;
        }
        emit(out, start, cut, first);
        if (cut < i) emit(out, cut, i, 0);
        first = 0;
    }
}

/* mteval-v13a. Its rules insert spaces in four passes, and what one pass inserts or consumes changes what the next one
 * sees; so the passes are made one after the other, on positions of the text with GAP for an inserted space. */
enum { GAP = -1 };

static uint32_t code_at(const uint32_t *codes, int64_t position) { return position == GAP ? ' ' : codes[position]; }

static int is_stop(uint32_t c) { return c == '.' || c == ','; }

/* All ASCII symbols, and the space, but not the apostrophe, comma, hyphen and full stop. */
static int is_symbol(uint32_t c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
           (c >= ':' && c <= '@') || c == '/';
}

static int64_t set_symbols_apart(const uint32_t *codes, int64_t start, int64_t end, int64_t *to) {
    int64_t n = 0;
    for (int64_t i = start - 1; i <= end; i++) {
        int64_t position = i < start || i == end ? GAP : i; /* a space before and after the text */
        if (is_symbol(code_at(codes, position))) {
            to[n++] = GAP;
            to[n++] = position;
            to[n++] = GAP;
        } else
            to[n++] = position;
    }
    return n;
}

typedef int (*Rule)(uint32_t first, uint32_t second);

static int stop_after_other(uint32_t first, uint32_t second) { return !is_digit(first) && is_stop(second); }
static int stop_before_other(uint32_t first, uint32_t second) { return is_stop(first) && !is_digit(second); }
static int hyphen_after_digit(uint32_t first, uint32_t second) { return is_digit(first) && second == '-'; }

/* Replace each pair that the rule accepts, left to right without overlap: `apart` 1 sets the second character between
 * spaces, 0 the first. */
static int64_t set_pairs_apart(const uint32_t *codes, Rule rule, int apart, const int64_t *from, int64_t length,
                               int64_t *to) {
    int64_t n = 0, i = 0;
    while (i < length) {
        if (i + 1 < length && rule(code_at(codes, from[i]), code_at(codes, from[i + 1]))) {
            if (!apart) to[n++] = GAP;
            to[n++] = from[i];
            to[n++] = GAP;
            to[n++] = from[i + 1];
            if (apart) to[n++] = GAP;
            i += 2;
        } else
            to[n++] = from[i++];
    }
    return n;
}

/* `work` has room for twice six positions per character (a stop can gain four spaces) and the spaces at both ends. */
static void split_13a(Output *out, int64_t start, int64_t end, int64_t *work, int64_t half) {
    const uint32_t *codes = out->vocabulary.codes;
    int64_t *a = work, *b = work + half;
    int64_t n = set_symbols_apart(codes, start, end, a);
    n = set_pairs_apart(codes, stop_after_other, 1, a, n, b);
    n = set_pairs_apart(codes, stop_before_other, 0, b, n, a);
    n = set_pairs_apart(codes, hyphen_after_digit, 1, a, n, b);
    int first = 1;
    for (int64_t i = 0; i < n;) {
        if (is_space(code_at(codes, b[i]))) {
            i++;
            continue;
        }
        int64_t from = i;
        while (i < n && !is_space(code_at(codes, b[i]))) i++;
        emit(out, b[from], b[i - 1] + 1, first);
        first = 0;
    }
}

/* Text t is codes[text_offsets[t] .. text_offsets[t + 1]). Its tokens go to tokens[token_offsets[t] ..
 * token_offsets[t + 1]) as numbers of words, in order of first occurrence; breaks marks the first token of a text and,
 * for alphanumeric words, of each line. tokens, breaks, word_starts and word_lengths have room for one entry per code
 * point. */
DG_EXPORT int dg_split(const uint32_t *codes, const int64_t *text_offsets, int64_t texts, int64_t how, int32_t *tokens,
                       uint8_t *breaks, int64_t *token_offsets, int64_t *word_starts, int64_t *word_lengths,
                       int64_t *words) {
    Output out = {{codes, word_starts, word_lengths, 0, NULL, NULL, 0}, tokens, breaks, 0, DG_OK};
    int64_t *work = NULL, half = 0;
    out.status = grow(&out.vocabulary);
    if (out.status == DG_OK && how == SPLIT_13A) {
        int64_t longest = 0;
        for (int64_t t = 0; t < texts; t++) {
            int64_t length = text_offsets[t + 1] - text_offsets[t];
            if (length > longest) longest = length;
        }
        half = 6 * (longest + 2);
        work = malloc((size_t)half * 2 * sizeof *work);
        if (!work) out.status = DG_NO_MEMORY;
    }
    for (int64_t t = 0; t < texts && out.status == DG_OK; t++) {
        int64_t start = text_offsets[t], end = text_offsets[t + 1];
        token_offsets[t] = out.count;
        if (how == SPLIT_ALPHANUMERIC)
            split_alphanumeric(&out, start, end);
        else if (how == SPLIT_13A)
            split_13a(&out, start, end, work, half);
        else
            split_whitespace(&out, start, end, how == SPLIT_CHRF_WORDS);
    }
    token_offsets[texts] = out.count;
    *words = out.vocabulary.words;
    free(work);
    free(out.vocabulary.slots);
    free(out.vocabulary.hashes);
    return out.status;
}

/* Words of a–z and 0–9 in texts of one byte a character, numbered like those above. Eight letters are read at a time: a
 * machine word holds them in its bytes, the first in the lowest. */
#define HIGH_BITS 0x8080808080808080u
#define LOW_BITS 0x7F7F7F7F7F7F7F7Fu

/* Distinct words by their keys, open addressing. Slots hold word number + 1; 0 is free. */
typedef struct {
    int32_t *slots;
    uint64_t *keys; /* of each word; there is room for as many as half of the slots */
    uint64_t capacity;
    int bits;
} Table;

static uint64_t place_of(const Table *table, uint64_t key) {
    return (key * 0x9E3779B97F4A7C15u) >> (64 - table->bits);
}

static int enlarge(Table *table, int64_t known) {
    int bits = table->bits ? table->bits + 2 : 12;
    uint64_t capacity = (uint64_t)1 << bits, *keys = realloc(table->keys, capacity / 2 * sizeof *keys);
    if (keys) table->keys = keys;
    free(table->slots);
    table->slots = calloc(capacity, sizeof *table->slots);
    if (!keys || !table->slots) return DG_NO_MEMORY;
    table->bits = bits;
    table->capacity = capacity;
    for (int64_t word = 0; word < known; word++) {
        uint64_t slot = place_of(table, keys[word]);
        while (table->slots[slot]) slot = (slot + 1) & (capacity - 1);
        table->slots[slot] = (int32_t)word + 1;
    }
    return DG_OK;
}

/* The letter or digit as words are compared, 0 for what separates words. */
static uint8_t letter_of(uint8_t byte, uint8_t lower) {
    uint8_t small = (uint8_t)(byte + ((uint8_t)(byte - 'A') < 26 ? lower : 0));
    return (uint8_t)(small - 'a') < 26 || (uint8_t)(small - '0') < 10 ? small : 0;
}

static uint64_t eight(const uint8_t *letters) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t found;
    memcpy(&found, letters, sizeof found);
#else
    uint64_t found = 0;
    for (int i = 0; i < 8; i++) found |= (uint64_t)letters[i] << (8 * i);
#endif
    return found;
}

/* The high bit of each byte that is not 0; bytes lie below 128. */
static uint64_t present(uint64_t bytes) { return (bytes + LOW_BITS) & HIGH_BITS; }

/* How many of the eight bytes lie before the lowest of these high bits. */
static int64_t bytes_before(uint64_t high_bits) { return zeros_below(high_bits) / 8; }

static int same_letters(const uint8_t *one, const uint8_t *other, int64_t length, uint8_t lower) {
    for (int64_t i = 0; i < length; i++)
        if (letter_of(one[i], lower) != letter_of(other[i], lower)) return 0;
    return 1;
}

/* The key of the word at the beginning of these letters, and its length. A word of at most eight letters is its own key;
 * that of a longer one has a high bit, which no letter has. */
static uint64_t read_word(const uint8_t *letters, int64_t *length) {
    uint64_t key = 0, bytes = eight(letters), absent = present(bytes) ^ HIGH_BITS;
    *length = 0;
    while (!absent) {
        key = (key << 7 | key >> 57) ^ bytes;
        *length += 8;
        bytes = eight(letters + *length);
        absent = present(bytes) ^ HIGH_BITS;
    }
    int64_t rest = bytes_before(absent);
    bytes &= ((uint64_t)1 << (8 * rest)) - 1;
    *length += rest;
    return *length <= 8 ? key ^ bytes : ((key << 7 | key >> 57) ^ bytes) | (uint64_t)1 << 63;
}

/* Like dg_split for alphanumeric words, of texts that end with a 0 each. Capitals count as small letters if `lower`, else
 * they separate words. */
DG_EXPORT int dg_split_ascii(const uint8_t *bytes, int64_t texts, int64_t lower, int32_t *tokens, uint8_t *breaks,
                             int64_t *token_offsets, int64_t *word_starts, int64_t *word_lengths, int64_t *words) {
    const uint8_t *text = bytes;
    uint8_t *letters = NULL, to_small = lower ? 'a' - 'A' : 0;
    int64_t room = 0, count = 0, known = 0, end;
    Table table = {NULL, NULL, 0, 0};
    int status = enlarge(&table, 0);
    for (int64_t t = 0; t < texts && status == DG_OK; t++, text += end + 1) {
        end = (int64_t)strlen((const char *)text);
        if (end + 8 > room) {
            free(letters);
            room = 2 * end + 1024;
            letters = malloc((size_t)room);
            if (!letters) {
                status = DG_NO_MEMORY;
                break;
            }
        }
        int64_t i = 0;
        int lines = memchr(text, '\n', (size_t)end) != NULL, new_line = 1;
        for (int64_t k = 0; k < end; k++) letters[k] = letter_of(text[k], to_small);
        memset(letters + end, 0, 8);
        token_offsets[t] = count;
        while (i < end && status == DG_OK) {
            uint64_t ahead = present(eight(letters + i));
            int64_t gap = ahead ? bytes_before(ahead) : 8, length;
            for (int64_t k = i; lines && k < i + gap && k < end; k++) new_line |= text[k] == '\n';
            i += gap;
            if (!ahead) continue;
            uint64_t key = read_word(letters + i, &length), slot = place_of(&table, key);
            int64_t word = table.slots[slot];
            while (word && (table.keys[word - 1] != key || (length > 8 && (word_lengths[word - 1] != length ||
                            !same_letters(bytes + word_starts[word - 1], text + i, length, to_small))))) {
                slot = (slot + 1) & (table.capacity - 1);
                word = table.slots[slot];
            }
            if (!word) {
                word_starts[known] = text - bytes + i;
                word_lengths[known] = length;
                table.keys[known] = key;
                table.slots[slot] = (int32_t)(word = ++known);
            }
            tokens[count] = (int32_t)(word - 1);
            breaks[count++] = (uint8_t)new_line;
            new_line = 0;
            i += length;
            if (known * 2 >= (int64_t)table.capacity) status = enlarge(&table, known);
        }
    }
    token_offsets[texts] = count;
    *words = known;
    free(table.slots);
    free(table.keys);
    free(letters);
    return status;
}

/* The code points of each text that are not white space; characters has room for all of them. */
DG_EXPORT int dg_characters(const uint32_t *codes, const int64_t *text_offsets, int64_t texts, int32_t *characters,
                            int64_t *offsets) {
    int64_t n = 0;
    for (int64_t t = 0; t < texts; t++) {
        offsets[t] = n;
        for (int64_t i = text_offsets[t]; i < text_offsets[t + 1]; i++) {
            characters[n] = (int32_t)codes[i];
            n += !is_space(codes[i]);
        }
    }
    offsets[texts] = n;
    return DG_OK;
}
