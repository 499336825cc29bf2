// Wheels, driven by motors and limited by traction.
#include <algorithm>
#include <cmath>

#include "math/exponential.hpp"
#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

constexpr double kReferenceStep = 1.0 / 120.0;
// Squared share of what a tyre can give.
constexpr double kFarOutside = 4.0;

// A copy of what wheels change of a body, which stays in registers.
struct Motion {
  double vx;
  double vy;
  double w;
};

template <class Moving>
inline double speed_along(const Moving& body, Vec2 direction, double arm) {
  return body.vx * direction.x + body.vy * direction.y + body.w * arm;
}

template <class Moving>
inline void push(Moving& body, const BodyParams& params, Vec2 direction, double arm, double impulse) {
  body.vx += params.inv_mass * impulse * direction.x;
  body.vy += params.inv_mass * impulse * direction.y;
  body.w += params.inv_inertia * impulse * arm;
}

// Whether the tyre cannot give these impulses.
inline bool slips(const WheelRow& row, double along, double side) {
  const double a = along * row.max_side;
  const double s = side * row.max_along;
  const double most = row.max_along * row.max_side;
  // The last part is for tyres without any grip along.
  return (a * a + s * s > most * most) | (std::abs(side) > row.max_side);
}

// Impulses of a tyre that slips, from those of the last pass and the errors of its speeds: where passes end, the slip is
// normal to the ellipse.
void slip_along(const WheelRow& row, const WheelConstants& k, double error, double slip, double& along, double& side) {
  const double held = side - k.side_mass * slip;
  if (!(row.max_along > 0.0 && row.max_side > 0.0)) {
    along = std::clamp(along - k.along_mass * error, -row.max_drive, row.max_drive);
    side = std::clamp(held, -row.max_side, row.max_side);
    return;
  }
  const double inv_along = 1.0 / row.max_along;
  const double inv_side = 1.0 / row.max_side;
  const double k_a = k.along_mass * inv_along * inv_along;
  const double k_s = k.side_mass * inv_side * inv_side;
  // In units of the half axes: what would stop the slip.
  double a = along * inv_along - k_a * row.max_along * error;
  double s = held * inv_side;
  double squared = a * a + s * s;
  if (squared > kFarOutside) {
    // Far outside, steps in proportion to the squared half axes, scaled back, are quick.
    const double step = std::min(k_a, k_s);
    a = along * inv_along - step * row.max_along * error;
    s = side * inv_side - step * row.max_side * slip;
    squared = a * a + s * s;
  } else if (squared > 1.0) {
    // Near, the impulses on the ellipse that change the velocities least: a / (1 + k_a t) and s / (1 + k_s t), with a
    // step of Newton's method for the inverse of their norm, which is nearly linear in t.
    const double norm = std::sqrt(squared);
    const double t = squared * (norm - 1.0) / (a * a * k_a + s * s * k_s);
    a /= 1.0 + k_a * t;
    s /= 1.0 + k_s * t;
    squared = a * a + s * s;
  }
  const double scale = squared > 1.0 ? 1.0 / std::sqrt(squared) : 1.0;
  along = row.max_along * (a * scale);
  side = row.max_side * (s * scale);
  if (std::abs(along) > row.max_drive) {
    along = std::copysign(row.max_drive, along);
    const double used = row.max_drive * inv_along;
    const double most = row.max_side * std::sqrt(std::max(1.0 - used * used, 0.0));
    side = std::clamp(held, -most, most);
  }
}

}  // namespace

void StepContext::prepare_wheel_factors() {
  if (scratch.factors_model == &model && scratch.factors_dt == dt) return;
  scratch.factors_model = &model;
  scratch.factors_dt = dt;
  scratch.wheel_factors.clear();
  for (const WheelDef& wheel : model.wheels) {
    WheelFactors factors;
    factors.lag = wheel.response_time > 0.0 ? 1.0 - math::exponential(-dt / wheel.response_time) : 1.0;
    factors.left_over = math::exponential(dt / kReferenceStep * math::logarithm(wheel.lateral_damping));
    math::any_sine_cosine(wheel.mount.theta, factors.mount_s, factors.mount_c);
    scratch.wheel_factors.push_back(factors);
  }
}

void World::update_wheel_constants(double dt) {
  const std::size_t n = model_->wheels.size();
  wheel_constants_.assign(n, {});
  wheel_constants_dt_ = dt;
  wheel_units_.clear();
  std::vector<double> responses(n);
  std::vector<std::size_t> unit_of(n);
  for (std::size_t i = 0; i < n; ++i) {
    const WheelDef& wheel = model_->wheels[i];
    unit_of[i] = wheel_units_.size();
    wheel_units_.push_back({static_cast<int>(i), -1});
    const BodyParams& p = params[wheel.body];
    // Not those of this step, for which tension may have made it heavier.
    const bool moves = p.inv_mass > 0.0;
    const double inv_mass = moves ? 1.0 / p.mass : 0.0;
    const double inv_inertia = moves ? 1.0 / p.inertia : 0.0;
    WheelConstants& k = wheel_constants_[i];
    const Vec2 r = {wheel.mount.x, wheel.mount.y};
    const Vec2 along = direction_of(wheel.mount.theta);
    k.along_arm = cross(r, along);
    k.side_arm = cross(r, left_of(along));
    // The motor gives way as an inertia that its falling torque makes larger: implicit, as the motor's own speed is.
    const double slope = dt * wheel.torque * wheel.gear_ratio * wheel.gear_ratio / wheel.max_omega;
    k.reaction = wheel.detailed ? wheel.radius / (wheel.inertia + slope) : 0.0;
    responses[i] = inv_mass + inv_inertia * k.along_arm * k.along_arm + wheel.radius * k.reaction;
    // Nothing moves a body that cannot move.
    k.along_mass = responses[i] > 0.0 ? 1.0 / responses[i] : 0.0;
    k.side_mass = moves ? 1.0 / (inv_mass + inv_inertia * k.side_arm * k.side_arm) : 0.0;
    const double load = wheel.normal_force > 0.0 ? wheel.normal_force : p.mass * wheel.gravity / wheel.wheel_count;
    k.grip_along = wheel.mu_long * load;
    k.grip_side = wheel.mu_lat * load;
    const int partner = model_->wheel_partner[i];
    if (partner < 0 || partner > static_cast<int>(i)) continue;
    const WheelDef& other = model_->wheels[partner];
    k.coupling = inv_mass * math::cosine(wheel.mount.theta - other.mount.theta) +
                 inv_inertia * k.along_arm * wheel_constants_[partner].along_arm;
    k.shares_side = wheel.mount.theta == other.mount.theta && k.side_arm == wheel_constants_[partner].side_arm &&
                    wheel.lateral_damping == other.lateral_damping;
    const double grip_side = wheel_constants_[partner].grip_side + k.grip_side;
    k.partner_share = grip_side > 0.0 ? wheel_constants_[partner].grip_side / grip_side : 0.5;
    k.is_exact = k.shares_side && k.side_arm == 0.0;
    const double product = responses[i] * responses[partner];
    const double determinant = product - k.coupling * k.coupling;
    // Wheels one behind the other cannot be told apart.
    if (!(determinant > 1e-9 * product)) continue;
    wheel_units_[unit_of[partner]].second = static_cast<int>(i);
    wheel_units_.pop_back();
    k.pair_11 = responses[i] / determinant;
    k.pair_12 = -k.coupling / determinant;
    k.pair_22 = responses[partner] / determinant;
  }
}

void World::note_slip(int body) {
  const Body& b = bodies[body];
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    const WheelDef& wheel = model_->wheels[i];
    if (wheel.body != body) continue;
    const Vec2 side = left_of(direction_of(wheel.mount.theta));
    wheels[i].slip = speed_along(b, rotate(b.c, b.s, side), cross({wheel.mount.x, wheel.mount.y}, side));
  }
}

void StepContext::prepare_wheels() {
  const std::size_t n = model.wheels.size();
  if (n == 0) return;
  prepare_wheel_factors();
  if (world.wheel_constants_dt_ != dt) world.update_wheel_constants(dt);
  scratch.wheel_rows.resize(n);
  const WheelConstants* const constants = world.wheel_constants_.data();
  const WheelFactors* const all_factors = scratch.wheel_factors.data();
  WheelRow* const rows = scratch.wheel_rows.data();
  for (std::size_t i = 0; i < n; ++i) {
    const WheelDef& wheel = model.wheels[i];
    const WheelConstants& k = constants[i];
    const WheelFactors& factors = all_factors[i];
    WheelState& state = world.wheels[i];
    WheelRow& row = rows[i];
    Body& body = world.bodies[wheel.body];
    const BodyParams& params = world.params[wheel.body];
    const Vec2 along = rotate(body.c, body.s, {factors.mount_c, factors.mount_s});
    const Vec2 side = left_of(along);
    const double grip = dt * world.wheel_grip[i];
    const double command = std::clamp(state.command, -1.0, 1.0);
    row.along = along;
    row.side = side;
    row.max_along = k.grip_along * grip;
    row.max_side = k.grip_side * grip;
    if (wheel.detailed) {
      // A direct-current motor behind a gear: its torque falls linearly to zero at the shaft's max_omega. Implicit, hence
      // stable.
      const double rate = dt * wheel.torque * wheel.gear_ratio / wheel.inertia;
      state.omega = (state.omega + rate * command) / (1.0 + rate * wheel.gear_ratio / wheel.max_omega);
      row.max_drive = row.max_along;
    } else {
      state.omega += factors.lag * (command * wheel.max_omega - state.omega);
      row.max_drive = std::min(row.max_along, dt * wheel.max_force);
    }
    // Of the slip that the last step left: what forces add in this step is held.
    row.target_side = factors.left_over * state.slip;
    if (!config.warm_starting) {
      state.long_impulse = 0.0;
      state.lat_impulse = 0.0;
    }
    const Vec2 impulse = state.long_impulse * along + state.lat_impulse * side;
    body.vx += params.inv_mass * impulse.x;
    body.vy += params.inv_mass * impulse.y;
    body.w += params.inv_inertia * (state.long_impulse * k.along_arm + state.lat_impulse * k.side_arm);
    state.omega -= state.long_impulse * k.reaction;
  }
}

bool StepContext::solve_wheels() {
  bool changed = false;
  for (const WheelUnit unit : world.wheel_units_) {
    changed |= unit.second < 0 ? solve_wheel(unit.first) : solve_wheel_pair(unit.first, unit.second);
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
  const double slip = speed_along(body, row.side, k.side_arm);
  double sideways = state.lat_impulse - k.side_mass * (slip - row.target_side);
  push(body, params, row.side, k.side_arm, sideways - state.lat_impulse);
  const double error = speed_along(body, row.along, k.along_arm) - wheel.radius * state.omega;
  double forward = state.long_impulse - k.along_mass * error;
  const bool slipped = slips(row, std::clamp(forward, -row.max_drive, row.max_drive), sideways);
  if (slipped) {
    // It is held back along its whole slip, at the speeds before the push.
    push(body, params, row.side, k.side_arm, state.lat_impulse - sideways);
    const double error_before = speed_along(body, row.along, k.along_arm) - wheel.radius * state.omega;
    forward = state.long_impulse;
    sideways = state.lat_impulse;
    slip_along(row, k, error_before, slip, forward, sideways);
    push(body, params, row.side, k.side_arm, sideways - state.lat_impulse);
  } else {
    forward = std::clamp(forward, -row.max_drive, row.max_drive);
  }
  const double change = forward - state.long_impulse;
  const double side_change = sideways - state.lat_impulse;
  state.long_impulse = forward;
  state.lat_impulse = sideways;
  push(body, params, row.along, k.along_arm, change);
  state.omega -= change * k.reaction;
  const double tolerance = slipped ? config.resting_tolerance : config.velocity_tolerance;
  return std::abs(side_change) > tolerance * k.side_mass || std::abs(change) > tolerance * k.along_mass;
}

// Both wheels of a body at once: one after the other converges slowly.
bool StepContext::solve_wheel_pair(int first, int second) {
  const WheelDef& wheel_1 = model.wheels[first];
  const WheelDef& wheel_2 = model.wheels[second];
  Body& original = world.bodies[wheel_1.body];
  Motion body = {original.vx, original.vy, original.w};
  const BodyParams& params = world.params[wheel_1.body];
  const WheelConstants& k1 = world.wheel_constants_[first];
  const WheelConstants& k2 = world.wheel_constants_[second];
  const WheelRow& row_1 = scratch.wheel_rows[first];
  const WheelRow& row_2 = scratch.wheel_rows[second];
  WheelState& state_1 = world.wheels[first];
  WheelState& state_2 = world.wheels[second];
  const double slip_1 = speed_along(body, row_1.side, k1.side_arm) - row_1.target_side;
  double s1 = state_1.lat_impulse - k1.side_mass * slip_1;
  double s2 = state_2.lat_impulse;
  push(body, params, row_1.side, k1.side_arm, s1 - state_1.lat_impulse);
  if (k2.shares_side) {
    const double total = s1 + s2;
    s1 = k2.partner_share * total;
    s2 = total - s1;
  } else {
    const double slip_2 = speed_along(body, row_2.side, k2.side_arm) - row_2.target_side;
    s2 -= k2.side_mass * slip_2;
    push(body, params, row_2.side, k2.side_arm, s2 - state_2.lat_impulse);
  }
  const double error_1 = speed_along(body, row_1.along, k1.along_arm) - wheel_1.radius * state_1.omega;
  const double error_2 = speed_along(body, row_2.along, k2.along_arm) - wheel_2.radius * state_2.omega;
  double p1 = state_1.long_impulse - (k2.pair_11 * error_1 + k2.pair_12 * error_2);
  double p2 = state_2.long_impulse - (k2.pair_12 * error_1 + k2.pair_22 * error_2);
  const double excess_1 = std::abs(p1) - row_1.max_drive;
  const double excess_2 = std::abs(p2) - row_2.max_drive;
  if (excess_1 > 0.0 || excess_2 > 0.0) {
    // The motor that lacks more has its limit, the other what that leaves to it.
    if (excess_1 >= excess_2) {
      p1 = std::clamp(p1, -row_1.max_drive, row_1.max_drive);
      const double left = error_2 + k2.coupling * (p1 - state_1.long_impulse);
      p2 = std::clamp(state_2.long_impulse - k2.along_mass * left, -row_2.max_drive, row_2.max_drive);
    } else {
      p2 = std::clamp(p2, -row_2.max_drive, row_2.max_drive);
      const double left = error_1 + k2.coupling * (p2 - state_2.long_impulse);
      p1 = std::clamp(state_1.long_impulse - k1.along_mass * left, -row_1.max_drive, row_1.max_drive);
    }
  }
  if (slips(row_1, p1, s1) || slips(row_2, p2, s2)) {
    // Tyres that slip first; the others get what that leaves to them.
    const bool first_slips = slips(row_1, p1, s1);
    bool changed = solve_wheel(first_slips ? first : second);
    changed |= solve_wheel(first_slips ? second : first);
    return changed;
  }
  const double side_1 = s1 - state_1.lat_impulse;
  const double side_2 = s2 - state_2.lat_impulse;
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
  state_1.omega -= change_1 * k1.reaction;
  state_2.omega -= change_2 * k2.reaction;
  // What others change afterwards they report themselves.
  if (k2.is_exact) return false;
  const double tolerance = config.velocity_tolerance;
  return (std::abs(side_1) > tolerance * k1.side_mass) | (std::abs(side_2) > tolerance * k2.side_mass) |
         (std::abs(change_1) > tolerance * k1.along_mass) | (std::abs(change_2) > tolerance * k2.along_mass);
}

void StepContext::finish_wheels() {
  const std::size_t n = world.wheels.size();
  for (std::size_t i = 0; i < n; ++i) {
    const WheelConstants& k = world.wheel_constants_[i];
    WheelState& state = world.wheels[i];
    state.angle += state.omega * dt;
    state.slip = k.shares_side
                     ? world.wheels[model.wheel_partner[i]].slip
                     : speed_along(world.bodies[model.wheels[i].body], scratch.wheel_rows[i].side, k.side_arm);
  }
}

}  // namespace horus::sim2d
