// The worlds of a batch as environments of reinforcement learning: one call does a thing to all of them. Arrays have a
// row for each world unless they come with ids; `chosen` is null for all worlds, else zero where nothing is to happen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim2d/batch.hpp"

namespace horus::sim2d {

// n steps with the commands of the wheels; `touched` says whether body `watched` touched anything in one of them.
struct RunArguments {
  const double* commands = nullptr;
  const std::uint8_t* chosen = nullptr;
  double dt = 0.0;
  int steps = 0;
  int watched = 0;
  std::uint8_t* touched = nullptr;
};
void run(Batch& batch, const RunArguments& arguments);

// Worlds begin anew with some bodies elsewhere. Poses are x, y, theta, shape (ids, bodies, 3).
struct PlaceArguments {
  const std::int64_t* ids = nullptr;
  const std::uint64_t* seeds = nullptr;
  std::size_t count = 0;
  const std::int64_t* bodies = nullptr;
  std::size_t body_count = 0;
  const double* poses = nullptr;
};
void place(Batch& batch, const PlaceArguments& arguments);

// x, y, theta, vx, vy, w of one body of every world.
void read_states(const Batch& batch, int body, double* out);

// Distances along rays about a body, evenly spread, the first ahead, turning left; `range` where nothing is hit.
void scan(Batch& batch, const std::uint8_t* chosen, int body, int rays, double range, double* out);

}  // namespace horus::sim2d
