// Configurations to start from, found by where they bring the tool.
#pragma once

#include <vector>

#include "arm/kd_tree.hpp"
#include "arm/task.hpp"

namespace horus::arm {

// Samples of the joint space, in a k-d tree by what remains of the tool's position or pose when the first and the last
// joint are taken out. A revolute first joint turns the whole arm: only radius and height about its axis matter, and
// its angle follows. A revolute last joint turns the tool about its axis: for a pose, only a point and the direction of
// that axis matter, and its angle follows. Two dimensions less make the table dense.
class SeedTable {
 public:
  SeedTable(const Chain& chain, bool is_pose, double rotation_weight, int samples);

  // Writes up to `wanted` configurations of dof numbers each into `starts`, the most promising first; returns how many.
  int starts(const Chain& chain, const Task& task, int wanted, double* starts) const;

  static constexpr int kMostStarts = 16;

 private:
  struct Key {
    float values[KdTree::kMaxDimensions];
    double azimuth;  // [rad] about the first joint's axis, 0 where that joint does not turn
  };

  Key key_of(const Frame& T_base_tool) const;
  // The first joint's position that turns a sample to the target's azimuth; false where its limits forbid that.
  bool turn_first(const Chain& chain, double azimuth, double* q) const;

  bool is_pose_, spins_first_, spins_last_;
  double weight_;
  int dimensions_;
  Frame T_first_base_;  // base coordinates into the frame of the first joint
  Frame T_tool_wrist_;  // the frame before the last joint, with that joint at zero, in tool coordinates
  KdTree tree_;
  std::vector<float> configurations_;
  std::vector<float> azimuths_;
};

// Turns the last joint, if it is revolute, so that the tool's rotation comes as close to the target's as that joint can
// bring it.
void align_last(const Chain& chain, const Task& task, double* q);

// The farthest that the tool can be from the first joint's frame, and some more [m].
double reach_bound(const Chain& chain);

}  // namespace horus::arm
