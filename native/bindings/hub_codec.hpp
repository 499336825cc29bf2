// The Python type MessageCodec: messages of ROS 2 to bytes and back.
#pragma once

#include "python.hpp"

namespace horus::bindings {

void bind_message_codec(nb::module_& m);

}  // namespace horus::bindings
