// What joints hold together keeps the energy that it has: no step of a chain that swings by itself may add to it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

void StepContext::bound_energies() {
  const std::vector<Assembly>& assemblies = model.joint_groups.assemblies;
  if (assemblies.empty()) return;
  const std::vector<int>& assembly_of = model.joint_groups.assembly_of;
  for (const Contact& contact : world.contacts) {
    const int a = assembly_of[contact.a];
    const int b = assembly_of[contact.b];
    if (a == b) continue;
    // Others that move may give it energy; walls cannot.
    if (a >= 0 && world.params[contact.b].inv_mass > 0.0) world.energies_[a] = kUnknown;
    if (b >= 0 && world.params[contact.a].inv_mass > 0.0) world.energies_[b] = kUnknown;
  }
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
    double kinetic = 0.0;
    double resting = springs[i];
    double rising = 0.0;
    for (const int k : assemblies[i].bodies) {
      const Body& body = world.bodies[k];
      const BodyParams& params = world.params[k];
      kinetic += 0.5 * (params.mass * (body.vx * body.vx + body.vy * body.vy) + params.inertia * body.w * body.w);
      resting -= params.mass * (model.gravity.x * body.x + model.gravity.y * body.y);
      rising -= 0.5 * dt * params.mass * (model.gravity.x * body.vx + model.gravity.y * body.vy);
    }
    double& most = world.energies_[i];
    // What was lifted while joints were closed may fall again.
    most = std::max(most, resting);
    const double excess = kinetic + rising + resting - most;
    if (most == kUnknown) {
      most = kinetic + rising + resting;
    } else if (excess > 0.0 && kinetic > 0.0) {
      // kinetic s^2 + rising s = most - resting
      const double left = kinetic + rising - excess;
      const double root = rising * rising + 4.0 * kinetic * left;
      const double scale = root > 0.0 ? std::clamp((std::sqrt(root) - rising) / (2.0 * kinetic), 0.0, 1.0) : 0.0;
      for (const int k : assemblies[i].bodies) {
        world.bodies[k].vx *= scale;
        world.bodies[k].vy *= scale;
        world.bodies[k].w *= scale;
      }
    }
  }
}

}  // namespace horus::sim2d
