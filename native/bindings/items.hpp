// Items of tuples and lists, and values of floats: by the macros of CPython where a build is for one version of it, else
// by the functions that the stable interface has. nanobind has the same for tuples alone (NB_TUPLE_GET_ITEM).
#pragma once

#include "python.hpp"

namespace horus::bindings {

#ifdef Py_LIMITED_API
inline Py_ssize_t size_of_tuple_or_list(PyObject* object) { return PyList_Check(object) ? PyList_Size(object) : PyTuple_Size(object); }
inline PyObject* item_of_tuple_or_list(PyObject* object, Py_ssize_t i) {
  return PyList_Check(object) ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
}
// Of a float, or an instance of a subclass of it.
inline double value_of_float(PyObject* object) { return PyFloat_AsDouble(object); }
#else
inline Py_ssize_t size_of_tuple_or_list(PyObject* object) { return PySequence_Fast_GET_SIZE(object); }
inline PyObject* item_of_tuple_or_list(PyObject* object, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(object, i); }
inline double value_of_float(PyObject* object) { return PyFloat_AS_DOUBLE(object); }
#endif

}  // namespace horus::bindings
