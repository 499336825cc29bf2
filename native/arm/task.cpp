#include "arm/task.hpp"

#include <algorithm>
#include <numbers>

#include "math/arc_tangent.hpp"

namespace horus::arm {
namespace {

// Axis of a rotation by nearly half a turn, from the largest column of R + 1 with R = to * from^T.
Vec3 axis_of_half_turn(const Frame& from, const Frame& to) {
  const Vec3* const a = &from.x;
  const Vec3* const b = &to.x;
  Vec3 columns[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  for (int k = 0; k < 3; ++k) {
    columns[0] = columns[0] + a[k].x * b[k];
    columns[1] = columns[1] + a[k].y * b[k];
    columns[2] = columns[2] + a[k].z * b[k];
  }
  const Vec3* const longest =
      std::max_element(columns, columns + 3, [](const Vec3& u, const Vec3& v) { return dot(u, u) < dot(v, v); });
  return (1.0 / norm(*longest)) * *longest;
}

}  // namespace

Vec3 rotation_between(const Frame& from, const Frame& to) {
  const Vec3 twice = cross(from.x, to.x) + cross(from.y, to.y) + cross(from.z, to.z);
  const Vec3 sine_axis = 0.5 * twice;
  const double cosine = 0.5 * (dot(from.x, to.x) + dot(from.y, to.y) + dot(from.z, to.z) - 1.0);
  const double sine2 = dot(sine_axis, sine_axis);
  // asin(s) / s: the terms left out are below rounding.
  if (cosine > 0.0 && sine2 < 1e-4) {
    return (1.0 + sine2 * (1.0 / 6.0 + sine2 * (3.0 / 40.0 + sine2 * (15.0 / 336.0)))) * sine_axis;
  }
  const double sine = std::sqrt(sine2);
  if (cosine < 0.0 && sine < 1e-6) {
    const Vec3 axis = axis_of_half_turn(from, to);
    const double angle = std::numbers::pi - (dot(axis, sine_axis) < 0.0 ? -sine : sine);
    return angle * axis;
  }
  return (math::arc_tangent(sine, cosine) / sine) * sine_axis;
}

void evaluate(const Chain& chain, const Task& task, State& state) {
  state.tool = walk(
      chain, state.q,
      [&state](int i, const Frame& T) {
        state.axis[i] = T.z;
        state.origin[i] = T.p;
      },
      [](int, const Frame&) {});
  state.position_error = task.target.p - state.tool.p;
  const double position2 = dot(state.position_error, state.position_error);
  state.position_distance = std::sqrt(position2);
  state.cost = position2;
  if (!task.is_pose) return;
  state.rotation_error = rotation_between(state.tool, task.target);
  const double rotation2 = dot(state.rotation_error, state.rotation_error);
  state.rotation_distance = std::sqrt(rotation2);
  state.cost += task.rotation_weight * task.rotation_weight * rotation2;
}

}  // namespace horus::arm
