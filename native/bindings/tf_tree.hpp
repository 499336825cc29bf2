// The Python class Tree, which horus_sim.tf.TFTree extends.
#pragma once

#include "python.hpp"

namespace horus::bindings {

void bind_tree(nb::module_& m);

}  // namespace horus::bindings
