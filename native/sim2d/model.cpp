#include "sim2d/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace horus::sim2d {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

}  // namespace

int Model::add_circle(const BodyDef& body, double radius) {
  BodyDef added = body;
  added.shape = {};
  added.shape.is_circle = true;
  added.shape.radius = radius;
  added.shape.box_half = {radius, radius};
  added.shape.bounding_radius = radius;
  added.shape.reach = radius;
  added.shape.min_extent = radius;
  bodies.push_back(added);
  floor_patches.push_back(disk_patch(radius));
  return static_cast<int>(bodies.size()) - 1;
}

int Model::add_polygon(const BodyDef& body, const std::vector<Vec2>& points) {
  BodyDef added = body;
  Shape& shape = added.shape;
  shape = {};
  shape.is_circle = false;
  shape.first = static_cast<int>(vertices.size());
  shape.count = static_cast<int>(points.size());
  Vec2 low = points[0];
  Vec2 high = points[0];
  shape.min_extent = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 edge = points[(i + 1) % points.size()] - points[i];
    const double size = length(edge);
    const Vec2 normal = {edge.y / size, -edge.x / size};
    vertices.push_back(points[i]);
    normals.push_back(normal);
    low = {std::min(low.x, points[i].x), std::min(low.y, points[i].y)};
    high = {std::max(high.x, points[i].x), std::max(high.y, points[i].y)};
    shape.reach = std::max(shape.reach, length(points[i]));
    double width = 0.0;
    for (const Vec2 p : points) width = std::max(width, dot(points[i] - p, normal));
    shape.min_extent = std::min(shape.min_extent, 0.5 * width);
  }
  shape.box_center = 0.5 * (low + high);
  shape.box_half = 0.5 * (high - low);
  shape.bounding_radius = length(shape.box_half);
  bodies.push_back(added);
  floor_patches.push_back(polygon_patch(points));
  return static_cast<int>(bodies.size()) - 1;
}

int Model::add_joint(const JointDef& joint) {
  joints.push_back(joint);
  exempt.push_back(pair_key(std::min(joint.a, joint.b), std::max(joint.a, joint.b)));
  return static_cast<int>(joints.size()) - 1;
}

int Model::add_wheel(const WheelDef& wheel) {
  wheels.push_back(wheel);
  return static_cast<int>(wheels.size()) - 1;
}

int Model::add_sensor(SensorDef sensor) {
  switch (sensor.kind) {
    case SensorKind::kLine: sensor.width = sensor.count; break;
    case SensorKind::kDistance: sensor.width = 2 * sensor.count; break;
    case SensorKind::kImu: sensor.width = 5; break;
    case SensorKind::kEncoder: sensor.width = 2; break;
  }
  sensor.first = reading_width;
  reading_width += sensor.width;
  sensors.push_back(sensor);
  return static_cast<int>(sensors.size()) - 1;
}

void Model::finish() {
  std::sort(exempt.begin(), exempt.end());
  floor.finish();
  is_driven.assign(bodies.size(), 0);
  for (const JointDef& joint : joints) is_driven[joint.a] = is_driven[joint.b] = 1;
  is_jointed = is_driven;
  for (JointDef& joint : joints) {
    if (!joint.has_limits()) continue;
    has_limits = true;
    const double angle = bodies[joint.b].pose.theta - bodies[joint.a].pose.theta;
    const bool is_inside = joint.lower <= angle && angle <= joint.upper;
    joint.reference = is_inside ? 0.0 : kTurn * std::round((angle - 0.5 * (joint.lower + joint.upper)) / kTurn);
  }
  std::vector<bool> moves;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    moves.push_back(bodies[i].can_move);
    if (!bodies[i].can_move && bodies[i].collides) thinnest = std::min(thinnest, bodies[i].shape.min_extent);
    if (bodies[i].can_move && bodies[i].collides) colliding_movers.push_back(static_cast<int>(i));
    (bodies[i].can_move ? moving_bodies : fixed_bodies).push_back(static_cast<int>(i));
  }
  joint_groups.build(joints, moves);
  const auto make_active = [&](int body) {
    const int assembly = joint_groups.assembly_of[body];
    if (assembly >= 0) joint_groups.assemblies[assembly].is_passive = false;
  };
  for (const WheelDef& wheel : wheels) make_active(wheel.body);
  wheel_partner.assign(wheels.size(), -1);
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    is_driven[wheels[i].body] = 1;
    int others = 0;
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      if (k == i || wheels[k].body != wheels[i].body) continue;
      ++others;
      wheel_partner[i] = static_cast<int>(k);
    }
    if (others != 1) wheel_partner[i] = -1;
  }
  fingerprint = make_fingerprint();
}

std::uint64_t Model::make_fingerprint() const {
  Fingerprint f;
  f.add(bodies.size(), joints.size(), wheels.size(), sensors.size());
  const auto add_fields = [&]<class Definition>(const Definition& definition) {
    Definition::fields([&](const char*, auto member) { f.add(definition.*member); });
  };
  for (const BodyDef& b : bodies) {
    f.add(b.shape.is_circle, b.shape.radius, b.shape.first, b.shape.count);
    add_fields(b);
  }
  for (const Vec2 vertex : vertices) f.add(vertex);
  for (const JointDef& joint : joints) add_fields(joint);
  for (const WheelDef& wheel : wheels) add_fields(wheel);
  for (const SensorDef& sensor : sensors) add_fields(sensor);
  for (const std::uint64_t pair : exempt) f.add(pair);
  floor.add_to(f);
  return f.value();
}

}  // namespace horus::sim2d
