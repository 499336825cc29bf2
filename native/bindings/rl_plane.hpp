#pragma once

#include "python.hpp"

namespace horus::bindings {

void bind_rl_plane(nb::module_& m);
void bind_rl_model(nb::module_& m);

}  // namespace horus::bindings
