// The Python type MessageSender: sends messages of one publisher.
#pragma once

#include "python.hpp"

namespace horus::bindings {

void bind_message_sender(nb::module_& m);

}  // namespace horus::bindings
