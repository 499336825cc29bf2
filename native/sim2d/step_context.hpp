// The parts of one step, which share the world, its scratch memory and the length of the step.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim2d/contact_lanes.hpp"
#include "sim2d/world.hpp"

namespace horus::sim2d {

// One point of a contact while velocities are solved.
struct RowPoint {
  // Arms of the normal and of the tangent about the centers of a and b.
  double normal_arm_a = 0.0;
  double normal_arm_b = 0.0;
  double tangent_arm_a = 0.0;
  double tangent_arm_b = 0.0;
  // Change of the normal speed by a unit impulse, and its inverse.
  double response = 0.0;
  double normal_mass = 0.0;
  double tangent_mass = 0.0;
  // Normal speed that the contact asks for at least.
  double target = 0.0;
  double normal_impulse = 0.0;
  double tangent_impulse = 0.0;
};

struct ContactRow {
  int a = 0;
  int b = 0;
  int count = 0;
  int contact = 0;
  Vec2 normal;
  double friction = 0.0;
  // Smaller changes of its speeds do not ask for another pass.
  double tolerance = 0.0;
  double inv_mass_a = 0.0;
  double inv_mass_b = 0.0;
  double inv_inertia_a = 0.0;
  double inv_inertia_b = 0.0;
  // Response of one point's speed to an impulse at the other; 0 when the points are solved one by one.
  double coupling = 0.0;
  double inverse_determinant = 0.0;
  RowPoint points[2];
};

struct WheelRow {
  Vec2 along;
  Vec2 side;
  // Half axes of the ellipse of impulses that the tyre can give, and what the motor can.
  double max_along = 0.0;
  double max_side = 0.0;
  double max_drive = 0.0;
  double target_side = 0.0;
};

struct JointRow {
  Vec2 ra;
  Vec2 rb;
  Vec2 axis;
  // Inverse of the symmetric matrix of the point and, for a rigid joint, the angle.
  double k11 = 0.0, k12 = 0.0, k13 = 0.0, k22 = 0.0, k23 = 0.0, k33 = 0.0;
  double angular_mass = 0.0;
  // Softness of implicit springs: impulse fed back, and its bias velocities.
  double gamma = 0.0;
  double bias_x = 0.0;
  double bias_y = 0.0;
  double bias_angle = 0.0;
  double low_target = 0.0;
  double high_target = 0.0;
};

// Friction of a body that slips with a velocity, for a unit of load and of the coefficient; see floor_patch.hpp.
struct GroundSlip {
  Vec2 velocity;
  double w = 0.0;
  // Of the velocity, times two.
  double energy = 0.0;
  double direct = 0.0;
  double turning = 0.0;
  Vec2 coupling;
  // Mean speed of the slip over the patch.
  double slipped = 0.0;
};

struct GroundRow {
  int body = 0;
  double max_linear = 0.0;
  double max_angular = 0.0;
  bool slips = false;
  // Velocity that the floor left to the body; while nobody changes it there is nothing to do.
  double vx = std::numeric_limits<double>::quiet_NaN();
  double vy = 0.0;
  double w = 0.0;
  GroundSlip slip;
};

// What depends on the wheel and the length of the step only.
struct WheelFactors {
  double lag = 1.0;
  double left_over = 0.0;
  double mount_c = 1.0;
  double mount_s = 0.0;
};

struct Scratch {
  const Model* factors_model = nullptr;
  double factors_dt = 0.0;
  std::vector<WheelFactors> wheel_factors;
  std::vector<std::uint64_t> pairs;
  std::vector<std::uint64_t> unsorted_pairs;
  std::vector<int> starts;
  std::vector<int> ends;
  // Bodies that take part in this step.
  std::vector<int> movers;
  std::vector<Contact> next_contacts;
  std::vector<ContactArms> arms;
  // Two points first: each kind in its own loop, which has no branch to guess wrong.
  std::vector<ContactRow> two_point_rows;
  std::vector<ContactRow> one_point_rows;
  // In worlds with many contacts most are here instead.
  ContactLanes lanes;
  std::vector<WheelRow> wheel_rows;
  std::vector<JointRow> joint_rows;
  std::vector<GroundRow> ground_rows;
  std::vector<std::uint8_t> corrected;
};

struct StepContext {
  World& world;
  const Model& model;
  const SolverConfig& config;
  Scratch& scratch;
  const double dt;

  StepContext(World& world_, Scratch& scratch_, double dt_)
      : world(world_), model(*world_.model_), config(world_.model_->solver), scratch(scratch_), dt(dt_) {}

  void run();

 private:
  // step_context.cpp
  void find_movers();
  void wake_touched();
  void apply_forces();
  void integrate();
  void finish();
  bool guard_velocity(int body);
  void settle(int body);
  double free_share(int body, Vec2 motion);
  // broad_phase.cpp
  void find_pairs();
  void find_pairs_in_large_world();
  void find_wide_pairs();
  void sweep(const std::vector<Aabb>& boxes);
  void sort_pairs(const std::vector<std::uint64_t>& pairs, std::vector<std::uint64_t>& sorted);
  bool may_touch(int a, int b) const;
  // narrow_phase.cpp
  void find_contacts();
  bool make_contact(int a, int b, const Contact* earlier, Contact& contact, ContactArms& arms);
  // contact_solver.cpp
  void prepare_contacts();
  void prepare_row(int index);
  void warm_start_contacts();
  bool solve_contacts(bool forward);
  bool solve_one_point(ContactRow& row);
  bool solve_two_points(ContactRow& row);
  void keep_impulses();
  void correct_contacts();
  void correct_row(const ContactRow& row);
  // joint_solver.cpp
  void prepare_joints();
  void prepare_point(const JointDef& joint, JointState& state, JointRow& row);
  void prepare_distance(const JointDef& joint, JointState& state, JointRow& row);
  bool solve_joints();
  void correct_joints();
  // wheel_solver.cpp
  void prepare_wheel_factors();
  void prepare_wheels();
  bool solve_wheels();
  bool solve_wheel(int wheel);
  bool solve_wheel_pair(int first, int second);
  void finish_wheels();
  // floor_friction.cpp
  void prepare_grounds();
  bool solve_grounds();
  bool solve_ground(GroundRow& row);
  bool slide(GroundRow& row, Vec2 slip, double w, Vec2 stop, double stop_turn, Vec2& left, double& left_w);
};

}  // namespace horus::sim2d
