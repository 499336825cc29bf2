// Which joints are solved together, and in which order: chains, trees and nets of joints become sparse systems of linear
// equations whose pattern depends on the model only, so that a step has nothing to search.
#pragma once

#include <cstddef>
#include <vector>

namespace horus::sim2d {

struct JointDef;

// Rows of a joint: a distance has one, a hinge two, a rigid joint or a hinge with limits three.
inline constexpr int kJointRows = 3;

// Two joints that act on the same moving body.
struct JointCoupling {
  int later = 0;
  int earlier = 0;
  // Whether the body is the second one of each joint.
  bool later_is_b = false;
  bool earlier_is_b = false;
  int body = 0;
  // Where the products of their rows are summed up: [row of later][row of earlier].
  int at[kJointRows][kJointRows] = {};
};

// Joints whose equations are solved at once. Those of too many loops are groups of their own, solved in turn.
struct JointGroup {
  int first_joint = 0;
  int end_joint = 0;
  int first_row = 0;
  int end_row = 0;
  // Place of its first column in JointGroups::eliminated.
  int first_eliminated = 0;
  // Shares bodies that move with other groups.
  bool is_in_turn = false;
};

// So many groups are solved side by side.
inline constexpr int kGroupsAtOnce = 6;

// Some of the groups.
struct GroupRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Bodies that hold together by joints.
struct Assembly {
  std::vector<int> bodies;
  // No wheels give it energy.
  bool is_passive = true;
  // No joint holds it to a body that cannot move.
  bool is_free = true;
};

struct JointGroups {
  std::vector<JointGroup> groups;
  // Joints in the order of their equations; groups are ranges of it.
  std::vector<int> order;
  // Of each joint.
  std::vector<int> first_row;
  std::vector<int> row_count;
  // Below the diagonal, column by column: the rows, and where each column begins.
  std::vector<int> column_start;
  std::vector<int> rows;
  // Within a joint: where the products of two of its rows are summed up, [1][0], [2][0], [2][1].
  std::vector<int> inner;
  std::vector<JointCoupling> couplings;
  std::vector<Assembly> assemblies;
  // Of each body, or -1.
  std::vector<int> assembly_of;
  // For each pair of entries of a column in turn, the entry that elimination changes.
  std::vector<int> eliminated;

  // The next groups that share no body, a few at most; empty after the last ones.
  GroupRange next_range(std::size_t begin) const;
  int row_total() const { return static_cast<int>(column_start.size()) - 1; }
  // `moves` tells of each body whether it can move.
  void build(const std::vector<JointDef>& joints, const std::vector<bool>& moves);
};

}  // namespace horus::sim2d
