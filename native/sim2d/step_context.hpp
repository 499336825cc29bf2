// The parts of one step, which share the world, its scratch memory and the length of the step.
#pragma once

#include <cstdint>
#include <vector>

#include "sim2d/contact_lanes.hpp"
#include "sim2d/world.hpp"

namespace horus::sim2d {

struct WheelRow {
  Vec2 along;
  Vec2 side;
  double max_along = 0.0;
  double max_side = 0.0;
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

struct GroundRow {
  int body = 0;
  double max_linear = 0.0;
  double max_angular = 0.0;
};

struct SortedBox {
  Aabb box;
  int body = 0;
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
  std::vector<std::uint64_t> sorted_pairs;
  std::vector<int> starts;
  std::vector<int> ends;
  std::vector<int> active_bodies;
  std::vector<SortedBox> sorted_boxes;
  std::vector<Contact> next_contacts;
  // Contacts with one and with two points: each kind in its own loop, which has no branch to guess wrong.
  std::vector<int> one_point;
  std::vector<int> two_points;
  // The same in worlds with many contacts.
  ContactLanes lanes;
  std::vector<WheelRow> wheel_rows;
  std::vector<JointRow> joint_rows;
  std::vector<GroundRow> ground_rows;
  std::vector<std::uint8_t> involved;
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
  // Whether the contacts are solved four at a time.
  bool wide_ = false;

  // step_context.cpp
  void apply_forces();
  void integrate();
  void finish();
  bool guard_velocity(int body);
  void settle(int body);
  double free_share(int body, Vec2 motion);
  // broad_phase.cpp
  void find_pairs();
  void find_pairs_by_sweep();
  void add_pair(int a, int b);
  void sort_pairs();
  // contact_solver.cpp
  void find_contacts();
  bool make_contact(int a, int b, const Contact* earlier, Contact& contact);
  void warm_start_contacts();
  void pack_contacts();
  bool solve_contacts();
  bool solve_contact(Contact& contact);
  bool solve_one_point(Contact& contact);
  bool solve_two_points(Contact& contact);
  void correct_contacts();
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
  void prepare_grounds();
  bool solve_grounds();
};

}  // namespace horus::sim2d
