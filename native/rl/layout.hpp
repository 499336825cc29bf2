// How an episode of a robot among circles begins: where it looks, where its goal is and where circles stand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rl/philox.hpp"

namespace horus::rl {

struct LayoutSettings {
  double least_distance, largest_distance;  // of the goal from the start, the origin [m]
  double least_radius, largest_radius;      // of circles [m]
  double margin;                            // free space about start and goal, to the edge of a circle [m]
  double half;                              // circles stand in a square of this half side about the start [m]
};

// Streams of the random numbers.
struct LayoutStreams {
  std::uint32_t yaw, goal, radius, place;
};

// Writes the heading as a quaternion w, x, y, z, the goal's x, y and x, y, radius of each circle.
//
// At `level` 0 all goals have the least distance. Each circle has a few tries to leave room about start and goal; one
// that fails in all of them, which is rare, is put out of sight.
void lay_out(const LayoutSettings& settings, const LayoutStreams& streams, std::uint64_t seed, std::uint32_t episode,
             double level, double* heading, double* goal, double* circles, std::size_t count);

}  // namespace horus::rl
