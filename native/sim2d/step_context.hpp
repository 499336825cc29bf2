// The parts of one step, which share the world, its scratch memory and the length of the step.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim2d/contact_lanes.hpp"
#include "sim2d/world.hpp"

namespace horus::sim2d {

// What moves less than this share of half a width, its own and that of what stands in its way, passes nothing in a step.
inline constexpr double kSlow = 0.5;

// Share of its own response by which a row of a joint gives way that holds an angle: it bears levers, which multiply what
// gives way.
inline constexpr double kAngleSoftness = 1e-8;

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
  // Time until a body that bounces off touches [s]; its impulse acts from then on.
  double delay = 0.0;
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

// A row of a joint: how the velocities (x, y, turn) of its bodies change what it keeps.
struct JointLine {
  double a[3] = {0.0, 0.0, 0.0};
  double b[3] = {0.0, 0.0, 0.0};
};

// Change of what one line keeps by a unit impulse along another, both of the same body.
inline double response(const BodyParams& params, const double* one, const double* other) {
  return params.inv_mass * (one[0] * other[0] + one[1] * other[1]) + params.inv_inertia * one[2] * other[2];
}

struct JointRow {
  JointLine lines[kJointRows];
  Vec2 ra;
  Vec2 rb;
  // How far it is open [m, m, rad].
  double gaps[kJointRows] = {0.0, 0.0, 0.0};
  // Softness of implicit springs: impulse fed back; 0 for hard joints.
  double gamma = 0.0;
  // Velocities that the rows ask for besides.
  double bias[kJointRows] = {0.0, 0.0, 0.0};
  // Of a hinge: the limit that its angle is held at (-1 lower, 1 upper, 0 none), and between which speeds it reaches neither
  // within the step [rad/s].
  int limit = 0;
  double low_target = 0.0;
  double high_target = 0.0;
};

// A group whose equations are solved, and the sum of the solution, which tells whether it is finite.
struct GroupSolution {
  const JointGroup* group = nullptr;
  double sum = 0.0;

  bool is_finite() const { return std::isfinite(sum); }
};

// A body that tension makes stiffer than the step resolves, as it was before it was made heavier for the step.
struct StiffBody {
  int body = 0;
  BodyParams before;
};

// How bodies move and turn together.
struct RigidMotion {
  double mass = 0.0;
  double inertia = 0.0;
  Vec2 center;
  Vec2 velocity;
  double w = 0.0;
};

// Of some bodies [J]: of their motion, what they gain in height within half a step, and of their places.
struct Energy {
  double kinetic = 0.0;
  double rising = 0.0;
  double resting = 0.0;

  double sum() const { return kinetic + rising + resting; }
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
  // As the step moves the body, which may be heavier than it is.
  double mass = 0.0;
  double inertia = 0.0;
  double max_linear = 0.0;
  double max_angular = 0.0;
  bool slips = false;
  // Velocity that the floor left to the body; while nobody changes it there is nothing to do.
  double vx = std::numeric_limits<double>::quiet_NaN();
  double vy = 0.0;
  double w = 0.0;
  GroundSlip slip;
};

// The cell of a grid that the middle of a mover's box is in.
struct GridPlace {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::uint32_t bucket = 0;
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
  std::vector<std::uint64_t> unsorted_pairs;
  std::vector<int> starts;
  std::vector<int> ends;
  // Movers in the cells of a grid, while pairs are looked for.
  std::vector<GridPlace> grid;
  std::vector<int> cell_starts;
  std::vector<int> cell_members;
  std::vector<double> sizes;
  // The outline of a body on its way.
  std::vector<Vec2> swept_vertices;
  std::vector<Vec2> swept_normals;
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
  // The matrix of the joints: inverse pivots and entries below the diagonal; and one right-hand side.
  std::vector<double> joint_pivots;
  std::vector<double> joint_entries;
  std::vector<double> joint_values;
  // Before a pass over joints with limits: velocities (x, y, turn) and impulses.
  std::vector<Wrench> unlimited_velocities;
  std::vector<JointState> unlimited_impulses;
  // How far bodies are moved to close joints (x, y, angle); zero between steps.
  std::vector<Wrench> joint_moves;
  // Of bodies, by tension of joints; zero between steps.
  std::vector<double> turn_stiffness;
  std::vector<double> move_stiffness;
  std::vector<StiffBody> stiff_bodies;
  // Of assemblies [J], and whether something that cannot move holds them.
  std::vector<double> spring_energies;
  std::vector<std::uint8_t> is_held;
  // Velocities of bodies before the gravity of the step, where there are joints (x, y, turn).
  std::vector<Wrench> earlier_velocities;
  // Of assemblies: what heavier bodies took of impulses [N s, N m s].
  std::vector<Wrench> lost_momenta;
  // Bodies that touch, by one of them.
  std::vector<int> island_parents;
  std::vector<std::uint8_t> island_kinds;
  std::vector<double> island_energies;
  std::vector<int> island_members;
  std::vector<GroundRow> ground_rows;
  // What happened to each body: kCorrected, kMoved, kTurnedTo.
  std::vector<std::uint8_t> corrected;
  // Where bodies that move have come to before corrections.
  std::vector<Pose> reached;
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
  void sweep_corrections();
  void finish();
  bool guard_velocity(int body, double share);
  void guard_velocities();
  void settle(int body);
  // continuous.cpp
  bool is_fast(int body, Vec2 motion, double turn) const;
  double free_share(int body, Vec2 motion, double turn);
  double share_before(int body, int other, Vec2 motion, double turn, double most);
  // broad_phase.cpp
  void find_pairs();
  void find_pairs_in_large_world();
  void find_wide_pairs();
  void pair_movers();
  void note_pair(int one, int other);
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
  Vec2 set_gaps(const JointDef& joint, JointRow& row);
  void set_lines(const JointDef& joint, JointRow& row);
  void bend_joints();
  void push_joint(int joint, const JointRow& row, const double* impulses);
  bool solve_joints(int iteration);
  bool solve_groups();
  void correct_joints();
  bool set_errors(const JointGroup& group);
  void push_group(const JointGroup& group);
  void correct_groups(double share);
  bool set_corrections(const JointGroup& group, double share);
  void move_group(const JointGroup& group);
  template <class Visit>
  void for_each_end(const JointGroup& group, Visit visit);
  bool guard_distances();
  void slow_assemblies();
  // joint_limits.cpp
  void prepare_limit(int joint, JointRow& row);
  void hold_limit(JointRow& row, int limit);
  int right_limit(int joint) const;
  int count_wrong_limits() const;
  void change_limits(bool only_last);
  void keep_unlimited();
  void restore_unlimited();
  bool solve_limited();
  void hold_passed(const JointDef& joint, JointRow& row);
  double beyond_limits(const JointDef& joint) const;
  double beyond_limit(const JointDef& joint, const JointRow& row) const;
  // joint_system.cpp
  void factorize_joints();
  void eliminate_groups(std::size_t begin);
  void solve_equations(GroupSolution* solutions, int count);
  // joint_stiffness.cpp
  void stiffen();
  void relax();
  // joint_momentum.cpp
  RigidMotion rigid_motion(std::span<const int> bodies) const;
  void restore_momenta();
  void slow_free(std::span<const int> bodies, double energy);
  // joint_energy.cpp
  Energy energy_of(std::span<const int> bodies, bool is_pinned) const;
  void slow_held(std::span<const int> bodies, const Energy& energy, double excess);
  void bound_energies();
  // joint_hits.cpp
  void keep_velocities();
  double energy_won(int body) const;
  double spring_energy_won(int joint) const;
  void bound_hits();
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
