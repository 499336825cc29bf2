// Hits of what joints hold together: the bodies that touch have no more energy together than they had before.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// What is known of bodies that touch each other or hold together.
constexpr std::uint8_t kHit = 1;
constexpr std::uint8_t kHeld = 2;
constexpr std::uint8_t kDriven = 4;

int root_of(std::vector<int>& parents, int i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

void unite(std::vector<int>& parents, int one, int other) {
  one = root_of(parents, one);
  other = root_of(parents, other);
  parents[std::max(one, other)] = std::min(one, other);
}

inline double squared_gap(const JointRow& row, const double* speeds, double time) {
  const double x = row.gaps[0] + time * speeds[0];
  const double y = row.gaps[1] + time * speeds[1];
  return x * x + y * y;
}

}  // namespace

// What velocities are without the gravity of this step; its other forces are part of them.
void StepContext::keep_velocities() {
  std::vector<Wrench>& kept = scratch.earlier_velocities;
  kept.resize(world.bodies.size());
  for (const int i : model.moving_bodies) {
    const Body& body = world.bodies[i];
    const double fall = world.active_[i] ? dt : 0.0;
    kept[i] = {body.vx - fall * model.gravity.x, body.vy - fall * model.gravity.y, body.w};
  }
}

// Energy that a body and half a step, back and forth, have won since the last step [J].
double StepContext::energy_won(int i) const {
  const Body& body = world.bodies[i];
  const BodyParams& params = world.params[i];
  const Wrench& before = scratch.earlier_velocities[i];
  const double squared = body.vx * body.vx + body.vy * body.vy - before.fx * before.fx - before.fy * before.fy;
  const double turning = body.w * body.w - before.torque * before.torque;
  const double way = model.gravity.x * (body.vx + before.fx) + model.gravity.y * (body.vy + before.fy);
  return 0.5 * (params.mass * (squared - dt * way) + params.inertia * turning);
}

// The same for a spring.
double StepContext::spring_energy_won(int i) const {
  const JointDef& joint = model.joints[i];
  const JointRow& row = scratch.joint_rows[i];
  const Body& a = world.bodies[joint.a];
  const Body& b = world.bodies[joint.b];
  const Wrench& old_a = scratch.earlier_velocities[joint.a];
  const Wrench& old_b = scratch.earlier_velocities[joint.b];
  double before[2] = {0.0, 0.0};
  double after[2] = {0.0, 0.0};
  for (int k = 0; k < std::min(model.joint_groups.row_count[i], 2); ++k) {
    const JointLine& line = row.lines[k];
    before[k] = line.a[0] * old_a.fx + line.a[1] * old_a.fy + line.a[2] * old_a.torque + line.b[0] * old_b.fx +
                line.b[1] * old_b.fy + line.b[2] * old_b.torque;
    after[k] = line.a[0] * a.vx + line.a[1] * a.vy + line.a[2] * a.w + line.b[0] * b.vx + line.b[1] * b.vy +
               line.b[2] * b.w;
  }
  return 0.5 * joint.stiffness * (squared_gap(row, after, 0.5 * dt) - squared_gap(row, before, -0.5 * dt));
}

void StepContext::bound_hits() {
  const JointGroups& groups = model.joint_groups;
  std::vector<int>& parents = scratch.island_parents;
  parents.resize(world.bodies.size());
  std::iota(parents.begin(), parents.end(), 0);
  for (const Assembly& assembly : groups.assemblies) {
    for (const int k : assembly.bodies) unite(parents, assembly.bodies[0], k);
  }
  const auto moves = [&](int body) { return world.params[body].inv_mass > 0.0; };
  for (const Contact& contact : world.contacts) {
    if (moves(contact.a) && moves(contact.b)) unite(parents, contact.a, contact.b);
  }
  std::vector<std::uint8_t>& kinds = scratch.island_kinds;
  std::vector<double>& won = scratch.island_energies;
  kinds.assign(world.bodies.size(), 0);
  won.assign(world.bodies.size(), 0.0);
  for (const Contact& contact : world.contacts) {
    const int root = root_of(parents, moves(contact.a) ? contact.a : contact.b);
    const bool is_wall = !moves(contact.a) || !moves(contact.b);
    const bool is_jointed = groups.assembly_of[contact.a] >= 0 || groups.assembly_of[contact.b] >= 0;
    const bool is_own = groups.assembly_of[contact.a] == groups.assembly_of[contact.b];
    if (is_wall) kinds[root] |= kHeld;
    if (!is_wall && is_jointed && !is_own) kinds[root] |= kHit;
  }
  for (const Assembly& assembly : groups.assemblies) {
    std::uint8_t& kind = kinds[root_of(parents, assembly.bodies[0])];
    if (!assembly.is_free) kind |= kHeld;
    if (!assembly.is_passive) kind |= kDriven;
  }
  for (const WheelDef& wheel : model.wheels) kinds[root_of(parents, wheel.body)] |= kDriven;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    if (scratch.joint_rows[i].gamma == 0.0 || (!moves(joint.a) && !moves(joint.b))) continue;
    won[root_of(parents, moves(joint.a) ? joint.a : joint.b)] += spring_energy_won(static_cast<int>(i));
  }
  for (const int i : model.moving_bodies) won[root_of(parents, i)] += energy_won(i);
  std::vector<int>& members = scratch.island_members;
  for (const int root : model.moving_bodies) {
    if (parents[root] != root || !(kinds[root] & kHit) || (kinds[root] & kDriven) || !(won[root] > 0.0)) continue;
    members.clear();
    for (const int i : model.moving_bodies) {
      if (root_of(parents, i) == root) members.push_back(i);
    }
    if (kinds[root] & kHeld) {
      slow_held(members, energy_of(members, false), won[root]);
    } else {
      slow_free(members, won[root]);
    }
  }
}

}  // namespace horus::sim2d
