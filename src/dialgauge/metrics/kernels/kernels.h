/* Common to all kernels: they are called through ctypes on flat arrays, and know nothing of Python.
 *
 * Every integer argument is int64_t. A kernel keeps no state between calls and writes only to the arrays it is given,
 * so that several threads may run it at once. It returns DG_OK, or why it could not finish. */
#ifndef DIALGAUGE_KERNELS_H
#define DIALGAUGE_KERNELS_H

#include <stdint.h>

#ifdef _WIN32
#define DG_EXPORT __declspec(dllexport)
#else
#define DG_EXPORT __attribute__((visibility("default")))
#endif

/* Of a function: wider registers where the processor has them, and the same operations in the same order. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define DG_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define DG_WIDE
#endif

enum { DG_OK = 0, DG_NO_MEMORY = 1 };

/* How many bits are 1. */
static inline int64_t ones(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (int64_t)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* How many bits lie below the lowest that is 1; there must be one. */
static inline int64_t zeros_below(uint64_t bits) {
#ifdef __GNUC__
    return __builtin_ctzll(bits);
#else
    return ones((bits & (0 - bits)) - 1);
#endif
}

#endif
