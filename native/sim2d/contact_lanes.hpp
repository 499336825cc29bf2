// Contacts four at a time, for worlds with many: the four of a pack share no body that moves, so that they can be
// solved side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "sim2d/world.hpp"

namespace horus::sim2d {

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
  Lane normal_impulse;
  Lane tangent_impulse;
};

struct PackHead {
  int a[kLanes];
  int b[kLanes];
  // Places in World::contacts; -1 for an empty lane, whose masses are infinite and whose bodies are those of lane 0.
  int contact[kLanes];
  Lane normal_x;
  Lane normal_y;
  Lane friction;
  Lane tolerance;
  Lane inv_mass_a;
  Lane inv_mass_b;
  Lane inv_inertia_a;
  Lane inv_inertia_b;
};

struct OnePointPack {
  PackHead head;
  LanePoint point;
};

struct TwoPointPack {
  PackHead head;
  LanePoint one;
  LanePoint two;
  Lane response_1;
  Lane response_2;
  Lane coupling;
  Lane inverse_determinant;
};

class ContactLanes {
 public:
  // Packs the contacts of a step; those that find no place are left for solving one by one.
  void pack(const World& world);
  // One pass; whether anything changed by more than its tolerance.
  bool solve(Body* bodies);
  // Impulses back to the contacts.
  void unpack(std::vector<Contact>& contacts) const;

  const std::vector<int>& left_over() const { return left_over_; }

 private:
  void choose_colors(const World& world);

  std::vector<OnePointPack> one_point_;
  std::vector<TwoPointPack> two_points_;
  std::vector<int> left_over_;
  // Colors that a body's contacts of each kind have, and the color of every contact.
  std::vector<std::uint32_t> used_[2];
  std::vector<std::uint8_t> colors_;
};

}  // namespace horus::sim2d
