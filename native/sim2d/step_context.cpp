// The order of a step: forces, contacts, velocities, poses, corrections.
#include "sim2d/step_context.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "math/exponential.hpp"
#include "math/sine.hpp"

namespace horus::sim2d {
namespace {

// Slower than this, a body that the floor brakes is at rest [m/s, rad/s].
constexpr double kRest = 1e-9;

}  // namespace

void StepContext::run() {
  find_movers();
  apply_forces();
  stiffen();
  find_pairs();
  find_contacts();
  prepare_contacts();
  scratch.corrected.assign(world.bodies.size(), 0);
  scratch.reached.resize(world.bodies.size());
  wake_touched();
  prepare_wheels();
  prepare_grounds();
  prepare_joints();
  warm_start_contacts();
  for (int iteration = 0; iteration < config.velocity_iterations; ++iteration) {
    bool changed = solve_wheels();
    changed |= solve_joints(iteration);
    changed |= solve_grounds();
    changed |= solve_contacts(iteration % 2 == 0);
    if (!changed) break;
  }
  keep_impulses();
  finish_wheels();
  restore_momenta();
  integrate();
  correct_contacts();
  correct_joints();
  sweep_corrections();
  relax();
  finish();
}

// Bodies at rest that something touches take part in this step.
void StepContext::wake_touched() {
  if (world.contacts.empty()) return;
  const auto wake = [&](int body) {
    if (world.active_[body] || world.params[body].inv_mass == 0.0) return;
    world.active_[body] = 1;
    scratch.movers.push_back(body);
  };
  for (const Contact& contact : world.contacts) {
    wake(contact.a);
    wake(contact.b);
  }
}

void StepContext::find_movers() {
  std::vector<int>& movers = scratch.movers;
  movers.clear();
  const int n = static_cast<int>(world.active_.size());
  const std::uint8_t* const active = world.active_.data();
  int i = 0;
  // Eight flags at once: most bodies rest.
  for (; i + 8 <= n; i += 8) {
    std::uint64_t flags = 0;
    std::memcpy(&flags, active + i, sizeof(flags));
    if (flags == 0) continue;
    for (int k = i; k < i + 8; ++k) {
      if (active[k]) movers.push_back(k);
    }
  }
  for (; i < n; ++i) {
    if (active[i]) movers.push_back(i);
  }
}

void StepContext::apply_forces() {
  const bool falls = model.gravity.x != 0.0 || model.gravity.y != 0.0;
  const bool damped = config.linear_damping > 0.0 || config.angular_damping > 0.0;
  const double linear_keep = damped ? math::exponential(-config.linear_damping * dt) : 1.0;
  const double angular_keep = damped ? math::exponential(-config.angular_damping * dt) : 1.0;
  for (const int i : scratch.movers) {
    Body& body = world.bodies[i];
    if (falls) {
      body.vx += dt * model.gravity.x;
      body.vy += dt * model.gravity.y;
    }
    if (world.has_wrench_) {
      const BodyParams& params = world.params[i];
      body.vx += dt * params.inv_mass * world.wrenches_[i].fx;
      body.vy += dt * params.inv_mass * world.wrenches_[i].fy;
      body.w += dt * params.inv_inertia * world.wrenches_[i].torque;
    }
    if (damped) {
      body.vx *= linear_keep;
      body.vy *= linear_keep;
      body.w *= angular_keep;
    }
    guard_velocity(i, 1.0);
  }
  if (world.has_wrench_) {
    std::fill(world.wrenches_.begin(), world.wrenches_.end(), Wrench{});
    world.has_wrench_ = 0;
  }
}

// Whether the body had to be slowed down.
bool StepContext::guard_velocity(int i, double share) {
  Body& body = world.bodies[i];
  bool acted = false;
  const double squared = body.vx * body.vx + body.vy * body.vy;
  const double most = share * config.max_linear_speed;
  const double most_turn = share * config.max_angular_speed;
  // Written so that NaN is caught too.
  if (!(squared <= most * most)) {
    if (std::isfinite(squared)) {
      const double scale = most / std::sqrt(squared);
      body.vx *= scale;
      body.vy *= scale;
      world.warn(WarningKind::kLinearSpeed, i);
    } else {
      body.vx = body.vy = 0.0;
      world.warn(WarningKind::kNotFinite, i);
    }
    acted = true;
  }
  if (!(std::abs(body.w) <= most_turn)) {
    if (std::isfinite(body.w)) {
      body.w = std::copysign(most_turn, body.w);
      world.warn(WarningKind::kAngularSpeed, i);
    } else {
      body.w = 0.0;
      world.warn(WarningKind::kNotFinite, i);
    }
    acted = true;
  }
  return acted;
}

// Speeds beyond the caps, after which the joints are solved again: what holds together stays together, and may be a little
// faster for it.
void StepContext::guard_velocities() {
  bool breaks_joints = false;
  for (const int i : scratch.movers) breaks_joints |= guard_velocity(i, 1.0) && model.is_jointed[i];
  breaks_joints |= guard_distances();
  if (!breaks_joints) return;
  solve_joints(config.velocity_iterations);
  slow_assemblies();
  for (const int i : scratch.movers) guard_velocity(i, 2.0);
}

void StepContext::integrate() {
  for (const GroundRow& row : scratch.ground_rows) {
    Body& body = world.bodies[row.body];
    if (std::abs(body.vx) < kRest && std::abs(body.vy) < kRest && std::abs(body.w) < kRest) {
      body.vx = body.vy = body.w = 0.0;
    }
  }
  guard_velocities();
  bound_energies();
  for (const int i : scratch.movers) {
    Body& body = world.bodies[i];
    if (body.vx == 0.0 && body.vy == 0.0 && body.w == 0.0) continue;
    Vec2 motion = {dt * body.vx, dt * body.vy};
    const double squared = dot(motion, motion);
    const double most = config.max_step_translation;
    if (squared > most * most) {
      motion = (most / std::sqrt(squared)) * motion;
      world.warn(WarningKind::kStepTranslation, i);
    }
    const double turn = dt * body.w;
    const double share = free_share(i, motion, turn);
    body.x += share * motion.x;
    body.y += share * motion.y;
    body.angle += share * turn;
    scratch.corrected[i] |= kMoved;
    scratch.reached[i] = {body.x, body.y, body.angle};
  }
}

// Corrections do not carry a body past one that cannot move either.
void StepContext::sweep_corrections() {
  for (const int i : scratch.movers) {
    // What lay still is only pushed out of what it touches.
    if ((scratch.corrected[i] & (kCorrected | kMoved)) != (kCorrected | kMoved)) continue;
    Body& body = world.bodies[i];
    const Pose& from = scratch.reached[i];
    const Vec2 motion = {body.x - from.x, body.y - from.y};
    const double turn = body.angle - from.theta;
    if (!is_fast(i, motion, turn)) continue;
    body.x = from.x;
    body.y = from.y;
    body.angle = from.theta;
    math::any_sine_cosine(body.angle, body.s, body.c);
    const double share = free_share(i, motion, turn);
    body.x += share * motion.x;
    body.y += share * motion.y;
    body.angle += share * turn;
    scratch.corrected[i] &= ~kTurnedTo;
  }
}

// Brings everything that depends on the pose up to date.
void StepContext::settle(int i) {
  Body& body = world.bodies[i];
  if (!std::isfinite(body.x + body.y + body.angle)) {
    const Pose& start = model.bodies[i].pose;
    body = {};
    body.x = start.x;
    body.y = start.y;
    body.angle = start.theta;
    scratch.corrected[i] &= ~kTurnedTo;
    world.warn(WarningKind::kNotFinite, i);
  }
  if (!(scratch.corrected[i] & kTurnedTo)) math::any_sine_cosine(body.angle, body.s, body.c);
  world.hull_valid_[i] = 0;
}

void StepContext::finish() {
  const bool falls = model.gravity.x != 0.0 || model.gravity.y != 0.0;
  for (const int i : scratch.movers) {
    const Body& body = world.bodies[i];
    if (scratch.corrected[i]) settle(i);
    const bool moves = body.vx != 0.0 || body.vy != 0.0 || body.w != 0.0;
    const bool stays_active = falls || moves || scratch.corrected[i] || model.is_driven[i];
    if (!stays_active) {
      world.update_box(i, 0.0);
      world.mark_if_left(i);
      world.grounds_[i] = {};
    }
    world.active_[i] = stays_active;
  }
  world.time += dt;
  ++world.step_index;
}

}  // namespace horus::sim2d
