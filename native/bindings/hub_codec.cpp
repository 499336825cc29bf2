#include "hub_codec.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "hub/cdr.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {
namespace {

using hub::Instruction;
using hub::Reader;
using hub::Scalar;
using hub::Step;
using hub::Writer;

constexpr std::int64_t NS_PER_S = 1'000'000'000;
// Arrays of bytes from this size on are views of the message instead of copies.
constexpr std::size_t LEAST_VIEW_BYTES = 4096;

int numpy_type(Scalar scalar) {
  constexpr int types[] = {NPY_BOOL,   NPY_INT8,  NPY_UINT8,  NPY_INT16,   NPY_UINT16, NPY_INT32,
                           NPY_UINT32, NPY_INT64, NPY_UINT64, NPY_FLOAT32, NPY_FLOAT64};
  return types[static_cast<std::size_t>(scalar)];
}

const char* name_of(Scalar scalar) {
  constexpr const char* names[] = {"bool",  "int8",   "uint8",   "int16",   "uint16", "int32",
                                   "uint32", "int64", "uint64", "float32", "float64", "string"};
  return names[static_cast<std::size_t>(scalar)];
}

// Holds one reference.
using Owned = nb::object;
Owned owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

std::string shown(PyObject* object) {
  PyObject* const text = PyObject_Repr(object);
  if (text == nullptr) {
    PyErr_Clear();
    return Py_TYPE(object)->tp_name;
  }
  const std::string full = nb::cast<std::string>(nb::steal(text));
  return full.substr(0, 60);
}

// What does not fit, and where: the path grows while the error travels outward.
struct Unfit {
  std::string path;
  std::string cause;
};

[[noreturn]] void refuse(std::string cause) { throw Unfit{"", std::move(cause)}; }

class Codec {
 public:
  using Row = std::tuple<int, int, bool, bool, std::uint32_t, std::uint32_t, std::uint32_t, nb::object>;

  Codec(const std::vector<std::string>& names, const std::vector<Row>& rows) {
    for (const std::string& name : names) {
      names_.push_back(owned(PyUnicode_InternFromString(name.c_str())));
      texts_.push_back(name);
    }
    for (const auto& [step, scalar, is_sequence, is_read, count, name, length, factory] : rows) {
      if (name >= names.size()) throw nb::value_error("an instruction names an unknown field");
      program_.push_back({static_cast<Step>(step), static_cast<Scalar>(scalar), is_sequence, is_read, count, name, length});
      factories_.push_back(factory);
    }
    check(0, program_.size());
  }

  nb::bytes encode(nb::handle message) {
    Bytes bytes(last_size_ + 64);
    Writer writer(&bytes, &Bytes::grow, bytes.data(), bytes.capacity());
    try {
      write(writer, message.ptr(), 0, program_.size());
    } catch (const Unfit& unfit) {
      throw nb::value_error((unfit.path + ": " + unfit.cause).c_str());
    }
    last_size_ = writer.size();
    return bytes.finish(writer.size());
  }

  nb::object decode(nb::handle data) {
    Py_buffer view;
    if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
    struct Release {
      Py_buffer* view;
      ~Release() { PyBuffer_Release(view); }
    } release{&view};
    Reader reader(static_cast<const std::uint8_t*>(view.buf), static_cast<std::size_t>(view.len));
    if (!reader.has_header()) {
      throw nb::value_error("the header is not that of CDR in little-endian order (00 01)");
    }
    Owned values = owned(PyDict_New());
    try {
      owner_ = data.ptr();
      read(reader, values.ptr(), 0, program_.size());
    } catch (const Unfit& unfit) {
      throw nb::value_error((unfit.path + ": " + unfit.cause).c_str());
    }
    return values;
  }

 private:
  // A bytes object that is written in place.
  class Bytes {
   public:
    explicit Bytes(std::size_t capacity) : object_(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(capacity))) {
      if (object_ == nullptr) throw nb::python_error();
    }
    ~Bytes() { Py_XDECREF(object_); }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    std::uint8_t* data() const { return reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(object_)); }
    std::size_t capacity() const { return static_cast<std::size_t>(PyBytes_GET_SIZE(object_)); }
    static std::uint8_t* grow(void* owner, std::size_t capacity) {
      auto* const bytes = static_cast<Bytes*>(owner);
      if (_PyBytes_Resize(&bytes->object_, static_cast<Py_ssize_t>(capacity)) != 0) throw nb::python_error();
      return bytes->data();
    }
    nb::bytes finish(std::size_t size) {
      grow(this, size);
      return nb::steal<nb::bytes>(std::exchange(object_, nullptr));
    }

   private:
    PyObject* object_;
  };

  void check(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (program_[i].length > end - i - 1) throw nb::value_error("an instruction holds more than follow it");
    }
  }

  // A field of a message: of a dict by its key, of anything else by its attribute.
  Owned field(PyObject* object, const Instruction& instruction) const {
    PyObject* const name = names_[instruction.name].ptr();
    if (!PyDict_CheckExact(object)) {
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

  void write(Writer& writer, PyObject* object, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      const Instruction& instruction = program_[i];
      try {
        const Owned value = field(object, instruction);
        write_field(writer, value.ptr(), i);
      } catch (Unfit& unfit) {
        unfit.path = texts_[instruction.name] + (unfit.path.empty() || unfit.path[0] == '[' ? "" : ".") + unfit.path;
        throw;
      }
      i += instruction.length;
    }
  }

  void write_field(Writer& writer, PyObject* value, std::size_t at) const {
    const Instruction& instruction = program_[at];
    switch (instruction.step) {
      case Step::value:
        return write_scalar(writer, value, instruction.scalar);
      case Step::values:
        return write_values(writer, value, instruction);
      case Step::numbers:
        return write_values(writer, value, instruction);
      case Step::enter:
        return write(writer, value, at + 1, at + 1 + instruction.length);
      case Step::each: {
        const Owned items = sequence(value);
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
        write_count(writer, instruction, static_cast<std::size_t>(count));
        for (Py_ssize_t i = 0; i < count; ++i) {
          try {
            write(writer, PySequence_Fast_GET_ITEM(items.ptr(), i), at + 1, at + 1 + instruction.length);
          } catch (Unfit& unfit) {
            unfit.path = "[" + std::to_string(i) + "]" + (unfit.path.empty() ? "" : "." + unfit.path);
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
        writer.put(static_cast<std::int32_t>(seconds));
        writer.put(static_cast<std::uint32_t>(part));
        return;
      }
      case Step::pose: {
        const tf::Transform* const transform = read_transform(value);
        if (transform == nullptr) throw nb::python_error();
        static_assert(sizeof(tf::Transform) == 7 * sizeof(double));
        std::memcpy(writer.room(8, sizeof(tf::Transform)), transform, sizeof(tf::Transform));
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

  static void write_count(Writer& writer, const Instruction& instruction, std::size_t count) {
    if (instruction.is_sequence) {
      if (instruction.count != 0 && count > instruction.count) {
        refuse("at most " + std::to_string(instruction.count) + " values fit, got " + std::to_string(count));
      }
      writer.put(static_cast<std::uint32_t>(count));
    } else if (count != instruction.count) {
      refuse("exactly " + std::to_string(instruction.count) + " values are needed, got " + std::to_string(count));
    }
  }

  template <class T>
  static T integer(PyObject* value, Scalar scalar) {
    const Owned whole = nb::steal(PyNumber_Index(value));
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

  static void write_scalar(Writer& writer, PyObject* value, Scalar scalar) {
    switch (scalar) {
      case Scalar::boolean: {
        if (!PyBool_Check(value) && !PyIndex_Check(value) && !PyArray_IsScalar(value, Bool)) {
          refuse("give True or False, got " + shown(value));
        }
        writer.put(static_cast<std::uint8_t>(PyObject_IsTrue(value) == 1));
        return;
      }
      case Scalar::i8: writer.put(integer<std::int8_t>(value, scalar)); return;
      case Scalar::u8: writer.put(integer<std::uint8_t>(value, scalar)); return;
      case Scalar::i16: writer.put(integer<std::int16_t>(value, scalar)); return;
      case Scalar::u16: writer.put(integer<std::uint16_t>(value, scalar)); return;
      case Scalar::i32: writer.put(integer<std::int32_t>(value, scalar)); return;
      case Scalar::u32: writer.put(integer<std::uint32_t>(value, scalar)); return;
      case Scalar::i64: writer.put(integer<std::int64_t>(value, scalar)); return;
      case Scalar::u64: writer.put(integer<std::uint64_t>(value, scalar)); return;
      case Scalar::f32: writer.put(static_cast<float>(number(value, scalar))); return;
      case Scalar::f64: writer.put(number(value, scalar)); return;
      case Scalar::text: {
        if (!PyUnicode_Check(value)) refuse("give a text, got " + shown(value));
        Py_ssize_t length = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(value, &length);
        if (text == nullptr) {
          PyErr_Clear();
          refuse("the text " + shown(value) + " cannot be written as UTF-8");
        }
        if (std::strlen(text) != static_cast<std::size_t>(length)) refuse("a text must not hold a zero, got " + shown(value));
        writer.put_text(text, static_cast<std::size_t>(length));
        return;
      }
    }
  }

  void write_values(Writer& writer, PyObject* value, const Instruction& instruction) const {
    const Scalar scalar = instruction.scalar;
    if (scalar != Scalar::text && (PyArray_Check(value) || PyObject_CheckBuffer(value))) {
      write_array(writer, value, instruction);
      return;
    }
    const Owned items = sequence(value);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
    write_count(writer, instruction, static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      try {
        write_scalar(writer, PySequence_Fast_GET_ITEM(items.ptr(), i), scalar);
      } catch (Unfit& unfit) {
        unfit.path = "[" + std::to_string(i) + "]";
        throw;
      }
    }
  }

  static void write_array(Writer& writer, PyObject* value, const Instruction& instruction) {
    const Owned given = owned(PyArray_FROM_O(value));
    auto* const array = reinterpret_cast<PyArrayObject*>(given.ptr());
    PyArray_Descr* const wanted = PyArray_DescrFromType(numpy_type(instruction.scalar));
    if (!PyArray_CanCastArrayTo(array, wanted, NPY_SAME_KIND_CASTING)) {
      Py_DECREF(wanted);
      refuse(std::string("give an array of ") + name_of(instruction.scalar) + ", got " + shown(value));
    }
    // It takes the reference to the type.
    const Owned contiguous = owned(PyArray_FromArray(array, wanted, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_FORCECAST));
    auto* const plain = reinterpret_cast<PyArrayObject*>(contiguous.ptr());
    const auto count = static_cast<std::size_t>(PyArray_SIZE(plain));
    write_count(writer, instruction, count);
    if (count == 0) return;
    const std::size_t size = hub::size_of(instruction.scalar);
    std::memcpy(writer.room(size, count * size), PyArray_DATA(plain), count * size);
  }

  void read(Reader& reader, PyObject* values, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      const Instruction& instruction = program_[i];
      try {
        const Owned value = read_field(reader, i);
        if (instruction.is_read && PyDict_SetItem(values, names_[instruction.name].ptr(), value.ptr()) != 0) {
          throw nb::python_error();
        }
      } catch (Unfit& unfit) {
        unfit.path = texts_[instruction.name] + (unfit.path.empty() || unfit.path[0] == '[' ? "" : ".") + unfit.path;
        throw;
      }
      i += instruction.length;
    }
  }

  // A structure as its factory makes it, with its fields one after the other, or else a dict.
  Owned read_structure(Reader& reader, std::size_t at) const {
    const Instruction& outer = program_[at];
    const std::size_t begin = at + 1, end = begin + outer.length;
    if (factories_[at].is_none()) {
      Owned values = owned(PyDict_New());
      read(reader, values.ptr(), begin, end);
      return values;
    }
    PyObject* arguments[16];
    std::size_t count = 0;
    struct Drop {
      PyObject** arguments;
      std::size_t& count;
      ~Drop() {
        for (std::size_t i = 0; i < count; ++i) Py_DECREF(arguments[i]);
      }
    } drop{arguments, count};
    for (std::size_t i = begin; i < end; ++i) {
      const Instruction& instruction = program_[i];
      try {
        Owned value = read_field(reader, i);
        if (instruction.is_read && count < std::size(arguments)) arguments[count++] = value.release().ptr();
      } catch (Unfit& unfit) {
        unfit.path = texts_[instruction.name] + (unfit.path.empty() || unfit.path[0] == '[' ? "" : ".") + unfit.path;
        throw;
      }
      i += instruction.length;
    }
    return owned(PyObject_Vectorcall(factories_[at].ptr(), arguments, count, nullptr));
  }

  [[noreturn]] static void ended(const Reader& reader) {
    refuse("the message ends at byte " + std::to_string(reader.at()) + ", in the middle of it");
  }

  Owned read_field(Reader& reader, std::size_t at) const {
    const Instruction& instruction = program_[at];
    switch (instruction.step) {
      case Step::value:
        return read_scalar(reader, instruction.scalar);
      case Step::values:
      case Step::numbers:
        return read_values(reader, instruction);
      case Step::enter:
        return read_structure(reader, at);
      case Step::each: {
        const std::size_t count = read_count(reader, instruction, 1);
        const Owned items = owned(PyList_New(0));
        for (std::size_t i = 0; i < count; ++i) {
          try {
            const Owned item = read_structure(reader, at);
            if (PyList_Append(items.ptr(), item.ptr()) != 0) throw nb::python_error();
          } catch (Unfit& unfit) {
            unfit.path = "[" + std::to_string(i) + "]" + (unfit.path.empty() ? "" : "." + unfit.path);
            throw;
          }
        }
        return items;
      }
      case Step::stamp: {
        std::int32_t seconds = 0;
        std::uint32_t part = 0;
        if (!reader.get(seconds) || !reader.get(part)) ended(reader);
        return owned(PyLong_FromLongLong(seconds * NS_PER_S + part));
      }
      case Step::pose: {
        const std::uint8_t* const place = reader.take(8, sizeof(tf::Transform));
        if (place == nullptr) ended(reader);
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

  template <class T>
  static T take(Reader& reader) {
    T value{};
    if (!reader.get(value)) ended(reader);
    return value;
  }

  static Owned read_scalar(Reader& reader, Scalar scalar) {
    switch (scalar) {
      case Scalar::boolean: return owned(PyBool_FromLong(take<std::uint8_t>(reader)));
      case Scalar::i8: return owned(PyLong_FromLong(take<std::int8_t>(reader)));
      case Scalar::u8: return owned(PyLong_FromLong(take<std::uint8_t>(reader)));
      case Scalar::i16: return owned(PyLong_FromLong(take<std::int16_t>(reader)));
      case Scalar::u16: return owned(PyLong_FromLong(take<std::uint16_t>(reader)));
      case Scalar::i32: return owned(PyLong_FromLong(take<std::int32_t>(reader)));
      case Scalar::u32: return owned(PyLong_FromUnsignedLong(take<std::uint32_t>(reader)));
      case Scalar::i64: return owned(PyLong_FromLongLong(take<std::int64_t>(reader)));
      case Scalar::u64: return owned(PyLong_FromUnsignedLongLong(take<std::uint64_t>(reader)));
      case Scalar::f32: return owned(PyFloat_FromDouble(take<float>(reader)));
      case Scalar::f64: return owned(PyFloat_FromDouble(take<double>(reader)));
      case Scalar::text: {
        std::size_t length = 0;
        const char* const text = reader.get_text(length);
        if (text == nullptr) ended(reader);
        PyObject* const result = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(length), "strict");
        if (result != nullptr) return nb::steal(result);
        PyErr_Clear();
        refuse("the text is not UTF-8");
      }
    }
    refuse("an unknown type");
  }

  static std::size_t read_count(Reader& reader, const Instruction& instruction, std::size_t least_bytes) {
    if (!instruction.is_sequence) return instruction.count;
    const std::size_t count = take<std::uint32_t>(reader);
    if (instruction.count != 0 && count > instruction.count) {
      refuse("at most " + std::to_string(instruction.count) + " values fit, the message has " + std::to_string(count));
    }
    // Before memory is asked for: a length that was made up must not take all of it.
    if (count > reader.left() / least_bytes) ended(reader);
    return count;
  }

  Owned read_values(Reader& reader, const Instruction& instruction) const {
    const Scalar scalar = instruction.scalar;
    if (scalar == Scalar::text) {
      const std::size_t count = read_count(reader, instruction, 4);
      const Owned items = owned(PyList_New(0));
      for (std::size_t i = 0; i < count; ++i) {
        const Owned item = read_scalar(reader, scalar);
        if (PyList_Append(items.ptr(), item.ptr()) != 0) throw nb::python_error();
      }
      return items;
    }
    const std::size_t size = hub::size_of(scalar);
    const std::size_t count = read_count(reader, instruction, size);
    const std::uint8_t* const place = count == 0 ? nullptr : reader.take(size, count * size);
    if (count != 0 && place == nullptr) ended(reader);
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

  std::vector<Instruction> program_;
  std::vector<nb::object> factories_;
  std::vector<Owned> names_;
  std::vector<std::string> texts_;
  std::size_t last_size_ = 256;
  PyObject* owner_ = nullptr;  // of the message that is being read, while the GIL is held
};

}  // namespace

void bind_message_codec(nb::module_& m) {
  nb::class_<Codec>(m, "MessageCodec")
      .def(nb::init<const std::vector<std::string>&, const std::vector<Codec::Row>&>(), nb::arg("names"), nb::arg("program"))
      .def("encode", &Codec::encode, nb::arg("message"))
      .def("decode", &Codec::decode, nb::arg("data"));
}

}  // namespace horus::bindings
