// What joints hold together keeps the energy that it has: no step of a chain that swings by itself may add to it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
// About a pin, where a step turns the velocity by an angle, steps keep the energy less this share of that of the motion,
// times the squared angle; at most so much.
constexpr double kBent = 3.0 / 16.0;
constexpr double kMostBent = 1e-3;

}  // namespace

Energy StepContext::energy_of(std::span<const int> bodies, bool is_pinned) const {
  Energy sum;
  for (const int k : bodies) {
    const Body& body = world.bodies[k];
    const BodyParams& params = world.params[k];
    const Wrench& before = scratch.earlier_velocities[k];
    const Vec2 change = {body.vx - before.fx, body.vy - before.fy};
    const Vec2 v = {body.vx, body.vy};
    const double squared = dot(v, v);
    const double across = cross(v, change);
    const double bent = is_pinned ? std::min(kBent * across * across, kMostBent * squared * squared) : 0.0;
    const double linear = squared > 0.0 ? squared - bent / squared : 0.0;
    sum.kinetic += 0.5 * (params.mass * linear + params.inertia * body.w * body.w);
    // In the middle of the step it is on the arc, not on the chord that it is moved along.
    sum.resting -= params.mass * dot(model.gravity, Vec2{body.x, body.y} - 0.125 * dt * change);
    sum.rising -= 0.5 * dt * params.mass * dot(model.gravity, v);
  }
  return sum;
}

// Takes energy [J] from bodies that something holds.
void StepContext::slow_held(std::span<const int> bodies, const Energy& energy, double excess) {
  if (energy.kinetic <= 0.0) return;
  // kinetic s^2 + rising s = kinetic + rising - excess
  const double left = energy.kinetic + energy.rising - excess;
  const double root = energy.rising * energy.rising + 4.0 * energy.kinetic * left;
  const double scale =
      root > 0.0 ? std::clamp((std::sqrt(root) - energy.rising) / (2.0 * energy.kinetic), 0.0, 1.0) : 0.0;
  for (const int k : bodies) {
    world.bodies[k].vx *= scale;
    world.bodies[k].vy *= scale;
    world.bodies[k].w *= scale;
  }
}

void StepContext::bound_energies() {
  const std::vector<Assembly>& assemblies = model.joint_groups.assemblies;
  if (assemblies.empty()) return;
  const std::vector<int>& assembly_of = model.joint_groups.assembly_of;
  std::vector<std::uint8_t>& is_held = scratch.is_held;
  is_held.resize(assemblies.size());
  for (std::size_t i = 0; i < assemblies.size(); ++i) is_held[i] = !assemblies[i].is_free;
  bool is_hit = false;
  for (const Contact& contact : world.contacts) {
    const int a = assembly_of[contact.a];
    const int b = assembly_of[contact.b];
    if (a == b) continue;
    const bool is_wall = world.params[contact.a].inv_mass == 0.0 || world.params[contact.b].inv_mass == 0.0;
    for (const int assembly : {a, b}) {
      if (assembly < 0) continue;
      // Others that move may give it energy; walls cannot.
      if (is_wall) {
        is_held[assembly] = 1;
      } else {
        world.energies_[assembly] = kUnknown;
        is_hit = true;
      }
    }
  }
  if (is_hit) bound_hits();
  std::vector<double>& springs = scratch.spring_energies;
  springs.assign(assemblies.size(), 0.0);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointRow& row = scratch.joint_rows[i];
    if (row.gamma == 0.0) continue;
    const JointDef& joint = model.joints[i];
    const int assembly = std::max(assembly_of[joint.a], assembly_of[joint.b]);
    if (assembly < 0) continue;
    springs[assembly] += 0.5 * joint.stiffness * (row.gaps[0] * row.gaps[0] + row.gaps[1] * row.gaps[1]);
  }
  for (std::size_t i = 0; i < assemblies.size(); ++i) {
    if (!assemblies[i].is_passive) continue;
    // Half a step on, where velocities and poses belong together.
    Energy energy = energy_of(assemblies[i].bodies, !assemblies[i].is_free);
    energy.resting += springs[i];
    double& most = world.energies_[i];
    // What was lifted while joints were closed may fall again.
    most = std::max(most, energy.resting);
    const double excess = energy.sum() - most;
    if (most == kUnknown) {
      most = energy.sum();
    } else if (excess > 0.0) {
      if (is_held[i]) {
        slow_held(assemblies[i].bodies, energy, excess);
      } else {
        slow_free(assemblies[i].bodies, excess);
      }
    }
  }
}

}  // namespace horus::sim2d
