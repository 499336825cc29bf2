// The program of a message type with what its instructions name, and errors that tell where they arose.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hub/cdr.hpp"
#include "hub_slots.hpp"
#include "python.hpp"
#include "record_maker.hpp"

namespace horus::bindings {

constexpr std::int64_t NS_PER_S = 1'000'000'000;
// Arrays of bytes from this size on are views of the message instead of copies.
constexpr std::size_t LEAST_VIEW_BYTES = 4096;

inline int numpy_type(hub::Scalar scalar) {
  constexpr int types[] = {NPY_BOOL,   NPY_INT8,  NPY_UINT8,  NPY_INT16,   NPY_UINT16, NPY_INT32,
                           NPY_UINT32, NPY_INT64, NPY_UINT64, NPY_FLOAT32, NPY_FLOAT64};
  return types[static_cast<std::size_t>(scalar)];
}

inline const char* name_of(hub::Scalar scalar) {
  constexpr const char* names[] = {"bool",  "int8",   "uint8",   "int16",   "uint16", "int32",
                                   "uint32", "int64", "uint64", "float32", "float64", "string"};
  return names[static_cast<std::size_t>(scalar)];
}

// Holds one reference.
using Owned = nb::object;
inline Owned owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

inline std::string shown(PyObject* object) {
  PyObject* const text = PyObject_Repr(object);
  if (text == nullptr) {
    PyErr_Clear();
    return nb::cast<std::string>(nb::steal(PyType_GetName(Py_TYPE(object))));
  }
  const std::string full = nb::cast<std::string>(nb::steal(text));
  return full.substr(0, 60);
}

// What does not fit, and where: the path grows while the error travels outward.
struct Unfit {
  std::string path;
  std::string cause;
};

[[noreturn]] inline void refuse(std::string cause) { throw Unfit{"", std::move(cause)}; }

// What was at work: a field, or an item of one.
inline void locate(Unfit& unfit, const std::string& name) {
  unfit.path = name + (unfit.path.empty() || unfit.path[0] == '[' ? "" : ".") + unfit.path;
}
inline void locate(Unfit& unfit, std::size_t item) {
  unfit.path = "[" + std::to_string(item) + "]" + (unfit.path.empty() ? "" : "." + unfit.path);
}

// The instructions of a type.
struct MessageProgram {
  using Row = std::tuple<int, int, bool, bool, std::uint32_t, std::uint32_t, std::uint32_t, nb::object>;

  // `maker` makes the message of its fields, as `objects` tells.
  MessageProgram(const std::vector<std::string>& texts, const std::vector<Row>& rows, const nb::object& maker)
      : texts(texts) {
    for (const std::string& name : texts) names.push_back(owned(PyUnicode_InternFromString(name.c_str())));
    hub::Instruction whole;
    whole.step = hub::Step::enter;
    whole.length = static_cast<std::uint32_t>(rows.size());
    add(whole, maker);
    for (const auto& [step, scalar, is_sequence, is_read, count, name, length, object] : rows) {
      if (name >= names.size()) throw nb::value_error("an instruction names an unknown field");
      if (length > rows.size() - instructions.size()) throw nb::value_error("an instruction holds more than follow it");
      add({static_cast<hub::Step>(step), static_cast<hub::Scalar>(scalar), is_sequence, is_read, count, name, length}, object);
    }
    readers.resize(instructions.size());
  }

  // The first one is the message as a whole.
  std::vector<hub::Instruction> instructions;
  // Of what decoding does not give, the value itself. Of a structure what makes it: None for a dict, a function, or a
  // class with the descriptors of its slots. Of a value what stands for None.
  std::vector<nb::object> objects;
  // Of structures that are records.
  std::vector<RecordMaker> makers;
  // How each instruction found its field last.
  mutable std::vector<SlotReader> readers;
  std::vector<Owned> names;
  std::vector<std::string> texts;

 private:
  void add(const hub::Instruction& instruction, const nb::object& object) {
    const bool is_structure = instruction.step == hub::Step::enter || instruction.step == hub::Step::each;
    // The first one is the message as a whole.
    const bool is_made = is_structure && (instruction.is_read || instructions.empty());
    makers.push_back(is_made && PyTuple_Check(object.ptr()) ? RecordMaker(object) : RecordMaker());
    instructions.push_back(instruction);
    objects.push_back(object);
  }
};

}  // namespace horus::bindings
