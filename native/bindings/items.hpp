// Items of tuples and lists, values of floats, short texts: by the macros of CPython where a build is for one version of
// it, else by the functions that the stable interface has. nanobind has the same for tuples alone (NB_TUPLE_GET_ITEM).
#pragma once

#include <cstddef>
#include <cstring>

#include "python.hpp"

namespace horus::bindings {

#ifdef Py_LIMITED_API
inline Py_ssize_t size_of_tuple_or_list(PyObject* object) { return PyList_Check(object) ? PyList_Size(object) : PyTuple_Size(object); }
inline PyObject* item_of_tuple_or_list(PyObject* object, Py_ssize_t i) {
  return PyList_Check(object) ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
}
// Of a float, or an instance of a subclass of it.
inline double value_of_float(PyObject* object) { return PyFloat_AsDouble(object); }
// Of two ASCII characters or more; null with Python's error if there is no memory.
inline PyObject* ascii_text(const char* text, Py_ssize_t length) { return PyUnicode_DecodeASCII(text, length, "strict"); }
#else
inline Py_ssize_t size_of_tuple_or_list(PyObject* object) { return PySequence_Fast_GET_SIZE(object); }
inline PyObject* item_of_tuple_or_list(PyObject* object, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(object, i); }
inline double value_of_float(PyObject* object) { return PyFloat_AS_DOUBLE(object); }
inline PyObject* ascii_text(const char* text, Py_ssize_t length) {
  PyObject* const result = PyUnicode_New(length, 127);
  if (result != nullptr) std::memcpy(PyUnicode_1BYTE_DATA(result), text, static_cast<std::size_t>(length));
  return result;
}
#endif

}  // namespace horus::bindings
