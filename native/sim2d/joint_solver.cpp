// Joints. Velocities are chosen so that the anchors meet again where the bodies will be at the end of the step, which
// keeps the energy of a pendulum (the curvature of the path is part of the target); what is left is moved away.
#include <algorithm>
#include <cmath>

#include "arm/sine.hpp"
#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// The curvature of the paths is found anew in so many passes, and kept in the others, so that these converge.
constexpr int kBendingPasses = 2;
constexpr double kLargestTurn = 1.0;
constexpr int kCorrections = 4;
// Smaller speeds that are left are taken away from the poses [m/s, rad/s].
constexpr double kSpeedLeft = 1e-5;

// (turned by angle - unturned) / dt for r on a body at w, without the first order, which the velocity row has.
inline Vec2 curvature(double w, double dt, Vec2 r) {
  const double angle = std::clamp(w * dt, -kLargestTurn, kLargestTurn);
  const double squared = angle * angle;
  // cos - 1 and sin - angle as series; angles of a step are small.
  const double cosine = -0.5 * squared * (1.0 - squared / 12.0 * (1.0 - squared / 30.0));
  const double sine = -angle * squared / 6.0 * (1.0 - squared / 20.0);
  return {(cosine * r.x - sine * r.y) / dt, (sine * r.x + cosine * r.y) / dt};
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

inline void turn(const BodyParams& pa, const BodyParams& pb, double impulse, Body& a, Body& b) {
  a.w -= pa.inv_inertia * impulse;
  b.w += pb.inv_inertia * impulse;
}

}  // namespace

void StepContext::prepare_joints() {
  if (model.joints.empty()) return;
  scratch.joint_rows.assign(model.joints.size(), {});
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    JointState& state = world.joints_[i];
    JointRow& row = scratch.joint_rows[i];
    if (!config.warm_starting) state = {};
    if (joint.stiffness < config.rigid_stiffness) row.gamma = 1.0 / (dt * (joint.damping + dt * joint.stiffness));
    set_lines(joint, row);
    Body& a = world.bodies[joint.a];
    Body& b = world.bodies[joint.b];
    const BodyParams& pa = world.params[joint.a];
    const BodyParams& pb = world.params[joint.b];
    if (row.gamma > 0.0) {
      const double gain = dt * joint.stiffness * row.gamma;
      const double limit = config.max_correction / dt;
      for (int k = 0; k < 2; ++k) row.bias[k] = std::clamp(gain * row.gaps[k], -limit, limit);
    }
    row.angular_mass = pa.inv_inertia + pb.inv_inertia > 0.0 ? 1.0 / (pa.inv_inertia + pb.inv_inertia) : 0.0;
    row.low_target = (joint.lower - b.angle + a.angle) / dt;
    row.high_target = (joint.upper - b.angle + a.angle) / dt;
    for (int k = 0; k < model.joint_groups.row_count[i]; ++k) push(row.lines[k], pa, pb, state.impulses[k], a, b);
    turn(pa, pb, state.limit_low - state.limit_high, a, b);
  }
  factorize_joints();
}

// Where the anchors are, how far the joint is open, and what would close it.
void StepContext::set_lines(const JointDef& joint, JointRow& row) {
  const Body& a = world.bodies[joint.a];
  const Body& b = world.bodies[joint.b];
  row.ra = rotate(a.c, a.s, joint.anchor_a);
  row.rb = rotate(b.c, b.s, joint.anchor_b);
  const Vec2 offset = Vec2{b.x, b.y} + row.rb - Vec2{a.x, a.y} - row.ra;
  if (joint.kind == JointKind::kDistance) {
    const double distance = length(offset);
    const Vec2 axis = distance > 1e-9 ? (1.0 / distance) * offset : Vec2{1.0, 0.0};
    row.lines[0] = {{-axis.x, -axis.y, -cross(row.ra, axis)}, {axis.x, axis.y, cross(row.rb, axis)}};
    row.gaps[0] = distance - joint.length;
    return;
  }
  row.lines[0] = {{-1.0, 0.0, row.ra.y}, {1.0, 0.0, -row.rb.y}};
  row.lines[1] = {{0.0, -1.0, -row.ra.x}, {0.0, 1.0, row.rb.x}};
  row.gaps[0] = offset.x;
  row.gaps[1] = offset.y;
  if (joint.kind != JointKind::kRigid) return;
  row.lines[2] = {{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
  row.gaps[2] = b.angle - a.angle - joint.reference;
}

// What hard joints ask for because their bodies move on arcs.
void StepContext::bend_joints() {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    JointRow& row = scratch.joint_rows[i];
    if (row.gamma > 0.0) continue;
    const Body& a = world.bodies[joint.a];
    const Body& b = world.bodies[joint.b];
    if (joint.kind == JointKind::kDistance) {
      const Vec2 v = Vec2{b.vx, b.vy} + cross(b.w, row.rb) - Vec2{a.vx, a.vy} - cross(a.w, row.ra);
      const double across = cross({row.lines[0].b[0], row.lines[0].b[1]}, v);
      // No further than a turn about the other end by kLargestTurn.
      const double most = kLargestTurn * joint.length / dt;
      const double bounded = std::min(std::abs(across), most);
      row.bias[0] = joint.length > 1e-9 ? 0.5 * dt * bounded * bounded / joint.length : 0.0;
    } else {
      const Vec2 bend = curvature(b.w, dt, row.rb) - curvature(a.w, dt, row.ra);
      row.bias[0] = bend.x;
      row.bias[1] = bend.y;
    }
  }
}

bool StepContext::solve_limits() {
  bool changed = false;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    if (joint.kind != JointKind::kHinge || !(joint.upper > joint.lower)) continue;
    JointState& state = world.joints_[i];
    const JointRow& row = scratch.joint_rows[i];
    Body& a = world.bodies[joint.a];
    Body& b = world.bodies[joint.b];
    const BodyParams& pa = world.params[joint.a];
    const BodyParams& pb = world.params[joint.b];
    const double low = std::max(state.limit_low - row.angular_mass * (b.w - a.w - row.low_target), 0.0);
    turn(pa, pb, low - state.limit_low, a, b);
    const double high = std::max(state.limit_high + row.angular_mass * (b.w - a.w - row.high_target), 0.0);
    turn(pa, pb, state.limit_high - high, a, b);
    const double change = std::abs(low - state.limit_low) + std::abs(high - state.limit_high);
    changed |= change > config.velocity_tolerance * row.angular_mass;
    state.limit_low = low;
    state.limit_high = high;
  }
  return changed;
}

bool StepContext::solve_joints(int iteration) {
  if (model.joints.empty()) return false;
  const JointGroups& groups = model.joint_groups;
  bool changed = solve_limits();
  if (iteration < kBendingPasses) bend_joints();
  const double tolerance = std::max(config.velocity_tolerance, kSpeedLeft);
  double* const values = scratch.joint_values.data();
  for (const JointGroup& group : groups.groups) {
    for (int place = group.first_joint; place < group.end_joint; ++place) {
      const int i = groups.order[place];
      const JointRow& row = scratch.joint_rows[i];
      const Body& a = world.bodies[model.joints[i].a];
      const Body& b = world.bodies[model.joints[i].b];
      for (int k = 0; k < groups.row_count[i]; ++k) {
        const double softness = k < 2 ? row.gamma * world.joints_[i].impulses[k] : 0.0;
        const double error = speed(row.lines[k], a, b) + row.bias[k] + softness;
        values[groups.first_row[i] + k] = -error;
        changed |= std::abs(error) > tolerance;
      }
    }
    if (!solve_group(group)) continue;
    for (int place = group.first_joint; place < group.end_joint; ++place) {
      const int i = groups.order[place];
      const JointDef& joint = model.joints[i];
      for (int k = 0; k < groups.row_count[i]; ++k) {
        const double impulse = values[groups.first_row[i] + k];
        world.joints_[i].impulses[k] += impulse;
        push(scratch.joint_rows[i].lines[k], world.params[joint.a], world.params[joint.b], impulse,
             world.bodies[joint.a], world.bodies[joint.b]);
      }
    }
  }
  return changed;
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

// Closes what has opened in hard joints, by a capped share a step; more than once where that is more than the slop, since
// far from closed the way there is curved.
void StepContext::correct_joints() {
  if (model.joints.empty()) return;
  scratch.joint_moves.resize(world.bodies.size());
  for (int round = 0; round < kCorrections; ++round) {
    double widest = 0.0;
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const JointDef& joint = model.joints[i];
      JointRow& row = scratch.joint_rows[i];
      if (row.gamma > 0.0) continue;
      for (const int body : {joint.a, joint.b}) {
        Body& moved = world.bodies[body];
        if (world.params[body].inv_mass > 0.0) arm::any_sine_cosine(moved.angle, moved.s, moved.c);
      }
      const JointRow before = row;
      set_lines(joint, row);
      // The first time with the matrix of the velocities.
      if (round == 0) std::copy(before.lines, before.lines + kJointRows, row.lines);
      widest = std::max({widest, std::abs(row.gaps[0]), std::abs(row.gaps[1])});
    }
    if (round > 0 && widest <= config.correction_slop) return;
    if (round > 0) factorize_joints();
    for (const JointGroup& group : model.joint_groups.groups) correct_group(group);
    if (widest <= config.correction_slop) return;
  }
}

void StepContext::correct_group(const JointGroup& group) {
  const JointGroups& groups = model.joint_groups;
  double* const values = scratch.joint_values.data();
  const double most = config.max_correction;
  bool is_soft = true;
  for (int place = group.first_joint; place < group.end_joint; ++place) {
    const int i = groups.order[place];
    const JointRow& row = scratch.joint_rows[i];
    is_soft &= row.gamma > 0.0;
    for (int k = 0; k < groups.row_count[i]; ++k) {
      const double wanted = std::clamp(config.correction_percent * row.gaps[k], -most, most);
      values[groups.first_row[i] + k] = row.gamma > 0.0 ? 0.0 : -wanted;
    }
  }
  if (is_soft || !solve_group(group)) return;
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
    scratch.corrected[body] = 1;
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
