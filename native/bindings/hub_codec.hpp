// Messages of ROS 2 to bytes and back, by the program of their type.
#pragma once

#include <string>
#include <vector>

#include "hub_program.hpp"

namespace horus::bindings {

// The Python type MessageCodec.
class Codec {
 public:
  Codec(const std::vector<std::string>& names, const std::vector<MessageProgram::Row>& rows, const nb::object& maker)
      : program_(names, rows, maker) {}

  // Throws a ValueError for a message that does not fit.
  nb::bytes encode(nb::handle message);
  // The same into a bytearray, which gets the size of the message.
  void encode_into(PyObject* message, PyObject* bytearray);
  nb::object decode(nb::handle data) const;

 private:
  MessageProgram program_;
  std::size_t last_size_ = 256;
};

void bind_message_codec(nb::module_& m);

}  // namespace horus::bindings
