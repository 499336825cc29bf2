// Bytes to messages: dicts, or objects that a program names.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "hub_program.hpp"
#include "items.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {

// As in horus_sim.tf.
constexpr Py_ssize_t LONGEST_FRAME = 64;

// Reads one message.
class MessageReading {
  using Instruction = hub::Instruction;
  using Scalar = hub::Scalar;
  using Step = hub::Step;

 public:
  // `owner` holds the bytes that arrays are views of.
  MessageReading(const MessageProgram& program, hub::Reader& reader, PyObject* owner)
      : program_(program), reader_(reader), owner_(owner) {}

  Owned read() { return read_structure(0); }

 private:
  // Fields into a dict, by the instructions from `begin` to `end`.
  void read(PyObject* values, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Instruction& instruction = program_.instructions[i];
      try {
        const Owned value = read_field(i);
        if (instruction.is_read && PyDict_SetItem(values, program_.names[instruction.name].ptr(), value.ptr()) != 0) {
          throw nb::python_error();
        }
      } catch (Unfit& unfit) {
        locate(unfit, program_.texts[instruction.name]);
        throw;
      }
      i += instruction.length;
    }
  }

  bool is_plain(std::size_t at) const {
    return program_.objects[at].is_none() || !program_.instructions[at].is_read;
  }

  // A structure: a dict, or what a function makes of its fields, or a record whose slots they are.
  Owned read_structure(std::size_t at) {
    const Instruction& outer = program_.instructions[at];
    const std::size_t begin = at + 1, end = begin + outer.length;
    if (is_plain(at)) {
      Owned values = owned(PyDict_New());
      read(values.ptr(), begin, end);
      return values;
    }
    PyObject* few[16];
    std::vector<PyObject*> many(outer.length > std::size(few) ? outer.length : 0);
    PyObject** const arguments = many.empty() ? few : many.data();
    std::size_t count = 0;
    struct Drop {
      PyObject** arguments;
      std::size_t& count;
      ~Drop() {
        for (std::size_t i = 0; i < count; ++i) Py_XDECREF(arguments[i]);
      }
    } drop{arguments, count};
    for (std::size_t i = begin; i < end; ++i) {
      const Instruction& instruction = program_.instructions[i];
      try {
        Owned value = read_field(i);
        if (instruction.is_read) arguments[count++] = value.release().ptr();
      } catch (Unfit& unfit) {
        locate(unfit, program_.texts[instruction.name]);
        throw;
      }
      i += instruction.length;
    }
    PyObject* const maker = program_.objects[at].ptr();
    if (!PyTuple_Check(maker)) return owned(PyObject_Vectorcall(maker, arguments, count, nullptr));
    return program_.makers[at].make(count, [&](std::size_t i) { return nb::steal(std::exchange(arguments[i], nullptr)); });
  }

  [[noreturn]] void ended() {
    refuse("the message ends at byte " + std::to_string(reader_.at()) + ", in the middle of it");
  }

  Owned read_field(std::size_t at) {
    const Instruction& instruction = program_.instructions[at];
    switch (instruction.step) {
      case Step::value:
        return read_scalar(instruction.scalar);
      case Step::values:
      case Step::numbers:
        return read_values(instruction);
      case Step::enter:
        return read_structure(at);
      case Step::each: {
        const std::size_t count = read_count(instruction, 1);
        Owned items = owned(PyList_New(0));
        for (std::size_t i = 0; i < count; ++i) {
          try {
            const Owned item = read_structure(at);
            if (PyList_Append(items.ptr(), item.ptr()) != 0) throw nb::python_error();
          } catch (Unfit& unfit) {
            locate(unfit, static_cast<std::size_t>(i));
            throw;
          }
        }
        return is_plain(at) ? items : owned(PyList_AsTuple(items.ptr()));
      }
      case Step::frame: {
        Owned name = read_scalar(Scalar::text);
        return check_frame(std::move(name));
      }
      case Step::stamp: {
        std::int32_t seconds = 0;
        std::uint32_t part = 0;
        if (!reader_.get(seconds) || !reader_.get(part)) ended();
        return owned(PyLong_FromLongLong(seconds * NS_PER_S + part));
      }
      case Step::pose: {
        const std::uint8_t* const place = reader_.take(8, sizeof(tf::Transform));
        if (place == nullptr) ended();
        tf::Transform transform;
        std::memcpy(&transform, place, sizeof(transform));
        const tf::Vec3& t = transform.translation;
        if (!std::isfinite(t.x) || !std::isfinite(t.y) || !std::isfinite(t.z) || !tf::normalize(transform.rotation)) {
          refuse("a number is not finite, or the quaternion is zero");
        }
        return owned(make_transform(transform));
      }
    }
    refuse("an unknown instruction");
  }

  // The name of a frame as transforms keep it: without slashes before it.
  static Owned check_frame(Owned name) {
    Py_ssize_t length = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(name.ptr(), &length);
    if (text == nullptr) throw nb::python_error();
    if (length > 0 && length <= LONGEST_FRAME && text[0] != '/') return name;
    const std::string whole(text, static_cast<std::size_t>(length));
    const std::size_t first = whole.find_first_not_of('/');
    if (first == std::string::npos) refuse("the name of a frame is empty");
    if (whole.size() - first > LONGEST_FRAME) {
      refuse("the frame name '" + whole + "' has more than " + std::to_string(LONGEST_FRAME) + " bytes");
    }
    return owned(PyUnicode_FromString(whole.c_str() + first));
  }

  template <class T>
  T take() {
    T value{};
    if (!reader_.get(value)) ended();
    return value;
  }

  // A text of UTF-8; names, which are short and ASCII, without the general decoder.
  static PyObject* text_of(const char* text, Py_ssize_t length) {
    constexpr Py_ssize_t longest = LONGEST_FRAME;
    std::uint8_t seen = 0;
    for (Py_ssize_t i = 0; i < std::min(length, longest); ++i) seen |= static_cast<std::uint8_t>(text[i]);
    // Texts of up to one character are shared.
    if (length < 2 || length > longest || seen > 127) return PyUnicode_DecodeUTF8(text, length, "strict");
    PyObject* const result = ascii_text(text, length);
    if (result == nullptr) throw nb::python_error();
    return result;
  }

  Owned read_scalar(Scalar scalar) {
    switch (scalar) {
      case Scalar::boolean: return owned(PyBool_FromLong(take<std::uint8_t>()));
      case Scalar::i8: return owned(PyLong_FromLong(take<std::int8_t>()));
      case Scalar::u8: return owned(PyLong_FromLong(take<std::uint8_t>()));
      case Scalar::i16: return owned(PyLong_FromLong(take<std::int16_t>()));
      case Scalar::u16: return owned(PyLong_FromLong(take<std::uint16_t>()));
      case Scalar::i32: return owned(PyLong_FromLong(take<std::int32_t>()));
      case Scalar::u32: return owned(PyLong_FromUnsignedLong(take<std::uint32_t>()));
      case Scalar::i64: return owned(PyLong_FromLongLong(take<std::int64_t>()));
      case Scalar::u64: return owned(PyLong_FromUnsignedLongLong(take<std::uint64_t>()));
      case Scalar::f32: return owned(PyFloat_FromDouble(take<float>()));
      case Scalar::f64: return owned(PyFloat_FromDouble(take<double>()));
      case Scalar::text: {
        std::size_t length = 0;
        const char* const text = reader_.get_text(length);
        if (text == nullptr) ended();
        PyObject* const result = text_of(text, static_cast<Py_ssize_t>(length));
        if (result != nullptr) return nb::steal(result);
        PyErr_Clear();
        refuse("the text is not UTF-8");
      }
    }
    refuse("an unknown type");
  }

  std::size_t read_count(const Instruction& instruction, std::size_t least_bytes) {
    if (!instruction.is_sequence) return instruction.count;
    const std::size_t count = take<std::uint32_t>();
    if (instruction.count != 0 && count > instruction.count) {
      refuse("at most " + std::to_string(instruction.count) + " values fit, the message has " + std::to_string(count));
    }
    // Before memory is asked for: a length that was made up must not take all of it.
    if (count > reader_.left() / least_bytes) ended();
    return count;
  }

  Owned read_values(const Instruction& instruction) {
    const Scalar scalar = instruction.scalar;
    if (scalar == Scalar::text) {
      const std::size_t count = read_count(instruction, 4);
      const Owned items = owned(PyList_New(0));
      for (std::size_t i = 0; i < count; ++i) {
        const Owned item = read_scalar(scalar);
        if (PyList_Append(items.ptr(), item.ptr()) != 0) throw nb::python_error();
      }
      return items;
    }
    const std::size_t size = hub::size_of(scalar);
    const std::size_t count = read_count(instruction, size);
    const std::uint8_t* const place = count == 0 ? nullptr : reader_.take(size, count * size);
    if (count != 0 && place == nullptr) ended();
    npy_intp shape = static_cast<npy_intp>(count);
    if (size == 1 && scalar != Scalar::boolean && count >= LEAST_VIEW_BYTES) {
      const Owned view = owned(PyArray_New(&PyArray_Type, 1, &shape, numpy_type(scalar), nullptr,
                                           const_cast<std::uint8_t*>(place), 0, NPY_ARRAY_C_CONTIGUOUS, nullptr));
      Py_INCREF(owner_);
      if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view.ptr()), owner_) != 0) throw nb::python_error();
      return view;
    }
    const Owned array = owned(PyArray_SimpleNew(1, &shape, numpy_type(scalar)));
    auto* const plain = reinterpret_cast<PyArrayObject*>(array.ptr());
    if (count != 0) std::memcpy(PyArray_DATA(plain), place, count * size);
    return array;
  }

  const MessageProgram& program_;
  hub::Reader& reader_;
  PyObject* owner_;
};

}  // namespace horus::bindings
