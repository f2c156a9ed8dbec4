/* An extension module without content: it lets the ordinary build tools compile, place and package the kernels,
 * which are then called through ctypes. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static struct PyModuleDef library = {PyModuleDef_HEAD_INIT, "_library", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__library(void) { return PyModule_Create(&library); }
