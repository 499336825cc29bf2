// Messages to bytes: fields of Python objects in the order of a program.
#pragma once

#include <limits>
#include <string>
#include <type_traits>

#include "hub_program.hpp"
#include "items.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {

// Writes one message.
class MessageWriting {
  using Instruction = hub::Instruction;
  using Scalar = hub::Scalar;
  using Step = hub::Step;

 public:
  MessageWriting(const MessageProgram& program, hub::Writer& writer) : program_(program), writer_(writer) {}

  void write(PyObject* message) { write(message, 1, program_.instructions.size()); }

 private:
  // The fields of an object, by the instructions from `begin` to `end`.
  void write(PyObject* object, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Instruction& instruction = program_.instructions[i];
      try {
        const Owned value = field(object, i);
        write_field(value.ptr(), i);
      } catch (Unfit& unfit) {
        locate(unfit, program_.texts[instruction.name]);
        throw;
      }
      i += instruction.length;
    }
  }

  // A field of a message: of a dict by its key, of anything else by its attribute.
  Owned field(PyObject* object, std::size_t at) const {
    const Instruction& instruction = program_.instructions[at];
    const nb::object& constant = program_.objects[at];
    if (!instruction.is_read && !constant.is_none()) return constant;
    PyObject* const slot = program_.readers[at].find(object, program_.names[instruction.name].ptr());
    Owned value = slot != nullptr ? Owned(nb::borrow(slot)) : named(object, instruction);
    return instruction.length == 0 && value.is_none() ? Owned(constant) : value;
  }

  Owned named(PyObject* object, const Instruction& instruction) const {
    PyObject* const name = program_.names[instruction.name].ptr();
    if (!PyDict_Check(object)) {
      PyObject* const value = PyObject_GetAttr(object, name);
      if (value != nullptr) return nb::steal(value);
      if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
      PyErr_Clear();
      refuse(std::string("there is no such field in ") + shown(object));
    }
    PyObject* const value = PyDict_GetItemWithError(object, name);
    if (value != nullptr) return nb::borrow(value);
    if (PyErr_Occurred()) throw nb::python_error();
    refuse("the field is missing");
  }

  void write_field(PyObject* value, std::size_t at) {
    const Instruction& instruction = program_.instructions[at];
    switch (instruction.step) {
      case Step::value:
      case Step::frame:
        return write_scalar(value, instruction.scalar);
      case Step::values:
      case Step::numbers:
        return write_values(value, instruction);
      case Step::enter:
        return write(value, at + 1, at + 1 + instruction.length);
      case Step::each: {
        const Owned items = sequence(value);
        const Py_ssize_t count = size_of_tuple_or_list(items.ptr());
        write_count(instruction, static_cast<std::size_t>(count));
        for (Py_ssize_t i = 0; i < count; ++i) {
          try {
            write(item_of_tuple_or_list(items.ptr(), i), at + 1, at + 1 + instruction.length);
          } catch (Unfit& unfit) {
            locate(unfit, static_cast<std::size_t>(i));
            throw;
          }
        }
        return;
      }
      case Step::stamp: {
        const std::int64_t ns = integer<std::int64_t>(value, Scalar::i64);
        const std::int64_t part = ((ns % NS_PER_S) + NS_PER_S) % NS_PER_S;
        const std::int64_t seconds = (ns - part) / NS_PER_S;
        if (seconds < std::numeric_limits<std::int32_t>::min() || seconds > std::numeric_limits<std::int32_t>::max()) {
          refuse("a time of " + std::to_string(ns) + " ns is beyond what ROS can hold (68 years)");
        }
        writer_.put(static_cast<std::int32_t>(seconds));
        writer_.put(static_cast<std::uint32_t>(part));
        return;
      }
      case Step::pose: {
        const tf::Transform* const transform = read_transform(value);
        if (transform == nullptr) throw nb::python_error();
        static_assert(sizeof(tf::Transform) == 7 * sizeof(double));
        std::memcpy(writer_.room(8, sizeof(tf::Transform)), transform, sizeof(tf::Transform));
        return;
      }
    }
  }

  static Owned sequence(PyObject* value) {
    if (PyUnicode_Check(value) || PyBytes_Check(value) || PyDict_Check(value)) refuse("give a list, got " + shown(value));
    PyObject* const items = PySequence_Fast(value, "");
    if (items != nullptr) return nb::steal(items);
    PyErr_Clear();
    refuse("give a list, got " + shown(value));
  }

  void write_count(const Instruction& instruction, std::size_t count) {
    if (instruction.is_sequence) {
      if (instruction.count != 0 && count > instruction.count) {
        refuse("at most " + std::to_string(instruction.count) + " values fit, got " + std::to_string(count));
      }
      writer_.put(static_cast<std::uint32_t>(count));
    } else if (count != instruction.count) {
      refuse("exactly " + std::to_string(instruction.count) + " values are needed, got " + std::to_string(count));
    }
  }

  template <class T>
  static T integer(PyObject* value, Scalar scalar) {
    const Owned whole = PyLong_CheckExact(value) ? Owned(nb::borrow(value)) : Owned(nb::steal(PyNumber_Index(value)));
    if (!whole.is_valid()) {
      PyErr_Clear();
      refuse(std::string("give a whole number (") + name_of(scalar) + "), got " + shown(value));
    }
    bool fits = true;
    T result = 0;
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      result = PyLong_AsUnsignedLongLong(whole.ptr());
      fits = !PyErr_Occurred();
    } else {
      int overflow = 0;
      const long long wide = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
      fits = overflow == 0 && wide >= static_cast<long long>(std::numeric_limits<T>::min()) &&
             wide <= static_cast<long long>(std::numeric_limits<T>::max());
      result = static_cast<T>(wide);
    }
    if (!fits) {
      PyErr_Clear();
      refuse(shown(value) + " does not fit " + name_of(scalar));
    }
    return result;
  }

  static double number(PyObject* value, Scalar scalar) {
    const double result = PyFloat_AsDouble(value);
    if (result == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      refuse(std::string("give a number (") + name_of(scalar) + "), got " + shown(value));
    }
    return result;
  }

  void write_scalar(PyObject* value, Scalar scalar) {
    switch (scalar) {
      case Scalar::boolean: {
        if (!PyBool_Check(value) && !PyIndex_Check(value) && !PyArray_IsScalar(value, Bool)) {
          refuse("give True or False, got " + shown(value));
        }
        writer_.put(static_cast<std::uint8_t>(PyObject_IsTrue(value) == 1));
        return;
      }
      case Scalar::i8: writer_.put(integer<std::int8_t>(value, scalar)); return;
      case Scalar::u8: writer_.put(integer<std::uint8_t>(value, scalar)); return;
      case Scalar::i16: writer_.put(integer<std::int16_t>(value, scalar)); return;
      case Scalar::u16: writer_.put(integer<std::uint16_t>(value, scalar)); return;
      case Scalar::i32: writer_.put(integer<std::int32_t>(value, scalar)); return;
      case Scalar::u32: writer_.put(integer<std::uint32_t>(value, scalar)); return;
      case Scalar::i64: writer_.put(integer<std::int64_t>(value, scalar)); return;
      case Scalar::u64: writer_.put(integer<std::uint64_t>(value, scalar)); return;
      case Scalar::f32: writer_.put(static_cast<float>(number(value, scalar))); return;
      case Scalar::f64: writer_.put(number(value, scalar)); return;
      case Scalar::text: {
        if (!PyUnicode_Check(value)) refuse("give a text, got " + shown(value));
        Py_ssize_t length = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(value, &length);
        if (text == nullptr) {
          PyErr_Clear();
          refuse("the text " + shown(value) + " cannot be written as UTF-8");
        }
        if (std::strlen(text) != static_cast<std::size_t>(length)) refuse("a text must not hold a zero, got " + shown(value));
        writer_.put_text(text, static_cast<std::size_t>(length));
        return;
      }
    }
  }

  void write_values(PyObject* value, const Instruction& instruction) {
    const Scalar scalar = instruction.scalar;
    if (scalar != Scalar::text && (PyArray_Check(value) || PyObject_CheckBuffer(value))) {
      write_array(value, instruction);
      return;
    }
    const Owned items = sequence(value);
    const Py_ssize_t count = size_of_tuple_or_list(items.ptr());
    write_count(instruction, static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      try {
        write_scalar(item_of_tuple_or_list(items.ptr(), i), scalar);
      } catch (Unfit& unfit) {
        locate(unfit, static_cast<std::size_t>(i));
        throw;
      }
    }
  }

  void write_array(PyObject* value, const Instruction& instruction) {
    const Owned given = owned(PyArray_FROM_O(value));
    auto* const array = reinterpret_cast<PyArrayObject*>(given.ptr());
    const Owned type = owned(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type(instruction.scalar))));
    auto* const wanted = reinterpret_cast<PyArray_Descr*>(type.ptr());
    if (!PyArray_CanCastArrayTo(array, wanted, NPY_SAME_KIND_CASTING)) {
      refuse(std::string("give an array of ") + name_of(instruction.scalar) + ", got " + shown(value));
    }
    const auto count = static_cast<std::size_t>(PyArray_SIZE(array));
    const std::size_t bytes = count * hub::size_of(instruction.scalar);
    write_count(instruction, count);
    const bool is_plain = PyArray_EquivTypes(PyArray_DESCR(array), wanted) && PyArray_IS_C_CONTIGUOUS(array);
    if (count == 0) return;
    std::uint8_t* const place = writer_.room(hub::size_of(instruction.scalar), bytes);
    if (is_plain) {
      std::memcpy(place, PyArray_DATA(array), bytes);
      return;
    }
    // Straight into place, whatever the order and type of what was given.
    const Owned room = owned(PyArray_New(&PyArray_Type, PyArray_NDIM(array), PyArray_DIMS(array),
                                         numpy_type(instruction.scalar), nullptr, place, 0, NPY_ARRAY_WRITEABLE, nullptr));
    if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(room.ptr()), array) != 0) throw nb::python_error();
  }

  const MessageProgram& program_;
  hub::Writer& writer_;
};

}  // namespace horus::bindings
