#include "arguments.hpp"

#include <algorithm>

namespace horus::bindings {

bool parse_arguments(const char* function, const char* const* names, Py_ssize_t n, PyObject* const* args, Py_ssize_t positional,
                     PyObject* keywords, PyObject** slots) {
  if (positional > n) {
    PyErr_Format(PyExc_TypeError, "%s takes at most %zd arguments, got %zd", function, n, positional);
    return false;
  }
  std::copy_n(args, positional, slots);
  const Py_ssize_t named = keywords == nullptr ? 0 : NB_TUPLE_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* const keyword = NB_TUPLE_GET_ITEM(keywords, k);
    Py_ssize_t i = 0;
    while (i < n && PyUnicode_CompareWithASCIIString(keyword, names[i]) != 0) ++i;
    if (i == n || slots[i] != nullptr) {
      PyErr_Format(PyExc_TypeError, i == n ? "%s has no argument %R" : "%s got argument %R twice", function, keyword);
      return false;
    }
    slots[i] = args[positional + k];
  }
  return true;
}

}  // namespace horus::bindings
