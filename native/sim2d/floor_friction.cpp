// Friction of bodies without wheels on the floor: sliding and spinning share one budget.
#include <cmath>

#include "sim2d/floor_patch.hpp"
#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Slips whose kinetic energies of the difference are below this share have the same friction: a hundredth of the speed.
constexpr double kSameSlip = 1e-4;

// Whether the impulse lies in the cone between the largest force and the largest torque, all of which the floor can give.
inline bool holds_surely(const GroundRow& row, Vec2 impulse, double angular) {
  const double squared = dot(impulse, impulse);
  if (squared > row.max_linear * row.max_linear) return false;
  return std::sqrt(squared) * row.max_angular + std::abs(angular) * row.max_linear <= row.max_linear * row.max_angular;
}

}  // namespace

void StepContext::prepare_grounds() {
  std::vector<GroundRow>& rows = scratch.ground_rows;
  rows.clear();
  if (!(config.ground_friction > 0.0)) return;
  for (const int i : scratch.movers) {
    const BodyParams& params = world.params[i];
    if (!(params.ground_friction > 0.0) || params.inv_mass == 0.0) continue;
    const double most = config.ground_friction * params.ground_friction * params.mass * config.ground_gravity * dt;
    GroundRow& row = rows.emplace_back();
    row.body = i;
    const bool may_be_heavier = model.is_jointed[i] != 0;
    row.mass = may_be_heavier ? 1.0 / params.inv_mass : params.mass;
    row.inertia = may_be_heavier ? 1.0 / params.inv_inertia : params.inertia;
    row.max_linear = most;
    row.max_angular = most * model.floor_patches[i].mean_arm;
    GroundState& state = world.grounds_[i];
    Body& body = world.bodies[i];
    if (!config.warm_starting) state = {};
    body.vx += params.inv_mass * state.px;
    body.vy += params.inv_mass * state.py;
    body.w += params.inv_inertia * state.angular;
  }
}

bool StepContext::solve_grounds() {
  bool changed = false;
  // What slips need not be followed as closely as what rests.
  const double slipping_tolerance = config.resting_tolerance;
  for (GroundRow& row : scratch.ground_rows) {
    const Body& body = world.bodies[row.body];
    const double change = std::abs(body.vx - row.vx) + std::abs(body.vy - row.vy) + std::abs(body.w - row.w);
    if (change <= (row.slips ? slipping_tolerance : 0.0)) continue;
    changed |= solve_ground(row);
    row.vx = body.vx;
    row.vy = body.vy;
    row.w = body.w;
  }
  return changed;
}

// The floor takes what kinetic energy it can: either the body stops, or the impulse is the friction of the slip that is
// left.
bool StepContext::solve_ground(GroundRow& row) {
  const BodyParams& params = world.params[row.body];
  Body& body = world.bodies[row.body];
  GroundState& state = world.grounds_[row.body];
  // The impulse that stops the body, and what of its motion is left.
  const Vec2 stop = {state.px - row.mass * body.vx, state.py - row.mass * body.vy};
  const double stop_turn = state.angular - row.inertia * body.w;
  Vec2 left;
  double left_w = 0.0;
  row.slips = false;
  if (!holds_surely(row, stop, stop_turn)) {
    // Slip as it is now, or, of a body that rests or turns back, that of an ellipsoid of impulses.
    const double ratio = row.max_linear / row.max_angular;
    row.slips = slide(row, {body.vx, body.vy}, body.w, stop, stop_turn, left, left_w) ||
                slide(row, -stop, -stop_turn * ratio * ratio, stop, stop_turn, left, left_w);
  }
  const double px = stop.x + row.mass * left.x;
  const double py = stop.y + row.mass * left.y;
  const double angular = stop_turn + row.inertia * left_w;
  const double dx = params.inv_mass * (px - state.px);
  const double dy = params.inv_mass * (py - state.py);
  const double turn = params.inv_inertia * (angular - state.angular);
  state = {px, py, angular};
  body.vx += dx;
  body.vy += dy;
  body.w += turn;
  // Contacts that feel the change report it themselves; wheels and joints may not.
  return model.is_driven[row.body] != 0 && std::abs(dx) + std::abs(dy) + std::abs(turn) > config.resting_tolerance;
}

// What the floor leaves of a motion, if it cannot hold a slip in this direction: every point of the patch brakes with
// the inverse of its slip, which is exact when the direction is that of the motion left. Passes and steps see to that.
bool StepContext::slide(GroundRow& row, Vec2 slip, double w, Vec2 stop, double stop_turn, Vec2& left, double& left_w) {
  GroundSlip& known = row.slip;
  const Vec2 change = slip - known.velocity;
  const double turned = w - known.w;
  if (row.mass * dot(change, change) + row.inertia * turned * turned > kSameSlip * known.energy) {
    const Body& body = world.bodies[row.body];
    const Vec2 slip_b = unrotate(body.c, body.s, slip);
    const FloorDrag drag = floor_drag(model.floor_patches[row.body], slip_b.x, slip_b.y, w);
    const double squared = dot(slip, slip);
    known.velocity = slip;
    known.w = w;
    known.energy = row.mass * squared + row.inertia * w * w;
    known.direct = drag.direct;
    known.turning = drag.turning;
    known.coupling = left_of(rotate(body.c, body.s, drag.odd));
    known.slipped = drag.direct * squared + 2.0 * w * dot(known.coupling, slip) + drag.turning * w * w;
  }
  // How much of such a slip is left when its friction has acted: none if the floor can hold it.
  const double spare = -dot(stop, known.velocity) - stop_turn * known.w - row.max_linear * known.slipped;
  if (!(spare > 0.0)) return false;
  // Masses and friction together, times spare / energy, which spares a division: three equations for what is left.
  const double most = row.max_linear * known.energy;
  const double linear = row.mass * spare + most * known.direct;
  const double turning = row.inertia * spare + most * known.turning;
  const Vec2 odd = most * known.coupling;
  left_w = spare * (dot(odd, stop) - stop_turn * linear) / (linear * turning - dot(odd, odd));
  left = (-1.0 / linear) * (spare * stop + left_w * odd);
  return true;
}

}  // namespace horus::sim2d
