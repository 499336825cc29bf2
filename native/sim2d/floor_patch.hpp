// How the weight of a body lies on the floor: a few points that stand for its whole outline.
#pragma once

#include <vector>

#include "sim2d/math.hpp"

namespace horus::sim2d {

// Twelve points in six pairs: each point has a twin at the other side of the origin, so that sliding makes no torque.
struct FloorPatch {
  static constexpr int kPairs = 6;
  // One point of each pair, body frame [m].
  double x[kPairs] = {};
  double y[kPairs] = {};
  // Mean squared distance from the origin of what the point stands for [m^2].
  double square[kPairs] = {};
  // Mean distance of the load from the origin [m]: the arm of friction that brakes a pure spin.
  double mean_arm = 0.0;
};

FloorPatch disk_patch(double radius);
// Of a convex, counter-clockwise polygon. The load lies about the body's origin, its center of mass.
FloorPatch polygon_patch(const std::vector<Vec2>& points);

// Friction of a patch that slips, for a unit of load and of the coefficient: the force is
// -(direct v + w J odd), with J a quarter turn to the left, the torque -(odd x v + turning w).
struct FloorDrag {
  double direct = 0.0;
  Vec2 odd;
  double turning = 0.0;
};

// Velocity (vx, vy, w) in the body frame, not zero.
FloorDrag floor_drag(const FloorPatch& patch, double vx, double vy, double w);

}  // namespace horus::sim2d
