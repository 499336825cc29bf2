// Limits of hinges: those that are held are rows of the equations of the joints like any other. Which of them are held is a
// linear complementarity problem: limits that are passed are held and those that pull are released, all at once as long
// as fewer are wrong each time, else one by one, which comes to an end (Judice, Pires: A block principal pivoting
// algorithm for large-scale strictly monotone linear complementarity problems, 1994).
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Limits that are passed faster than this are held [rad/s].
constexpr double kPassed = 1e-6;
// How often the set of limits that are held is changed at most, and how often without fewer wrong ones before it is
// changed one by one.
constexpr int kMostChanges = 60;
constexpr int kPatience = 3;

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

// The limit that velocities and impulses ask for.
int StepContext::right_limit(int i) const {
  const JointRow& row = scratch.joint_rows[i];
  if (row.limit != 0) return row.limit * world.joints_[i].impulses[2] > 0.0 ? 0 : row.limit;
  const JointDef& joint = model.joints[i];
  // As the equations have it, in which a row gives way to what its impulse has changed by.
  const double softness = kAngleSoftness * (world.params[joint.a].inv_inertia + world.params[joint.b].inv_inertia);
  const double yielded = softness * scratch.unlimited_impulses[i].impulses[2];
  const double speed = world.bodies[joint.b].w - world.bodies[joint.a].w - yielded;
  if (speed < row.low_target - kPassed) return -1;
  return speed > row.high_target + kPassed ? 1 : 0;
}

// How many limits are not held as they should be.
int StepContext::count_wrong_limits() const {
  int count = 0;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!model.joints[i].has_limits()) continue;
    count += right_limit(static_cast<int>(i)) != scratch.joint_rows[i].limit;
  }
  return count;
}

void StepContext::change_limits(bool only_last) {
  for (int i = static_cast<int>(model.joints.size()) - 1; i >= 0; --i) {
    if (!model.joints[i].has_limits()) continue;
    const int limit = right_limit(i);
    if (limit == scratch.joint_rows[i].limit) continue;
    hold_limit(scratch.joint_rows[i], limit);
    if (only_last) return;
  }
}

void StepContext::keep_unlimited() {
  scratch.unlimited_impulses = world.joints_;
  scratch.unlimited_velocities.resize(world.bodies.size());
  for (const Assembly& assembly : model.joint_groups.assemblies) {
    for (const int k : assembly.bodies) {
      scratch.unlimited_velocities[k] = {world.bodies[k].vx, world.bodies[k].vy, world.bodies[k].w};
    }
  }
}

// Back to what was kept, without the impulses of limits that are not held.
void StepContext::restore_unlimited() {
  world.joints_ = scratch.unlimited_impulses;
  for (const Assembly& assembly : model.joint_groups.assemblies) {
    for (const int k : assembly.bodies) {
      const Wrench& velocity = scratch.unlimited_velocities[k];
      world.bodies[k].vx = velocity.fx;
      world.bodies[k].vy = velocity.fy;
      world.bodies[k].w = velocity.torque;
    }
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    if (!joint.has_limits() || scratch.joint_rows[i].limit != 0) continue;
    double& impulse = world.joints_[i].impulses[2];
    world.bodies[joint.a].w += world.params[joint.a].inv_inertia * impulse;
    world.bodies[joint.b].w -= world.params[joint.b].inv_inertia * impulse;
    impulse = 0.0;
  }
}

// A pass over joints some of which have limits; whether anything changed.
bool StepContext::solve_limited() {
  keep_unlimited();
  bool changed = solve_groups();
  int fewest = std::numeric_limits<int>::max();
  int patience = kPatience;
  for (int change = 0; change < kMostChanges; ++change) {
    const int wrong = count_wrong_limits();
    if (wrong == 0) break;
    patience = wrong < fewest ? kPatience : patience - 1;
    fewest = std::min(fewest, wrong);
    change_limits(patience < 0);
    restore_unlimited();
    factorize_joints();
    solve_groups();
    changed = true;
  }
  return changed;
}

// How far a hinge is beyond its limits [rad]; negative below the lower one.
double StepContext::beyond_limits(const JointDef& joint) const {
  const double angle = world.bodies[joint.b].angle - world.bodies[joint.a].angle - joint.reference;
  return std::min(angle - joint.lower, 0.0) + std::max(angle - joint.upper, 0.0);
}

// The same for the limit that it is held at.
double StepContext::beyond_limit(const JointDef& joint, const JointRow& row) const {
  const double beyond = beyond_limits(joint);
  return row.limit * beyond > 0.0 ? beyond : 0.0;
}

// Holds a hinge where it is beyond a limit, while poses are corrected.
void StepContext::hold_passed(const JointDef& joint, JointRow& row) {
  if (!joint.has_limits()) return;
  const double beyond = beyond_limits(joint);
  hold_limit(row, beyond < 0.0 ? -1 : (beyond > 0.0 ? 1 : 0));
}

}  // namespace horus::sim2d
