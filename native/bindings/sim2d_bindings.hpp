// Binds the 2D engine: its definitions, Sim2dModel, Sim2dWorld and Sim2dBatch.
#pragma once

#include <memory>
#include <vector>

#include "arrays.hpp"
#include "python.hpp"
#include "sim2d/model.hpp"

namespace horus::bindings {

// The model while it is being described, and what worlds share once finish() was called.
struct PyModel {
  std::shared_ptr<sim2d::Model> model = std::make_shared<sim2d::Model>();
  bool finished = false;
};

// Throws nb::index_error when an index is outside [0, count).
int checked_index(std::int64_t index, std::size_t count, const char* what);
// A C-contiguous float64 array of exactly this shape; throws nb::value_error.
nb::object read_array(nb::handle object, std::initializer_list<npy_intp> shape, const char* what);

// A class for each definition, with an attribute for each of its fields.
void bind_sim2d_definitions(nb::module_& m);
void bind_sim2d_model(nb::module_& m);
void bind_sim2d_world(nb::module_& m);
void bind_sim2d_batch(nb::module_& m);

}  // namespace horus::bindings
