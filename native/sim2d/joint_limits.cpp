// Limits of hinges: which of them are held is found while velocities are solved; those that are held are rows of the equations
// of the joints like any other.
#include <algorithm>
#include <cmath>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Limits that are passed faster than this are held [rad/s].
constexpr double kPassed = 1e-6;

}  // namespace

// As in the last step, unless the hinge is beyond a limit.
void StepContext::prepare_limit(int i, JointRow& row) {
  const JointDef& joint = model.joints[i];
  const double angle = world.bodies[joint.b].angle - world.bodies[joint.a].angle - joint.reference;
  row.low_target = std::min(joint.lower - angle, 0.0) / dt;
  row.high_target = std::max(joint.upper - angle, 0.0) / dt;
  const double impulse = world.joints_[i].impulses[2];
  const bool is_low = angle < joint.lower || (impulse > 0.0 && angle < joint.upper);
  const bool is_high = angle > joint.upper || impulse < 0.0;
  hold_limit(row, is_low ? -1 : (is_high ? 1 : 0));
}

void StepContext::hold_limit(JointRow& row, int limit) {
  row.limit = limit;
  // A row of zeros gets no impulse.
  row.lines[2] = limit == 0 ? JointLine{} : JointLine{{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
  row.bias[2] = limit == 0 ? 0.0 : (limit < 0 ? -row.low_target : -row.high_target);
}

// Holds the limits that velocities would pass, and releases those that would have to pull; whether any changed.
bool StepContext::update_limits(bool may_release) {
  bool changed = false;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    if (!joint.has_limits()) continue;
    JointRow& row = scratch.joint_rows[i];
    double& impulse = world.joints_[i].impulses[2];
    Body& a = world.bodies[joint.a];
    Body& b = world.bodies[joint.b];
    const double speed = b.w - a.w;
    if (row.limit == 0) {
      if (speed < row.low_target - kPassed) hold_limit(row, -1);
      if (speed > row.high_target + kPassed) hold_limit(row, 1);
      changed |= row.limit != 0;
    } else if (may_release && row.limit * impulse > 0.0) {
      a.w += world.params[joint.a].inv_inertia * impulse;
      b.w -= world.params[joint.b].inv_inertia * impulse;
      impulse = 0.0;
      hold_limit(row, 0);
      changed = true;
    }
  }
  return changed;
}

// How far a hinge is beyond the limit that it is held at [rad].
double StepContext::beyond_limit(const JointDef& joint, const JointRow& row) const {
  const double angle = world.bodies[joint.b].angle - world.bodies[joint.a].angle - joint.reference;
  if (row.limit < 0) return std::min(angle - joint.lower, 0.0);
  return row.limit > 0 ? std::max(angle - joint.upper, 0.0) : 0.0;
}

}  // namespace horus::sim2d
