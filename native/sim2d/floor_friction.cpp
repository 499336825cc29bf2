// Friction of bodies without wheels on the floor: sliding and spinning share one budget.
#include <cmath>

#include "sim2d/floor_patch.hpp"
#include "sim2d/step_context.hpp"

namespace horus::sim2d {

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
  const double slipping_tolerance = 0.1 * config.resting_tolerance;
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
// left. The latter is solved by weighting every point of the patch with the inverse of its slip in the last pass.
bool StepContext::solve_ground(GroundRow& row) {
  const BodyParams& params = world.params[row.body];
  Body& body = world.bodies[row.body];
  GroundState& state = world.grounds_[row.body];
  row.slips = false;
  const auto apply = [&](Vec2 p, double angular) {
    const double dx = params.inv_mass * (p.x - state.px);
    const double dy = params.inv_mass * (p.y - state.py);
    const double turn = params.inv_inertia * (angular - state.angular);
    state = {p.x, p.y, angular};
    body.vx += dx;
    body.vy += dy;
    body.w += turn;
    // Contacts that feel the change report it themselves; wheels and joints may not.
    return model.is_driven[row.body] != 0 && std::abs(dx) + std::abs(dy) + std::abs(turn) > config.resting_tolerance;
  };
  // The impulse that stops the body, and the cone of impulses that the floor can give for certain.
  const Vec2 stop = {state.px - params.mass * body.vx, state.py - params.mass * body.vy};
  const double stop_turn = state.angular - params.inertia * body.w;
  const double size = length(stop);
  if (size * row.max_angular + std::abs(stop_turn) * row.max_linear <= row.max_linear * row.max_angular) {
    return apply(stop, stop_turn);
  }
  const FloorPatch& patch = model.floor_patches[row.body];
  const Vec2 stop_b = unrotate(body.c, body.s, stop);
  // Slip as it is now, or, of a body that rests or turns back, that of an ellipsoid of impulses.
  const double ratio = row.max_linear / row.max_angular;
  const Vec2 now = unrotate(body.c, body.s, {body.vx, body.vy});
  const Vec2 slips[2] = {now, -stop_b};
  const double turns[2] = {body.w, -stop_turn * ratio * ratio};
  for (int k = 0; k < 2; ++k) {
    const Vec2 slip = slips[k];
    const double w = turns[k];
    const double energy = params.mass * dot(slip, slip) + params.inertia * w * w;
    if (!(energy > 0.0)) continue;
    const FloorDrag drag = floor_drag(patch, slip.x, slip.y, w);
    const double slipped = drag.direct * dot(slip, slip) + 2.0 * w * cross(drag.odd, slip) + drag.turning * w * w;
    // How much of such a slip is left when its friction has acted: none if the floor can hold it.
    const double share = (-dot(stop_b, slip) - stop_turn * w - row.max_linear * slipped) / energy;
    if (!(share > 0.0)) continue;
    row.slips = true;
    const double most = row.max_linear / share;
    const double linear = params.mass + most * drag.direct;
    const Vec2 odd = most * left_of(drag.odd);
    const double turning = params.inertia + most * drag.turning - dot(odd, odd) / linear;
    const double left_w = (dot(odd, stop_b) / linear - stop_turn) / turning;
    const Vec2 left = (1.0 / linear) * (-stop_b - left_w * odd);
    return apply(stop + params.mass * rotate(body.c, body.s, left), stop_turn + params.inertia * left_w);
  }
  return apply(stop, stop_turn);
}

}  // namespace horus::sim2d
