#include "callable_type.hpp"

#include <cstddef>
#include <vector>

namespace horus::bindings {

#ifndef Py_LIMITED_API

nb::object make_callable_type(const PyType_Spec& spec, vectorcallfunc call) {
  nb::object type = nb::steal(PyType_FromSpec(const_cast<PyType_Spec*>(&spec)));
  if (type.is_valid()) reinterpret_cast<PyTypeObject*>(type.ptr())->tp_vectorcall = call;
  return type;
}

#else

namespace {

// A slot since CPython 3.14, whose number the headers of the stable interface of 3.12 do not have.
constexpr int kVectorcallSlot = 82;
constexpr unsigned long kFirstWithSlot = 0x030E0000;

// Before, an object is called by an array where its type says that a function is stored in the object; for a type that
// is the type of types. This one stores it behind what every type has.
PyTypeObject* make_metaclass() {
  const nb::object size = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyType_Type), "__basicsize__"));
  if (!size.is_valid()) return nullptr;
  const Py_ssize_t behind = PyLong_AsSsize_t(size.ptr());
  constexpr Py_ssize_t kAlignment = alignof(std::max_align_t);
  PyMemberDef members[] = {
      {"__vectorcalloffset__", Py_T_PYSSIZET, (behind + kAlignment - 1) / kAlignment * kAlignment, Py_READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  PyType_Slot slots[] = {
      {Py_tp_base, &PyType_Type},
      {Py_tp_members, members},
      {Py_tp_call, PyType_GetSlot(&PyType_Type, Py_tp_call)},
      {0, nullptr},
  };
  PyType_Spec spec = {"horus_sim._native._core.CallableType", -static_cast<int>(sizeof(vectorcallfunc)), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace

nb::object make_callable_type(const PyType_Spec& spec, vectorcallfunc call) {
  PyType_Spec own = spec;
  if (Py_Version >= kFirstWithSlot) {
    std::vector<PyType_Slot> slots;
    for (const PyType_Slot* slot = spec.slots; slot->slot != 0; ++slot) slots.push_back(*slot);
    slots.push_back({kVectorcallSlot, reinterpret_cast<void*>(call)});
    slots.push_back({0, nullptr});
    own.slots = slots.data();
    return nb::steal(PyType_FromSpec(&own));
  }
  // It lives as long as the process, like the types that it makes.
  PyTypeObject* const metaclass = make_metaclass();
  if (metaclass == nullptr) return nb::object();
  nb::object type = nb::steal(PyType_FromMetaclass(metaclass, nullptr, &own, nullptr));
  if (type.is_valid()) *static_cast<vectorcallfunc*>(PyObject_GetTypeData(type.ptr(), metaclass)) = call;
  return type;
}

#endif

}  // namespace horus::bindings
