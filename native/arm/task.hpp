// What inverse kinematics is asked for, and how far a configuration is from it.
#pragma once

#include "arm/chain.hpp"

namespace horus::arm {

struct Task {
  Frame target;                    // T_base_target; only its origin counts for a position
  bool is_pose = false;
  double rotation_weight = 1.0;    // [m/rad]: how much a rotation error counts beside a position error
  double position_tolerance = 1e-6;  // [m]
  double rotation_tolerance = 1e-6;  // [rad]
};

// A configuration with everything that a step from it needs.
struct State {
  double q[kMaxDof];
  Frame tool;
  Vec3 axis[kMaxDof], origin[kMaxDof];  // of each joint, base coordinates
  Vec3 position_error;                  // target - tool [m]
  Vec3 rotation_error;                  // the rotation that remains, axis times angle [rad]
  double position_distance = 0.0, rotation_distance = 0.0;
  double cost = 0.0;  // |position error|^2 + (weight |rotation error|)^2 [m^2]

  bool meets(const Task& task) const {
    return position_distance <= task.position_tolerance &&
           (!task.is_pose || rotation_distance <= task.rotation_tolerance);
  }
};

// Computes everything in `state` from its q.
void evaluate(const Chain& chain, const Task& task, State& state);

// The rotation from `from` to `to`, as axis times angle [rad], in base coordinates.
Vec3 rotation_between(const Frame& from, const Frame& to);

inline Vec3 linear_column(const Chain& chain, const State& state, int i) {
  return chain.joints[i].is_prismatic ? state.axis[i] : cross(state.axis[i], state.tool.p - state.origin[i]);
}

}  // namespace horus::arm
