// Makes records, objects whose class has `__slots__` and nothing else, of the values of their slots: neither the class nor
// what checks its arguments is called.
#pragma once

#include <utility>
#include <vector>

#include "hub_slots.hpp"
#include "items.hpp"
#include "python.hpp"

namespace horus::bindings {

class RecordMaker {
 public:
  RecordMaker() = default;

  // `recipe` is a tuple of the class and the descriptors of its slots, in the order of the values.
  explicit RecordMaker(nb::object recipe) : recipe_(std::move(recipe)) {
    if (!is_recipe(recipe_.ptr())) throw nb::value_error("a record is made of a class and the descriptors of its slots");
    slots_.resize(size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i].find(descriptor(i))) {
        slots_.clear();
        return;
      }
    }
  }

  std::size_t size() const { return static_cast<std::size_t>(NB_TUPLE_GET_SIZE(recipe_.ptr()) - 1); }

  // A record of `count` values, which `take(i)` gives as an object.
  template <class Take>
  nb::object make(std::size_t count, Take take) const {
    if (count != size()) throw nb::value_error("a record takes a value for each of its slots");
    auto* const type = reinterpret_cast<PyTypeObject*>(NB_TUPLE_GET_ITEM(recipe_.ptr(), 0));
    nb::object made = nb::steal(PyType_GenericAlloc(type, 0));
    if (!made.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < count; ++i) {
      nb::object value = take(i);
      if (!slots_.empty()) {
        slots_[i].in(made.ptr()) = value.release().ptr();
      } else if (set_slot(descriptor(i), made.ptr(), value.ptr()) != 0) {
        throw nb::python_error();
      }
    }
    return made;
  }

 private:
  static bool is_recipe(PyObject* recipe) {
    if (!PyTuple_Check(recipe)) return false;
    const Py_ssize_t size = NB_TUPLE_GET_SIZE(recipe);
    bool fits = size > 0 && PyType_Check(NB_TUPLE_GET_ITEM(recipe, 0));
    for (Py_ssize_t i = 1; i < size; ++i) fits = fits && Py_TYPE(NB_TUPLE_GET_ITEM(recipe, i)) == &PyMemberDescr_Type;
    return fits;
  }

  PyObject* descriptor(std::size_t slot) const { return NB_TUPLE_GET_ITEM(recipe_.ptr(), static_cast<Py_ssize_t>(slot + 1)); }

  // What `descriptor.__set__(record, value)` calls.
  static int set_slot(PyObject* descriptor, PyObject* record, PyObject* value) {
    static const auto set = reinterpret_cast<descrsetfunc>(PyType_GetSlot(&PyMemberDescr_Type, Py_tp_descr_set));
    return set(descriptor, record, value);
  }

  nb::object recipe_;
  // Empty where they have to be filled by their descriptors.
  std::vector<Slot> slots_;
};

void bind_record_maker(nb::module_& m);

}  // namespace horus::bindings
