// Readings of the sensors, with their rates and their noise.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim2d/world.hpp"

namespace horus::sim2d {
namespace {

// Rates that divide the step evenly must not miss a step by rounding.
constexpr double kEarly = 1e-9;

// Adds noise to n values.
void add_noise(double* values, int n, double deviation, Random& random) {
  if (!(deviation > 0.0)) return;
  for (int k = 0; k < n; k += 2) {
    const auto [first, second] = random.gaussians();
    values[k] += deviation * first;
    if (k + 1 < n) values[k + 1] += deviation * second;
  }
}

// Whether a body covers a point of the world.
bool covers(const Model& model, const Shape& shape, const Body& body, Vec2 point) {
  const Vec2 p = unrotate(body.c, body.s, point - Vec2{body.x, body.y});
  if (shape.is_circle) return dot(p, p) <= shape.radius * shape.radius;
  for (int i = 0; i < shape.count; ++i) {
    const Vec2 a = model.vertices[shape.first + i];
    if (dot(model.normals[shape.first + i], p - a) > 0.0) return false;
  }
  return true;
}

// What lies uppermost at a point of the world: the strongest of the bodies that are seen there, else the floor.
double line_intensity(const Model& model, const std::vector<Body>& bodies, int ignored_body, Vec2 point) {
  double strongest = -1.0;
  for (const SeenBody& seen : model.floor.bodies()) {
    if (seen.body == ignored_body || seen.intensity <= strongest) continue;
    if (covers(model, model.bodies[seen.body].shape, bodies[seen.body], point)) strongest = seen.intensity;
  }
  return strongest < 0.0 ? model.floor.intensity(point) : strongest;
}

}  // namespace

void World::sense() {
  if (sensed_step_ == step_index) return;
  sensed_step_ = step_index;
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const SensorDef& sensor = model_->sensors[i];
    SensorState& state = sensors[i];
    if (time + kEarly < state.next_time) continue;
    if (sensor.rate_hz > 0.0) {
      state.next_time += 1.0 / sensor.rate_hz;
      if (state.next_time <= time) state.next_time = time;
    }
    switch (sensor.kind) {
      case SensorKind::kLine: sense_line(sensor, state); break;
      case SensorKind::kDistance: sense_distance(sensor, state); break;
      case SensorKind::kImu: sense_imu(sensor, state); break;
      case SensorKind::kEncoder: sense_encoder(sensor, state); break;
    }
    state.stamp = time;
  }
}

void World::sense_line(const SensorDef& sensor, SensorState& state) {
  const Body& body = bodies[sensor.body];
  double* const out = &readings[sensor.first];
  const auto [c, s] = direction_of(sensor.mount.theta);
  for (int k = 0; k < sensor.count; ++k) {
    const double y = (0.5 * (sensor.count - 1) - k) * sensor.spacing;
    const Vec2 on_body = Vec2{sensor.mount.x, sensor.mount.y} + rotate(c, s, {0.0, y});
    const Vec2 point = Vec2{body.x, body.y} + rotate(body.c, body.s, on_body);
    out[k] = sensor.signal * line_intensity(*model_, bodies, sensor.body, point);
  }
  add_noise(out, sensor.count, noise_scale * sensor.noise, state.random);
}

void World::sense_distance(const SensorDef& sensor, SensorState& state) {
  const Body& body = bodies[sensor.body];
  double* const distances = &readings[sensor.first];
  double* const reflected = distances + sensor.count;
  const Vec2 origin = Vec2{body.x, body.y} + rotate(body.c, body.s, {sensor.mount.x, sensor.mount.y});
  const auto [turn_c, turn_s] = direction_of(sensor.spacing);
  const double first = body.angle + sensor.mount.theta - 0.5 * (sensor.count - 1) * sensor.spacing;
  Vec2 direction = direction_of(first);
  for (int k = 0; k < sensor.count; ++k) {
    const RayHit hit = cast(origin, direction, sensor.range_max, sensor.body);
    // Where there is no echo, noise changes nothing.
    distances[k] = hit.body < 0 ? std::numeric_limits<double>::infinity() : hit.distance;
    reflected[k] = hit.body < 0 ? 0.0 : model_->bodies[hit.body].reflect_distance;
    direction = rotate(turn_c, turn_s, direction);
  }
  add_noise(distances, sensor.count, noise_scale * sensor.noise, state.random);
  for (int k = 0; k < sensor.count; ++k) distances[k] = std::clamp(distances[k], 0.0, sensor.range_max);
}

// ax, ay [m/s^2] and yaw rate [rad/s], then vx, vy [m/s], all in the sensor's frame. An accelerometer feels what holds it
// up against gravity, too.
void World::sense_imu(const SensorDef& sensor, SensorState& state) {
  const Body& body = bodies[sensor.body];
  double* const out = &readings[sensor.first];
  const Vec2 r = rotate(body.c, body.s, {sensor.mount.x, sensor.mount.y});
  const Vec2 velocity = Vec2{body.vx, body.vy} + cross(body.w, r);
  const double elapsed = time - state.last_time;
  Vec2 acceleration;
  if (state.last_time >= 0.0 && elapsed > 0.0) {
    acceleration = (1.0 / elapsed) * (velocity - Vec2{state.last_vx, state.last_vy});
  }
  state.last_vx = velocity.x;
  state.last_vy = velocity.y;
  state.last_time = time;
  const auto [c, s] = direction_of(body.angle + sensor.mount.theta);
  acceleration = unrotate(c, s, acceleration - model_->gravity);
  const Vec2 seen = unrotate(c, s, velocity);
  out[0] = acceleration.x;
  out[1] = acceleration.y;
  out[2] = body.w;
  out[3] = seen.x;
  out[4] = seen.y;
  add_noise(out, 5, noise_scale * sensor.noise, state.random);
}

// Speed [rad/s] and angle [rad] of the wheel.
void World::sense_encoder(const SensorDef& sensor, SensorState& state) {
  double* const out = &readings[sensor.first];
  out[0] = wheels[sensor.wheel].omega;
  out[1] = wheels[sensor.wheel].angle;
  add_noise(out, 2, noise_scale * sensor.noise, state.random);
}

}  // namespace horus::sim2d
