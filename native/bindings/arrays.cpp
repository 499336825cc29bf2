#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "items.hpp"
#include "tf_errors.hpp"

namespace horus::bindings {

bool is_conversion_error() {
  if (PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
  PyErr_Clear();
  return true;
}

bool read_numbers(PyObject* object, double* out, Py_ssize_t n, const char* what) {
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    const Py_ssize_t size = size_of_tuple_or_list(object);
    if (size != n) {
      raise_invalid("%s must be %zd numbers, got %zd", what, n, size);
      return false;
    }
    // A tuple of its own: converting an element may run code that changes a list.
    const nb::object own = PyTuple_CheckExact(object) ? nb::borrow(object) : nb::steal(PyList_AsTuple(object));
    if (!own.is_valid()) return false;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* const item = NB_TUPLE_GET_ITEM(own.ptr(), i);
      if (PyFloat_CheckExact(item)) {
        out[i] = value_of_float(item);
        continue;
      }
      out[i] = PyFloat_AsDouble(item);
      if (out[i] == -1.0 && PyErr_Occurred()) {
        if (!is_conversion_error()) return false;
        raise_invalid("%s must be %zd numbers, got %.100R at index %zd", what, n, item, i);
        return false;
      }
    }
    return true;
  }
  const nb::object array = nb::steal(PyArray_FROMANY(object, NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO));
  if (!array.is_valid()) {
    if (is_conversion_error()) raise_invalid("%s must be %zd numbers, got %.100R", what, n, object);
    return false;
  }
  if (PyArray_NDIM(as_array(array)) != 1 || PyArray_SIZE(as_array(array)) != n) {
    const nb::object shape = nb::steal(PyObject_GetAttrString(array.ptr(), "shape"));
    raise_invalid("%s must be %zd numbers, got an array of shape %S", what, n, shape.ptr());
    return false;
  }
  std::copy_n(data<const double>(array), n, out);
  return true;
}

bool read_finite(PyObject* object, double* out, Py_ssize_t n, const char* what) {
  if (!read_numbers(object, out, n, what)) return false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (std::isfinite(out[i])) continue;
    raise_invalid("%s[%zd] is %s; a transform must be finite", what, i,
                  std::isnan(out[i]) ? "nan" : (out[i] > 0 ? "inf" : "-inf"));
    return false;
  }
  return true;
}

nb::object make_array(std::initializer_list<npy_intp> shape, int type) {
  return nb::steal(PyArray_SimpleNew(static_cast<int>(shape.size()), const_cast<npy_intp*>(shape.begin()), type));
}

nb::object make_vector(const double* values, npy_intp n, bool writable) {
  nb::object array = make_array({n}, NPY_DOUBLE);
  if (!array.is_valid()) return array;
  std::copy_n(values, n, data<double>(array));
  if (!writable) PyArray_CLEARFLAGS(as_array(array), NPY_ARRAY_WRITEABLE);
  return array;
}

nb::object read_rows(PyObject* object, npy_intp columns, const char* what, bool keep_float32) {
  const bool single = keep_float32 && PyArray_Check(object) &&
                      PyArray_TYPE(reinterpret_cast<PyArrayObject*>(object)) == NPY_FLOAT32;
  nb::object array = nb::steal(PyArray_FROMANY(object, single ? NPY_FLOAT32 : NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO));
  if (!array.is_valid()) {
    if (is_conversion_error()) {
      raise_invalid("%s must be an array of shape (N, %zd) of numbers, got %.100R", what, columns, object);
    }
    return nb::object();
  }
  if (PyArray_NDIM(as_array(array)) != 2 || PyArray_DIM(as_array(array), 1) != columns) {
    const nb::object shape = nb::steal(PyObject_GetAttrString(array.ptr(), "shape"));
    raise_invalid("%s must have shape (N, %zd), got %S", what, columns, shape.ptr());
    return nb::object();
  }
  return array;
}

nb::object read_stamps(PyObject* object, const char* what) {
  const nb::object array = nb::steal(PyArray_FROM_O(object));
  if (!array.is_valid() && !is_conversion_error()) return array;
  if (!array.is_valid() || PyArray_NDIM(as_array(array)) != 1) {
    raise_invalid("%s must be a sequence of integer nanoseconds of shape (N,), got %.100R", what, object);
    return nb::object();
  }
  if (rows(array) == 0) return make_array({0}, NPY_INT64);
  if (!PyArray_ISINTEGER(as_array(array))) {
    raise_invalid("%s must be integer nanoseconds, got %S; to_ns(seconds) makes them from seconds", what,
                  PyArray_DESCR(as_array(array)));
    return nb::object();
  }
  nb::object stamps = nb::steal(PyArray_FROM_OTF(array.ptr(), NPY_INT64, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  if (stamps.is_valid() && PyArray_ISUNSIGNED(as_array(array))) {
    const std::int64_t* const begin = data<const std::int64_t>(stamps);
    const npy_intp wrapped = std::find_if(begin, begin + rows(stamps), [](std::int64_t ns) { return ns < 0; }) - begin;
    if (wrapped < rows(stamps)) {
      raise_invalid("%s[%zd] does not fit 64 bits with a sign; stamps are integer nanoseconds", what, wrapped);
      return nb::object();
    }
  }
  return stamps;
}

}  // namespace horus::bindings
