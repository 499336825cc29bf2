// Tension makes a link turn back, and a light link under great tension faster than the step can follow: its energy would
// grow. Such bodies are made as heavy, for the step, as it takes to follow (Andrews, Teichmann, Kovecses: Geometric
// Stiffness for Real-time Constrained Multibody Dynamics, 2017).
#include <algorithm>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Largest square of the angle by which the fastest oscillation may advance in a step.
constexpr double kFastest = 1.0;

}  // namespace

void StepContext::stiffen() {
  scratch.stiff_bodies.clear();
  if (model.joints.empty()) return;
  keep_velocities();
  std::vector<double>& turning = scratch.turn_stiffness;
  std::vector<double>& moving = scratch.move_stiffness;
  turning.resize(world.bodies.size());
  moving.resize(world.bodies.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    const JointState& state = world.joints_[i];
    const Body& a = world.bodies[joint.a];
    const Body& b = world.bodies[joint.b];
    const Vec2 ra = rotate(a.c, a.s, joint.anchor_a);
    const Vec2 rb = rotate(b.c, b.s, joint.anchor_b);
    Vec2 force = {state.impulses[0] / dt, state.impulses[1] / dt};
    if (joint.kind == JointKind::kDistance) {
      const Vec2 offset = Vec2{b.x, b.y} + rb - Vec2{a.x, a.y} - ra;
      const double distance = std::max(length(offset), 1e-9);
      const double tension = -state.impulses[0] / dt;
      moving[joint.a] += std::max(tension, 0.0) / distance;
      moving[joint.b] += std::max(tension, 0.0) / distance;
      force = (-tension / distance) * offset;
    }
    turning[joint.a] -= dot(force, ra);
    turning[joint.b] += dot(force, rb);
  }
  for (const JointDef& joint : model.joints) {
    for (const int body : {joint.a, joint.b}) {
      BodyParams& params = world.params[body];
      const double least_inertia = dt * dt * turning[body] / kFastest;
      const double least_mass = dt * dt * moving[body] / kFastest;
      turning[body] = moving[body] = 0.0;
      const bool is_light = params.inv_mass * least_mass > 1.0;
      const bool turns_fast = params.inv_inertia * least_inertia > 1.0;
      if (!is_light && !turns_fast) continue;
      scratch.stiff_bodies.push_back({body, params});
      if (turns_fast) params.inv_inertia = 1.0 / least_inertia;
      if (!is_light) continue;
      // Its weight stays as it was.
      const double excess = 1.0 - 1.0 / (params.inv_mass * least_mass);
      params.inv_mass = 1.0 / least_mass;
      world.bodies[body].vx -= excess * dt * model.gravity.x;
      world.bodies[body].vy -= excess * dt * model.gravity.y;
    }
  }
}

void StepContext::relax() {
  for (const StiffBody& stiff : scratch.stiff_bodies) world.params[stiff.body] = stiff.before;
}

}  // namespace horus::sim2d
