// What every binding file includes: nanobind and NumPy's C interface, set up once in module.cpp.
#pragma once

#include <nanobind/nanobind.h>

#define PY_ARRAY_UNIQUE_SYMBOL horus_sim_array_api
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#ifndef HORUS_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace nb = nanobind;
