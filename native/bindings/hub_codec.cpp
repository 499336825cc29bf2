#include "hub_codec.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "hub_reading.hpp"
#include "hub_writing.hpp"

namespace horus::bindings {
namespace {

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
    if (size != capacity()) grow(this, size);
    return nb::steal<nb::bytes>(std::exchange(object_, nullptr));
  }

 private:
  PyObject* object_;
};

std::uint8_t* grow_bytearray(void* owner, std::size_t capacity) {
  auto* const object = static_cast<PyObject*>(owner);
  if (PyByteArray_Resize(object, static_cast<Py_ssize_t>(capacity)) != 0) throw nb::python_error();
  return reinterpret_cast<std::uint8_t*>(PyByteArray_AS_STRING(object));
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
  auto capacity = static_cast<std::size_t>(PyByteArray_GET_SIZE(bytearray));
  if (capacity < hub::HEADER_BYTES) {
    capacity = std::max(last_size_, hub::HEADER_BYTES);
    grow_bytearray(bytearray, capacity);
  }
  hub::Writer writer(bytearray, &grow_bytearray, reinterpret_cast<std::uint8_t*>(PyByteArray_AS_STRING(bytearray)), capacity);
  write(program_, writer, message);
  if (writer.size() != static_cast<std::size_t>(PyByteArray_GET_SIZE(bytearray))) grow_bytearray(bytearray, writer.size());
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
