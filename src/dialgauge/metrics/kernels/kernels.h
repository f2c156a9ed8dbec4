/* Common to all kernels: they are called through ctypes on flat arrays, and know nothing of Python. */
#ifndef DIALGAUGE_KERNELS_H
#define DIALGAUGE_KERNELS_H

#include <stdint.h>

#ifdef _WIN32
#define DG_EXPORT __declspec(dllexport)
#else
#define DG_EXPORT __attribute__((visibility("default")))
#endif

/* What a kernel returns: 0, or why it could not finish. */
enum { DG_OK = 0, DG_NO_MEMORY = 1 };

#endif
