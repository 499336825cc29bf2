// What all worlds of a scenario share: shapes, masses, joints, devices and the marks on the floor.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim2d/config.hpp"
#include "sim2d/floor.hpp"
#include "sim2d/floor_patch.hpp"
#include "sim2d/joint_groups.hpp"
#include "sim2d/math.hpp"

namespace horus::sim2d {

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
};

enum class JointKind : std::uint8_t { kHinge, kRigid, kDistance };

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
};

enum class SensorKind : std::uint8_t { kLine, kDistance, kImu, kEncoder };

struct SensorDef {
  SensorKind kind = SensorKind::kLine;
  int body = 0;
  int wheel = -1;
  Pose mount;
  // Line: sample points; distance: rays.
  int count = 1;
  // Line: distance between points along y [m]; distance: angle between rays [rad].
  double spacing = 0.0;
  double max_range = 1.5;
  double signal = 1.0;
  double noise = 0.0;
  // Readings a second; 0 for every step.
  double rate = 0.0;
  // Place in the array of readings.
  int first = 0;
  int width = 0;
};

struct Model {
  SolverConfig solver;
  Vec2 gravity;
  std::vector<BodyDef> bodies;
  // How each body lies on the floor.
  std::vector<FloorPatch> floor_patches;
  std::vector<Vec2> vertices;
  std::vector<Vec2> normals;
  std::vector<JointDef> joints;
  std::vector<WheelDef> wheels;
  std::vector<SensorDef> sensors;
  Floor floor;
  int reading_width = 0;
  // Pairs (a << 32 | b, a < b) that do not collide, sorted by finish().
  std::vector<std::uint64_t> exempt;
  std::vector<int> fixed_bodies;
  std::vector<int> moving_bodies;
  std::vector<int> colliding_movers;
  // Least half width of a body that cannot move; infinite without any.
  double thinnest = std::numeric_limits<double>::infinity();
  // Bodies with a wheel or a joint; they never rest.
  std::vector<std::uint8_t> is_driven;
  // Bodies with a joint.
  std::vector<std::uint8_t> is_jointed;
  bool has_limits = false;
  JointGroups joint_groups;
  // For each wheel the other one of its body when there are exactly two, else -1.
  std::vector<int> wheel_partner;
  // Of everything but the solver's knobs and gravity, by finish(): states of other models do not fit.
  std::uint64_t fingerprint = 0;

  int add_circle(const BodyDef& body, double radius);
  // The polygon is convex, counter-clockwise and has an area; the caller has checked it.
  int add_polygon(const BodyDef& body, const std::vector<Vec2>& points);
  int add_joint(const JointDef& joint);
  int add_wheel(const WheelDef& wheel);
  int add_sensor(SensorDef sensor);
  // Must be called once, before a World is made.
  void finish();

 private:
  std::uint64_t make_fingerprint() const;
};

inline std::uint64_t pair_key(int a, int b) {
  return (static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint32_t>(b);
}

}  // namespace horus::sim2d
