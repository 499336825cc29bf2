// Joints. Velocities are chosen so that the anchors meet again where the bodies will be at the end of the step, which
// keeps the energy of a pendulum (the curvature of the path is part of the target); what is left is moved away.
#include <algorithm>
#include <cmath>

#include "math/sine.hpp"
#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// The curvature of the paths is found anew in so many passes, and kept in the others, so that these converge.
constexpr int kBendingPasses = 2;
// Arcs are followed as far as this within a step; links that turn faster open a little [rad].
constexpr double kLargestTurn = 0.35;
constexpr double kLargestSwing = 0.2;
// Poses are corrected so often at most where joints are open by more than the slop, by this share each time but the first,
// when it is so much of the share for overlap.
constexpr int kCorrections = 30;
constexpr double kCorrectedFirst = 0.5;
constexpr double kCorrectedAgain = 0.5;
// Angles beyond limits count as lengths at this arm [m].
constexpr double kLimitArm = 0.05;
// What joints hold together may be faster than the caps by this, so that one body at its cap does not brake all others.
constexpr double kOverCap = 1.2;
// Smaller speeds that are left to hard joints are taken away from the poses [m/s, rad/s].
constexpr double kSpeedLeft = 3e-6;
// Where no joint of a group is open any wider, it is left as it is [m, rad].
constexpr double kGapLeft = 5e-6;

// (turned by angle - unturned) / dt for r on a body at w, without the first order, which the velocity row has, and as long as
// the arc is, not its chord: velocities are those in the middle of the step.
inline Vec2 curvature(double w, double dt, double rate, Vec2 r) {
  const double angle = std::clamp(w * dt, -kLargestTurn, kLargestTurn);
  const double squared = angle * angle;
  const double longer = 1.0 + (1.0 / 24.0) * squared;
  // cos - 1 and sin - angle as series, for angles of a step are small; both times the steps a second.
  const double cosine = -0.5 * rate * squared * (1.0 - (1.0 / 12.0) * squared * (1.0 - (1.0 / 30.0) * squared));
  const double sine = -(1.0 / 6.0) * rate * angle * squared * (1.0 - (1.0 / 20.0) * squared);
  const double along = longer * sine + (longer - 1.0) * rate * angle;
  return {longer * cosine * r.x - along * r.y, along * r.x + longer * cosine * r.y};
}

inline double speed(const JointLine& line, const Body& a, const Body& b) {
  return line.a[0] * a.vx + line.a[1] * a.vy + line.a[2] * a.w + line.b[0] * b.vx + line.b[1] * b.vy + line.b[2] * b.w;
}

inline void push(const JointLine& line, const BodyParams& pa, const BodyParams& pb, double impulse, Body& a, Body& b) {
  a.vx += pa.inv_mass * line.a[0] * impulse;
  a.vy += pa.inv_mass * line.a[1] * impulse;
  a.w += pa.inv_inertia * line.a[2] * impulse;
  b.vx += pb.inv_mass * line.b[0] * impulse;
  b.vy += pb.inv_mass * line.b[1] * impulse;
  b.w += pb.inv_inertia * line.b[2] * impulse;
}

// The speed at which the second anchor of a hinge leaves the first, and what an impulse there does: as the lines say, without
// their ones and zeros.
inline Vec2 anchor_speed(const JointRow& row, const Body& a, const Body& b) {
  return {-a.vx + row.ra.y * a.w + b.vx - row.rb.y * b.w, -a.vy - row.ra.x * a.w + b.vy + row.rb.x * b.w};
}

inline void push_anchors(const JointRow& row, const BodyParams& pa, const BodyParams& pb, Vec2 impulse, Body& a, Body& b) {
  a.vx -= pa.inv_mass * impulse.x;
  a.vy -= pa.inv_mass * impulse.y;
  a.w -= pa.inv_inertia * cross(row.ra, impulse);
  b.vx += pb.inv_mass * impulse.x;
  b.vy += pb.inv_mass * impulse.y;
  b.w += pb.inv_inertia * cross(row.rb, impulse);
}

}  // namespace

void StepContext::prepare_joints() {
  if (model.joints.empty()) return;
  scratch.joint_rows.resize(model.joints.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    JointState& state = world.joints_[i];
    JointRow& row = scratch.joint_rows[i];
    if (!config.warm_starting) state = {};
    const bool is_hard = joint.stiffness >= config.rigid_stiffness;
    row.gamma = is_hard ? 0.0 : 1.0 / (dt * (joint.damping + dt * joint.stiffness));
    row.limit = 0;
    std::fill(row.bias, row.bias + kJointRows, 0.0);
    set_lines(joint, row);
    if (row.gamma > 0.0) {
      const double gain = dt * joint.stiffness * row.gamma;
      const double limit = config.max_correction / dt;
      for (int k = 0; k < 2; ++k) row.bias[k] = std::clamp(gain * row.gaps[k], -limit, limit);
    }
    if (joint.has_limits()) prepare_limit(static_cast<int>(i), row);
    push_joint(static_cast<int>(i), row, state.impulses);
  }
  factorize_joints();
}

// Where the anchors are, and how far the joint is open; the way from the first anchor to the second.
Vec2 StepContext::set_gaps(const JointDef& joint, JointRow& row) {
  const Body& a = world.bodies[joint.a];
  const Body& b = world.bodies[joint.b];
  row.ra = rotate(a.c, a.s, joint.anchor_a);
  row.rb = rotate(b.c, b.s, joint.anchor_b);
  const Vec2 offset = Vec2{b.x, b.y} + row.rb - Vec2{a.x, a.y} - row.ra;
  const bool is_distance = joint.kind == JointKind::kDistance;
  row.gaps[0] = is_distance ? length(offset) - joint.length : offset.x;
  row.gaps[1] = is_distance ? 0.0 : offset.y;
  row.gaps[2] = joint.kind == JointKind::kRigid ? b.angle - a.angle - joint.reference : beyond_limit(joint, row);
  return offset;
}

// And what would close it.
void StepContext::set_lines(const JointDef& joint, JointRow& row) {
  const Vec2 offset = set_gaps(joint, row);
  if (joint.kind == JointKind::kDistance) {
    const double distance = length(offset);
    const Vec2 axis = distance > 1e-9 ? (1.0 / distance) * offset : Vec2{1.0, 0.0};
    row.lines[0] = {{-axis.x, -axis.y, -cross(row.ra, axis)}, {axis.x, axis.y, cross(row.rb, axis)}};
    return;
  }
  row.lines[0] = {{-1.0, 0.0, row.ra.y}, {1.0, 0.0, -row.rb.y}};
  row.lines[1] = {{0.0, -1.0, -row.ra.x}, {0.0, 1.0, row.rb.x}};
  if (joint.kind == JointKind::kRigid) row.lines[2] = {{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
}

// What hard joints ask for because their bodies move on arcs.
void StepContext::bend_joints() {
  const double rate = 1.0 / dt;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    JointRow& row = scratch.joint_rows[i];
    if (row.gamma > 0.0) continue;
    const Body& a = world.bodies[joint.a];
    const Body& b = world.bodies[joint.b];
    if (joint.kind == JointKind::kDistance) {
      const Vec2 v = Vec2{b.vx, b.vy} + cross(b.w, row.rb) - Vec2{a.vx, a.vy} - cross(a.w, row.ra);
      const double across = cross({row.lines[0].b[0], row.lines[0].b[1]}, v);
      const double most = kLargestSwing * joint.length / dt;
      const double bounded = std::min(std::abs(across), most);
      row.bias[0] = joint.length > 1e-9 ? 0.5 * dt * bounded * bounded / joint.length : 0.0;
    } else {
      const Vec2 bend = curvature(b.w, dt, rate, row.rb) - curvature(a.w, dt, rate, row.ra);
      row.bias[0] = bend.x;
      row.bias[1] = bend.y;
    }
  }
}

void StepContext::push_joint(int i, const JointRow& row, const double* impulses) {
  const JointDef& joint = model.joints[i];
  const BodyParams& pa = world.params[joint.a];
  const BodyParams& pb = world.params[joint.b];
  Body& a = world.bodies[joint.a];
  Body& b = world.bodies[joint.b];
  const int count = model.joint_groups.row_count[i];
  if (count == 2) {
    push_anchors(row, pa, pb, {impulses[0], impulses[1]}, a, b);
    return;
  }
  for (int k = 0; k < count; ++k) push(row.lines[k], pa, pb, impulses[k], a, b);
}

bool StepContext::solve_joints(int iteration) {
  if (model.joints.empty()) return false;
  if (iteration < kBendingPasses) bend_joints();
  return model.has_limits ? solve_limited() : solve_groups();
}

// One pass over all groups; whether anything changed.
bool StepContext::solve_groups() {
  const JointGroups& groups = model.joint_groups;
  bool changed = false;
  for (GroupRange range = groups.next_range(0); range.begin < range.end; range = groups.next_range(range.end)) {
    GroupSolution off[kGroupsAtOnce];
    int count = 0;
    for (std::size_t k = range.begin; k < range.end; ++k) {
      if (set_errors(groups.groups[k])) off[count++].group = &groups.groups[k];
    }
    changed |= count > 0;
    solve_equations(off, count);
    for (int k = 0; k < count; ++k) {
      if (off[k].is_finite()) push_group(*off[k].group);
    }
  }
  return changed;
}

// What the speeds of a group's joints lack; whether any of it is worth solving.
bool StepContext::set_errors(const JointGroup& group) {
  const JointGroups& groups = model.joint_groups;
  const double tolerance = std::max(config.velocity_tolerance, kSpeedLeft);
  bool is_off = false;
  for (int place = group.first_joint; place < group.end_joint; ++place) {
    const int i = groups.order[place];
    const JointRow& row = scratch.joint_rows[i];
    const Body& a = world.bodies[model.joints[i].a];
    const Body& b = world.bodies[model.joints[i].b];
    const JointState& state = world.joints_[i];
    double* const errors = scratch.joint_values.data() + groups.first_row[i];
    const double most = row.gamma > 0.0 ? config.velocity_tolerance : tolerance;
    // Written so that NaN is off too.
    const auto note = [&](int k, double error) {
      errors[k] = -error;
      is_off |= !(std::abs(error) <= most);
    };
    if (groups.row_count[i] == 2) {
      const Vec2 v = anchor_speed(row, a, b);
      note(0, v.x + row.bias[0] + row.gamma * state.impulses[0]);
      note(1, v.y + row.bias[1] + row.gamma * state.impulses[1]);
      continue;
    }
    for (int k = 0; k < groups.row_count[i]; ++k) {
      const double softness = k < 2 ? row.gamma * state.impulses[k] : 0.0;
      note(k, speed(row.lines[k], a, b) + row.bias[k] + softness);
    }
  }
  return is_off;
}

// Applies the impulses that were found for a group.
void StepContext::push_group(const JointGroup& group) {
  const JointGroups& groups = model.joint_groups;
  for (int place = group.first_joint; place < group.end_joint; ++place) {
    const int i = groups.order[place];
    JointState& state = world.joints_[i];
    const double* const impulses = scratch.joint_values.data() + groups.first_row[i];
    for (int k = 0; k < groups.row_count[i]; ++k) state.impulses[k] += impulses[k];
    push_joint(i, scratch.joint_rows[i], impulses);
  }
}

// What a distance joint keeps apart turns no faster than a body may; whether it would have.
bool StepContext::guard_distances() {
  bool acted = false;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    const JointRow& row = scratch.joint_rows[i];
    if (joint.kind != JointKind::kDistance || row.gamma > 0.0) continue;
    Body& a = world.bodies[joint.a];
    Body& b = world.bodies[joint.b];
    const Vec2 side = left_of({row.lines[0].b[0], row.lines[0].b[1]});
    const JointLine across = {{-side.x, -side.y, -cross(row.ra, side)}, {side.x, side.y, cross(row.rb, side)}};
    const double most = config.max_angular_speed * joint.length;
    const double excess = speed(across, a, b) - std::clamp(speed(across, a, b), -most, most);
    if (excess == 0.0) continue;
    const BodyParams& pa = world.params[joint.a];
    const BodyParams& pb = world.params[joint.b];
    push(across, pa, pb, -excess / (response(pa, across.a, across.a) + response(pb, across.b, across.b)), a, b);
    world.warn(WarningKind::kAngularSpeed, pb.inv_mass > 0.0 ? joint.b : joint.a);
    acted = true;
  }
  return acted;
}

// Slows down what holds together as a whole where one of its bodies is too fast: no joint feels that.
void StepContext::slow_assemblies() {
  const double most = kOverCap * config.max_linear_speed;
  const double most_turn = kOverCap * config.max_angular_speed;
  for (const Assembly& assembly : model.joint_groups.assemblies) {
    double over = 1.0;
    for (const int i : assembly.bodies) {
      const Body& body = world.bodies[i];
      over = std::max({over, length({body.vx, body.vy}) / most, std::abs(body.w) / most_turn});
    }
    if (over == 1.0) continue;
    for (const int i : assembly.bodies) {
      world.bodies[i].vx /= over;
      world.bodies[i].vy /= over;
      world.bodies[i].w /= over;
    }
  }
}

// Closes what has opened in hard joints, by a capped share a step; more than once where that is more than the slop, since
// far from closed the way there is curved.
void StepContext::correct_joints() {
  if (model.joints.empty()) return;
  scratch.joint_moves.resize(world.bodies.size());
  for (int round = 0; round < kCorrections; ++round) {
    double widest = 0.0;
    for (const Assembly& assembly : model.joint_groups.assemblies) {
      for (const int body : assembly.bodies) {
        Body& moved = world.bodies[body];
        math::any_sine_cosine(moved.angle, moved.s, moved.c);
        scratch.corrected[body] |= kTurnedTo;
      }
    }
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const JointDef& joint = model.joints[i];
      JointRow& row = scratch.joint_rows[i];
      if (row.gamma > 0.0) continue;
      // The first time with the matrix of the velocities.
      if (round == 0) {
        set_gaps(joint, row);
      } else {
        hold_passed(joint, row);
        set_lines(joint, row);
      }
      widest = std::max({widest, std::abs(row.gaps[0]), std::abs(row.gaps[1])});
      if (joint.has_limits()) widest = std::max(widest, kLimitArm * std::abs(beyond_limits(joint)));
    }
    if (round > 0 && widest <= config.correction_slop) return;
    if (round > 0) factorize_joints();
    const double share = round > 0 ? kCorrectedAgain : kCorrectedFirst * config.correction_percent;
    correct_groups(share);
    if (widest <= config.correction_slop) return;
  }
}

void StepContext::correct_groups(double share) {
  const JointGroups& groups = model.joint_groups;
  for (GroupRange range = groups.next_range(0); range.begin < range.end; range = groups.next_range(range.end)) {
    GroupSolution open[kGroupsAtOnce];
    int count = 0;
    for (std::size_t k = range.begin; k < range.end; ++k) {
      if (set_corrections(groups.groups[k], share)) open[count++].group = &groups.groups[k];
    }
    solve_equations(open, count);
    for (int k = 0; k < count; ++k) {
      if (open[k].is_finite()) move_group(*open[k].group);
    }
  }
}

// How far a group's joints are to be closed; whether any is open wide enough.
bool StepContext::set_corrections(const JointGroup& group, double share) {
  const JointGroups& groups = model.joint_groups;
  double* const values = scratch.joint_values.data();
  const double most = config.max_correction;
  double widest = 0.0;
  for (int place = group.first_joint; place < group.end_joint; ++place) {
    const int i = groups.order[place];
    const JointRow& row = scratch.joint_rows[i];
    for (int k = 0; k < groups.row_count[i]; ++k) {
      const double gap = row.gamma > 0.0 ? 0.0 : row.gaps[k];
      widest = std::max(widest, std::abs(gap));
      values[groups.first_row[i] + k] = -std::clamp(share * gap, -most, most);
    }
  }
  return !(widest <= kGapLeft);
}

// Moves the bodies of a group by what was found for it.
void StepContext::move_group(const JointGroup& group) {
  const double most = config.max_correction;
  std::vector<Wrench>& moves = scratch.joint_moves;
  double farthest = 0.0;
  for_each_end(group, [&](int body, const double* jacobian, double push) {
    const BodyParams& params = world.params[body];
    moves[body].fx += params.inv_mass * jacobian[0] * push;
    moves[body].fy += params.inv_mass * jacobian[1] * push;
    moves[body].torque += params.inv_inertia * jacobian[2] * push;
  });
  for_each_end(group, [&](int body, const double*, double) {
    farthest = std::max(farthest, moves[body].fx * moves[body].fx + moves[body].fy * moves[body].fy);
  });
  const double scale = farthest > most * most ? most / std::sqrt(farthest) : 1.0;
  for_each_end(group, [&](int body, const double*, double) {
    world.bodies[body].x += scale * moves[body].fx;
    world.bodies[body].y += scale * moves[body].fy;
    world.bodies[body].angle += scale * moves[body].torque;
    moves[body] = {};
    scratch.corrected[body] = (scratch.corrected[body] | kCorrected) & ~kTurnedTo;
  });
}

// Calls back with each moving body, row and solution of a group.
template <class Visit>
void StepContext::for_each_end(const JointGroup& group, Visit visit) {
  const JointGroups& groups = model.joint_groups;
  for (int place = group.first_joint; place < group.end_joint; ++place) {
    const int i = groups.order[place];
    const JointDef& joint = model.joints[i];
    for (int k = 0; k < groups.row_count[i]; ++k) {
      const JointLine& line = scratch.joint_rows[i].lines[k];
      const double value = scratch.joint_values[groups.first_row[i] + k];
      if (world.params[joint.a].inv_mass > 0.0) visit(joint.a, line.a, value);
      if (world.params[joint.b].inv_mass > 0.0) visit(joint.b, line.b, value);
    }
  }
}

}  // namespace horus::sim2d
