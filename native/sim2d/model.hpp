// What all worlds of a scenario share: shapes, masses, joints, devices and the marks on the floor.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim2d/config.hpp"
#include "sim2d/definitions.hpp"
#include "sim2d/floor.hpp"
#include "sim2d/floor_patch.hpp"
#include "sim2d/joint_groups.hpp"
#include "sim2d/math.hpp"

namespace horus::sim2d {

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
