// Slots of Python classes, found once: reading and filling them needs no look-up by name. The stable C interface does not
// say where slots are: builds for it find none, and whoever asks goes by names and descriptors.
#pragma once

#include <stdexcept>

#include "python.hpp"

// Behind Python.h, which it does not include itself.
#include <structmember.h>

namespace horus::bindings {

#ifdef Py_LIMITED_API

class Slot {
 public:
  PyObject*& in(PyObject*) const { throw std::logic_error("a slot that was not found"); }
  bool find(PyObject*) { return false; }
};

class SlotReader {
 public:
  PyObject* find(PyObject*, PyObject*) { return nullptr; }
};

#else

// Where objects of a class with `__slots__` have one of their values.
class Slot {
 public:
  PyObject*& in(PyObject* object) const {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset_);
  }

  // The slot behind a descriptor of the class or of one of its bases; false for anything that is more than a slot.
  bool find(PyObject* descriptor) {
    if (!Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) return false;
    const PyMemberDef* const member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
    if (member->type != T_OBJECT_EX || member->flags != 0) return false;
    offset_ = member->offset;
    return true;
  }

 private:
  Py_ssize_t offset_ = 0;
};

// Reads one attribute of objects that are of one class most of the time.
class SlotReader {
 public:
  // A borrowed value; null where the class has no such slot, or the slot is empty.
  PyObject* find(PyObject* object, PyObject* name) {
    PyTypeObject* const type = Py_TYPE(object);
    // A class that is changed gets another version.
    if (type == type_ && type->tp_version_tag == version_) return slot_.in(object);
    return learn(type, name) ? slot_.in(object) : nullptr;
  }

 private:
  bool learn(PyTypeObject* type, PyObject* name) {
    type_ = nullptr;
    PyObject* const descriptor = _PyType_Lookup(type, name);
    const bool has_version = type->tp_version_tag != 0;
    if (descriptor == nullptr || !has_version || type->tp_getattro != PyObject_GenericGetAttr) return false;
    if (!slot_.find(descriptor)) return false;
    // Kept, so that no other class takes its place in memory.
    kept_ = nb::borrow(reinterpret_cast<PyObject*>(type));
    type_ = type;
    version_ = type->tp_version_tag;
    return true;
  }

  nb::object kept_;
  PyTypeObject* type_ = nullptr;
  unsigned int version_ = 0;
  Slot slot_;
};

#endif

}  // namespace horus::bindings
