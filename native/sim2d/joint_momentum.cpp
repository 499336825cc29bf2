// How many bodies move as one: what nothing outside holds keeps this part of its motion, whatever its joints do.
#include <algorithm>
#include <cmath>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {

// With the masses that bodies really have.
RigidMotion StepContext::rigid_motion(std::span<const int> bodies) const {
  RigidMotion motion;
  for (const int k : bodies) {
    const Body& body = world.bodies[k];
    const double mass = world.params[k].mass;
    motion.mass += mass;
    motion.center = motion.center + mass * Vec2{body.x, body.y};
    motion.velocity = motion.velocity + mass * Vec2{body.vx, body.vy};
  }
  motion.center = (1.0 / motion.mass) * motion.center;
  motion.velocity = (1.0 / motion.mass) * motion.velocity;
  double spin = 0.0;
  for (const int k : bodies) {
    const Body& body = world.bodies[k];
    const BodyParams& params = world.params[k];
    const Vec2 arm = Vec2{body.x, body.y} - motion.center;
    motion.inertia += params.inertia + params.mass * dot(arm, arm);
    spin += params.inertia * body.w + params.mass * cross(arm, Vec2{body.vx, body.vy} - motion.velocity);
  }
  motion.w = motion.inertia > 0.0 ? spin / motion.inertia : 0.0;
  return motion;
}

// A body that was heavier for the step took more of every impulse than it keeps. The rest goes to all bodies that hold
// together with it, alike, which no joint feels.
void StepContext::restore_momenta() {
  if (scratch.stiff_bodies.empty()) return;
  const JointGroups& groups = model.joint_groups;
  std::vector<Wrench>& lost = scratch.lost_momenta;
  lost.assign(groups.assemblies.size(), {});
  for (const StiffBody& stiff : scratch.stiff_bodies) {
    const Body& body = world.bodies[stiff.body];
    const BodyParams& params = world.params[stiff.body];
    const Wrench& before = scratch.earlier_velocities[stiff.body];
    // Exactly nothing where it was not made heavier.
    const double mass = params.inv_mass < stiff.before.inv_mass ? 1.0 / params.inv_mass - params.mass : 0.0;
    const bool turned_less = params.inv_inertia < stiff.before.inv_inertia;
    const double inertia = turned_less ? 1.0 / params.inv_inertia - params.inertia : 0.0;
    const Vec2 momentum = mass * Vec2{body.vx - before.fx, body.vy - before.fy};
    Wrench& sum = lost[groups.assembly_of[stiff.body]];
    sum.fx += momentum.x;
    sum.fy += momentum.y;
    sum.torque += inertia * (body.w - before.torque) + cross({body.x, body.y}, momentum);
  }
  for (std::size_t i = 0; i < groups.assemblies.size(); ++i) {
    const Assembly& assembly = groups.assemblies[i];
    if (!assembly.is_free || !assembly.is_passive) continue;
    const Vec2 momentum = {lost[i].fx, lost[i].fy};
    if (momentum.x == 0.0 && momentum.y == 0.0 && lost[i].torque == 0.0) continue;
    const RigidMotion motion = rigid_motion(assembly.bodies);
    const Vec2 velocity = (1.0 / motion.mass) * momentum;
    const double w = motion.inertia > 0.0 ? (lost[i].torque - cross(motion.center, momentum)) / motion.inertia : 0.0;
    for (const int k : assembly.bodies) {
      Body& body = world.bodies[k];
      const Vec2 added = velocity + cross(w, Vec2{body.x, body.y} - motion.center);
      body.vx += added.x;
      body.vy += added.y;
      body.w += w;
    }
  }
}

// Takes energy [J] from bodies that nothing outside holds: from how they move against each other first, then from how they
// turn together. Their momentum stays.
void StepContext::slow_free(std::span<const int> bodies, double energy) {
  const RigidMotion motion = rigid_motion(bodies);
  const auto rest_of = [&](const Body& body) {
    const Vec2 arm = Vec2{body.x, body.y} - motion.center;
    const Vec2 v = Vec2{body.vx, body.vy} - motion.velocity - cross(motion.w, arm);
    return Wrench{v.x, v.y, body.w - motion.w};
  };
  double inner = 0.0;
  for (const int k : bodies) {
    const Wrench rest = rest_of(world.bodies[k]);
    const BodyParams& params = world.params[k];
    inner += 0.5 * (params.mass * (rest.fx * rest.fx + rest.fy * rest.fy) + params.inertia * rest.torque * rest.torque);
  }
  const double turning = 0.5 * motion.inertia * motion.w * motion.w;
  const double keep = energy < inner ? std::sqrt(1.0 - energy / inner) : 0.0;
  const double left = std::max(energy - inner, 0.0);
  const double keep_turn = left == 0.0 ? 1.0 : (left < turning ? std::sqrt(1.0 - left / turning) : 0.0);
  for (const int k : bodies) {
    Body& body = world.bodies[k];
    const Wrench rest = rest_of(body);
    const Vec2 arm = Vec2{body.x, body.y} - motion.center;
    const Vec2 v = motion.velocity + cross(keep_turn * motion.w, arm);
    body.vx = v.x + keep * rest.fx;
    body.vy = v.y + keep * rest.fy;
    body.w = keep_turn * motion.w + keep * rest.torque;
  }
}

}  // namespace horus::sim2d
