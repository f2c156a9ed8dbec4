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

enum { DG_OK = 0, DG_NO_MEMORY = 1 };

#endif
