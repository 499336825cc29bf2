#pragma once

#include "python.hpp"

namespace horus::bindings {

void bind_math(nb::module_& m);

}  // namespace horus::bindings
