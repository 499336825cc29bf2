// Contacts four at a time, for worlds with many: the four of a pack share no body that moves, so that they can be
// solved side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim2d/world.hpp"

namespace horus::sim2d {

// What happened to a body in a step: it was moved to close joints or to part what overlaps, it moved by itself, its sine and
// cosine are those of its angle.
inline constexpr std::uint8_t kCorrected = 1;
inline constexpr std::uint8_t kMoved = 2;
inline constexpr std::uint8_t kTurnedTo = 4;

// Impacts that part slower than this are solved no more exactly than resting contacts [m/s].
inline constexpr double kClearBounce = 0.05;
// Weight presses without end, and what the passes leave over adds up: under gravity contacts at rest are solved to this
// share of their tolerance.
inline constexpr double kWeighed = 0.1;
// The two points of a contact are solved together unless their determinant is a smaller share of its largest value.
inline constexpr double kClosePoints = 1e-3;

// Smaller changes of the speeds of a contact that does not bounce do not ask for another pass [m/s].
inline double resting_tolerance(const Model& model) {
  const bool falls = model.gravity.x != 0.0 || model.gravity.y != 0.0;
  return falls ? kWeighed * model.solver.resting_tolerance : model.solver.resting_tolerance;
}

// Where the points of a contact are, from the centers of its bodies.
struct alignas(32) PointArms {
  Vec2 a;
  Vec2 b;
};
struct ContactArms {
  PointArms points[2];
};

inline constexpr int kLanes = 4;
// Four doubles side by side. Without wide registers compilers would align them less than code for such registers asks.
typedef double Lane __attribute__((vector_size(32), aligned(32)));

struct LanePoint {
  Lane normal_arm_a;
  Lane normal_arm_b;
  Lane tangent_arm_a;
  Lane tangent_arm_b;
  Lane normal_mass;
  Lane tangent_mass;
  Lane target;
  Lane delay;
  Lane normal_impulse;
  Lane tangent_impulse;
};

struct PackHead {
  int a[kLanes];
  int b[kLanes];
  Lane normal_x;
  Lane normal_y;
  Lane friction;
  Lane tolerance;
  Lane inv_mass_a;
  Lane inv_mass_b;
  Lane inv_inertia_a;
  Lane inv_inertia_b;
};

// Places in World::contacts; those of empty lanes repeat the first one.
struct PackPlaces {
  int contact[kLanes];
  int count;
};

struct OnePointPack {
  PackHead head;
  LanePoint point;
  Lane separation;
};

struct TwoPointPack {
  PackHead head;
  LanePoint one;
  LanePoint two;
  Lane separation_1;
  Lane separation_2;
  Lane response_1;
  Lane response_2;
  Lane coupling;
  Lane inverse_determinant;
};

struct LaneInput {
  const World& world;
  const std::vector<ContactArms>& arms;
  double dt;
};

class ContactLanes {
 public:
  void clear();
  // Packs the contacts of a step; those that find no place are left for solving one by one.
  void prepare(const LaneInput& input);
  void warm_start(Body* bodies) const;
  // One pass, in the order of the packs or against it; whether anything changed by more than its tolerance.
  bool solve(Body* bodies, bool forward);
  void keep_impulses(std::vector<Contact>& contacts) const;
  // Moves overlapping bodies apart and marks them.
  void correct(World& world, double dt, std::uint8_t* corrected) const;

  const std::vector<int>& left_over() const { return left_over_; }

 private:
  void choose_colors(const World& world);
  void choose_places(const World& world);

  bool is_empty() const { return one_count_ + two_count_ == 0; }

  // These only grow; the counts say how much of them belongs to this step.
  std::size_t one_count_ = 0;
  std::size_t two_count_ = 0;
  std::vector<OnePointPack> one_point_;
  std::vector<TwoPointPack> two_points_;
  std::vector<PackPlaces> one_point_places_;
  std::vector<PackPlaces> two_point_places_;
  std::vector<int> left_over_;
  // Colors that a body's contacts of each kind have, and the color of every contact.
  std::vector<std::uint32_t> used_[2];
  std::vector<std::uint8_t> colors_;
};

}  // namespace horus::sim2d
