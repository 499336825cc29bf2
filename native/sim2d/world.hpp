// The state of one world and its step. Copying a World copies everything; steps allocate nothing once warmed up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim2d/box_tree.hpp"
#include "sim2d/collide.hpp"
#include "sim2d/model.hpp"
#include "sim2d/random.hpp"

namespace horus::sim2d {

// One cache line: what every step reads and writes. The velocities begin its second half, so that the solver of many
// contacts moves them as one vector; it writes the sine back as it was.
struct alignas(64) Body {
  double x = 0.0;
  double y = 0.0;
  double angle = 0.0;
  double c = 1.0;
  double vx = 0.0;
  double vy = 0.0;
  double w = 0.0;
  double s = 0.0;
};

// What may differ between the worlds of a batch. The solver of many contacts reads the first half as one vector.
struct alignas(64) BodyParams {
  double inv_mass = 0.0;
  double inv_inertia = 0.0;
  double friction = 0.8;
  double restitution = 0.1;
  double mass = 1.0;
  double inertia = 1.0;
  double ground_friction = 0.0;
  double unused = 0.0;
};

struct Wrench {
  double fx = 0.0;
  double fy = 0.0;
  double torque = 0.0;
};

// Two bodies that touch, and what the next step has to know of it. Three vectors of 32 bytes, which is how the solver
// of many contacts reads it; no padding, so that equal states have equal bytes.
struct alignas(32) Contact {
  int a = 0;
  int b = 0;
  int count = 0;
  int unused = 0;
  // Name the features that touch at each point.
  std::uint32_t ids[2] = {0, 0};
  // Middle of the points, from the center of a, in the axes of the world; for those who look, not for the solver.
  float middle[2] = {0.0f, 0.0f};
  // Unit, from a to b.
  Vec2 normal;
  double separations[2] = {0.0, 0.0};
  // Along normal and tangent at the first point, then at the second.
  double impulses[4] = {0.0, 0.0, 0.0, 0.0};
};

struct JointState {
  // Accumulated impulses of its rows: point and angle, or distance. That of a hinge's angle is positive at its lower limit and
  // negative at its upper one.
  double impulses[kJointRows] = {0.0, 0.0, 0.0};
};

struct WheelState {
  double command = 0.0;
  double omega = 0.0;
  double angle = 0.0;
  double long_impulse = 0.0;
  double lat_impulse = 0.0;
  // Speed across the wheel that the last step left [m/s].
  double slip = 0.0;
};

// What a wheel does to its body: depends on the masses and the length of the step, not on the pose.
struct WheelConstants {
  double along_arm = 0.0;
  double side_arm = 0.0;
  double along_mass = 0.0;
  double side_mass = 0.0;
  // Detailed: how much a unit of impulse along slows the wheel down [1/(kg m)].
  double reaction = 0.0;
  // Inverse of the 2 x 2 matrix that couples the pair of wheels of a body.
  double pair_11 = 0.0;
  double pair_12 = 0.0;
  double pair_22 = 0.0;
  double coupling = 0.0;
  // Friction along and across for a unit of World::wheel_grip [N].
  double grip_along = 0.0;
  double grip_side = 0.0;
  // Both wheels slip sideways alike, being on one axle: they share the side force, this much for the first one.
  double partner_share = 0.5;
  bool shares_side = false;
  // That axle goes through the center: one pass solves the pair exactly.
  bool is_exact = false;
};

// What is solved at once: the two wheels of a body, or one wheel (second is -1 then).
struct WheelUnit {
  int first = 0;
  int second = -1;
};

// Friction of a passive body on the floor.
struct GroundState {
  double px = 0.0;
  double py = 0.0;
  double angular = 0.0;
};

struct SensorState {
  Random random;
  double next_time = 0.0;
  // Time of the last reading; negative before the first.
  double stamp = -1.0;
  // IMU: the velocity and time of its last reading.
  double last_vx = 0.0;
  double last_vy = 0.0;
  double last_time = -1.0;
};

enum class WarningKind : std::int32_t { kNotFinite, kLinearSpeed, kAngularSpeed, kStepTranslation };

// The first time that a guard acted on a body, and how often since.
struct Warning {
  WarningKind kind = WarningKind::kNotFinite;
  int body = 0;
  std::int64_t step = 0;
  std::int64_t count = 0;
};

// Memory that a step needs and that no step remembers; one for each thread.
struct Scratch;
struct ScratchDeleter {
  void operator()(Scratch* scratch) const;
};
using ScratchPtr = std::unique_ptr<Scratch, ScratchDeleter>;
ScratchPtr make_scratch();

// Worlds of more bodies find near ones by grids and trees.
inline constexpr std::size_t kFewBodies = 40;

struct RayHit {
  double distance = 0.0;
  int body = -1;
};

class World {
 public:
  World(std::shared_ptr<const Model> model, std::uint64_t seed);

  const Model& model() const { return *model_; }
  // Back to the start; masses, friction and noise keep what set_* gave them.
  void reset(std::uint64_t seed);
  // Reads the sensors that are due. Nothing happens when this step has been sensed already.
  void sense();
  bool is_sensed() const { return sensed_step_ == step_index; }
  // Forces, velocities, poses, time. Sensors are not read.
  void advance(double dt, Scratch& scratch);
  // sense() and advance(), n times.
  void step(double dt, int n, Scratch& scratch);

  void set_pose(int body, Pose pose);
  void set_velocity(int body, double vx, double vy, double w);
  // Acts during the next step only; the torque of the force about the center is part of `torque`.
  void apply_force(int body, double fx, double fy, double torque);
  void set_mass(int body, double mass, double inertia);
  // The nearest body on a ray of unit direction; body -1 and the range for none.
  RayHit cast(Vec2 origin, Vec2 direction, double range, int ignored_body);
  // Distances along rays from a body's origin, whose directions are given in its frame; it does not see itself.
  void scan(int body, const std::vector<Vec2>& directions, double range, double* out);

  // The state as bytes, and back; false when they do not belong to this model.
  std::string save() const;
  bool load(const std::string& bytes);

  std::vector<Body> bodies;
  std::vector<BodyParams> params;
  std::vector<WheelState> wheels;
  std::vector<double> wheel_grip;
  std::vector<SensorState> sensors;
  std::vector<double> readings;
  std::vector<Contact> contacts;
  std::vector<Warning> warnings;
  double noise_scale = 1.0;
  double time = 0.0;
  std::int64_t step_index = 0;
  std::uint64_t seed = 0;

 private:
  friend struct StepContext;
  template <class Archive>
  void archive(Archive& archive);
  // The nearer one of a hit and what a ray meets of a body.
  void meet(int body, Vec2 origin, Vec2 direction, RayHit& hit);
  // Whether bodies are found by trees: small worlds look at all.
  bool has_trees() const { return bodies.size() > kFewBodies; }
  const BoxTree& fixed_tree();
  const BoxTree& moving_tree();
  // Calls visit(i) for bodies that cannot move and whose boxes overlap.
  template <class Visit>
  void for_each_fixed(const Aabb& box, Visit visit) {
    if (has_trees()) {
      fixed_tree().query(box, visit);
      return;
    }
    for (const int i : model_->fixed_bodies) {
      if (overlap(boxes_[i], box)) visit(i);
    }
  }
  void make_hull(int body, Hull& hull);
  void update_box(int body, double dt);
  // Notes that a body has left its widened box.
  void mark_if_left(int body);
  void sense_line(const SensorDef& sensor, SensorState& state);
  void sense_distance(const SensorDef& sensor, SensorState& state);
  void sense_imu(const SensorDef& sensor, SensorState& state);
  void sense_encoder(const SensorDef& sensor, SensorState& state);
  void warn(WarningKind kind, int body);
  // Somebody changed the state between two steps.
  void forget_energies();
  void update_wheel_constants(double dt);
  // Wheels of a body whose velocity was set slip as it says.
  void note_slip(int body);

  std::shared_ptr<const Model> model_;
  std::vector<JointState> joints_;
  // The most energy that each of Model::joint_groups.assemblies may have [J]; infinite where it is not known.
  std::vector<double> energies_;
  std::vector<GroundState> grounds_;
  std::vector<Wrench> wrenches_;
  std::uint64_t has_wrench_ = 0;
  // Bodies that move or are being corrected; the others are skipped until something touches them.
  std::vector<std::uint8_t> active_;
  std::int64_t sensed_step_ = -1;
  // Derived from masses and poses: not part of the state.
  std::vector<WheelConstants> wheel_constants_;
  std::vector<WheelUnit> wheel_units_;
  // The step that they are for; 0 when they are out of date.
  double wheel_constants_dt_ = 0.0;
  std::vector<std::uint8_t> hull_valid_;
  std::vector<Vec2> hull_vertices_;
  std::vector<Vec2> hull_normals_;
  std::vector<Aabb> boxes_;
  // Large worlds only: widened boxes, and the pairs of them that overlap.
  std::vector<Aabb> wide_boxes_;
  std::vector<std::uint64_t> wide_pairs_;
  bool wide_pairs_valid_ = false;
  // Large worlds only: trees of the boxes of bodies that cannot move, and of the others where they are now.
  BoxTree fixed_tree_;
  BoxTree moving_tree_;
  bool fixed_tree_valid_ = false;
  bool moving_tree_valid_ = false;
};

}  // namespace horus::sim2d
