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

#endif
