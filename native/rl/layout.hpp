// How an episode of a robot among obstacles begins: where it looks, where its goal is and where they stand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rl/philox.hpp"

namespace horus::rl {

struct LayoutSettings {
  double least_distance, largest_distance;  // of the goal from the start, the origin [m]
  double least_radius, largest_radius;      // of circles [m]
  double least_side, largest_side;          // of boxes [m]
  double margin;                            // free space about start and goal, to the edge of an obstacle [m]
  double half;                              // they stand in a square of this half side about the start [m]
};

// Streams of the random numbers.
struct LayoutStreams {
  std::uint32_t yaw, goal, radius, place, box, box_place;
};

// What of one environment is written.
struct Layout {
  double* heading;  // quaternion w, x, y, z
  double* goal;     // x, y [m]
  double* circles;  // x, y, radius [m] of each
  std::size_t circle_count;
  double* boxes;  // x, y [m], yaw [rad], half length, half width [m] of each
  std::size_t box_count;
};

// At `level` 0 all goals have the least distance. Each obstacle has a few tries to leave room about start and goal; one
// that fails in all of them, which is rare, is put out of sight. The room of a box is that of the circle about it.
void lay_out(const LayoutSettings& settings, const LayoutStreams& streams, std::uint64_t seed, std::uint32_t episode,
             double level, const Layout& out);

}  // namespace horus::rl
