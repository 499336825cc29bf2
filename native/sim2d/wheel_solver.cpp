// Wheels, driven by motors and limited by traction, and the friction of passive bodies on the floor.
#include <algorithm>
#include <cmath>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

constexpr double kReferenceStep = 1.0 / 120.0;

inline double speed_along(const Body& body, Vec2 direction, double arm) {
  return body.vx * direction.x + body.vy * direction.y + body.w * arm;
}

inline void push(Body& body, const BodyParams& params, Vec2 direction, double arm, double impulse) {
  body.vx += params.inv_mass * impulse * direction.x;
  body.vy += params.inv_mass * impulse * direction.y;
  body.w += params.inv_inertia * impulse * arm;
}

}  // namespace

void StepContext::prepare_wheel_factors() {
  if (scratch.factors_model == &model && scratch.factors_dt == dt) return;
  scratch.factors_model = &model;
  scratch.factors_dt = dt;
  scratch.wheel_factors.clear();
  for (const WheelDef& wheel : model.wheels) {
    WheelFactors factors;
    factors.lag = wheel.response_time > 0.0 ? 1.0 - std::exp(-dt / wheel.response_time) : 1.0;
    factors.left_over = std::pow(wheel.lateral_damping, dt / kReferenceStep);
    factors.mount_c = std::cos(wheel.mount.theta);
    factors.mount_s = std::sin(wheel.mount.theta);
    scratch.wheel_factors.push_back(factors);
  }
}

void World::update_wheel_constants() {
  const std::size_t n = model_->wheels.size();
  wheel_constants_.assign(n, {});
  wheel_constants_valid_ = true;
  std::vector<double> responses(n);
  for (std::size_t i = 0; i < n; ++i) {
    const WheelDef& wheel = model_->wheels[i];
    const BodyParams& p = params[wheel.body];
    WheelConstants& k = wheel_constants_[i];
    const Vec2 r = {wheel.mount.x, wheel.mount.y};
    const Vec2 along = {std::cos(wheel.mount.theta), std::sin(wheel.mount.theta)};
    k.along_arm = cross(r, along);
    k.side_arm = cross(r, left_of(along));
    const double rim = wheel.detailed ? wheel.radius * wheel.radius / wheel.inertia : 0.0;
    responses[i] = p.inv_mass + p.inv_inertia * k.along_arm * k.along_arm + rim;
    k.along_mass = 1.0 / responses[i];
    k.side_mass = 1.0 / (p.inv_mass + p.inv_inertia * k.side_arm * k.side_arm);
    k.load = wheel.normal_force > 0.0 ? wheel.normal_force : p.mass * wheel.gravity / wheel.wheel_count;
    const int partner = model_->wheel_partner[i];
    if (partner < 0 || partner > static_cast<int>(i)) continue;
    const WheelDef& other = model_->wheels[partner];
    k.coupling = p.inv_mass * std::cos(wheel.mount.theta - other.mount.theta) +
                 p.inv_inertia * k.along_arm * wheel_constants_[partner].along_arm;
    const double product = responses[i] * responses[partner];
    const double determinant = product - k.coupling * k.coupling;
    // Wheels one behind the other cannot be told apart.
    if (determinant < 1e-9 * product) continue;
    k.pair_11 = responses[i] / determinant;
    k.pair_12 = -k.coupling / determinant;
    k.pair_22 = responses[partner] / determinant;
    k.is_exact = k.side_arm == 0.0 && wheel_constants_[partner].side_arm == 0.0 &&
                 wheel.mount.theta == other.mount.theta;
  }
}

void StepContext::prepare_wheels() {
  if (model.wheels.empty()) return;
  prepare_wheel_factors();
  if (!world.wheel_constants_valid_) world.update_wheel_constants();
  scratch.wheel_rows.resize(model.wheels.size());
  for (std::size_t i = 0; i < model.wheels.size(); ++i) {
    const WheelDef& wheel = model.wheels[i];
    const WheelConstants& k = world.wheel_constants_[i];
    const WheelFactors& factors = scratch.wheel_factors[i];
    WheelState& state = world.wheels[i];
    WheelRow& row = scratch.wheel_rows[i];
    const Body& body = world.bodies[wheel.body];
    row.along = rotate(body.c, body.s, {factors.mount_c, factors.mount_s});
    row.side = left_of(row.along);
    const double grip = dt * k.load * world.wheel_grip[i];
    const double command = std::clamp(state.command, -1.0, 1.0);
    row.max_along = wheel.mu_long * grip;
    row.max_side = wheel.mu_lat * grip;
    if (wheel.detailed) {
      // A direct-current motor: torque falls linearly to zero at max_omega; implicit, hence stable.
      const double rate = dt * wheel.torque * wheel.gear_ratio / wheel.inertia;
      state.omega = (state.omega + rate * command) / (1.0 + rate / wheel.max_omega);
    } else {
      state.omega += factors.lag * (command * wheel.max_omega - state.omega);
      row.max_along = std::min(row.max_along, dt * wheel.max_force);
    }
    row.target_side = factors.left_over * speed_along(body, row.side, k.side_arm);
    if (!config.warm_starting) {
      state.long_impulse = 0.0;
      state.lat_impulse = 0.0;
    }
    state.long_impulse = std::clamp(state.long_impulse, -row.max_along, row.max_along);
    state.lat_impulse = std::clamp(state.lat_impulse, -row.max_side, row.max_side);
  }
  // After all targets are known, since pushing changes the slip.
  for (std::size_t i = 0; i < model.wheels.size(); ++i) {
    const WheelDef& wheel = model.wheels[i];
    const WheelConstants& k = world.wheel_constants_[i];
    WheelState& state = world.wheels[i];
    const WheelRow& row = scratch.wheel_rows[i];
    Body& body = world.bodies[wheel.body];
    const BodyParams& params = world.params[wheel.body];
    push(body, params, row.along, k.along_arm, state.long_impulse);
    push(body, params, row.side, k.side_arm, state.lat_impulse);
    if (wheel.detailed) state.omega -= state.long_impulse * wheel.radius / wheel.inertia;
  }
}

bool StepContext::solve_wheels() {
  bool changed = false;
  const int n = static_cast<int>(model.wheels.size());
  for (int i = 0; i < n; ++i) {
    const int partner = model.wheel_partner[i];
    if (partner > i && world.wheel_constants_[partner].pair_11 != 0.0) {
      changed |= solve_wheel_pair(i, partner);
    } else if (partner < 0 || partner > i || world.wheel_constants_[i].pair_11 == 0.0) {
      changed |= solve_wheel(i);
    }
  }
  return changed;
}

bool StepContext::solve_wheel(int i) {
  const WheelDef& wheel = model.wheels[i];
  Body& body = world.bodies[wheel.body];
  const BodyParams& params = world.params[wheel.body];
  const WheelConstants& k = world.wheel_constants_[i];
  const WheelRow& row = scratch.wheel_rows[i];
  WheelState& state = world.wheels[i];
  const double slip = speed_along(body, row.side, k.side_arm) - row.target_side;
  const double sideways = std::clamp(state.lat_impulse - k.side_mass * slip, -row.max_side, row.max_side);
  const double side_change = sideways - state.lat_impulse;
  state.lat_impulse = sideways;
  push(body, params, row.side, k.side_arm, side_change);
  const double error = speed_along(body, row.along, k.along_arm) - wheel.radius * state.omega;
  const double forward = std::clamp(state.long_impulse - k.along_mass * error, -row.max_along, row.max_along);
  const double change = forward - state.long_impulse;
  state.long_impulse = forward;
  push(body, params, row.along, k.along_arm, change);
  if (wheel.detailed) state.omega -= change * wheel.radius / wheel.inertia;
  const double tolerance = config.velocity_tolerance;
  return std::abs(side_change) > tolerance * k.side_mass || std::abs(change) > tolerance * k.along_mass;
}

// Both wheels of a body at once: one after the other converges slowly. The body is a copy meanwhile, for speed.
bool StepContext::solve_wheel_pair(int first, int second) {
  const WheelDef& wheel_1 = model.wheels[first];
  const WheelDef& wheel_2 = model.wheels[second];
  Body& original = world.bodies[wheel_1.body];
  Body body = original;
  const BodyParams& params = world.params[wheel_1.body];
  const WheelConstants& k1 = world.wheel_constants_[first];
  const WheelConstants& k2 = world.wheel_constants_[second];
  const WheelRow& row_1 = scratch.wheel_rows[first];
  const WheelRow& row_2 = scratch.wheel_rows[second];
  WheelState& state_1 = world.wheels[first];
  WheelState& state_2 = world.wheels[second];
  const double slip_1 = speed_along(body, row_1.side, k1.side_arm) - row_1.target_side;
  const double s1 = std::clamp(state_1.lat_impulse - k1.side_mass * slip_1, -row_1.max_side, row_1.max_side);
  const double side_1 = s1 - state_1.lat_impulse;
  push(body, params, row_1.side, k1.side_arm, side_1);
  const double slip_2 = speed_along(body, row_2.side, k2.side_arm) - row_2.target_side;
  const double s2 = std::clamp(state_2.lat_impulse - k2.side_mass * slip_2, -row_2.max_side, row_2.max_side);
  const double side_2 = s2 - state_2.lat_impulse;
  push(body, params, row_2.side, k2.side_arm, side_2);
  const double error_1 = speed_along(body, row_1.along, k1.along_arm) - wheel_1.radius * state_1.omega;
  const double error_2 = speed_along(body, row_2.along, k2.along_arm) - wheel_2.radius * state_2.omega;
  double p1 = state_1.long_impulse - (k2.pair_11 * error_1 + k2.pair_12 * error_2);
  double p2 = state_2.long_impulse - (k2.pair_12 * error_1 + k2.pair_22 * error_2);
  const double excess_1 = std::abs(p1) - row_1.max_along;
  const double excess_2 = std::abs(p2) - row_2.max_along;
  if (excess_1 > 0.0 || excess_2 > 0.0) {
    // The one that slips more has its limit, the other what that leaves to it.
    if (excess_1 >= excess_2) {
      p1 = std::clamp(p1, -row_1.max_along, row_1.max_along);
      const double left = error_2 + k2.coupling * (p1 - state_1.long_impulse);
      p2 = std::clamp(state_2.long_impulse - k2.along_mass * left, -row_2.max_along, row_2.max_along);
    } else {
      p2 = std::clamp(p2, -row_2.max_along, row_2.max_along);
      const double left = error_1 + k2.coupling * (p2 - state_2.long_impulse);
      p1 = std::clamp(state_1.long_impulse - k1.along_mass * left, -row_1.max_along, row_1.max_along);
    }
  }
  const double change_1 = p1 - state_1.long_impulse;
  const double change_2 = p2 - state_2.long_impulse;
  push(body, params, row_1.along, k1.along_arm, change_1);
  push(body, params, row_2.along, k2.along_arm, change_2);
  original.vx = body.vx;
  original.vy = body.vy;
  original.w = body.w;
  state_1.lat_impulse = s1;
  state_2.lat_impulse = s2;
  state_1.long_impulse = p1;
  state_2.long_impulse = p2;
  if (wheel_1.detailed) state_1.omega -= change_1 * wheel_1.radius / wheel_1.inertia;
  if (wheel_2.detailed) state_2.omega -= change_2 * wheel_2.radius / wheel_2.inertia;
  // What others change afterwards they report themselves.
  if (k2.is_exact) return false;
  const double tolerance = config.velocity_tolerance;
  return (std::abs(side_1) > tolerance * k1.side_mass) | (std::abs(side_2) > tolerance * k2.side_mass) |
         (std::abs(change_1) > tolerance * k1.along_mass) | (std::abs(change_2) > tolerance * k2.along_mass);
}

void StepContext::finish_wheels() {
  for (WheelState& state : world.wheels) state.angle += state.omega * dt;
}

void StepContext::prepare_grounds() {
  std::vector<GroundRow>& rows = scratch.ground_rows;
  rows.clear();
  if (!(config.ground_friction > 0.0)) return;
  for (const int i : scratch.movers) {
    const BodyParams& params = world.params[i];
    if (!(params.ground_friction > 0.0) || params.inv_mass == 0.0) continue;
    const double most = config.ground_friction * params.ground_friction * params.mass * config.ground_gravity * dt;
    // The load is spread over the base; its mean arm is close to the radius of gyration.
    const double arm = std::sqrt(params.inertia / params.mass);
    rows.push_back({i, most, most * arm});
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
  const double tolerance = config.velocity_tolerance;
  for (const GroundRow& row : scratch.ground_rows) {
    const BodyParams& params = world.params[row.body];
    Body& body = world.bodies[row.body];
    GroundState& state = world.grounds_[row.body];
    const double angular =
        std::clamp(state.angular - params.inertia * body.w, -row.max_angular, row.max_angular);
    const double turn = params.inv_inertia * (angular - state.angular);
    state.angular = angular;
    body.w += turn;
    double px = state.px - params.mass * body.vx;
    double py = state.py - params.mass * body.vy;
    const double squared = px * px + py * py;
    if (squared > row.max_linear * row.max_linear) {
      const double scale = row.max_linear / std::sqrt(squared);
      px *= scale;
      py *= scale;
    }
    const double dx = params.inv_mass * (px - state.px);
    const double dy = params.inv_mass * (py - state.py);
    state.px = px;
    state.py = py;
    body.vx += dx;
    body.vy += dy;
    changed |= std::abs(dx) + std::abs(dy) + std::abs(turn) > tolerance;
  }
  return changed;
}

}  // namespace horus::sim2d
