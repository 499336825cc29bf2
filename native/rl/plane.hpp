// Circles, boxes and walls of an environment seen from above: what a lidar ranges and what a hull comes near to.
#pragma once

#include <cstddef>

namespace horus::rl {

struct Shapes {
  const double* circles;  // x, y, radius [m]
  std::size_t circle_count;
  const double* boxes;  // x, y [m], yaw [rad], half length, half width [m]
  std::size_t box_count;
  const double* walls;  // x, y of one end, x, y of the other [m]
  std::size_t wall_count;
};

struct Heading {
  double x, y;      // where [m]
  double cos, sin;  // of the yaw
};

// Distances [m] along rays of `directions` (x, y each, unit length, in the frame of `from`) to the first edge; within a
// circle or box that is the way out. Infinity where nothing is hit within the range [m].
void cast(const Shapes& shapes, const Heading& from, const double* directions, std::size_t rays, double range,
          double* out);

// Distance [m] from a point to the nearest edge, negative within a circle or box; `open` where nothing is nearer.
double clearance(const Shapes& shapes, double x, double y, double open);

}  // namespace horus::rl
