// Joints. Velocities are chosen so that the anchors meet again where the bodies will be at the end of the step, which
// keeps the energy of a pendulum (the curvature of the path is part of the target); what is left is moved away.
#include <algorithm>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// (turned by angle - unturned) / dt for r on a body at w, without the first order, which the velocity row has.
inline Vec2 curvature(double w, double dt, Vec2 r) {
  const double angle = w * dt;
  const double squared = angle * angle;
  // cos - 1 and sin - angle as series; angles of a step are small.
  const double cosine = -0.5 * squared * (1.0 - squared / 12.0 * (1.0 - squared / 30.0));
  const double sine = -angle * squared / 6.0 * (1.0 - squared / 20.0);
  return {(cosine * r.x - sine * r.y) / dt, (sine * r.x + cosine * r.y) / dt};
}

inline void apply(Body& a, Body& b, const BodyParams& pa, const BodyParams& pb, const JointRow& row, Vec2 impulse,
                  double angular) {
  a.vx -= pa.inv_mass * impulse.x;
  a.vy -= pa.inv_mass * impulse.y;
  a.w -= pa.inv_inertia * (cross(row.ra, impulse) + angular);
  b.vx += pb.inv_mass * impulse.x;
  b.vy += pb.inv_mass * impulse.y;
  b.w += pb.inv_inertia * (cross(row.rb, impulse) + angular);
}

}  // namespace

void StepContext::prepare_joints() {
  scratch.joint_rows.resize(model.joints.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    JointState& state = world.joints_[i];
    JointRow& row = scratch.joint_rows[i];
    Body& a = world.bodies[joint.a];
    Body& b = world.bodies[joint.b];
    row = {};
    row.ra = rotate(a.c, a.s, joint.anchor_a);
    row.rb = rotate(b.c, b.s, joint.anchor_b);
    if (!config.warm_starting) state = {};
    if (joint.kind == JointKind::kDistance) {
      prepare_distance(joint, state, row);
    } else {
      prepare_point(joint, state, row);
    }
  }
}

void StepContext::prepare_distance(const JointDef& joint, JointState& state, JointRow& row) {
  Body& a = world.bodies[joint.a];
  Body& b = world.bodies[joint.b];
  const BodyParams& pa = world.params[joint.a];
  const BodyParams& pb = world.params[joint.b];
  const Vec2 offset = Vec2{b.x, b.y} + row.rb - Vec2{a.x, a.y} - row.ra;
  const double distance = length(offset);
  row.axis = distance > 1e-9 ? (1.0 / distance) * offset : Vec2{1.0, 0.0};
  const double an = cross(row.ra, row.axis);
  const double bn = cross(row.rb, row.axis);
  const double response = pa.inv_mass + pb.inv_mass + pa.inv_inertia * an * an + pb.inv_inertia * bn * bn;
  if (joint.stiffness < config.rigid_stiffness) {
    row.gamma = 1.0 / (dt * (joint.damping + dt * joint.stiffness));
    const double limit = config.max_correction / dt;
    row.bias_x = std::clamp((distance - joint.length) * dt * joint.stiffness * row.gamma, -limit, limit);
  } else {
    const Vec2 v = Vec2{b.vx, b.vy} + cross(b.w, row.rb) - Vec2{a.vx, a.vy} - cross(a.w, row.ra);
    const double across = cross(row.axis, v);
    row.bias_x = joint.length > 1e-9 ? 0.5 * dt * across * across / joint.length : 0.0;
  }
  row.k11 = response + row.gamma > 0.0 ? 1.0 / (response + row.gamma) : 0.0;
  apply(a, b, pa, pb, row, state.px * row.axis, 0.0);
}

void StepContext::prepare_point(const JointDef& joint, JointState& state, JointRow& row) {
  Body& a = world.bodies[joint.a];
  Body& b = world.bodies[joint.b];
  const BodyParams& pa = world.params[joint.a];
  const BodyParams& pb = world.params[joint.b];
  const bool soft = joint.stiffness < config.rigid_stiffness;
  const bool rigid = joint.kind == JointKind::kRigid;
  const double inv_mass = pa.inv_mass + pb.inv_mass;
  const double inv_inertia = pa.inv_inertia + pb.inv_inertia;
  if (soft) {
    row.gamma = 1.0 / (dt * (joint.damping + dt * joint.stiffness));
    const double gain = dt * joint.stiffness * row.gamma;
    const double limit = config.max_correction / dt;
    const Vec2 gap = Vec2{b.x, b.y} + row.rb - Vec2{a.x, a.y} - row.ra;
    row.bias_x = std::clamp(gain * gap.x, -limit, limit);
    row.bias_y = std::clamp(gain * gap.y, -limit, limit);
  }
  const double m11 = inv_mass + pa.inv_inertia * row.ra.y * row.ra.y + pb.inv_inertia * row.rb.y * row.rb.y + row.gamma;
  const double m12 = -pa.inv_inertia * row.ra.x * row.ra.y - pb.inv_inertia * row.rb.x * row.rb.y;
  const double m22 = inv_mass + pa.inv_inertia * row.ra.x * row.ra.x + pb.inv_inertia * row.rb.x * row.rb.x + row.gamma;
  row.angular_mass = inv_inertia > 0.0 ? 1.0 / inv_inertia : 0.0;
  if (rigid && inv_inertia > 0.0) {
    const double m13 = -pa.inv_inertia * row.ra.y - pb.inv_inertia * row.rb.y;
    const double m23 = pa.inv_inertia * row.ra.x + pb.inv_inertia * row.rb.x;
    const double m33 = inv_inertia;
    const double c11 = m22 * m33 - m23 * m23;
    const double c12 = m13 * m23 - m12 * m33;
    const double c13 = m12 * m23 - m13 * m22;
    const double scale = 1.0 / (m11 * c11 + m12 * c12 + m13 * c13);
    row.k11 = c11 * scale;
    row.k12 = c12 * scale;
    row.k13 = c13 * scale;
    row.k22 = (m11 * m33 - m13 * m13) * scale;
    row.k23 = (m12 * m13 - m11 * m23) * scale;
    row.k33 = (m11 * m22 - m12 * m12) * scale;
  } else {
    const double scale = 1.0 / (m11 * m22 - m12 * m12);
    row.k11 = m22 * scale;
    row.k12 = -m12 * scale;
    row.k22 = m11 * scale;
  }
  const double angle = b.angle - a.angle;
  row.low_target = (joint.lower - angle) / dt;
  row.high_target = (joint.upper - angle) / dt;
  apply(a, b, pa, pb, row, {state.px, state.py}, state.angular + state.limit_low - state.limit_high);
}

bool StepContext::solve_joints() {
  bool changed = false;
  const double tolerance = config.velocity_tolerance;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    JointState& state = world.joints_[i];
    const JointRow& row = scratch.joint_rows[i];
    Body& a = world.bodies[joint.a];
    Body& b = world.bodies[joint.b];
    const BodyParams& pa = world.params[joint.a];
    const BodyParams& pb = world.params[joint.b];
    Vec2 v = Vec2{b.vx, b.vy} + cross(b.w, row.rb) - Vec2{a.vx, a.vy} - cross(a.w, row.ra);
    if (joint.kind == JointKind::kDistance) {
      const double error = dot(row.axis, v) + row.bias_x + row.gamma * state.px;
      const double impulse = -row.k11 * error;
      state.px += impulse;
      apply(a, b, pa, pb, row, impulse * row.axis, 0.0);
      changed |= std::abs(error) > tolerance;
      continue;
    }
    const bool soft = row.gamma > 0.0;
    if (joint.kind == JointKind::kHinge && joint.upper > joint.lower) {
      const double low = std::max(state.limit_low - row.angular_mass * (b.w - a.w - row.low_target), 0.0);
      apply(a, b, pa, pb, row, {}, low - state.limit_low);
      const double high = std::max(state.limit_high + row.angular_mass * (b.w - a.w - row.high_target), 0.0);
      apply(a, b, pa, pb, row, {}, state.limit_high - high);
      changed |= std::abs(low - state.limit_low) + std::abs(high - state.limit_high) > tolerance * row.angular_mass;
      state.limit_low = low;
      state.limit_high = high;
      v = Vec2{b.vx, b.vy} + cross(b.w, row.rb) - Vec2{a.vx, a.vy} - cross(a.w, row.ra);
    }
    const Vec2 bend = soft ? Vec2{} : curvature(b.w, dt, row.rb) - curvature(a.w, dt, row.ra);
    const double ex = v.x + bend.x + row.bias_x + row.gamma * state.px;
    const double ey = v.y + bend.y + row.bias_y + row.gamma * state.py;
    const double ea = joint.kind == JointKind::kRigid ? b.w - a.w : 0.0;
    const Vec2 impulse = {-(row.k11 * ex + row.k12 * ey + row.k13 * ea), -(row.k12 * ex + row.k22 * ey + row.k23 * ea)};
    const double angular = -(row.k13 * ex + row.k23 * ey + row.k33 * ea);
    state.px += impulse.x;
    state.py += impulse.y;
    state.angular += angular;
    apply(a, b, pa, pb, row, impulse, angular);
    changed |= std::abs(ex) + std::abs(ey) + std::abs(ea) > tolerance;
  }
  return changed;
}

// Closes what has opened in hard joints, by a capped share a step.
void StepContext::correct_joints() {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    const JointRow& row = scratch.joint_rows[i];
    if (row.gamma > 0.0) continue;
    Body& a = world.bodies[joint.a];
    Body& b = world.bodies[joint.b];
    const BodyParams& pa = world.params[joint.a];
    const BodyParams& pb = world.params[joint.b];
    const Vec2 ra = rotate(std::cos(a.angle), std::sin(a.angle), joint.anchor_a);
    const Vec2 rb = rotate(std::cos(b.angle), std::sin(b.angle), joint.anchor_b);
    const Vec2 gap = Vec2{b.x, b.y} + rb - Vec2{a.x, a.y} - ra;
    const double most = config.max_correction;
    const double share = config.correction_percent;
    Vec2 push;
    double turn = 0.0;
    if (joint.kind == JointKind::kDistance) {
      push = (-row.k11 * std::clamp(share * (length(gap) - joint.length), -most, most)) * row.axis;
    } else {
      const double ex = std::clamp(share * gap.x, -most, most);
      const double ey = std::clamp(share * gap.y, -most, most);
      const double ea = joint.kind == JointKind::kRigid ? share * (b.angle - a.angle - joint.reference) : 0.0;
      push = {-(row.k11 * ex + row.k12 * ey + row.k13 * ea), -(row.k12 * ex + row.k22 * ey + row.k23 * ea)};
      turn = -(row.k13 * ex + row.k23 * ey + row.k33 * ea);
    }
    a.x -= pa.inv_mass * push.x;
    a.y -= pa.inv_mass * push.y;
    a.angle -= pa.inv_inertia * (cross(row.ra, push) + turn);
    b.x += pb.inv_mass * push.x;
    b.y += pb.inv_mass * push.y;
    b.angle += pb.inv_inertia * (cross(row.rb, push) + turn);
    scratch.corrected[joint.a] = 1;
    scratch.corrected[joint.b] = 1;
  }
}

}  // namespace horus::sim2d
