// Numbers from Python objects and arrays for them.
#pragma once

#include <cstddef>

#include "python.hpp"
#include "tf/transform.hpp"

namespace horus::bindings {

// Clears the error of a failed conversion, to be replaced by a clearer one; false when memory ran out, which stays.
bool is_conversion_error();

// Reads exactly n numbers from a sequence or array; on failure sets an error that starts with `what` and returns false.
bool read_numbers(PyObject* object, double* out, Py_ssize_t n, const char* what);
// As above, and every number must be finite.
bool read_finite(PyObject* object, double* out, Py_ssize_t n, const char* what);

// A new float64 array of n numbers.
nb::object make_vector(const double* values, npy_intp n, bool writable = true);

// A C-contiguous array of shape (N, columns): float32 stays, anything else becomes float64. Null with an error set on failure.
nb::object read_rows(PyObject* object, npy_intp columns, const char* what, bool keep_float32);
// A C-contiguous int64 array of shape (N,).
nb::object read_stamps(PyObject* object, const char* what);

inline PyArrayObject* as_array(const nb::object& array) { return reinterpret_cast<PyArrayObject*>(array.ptr()); }
inline npy_intp rows(const nb::object& array) { return PyArray_DIM(as_array(array), 0); }
template <class T>
T* data(const nb::object& array) {
  return static_cast<T*>(PyArray_DATA(as_array(array)));
}
nb::object make_array(std::initializer_list<npy_intp> shape, int type);

}  // namespace horus::bindings
