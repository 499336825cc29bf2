// Arguments of functions that Python calls through its C interface.
#pragma once

#include "python.hpp"

namespace horus::bindings {

// Fills `slots` from positional and keyword arguments, in the order of `names`; false with an error set on failure.
bool parse_arguments(const char* function, const char* const* names, Py_ssize_t n, PyObject* const* args, Py_ssize_t positional,
                     PyObject* keywords, PyObject** slots);

}  // namespace horus::bindings
