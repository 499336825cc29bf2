// Sim2dBatch as Python holds it; its methods are bound in two files.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "sim2d/batch.hpp"
#include "sim2d_bindings.hpp"

namespace horus::bindings {

struct PyBatch {
  sim2d::Batch batch;
  std::size_t bodies;
  std::size_t wheels;
  std::size_t readings;
  // A step runs without the GIL; whoever comes meanwhile waits.
  std::mutex mutex;

  PyBatch(const PyModel& model, const std::vector<std::uint64_t>& seeds, int threads)
      : batch(model.model, seeds, threads),
        bodies(model.model->bodies.size()),
        wheels(model.model->wheels.size()),
        readings(static_cast<std::size_t>(model.model->reading_width)) {}
};

// What environments of reinforcement learning need.
void bind_sim2d_episodes(nb::class_<PyBatch>& batch);

}  // namespace horus::bindings
