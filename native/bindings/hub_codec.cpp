#include "hub_codec.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "hub_program.hpp"
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
    grow(this, size);
    return nb::steal<nb::bytes>(std::exchange(object_, nullptr));
  }

 private:
  PyObject* object_;
};

class Codec {
 public:
  Codec(const std::vector<std::string>& names, const std::vector<MessageProgram::Row>& rows) : program_(names, rows) {}

  nb::bytes encode(nb::handle message) {
    Bytes bytes(last_size_ + 64);
    hub::Writer writer(&bytes, &Bytes::grow, bytes.data(), bytes.capacity());
    try {
      MessageWriting(program_, writer).write(message.ptr(), 0, program_.instructions.size());
    } catch (const Unfit& unfit) {
      throw nb::value_error((unfit.path + ": " + unfit.cause).c_str());
    }
    last_size_ = writer.size();
    return bytes.finish(writer.size());
  }

  nb::object decode(nb::handle data) const {
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
    Owned values = owned(PyDict_New());
    try {
      MessageReading(program_, reader, data.ptr()).read(values.ptr(), 0, program_.instructions.size());
    } catch (const Unfit& unfit) {
      throw nb::value_error((unfit.path + ": " + unfit.cause).c_str());
    }
    return values;
  }

 private:
  MessageProgram program_;
  std::size_t last_size_ = 256;
};

}  // namespace

void bind_message_codec(nb::module_& m) {
  nb::class_<Codec>(m, "MessageCodec")
      .def(nb::init<const std::vector<std::string>&, const std::vector<MessageProgram::Row>&>(), nb::arg("names"),
           nb::arg("program"))
      .def("encode", &Codec::encode, nb::arg("message"))
      .def("decode", &Codec::decode, nb::arg("data"));
}

}  // namespace horus::bindings
