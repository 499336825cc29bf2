// Sets typed Python errors. The classes live in horus_sim.errors; their texts are made when they are read.
#pragma once

#include "python.hpp"

namespace horus::bindings {

struct TfErrors {
  PyObject *invalid, *unknown_frame, *disconnected, *extrapolation, *cycle, *read_only;
};

// Borrowed classes, valid after import_tf_errors.
const TfErrors& tf_errors();
void import_tf_errors();

// Each sets the error and returns null, so that `return raise_...` ends a function without a C++ throw,
// which would cost more than the look-up.
std::nullptr_t raise_invalid(const char* format, ...);
std::nullptr_t raise_with(PyObject* error, nb::object arguments);

}  // namespace horus::bindings
