// Where the circles of an episode stand.
#pragma once

#include <cstddef>

#include "rl/philox.hpp"

namespace horus::rl {

struct LayoutSettings {
  double least_radius, largest_radius;  // [m]
  double margin;                        // free space about start and goal, to the edge of a circle [m]
  double half;                          // circles stand in a square of this half side about the start [m]
};

// Each circle has a few tries to leave room about the start (the origin) and the goal; one that fails in all of them,
// which is rare, is put out of sight. Writes x, y, radius of each.
void place_circles(const LayoutSettings& settings, const Origin& radii, const Origin& places, const double* goal,
                   double* circles, std::size_t count);

}  // namespace horus::rl
