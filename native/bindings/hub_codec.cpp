#include "hub_codec.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "hub_reading.hpp"
#include "hub_writing.hpp"

namespace horus::bindings {
namespace {

// A bytes object that is written in place. The stable C interface cannot make one shorter or longer: where the size was not
// known beforehand, what was written is copied.
class Bytes {
 public:
  explicit Bytes(std::size_t capacity) : object_(make(nullptr, capacity)), capacity_(capacity) {}
  std::uint8_t* data() const { return reinterpret_cast<std::uint8_t*>(PyBytes_AsString(object_.ptr())); }
  std::size_t capacity() const { return capacity_; }
  static std::uint8_t* grow(void* owner, std::size_t capacity, std::size_t written) {
    auto* const bytes = static_cast<Bytes*>(owner);
    Bytes larger(capacity);
    std::memcpy(larger.data(), bytes->data(), written);
    *bytes = std::move(larger);
    return bytes->data();
  }
  nb::bytes finish(std::size_t size) {
    if (size != capacity_) return make(PyBytes_AsString(object_.ptr()), size);
    return std::move(object_);
  }

 private:
  static nb::bytes make(const char* content, std::size_t size) {
    PyObject* const object = PyBytes_FromStringAndSize(content, static_cast<Py_ssize_t>(size));
    if (object == nullptr) throw nb::python_error();
    return nb::steal<nb::bytes>(object);
  }

  nb::bytes object_;
  std::size_t capacity_;
};

std::uint8_t* data_of(PyObject* bytearray) { return reinterpret_cast<std::uint8_t*>(PyByteArray_AsString(bytearray)); }

std::size_t size_of(PyObject* bytearray) { return static_cast<std::size_t>(PyByteArray_Size(bytearray)); }

std::uint8_t* grow_bytearray(void* owner, std::size_t capacity, std::size_t) {
  auto* const object = static_cast<PyObject*>(owner);
  if (PyByteArray_Resize(object, static_cast<Py_ssize_t>(capacity)) != 0) throw nb::python_error();
  return data_of(object);
}

void write(const MessageProgram& program, hub::Writer& writer, PyObject* message) {
  try {
    MessageWriting(program, writer).write(message);
  } catch (const Unfit& unfit) {
    throw nb::value_error((unfit.path + ": " + unfit.cause).c_str());
  }
}

}  // namespace

nb::bytes Codec::encode(nb::handle message) {
  // Most messages of a type are of one size.
  Bytes bytes(last_size_);
  hub::Writer writer(&bytes, &Bytes::grow, bytes.data(), bytes.capacity());
  write(program_, writer, message.ptr());
  last_size_ = writer.size();
  return bytes.finish(writer.size());
}

void Codec::encode_into(PyObject* message, PyObject* bytearray) {
  std::size_t capacity = size_of(bytearray);
  if (capacity < hub::HEADER_BYTES) {
    capacity = std::max(last_size_, hub::HEADER_BYTES);
    grow_bytearray(bytearray, capacity, 0);
  }
  hub::Writer writer(bytearray, &grow_bytearray, data_of(bytearray), capacity);
  write(program_, writer, message);
  if (writer.size() != size_of(bytearray)) grow_bytearray(bytearray, writer.size(), writer.size());
}

nb::object Codec::decode(nb::handle data) const {
  Py_buffer view;
  if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
  struct Release {
    Py_buffer* view;
    ~Release() { PyBuffer_Release(view); }
  } release{&view};
  hub::Reader reader(static_cast<const std::uint8_t*>(view.buf), static_cast<std::size_t>(view.len));
  if (!reader.has_header()) {
    throw nb::value_error("the header is not that of CDR in little-endian order (00 01)");
  }
  try {
    return MessageReading(program_, reader, data.ptr()).read();
  } catch (const Unfit& unfit) {
    throw nb::value_error((unfit.path + ": " + unfit.cause).c_str());
  }
}

void bind_message_codec(nb::module_& m) {
  nb::class_<Codec>(m, "MessageCodec")
      .def(nb::init<const std::vector<std::string>&, const std::vector<MessageProgram::Row>&, const nb::object&>(),
           nb::arg("names"), nb::arg("program"), nb::arg("maker").none() = nb::none())
      .def("encode", &Codec::encode, nb::arg("message"))
      .def("decode", &Codec::decode, nb::arg("data"));
}

}  // namespace horus::bindings
