#pragma once

#include "python.hpp"

namespace horus::bindings {

void bind_rl_random(nb::module_& m);

}  // namespace horus::bindings
