// What a model is described by: a definition for each body, joint, wheel and sensor.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim2d/math.hpp"

namespace horus::sim2d {

// What descriptions call the kinds of a thing.
template <class Kind>
struct KindNames {
  const char* thing;
  std::span<const std::pair<const char*, Kind>> names;

  // Throws std::invalid_argument when no kind has that name.
  Kind kind_of(const std::string& wanted) const {
    std::string known;
    for (const auto& [name, kind] : names) {
      if (wanted == name) return kind;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw std::invalid_argument("the engine has no " + std::string(thing) + " of type '" + wanted +
                                "'; there are: " + known);
  }
  std::string name_of(Kind wanted) const {
    for (const auto& [name, kind] : names) {
      if (wanted == kind) return name;
    }
    return "";
  }
};

// A circle about the body's origin, or a convex polygon with counter-clockwise vertices.
struct Shape {
  bool is_circle = true;
  double radius = 0.0;
  // Vertices and outward normals in Model::vertices and Model::normals.
  int first = 0;
  int count = 0;
  // The bounding box in the body frame.
  Vec2 box_center;
  Vec2 box_half;
  // About box_center.
  double bounding_radius = 0.0;
  // From the body's origin to the farthest point.
  double reach = 0.0;
  // The smallest half width: what moves less than this a step cannot pass through a wall.
  double min_extent = 0.0;
};

struct BodyDef {
  Shape shape;
  Pose pose;
  double mass = 1.0;
  double inertia = 1.0;
  double friction = 0.8;
  double restitution = 0.1;
  double reflect_distance = 0.5;
  // Coefficient against the floor, for bodies without wheels.
  double ground_friction = 0.0;
  bool can_move = true;
  bool collides = true;

  // Every field but the shape, once, under the name that descriptions have for it: Python sets them by these names, and
  // the fingerprint takes them in this order. So do the other definitions.
  static void fields(auto visit) {
    visit("pose", &BodyDef::pose);
    visit("mass", &BodyDef::mass);
    visit("inertia", &BodyDef::inertia);
    visit("friction", &BodyDef::friction);
    visit("restitution", &BodyDef::restitution);
    visit("reflect_distance", &BodyDef::reflect_distance);
    visit("ground_friction", &BodyDef::ground_friction);
    visit("can_move", &BodyDef::can_move);
    visit("collides", &BodyDef::collides);
  }
};

enum class JointKind : std::uint8_t { kHinge, kRigid, kDistance };
inline constexpr std::pair<const char*, JointKind> kJointKinds[] = {
    {"hinge", JointKind::kHinge}, {"rigid", JointKind::kRigid}, {"distance", JointKind::kDistance}};
inline KindNames<JointKind> names_of(JointKind) { return {"joint", kJointKinds}; }

struct JointDef {
  JointKind kind = JointKind::kHinge;
  int a = 0;
  int b = 0;
  Vec2 anchor_a;
  Vec2 anchor_b;
  // Hinge: limits of the angle of b relative to a, if upper > lower. Rigid: the angle kept.
  double lower = 0.0;
  double upper = 0.0;
  // Of a hinge with limits: whole turns by which the angles of the bodies are apart at first.
  double reference = 0.0;
  // Distance joint: the length kept.
  double length = 0.0;
  double stiffness = 1000.0;
  double damping = 10.0;

  bool has_limits() const { return kind == JointKind::kHinge && upper > lower; }

  static void fields(auto visit) {
    visit("type", &JointDef::kind);
    visit("parent", &JointDef::a);
    visit("child", &JointDef::b);
    visit("anchor_parent", &JointDef::anchor_a);
    visit("anchor_child", &JointDef::anchor_b);
    visit("lower_limit", &JointDef::lower);
    visit("upper_limit", &JointDef::upper);
    visit("reference", &JointDef::reference);
    visit("length", &JointDef::length);
    visit("stiffness", &JointDef::stiffness);
    visit("damping", &JointDef::damping);
  }
};

struct WheelDef {
  int body = 0;
  Pose mount;
  double radius = 0.03;
  double max_force = 2.0;
  double mu_long = 0.8;
  double mu_lat = 0.8;
  // Normal load [N]; 0 means mass * gravity / wheel_count.
  double normal_force = 0.0;
  double gravity = 9.81;
  int wheel_count = 1;
  // Share of the sideways slip of one step that is left after 1/120 s.
  double lateral_damping = 0.25;
  double response_time = 0.05;
  double max_omega = 40.0;
  // Detailed: stall torque [N m] and no-load speed (max_omega) are those of the motor's shaft, which makes gear_ratio
  // turns for one of the wheel; the inertia is what the wheel's axle feels.
  bool detailed = false;
  double torque = 0.45;
  double gear_ratio = 1.0;
  double inertia = 0.002;

  static void fields(auto visit) {
    visit("body", &WheelDef::body);
    visit("mount_pose", &WheelDef::mount);
    visit("wheel_radius", &WheelDef::radius);
    visit("max_force", &WheelDef::max_force);
    visit("mu_long", &WheelDef::mu_long);
    visit("mu_lat", &WheelDef::mu_lat);
    visit("normal_force", &WheelDef::normal_force);
    visit("g_equiv", &WheelDef::gravity);
    visit("wheel_count", &WheelDef::wheel_count);
    visit("lateral_damping", &WheelDef::lateral_damping);
    visit("response_time", &WheelDef::response_time);
    visit("max_wheel_omega", &WheelDef::max_omega);
    visit("detailed", &WheelDef::detailed);
    visit("torque", &WheelDef::torque);
    visit("gear_ratio", &WheelDef::gear_ratio);
    visit("inertia", &WheelDef::inertia);
  }
};

enum class SensorKind : std::uint8_t { kLine, kDistance, kImu, kEncoder };
inline constexpr std::pair<const char*, SensorKind> kSensorKinds[] = {{"line", SensorKind::kLine},
                                                                      {"line_array", SensorKind::kLine},
                                                                      {"distance", SensorKind::kDistance},
                                                                      {"imu", SensorKind::kImu},
                                                                      {"encoder", SensorKind::kEncoder}};
inline KindNames<SensorKind> names_of(SensorKind) { return {"sensor", kSensorKinds}; }

struct SensorDef {
  SensorKind kind = SensorKind::kLine;
  int body = 0;
  int wheel = -1;
  Pose mount;
  // Line: sample points; distance: rays.
  int count = 1;
  // Line: distance between points along y [m]; distance: angle between rays [rad].
  double spacing = 0.0;
  double range_max = 1.5;
  double signal = 1.0;
  double noise = 0.0;
  // Readings a second; 0 for every step.
  double rate_hz = 0.0;
  // Place in the array of readings.
  int first = 0;
  int width = 0;

  static void fields(auto visit) {
    visit("type", &SensorDef::kind);
    visit("body", &SensorDef::body);
    visit("wheel", &SensorDef::wheel);
    visit("mount_pose", &SensorDef::mount);
    visit("count", &SensorDef::count);
    visit("spacing", &SensorDef::spacing);
    visit("range_max", &SensorDef::range_max);
    visit("signal", &SensorDef::signal);
    visit("noise", &SensorDef::noise);
    visit("rate_hz", &SensorDef::rate_hz);
  }
};

}  // namespace horus::sim2d
