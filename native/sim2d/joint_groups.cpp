#include "sim2d/joint_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "sim2d/model.hpp"

namespace horus::sim2d {
namespace {

// A group may have this many pairs of coupled joints for each of its joints, and so many more; nets of more loops cost
// more to solve at once than in turn.
constexpr std::size_t kMostPairsPerJoint = 24;
constexpr std::size_t kMorePairs = 256;

using Neighbours = std::vector<std::set<int>>;

int rows_of(const JointDef& joint) {
  switch (joint.kind) {
    case JointKind::kDistance: return 1;
    case JointKind::kHinge: return joint.has_limits() ? 3 : 2;
    case JointKind::kRigid: return 3;
  }
  return 0;
}

// Joints that share a body that moves.
Neighbours find_neighbours(const std::vector<JointDef>& joints, const std::vector<bool>& moves) {
  std::vector<std::vector<int>> of_body(moves.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    for (const int body : {joints[i].a, joints[i].b}) {
      if (moves[body]) of_body[body].push_back(static_cast<int>(i));
    }
  }
  Neighbours found(joints.size());
  for (const std::vector<int>& joined : of_body) {
    // A hub of very many joints is solved in turn anyway.
    if (joined.size() > 4 * kMostPairsPerJoint) continue;
    for (const int a : joined) {
      for (const int b : joined) {
        if (a != b) found[a].insert(b);
      }
    }
  }
  return found;
}

std::vector<int> find_component(const Neighbours& neighbours, int start, std::vector<bool>& seen) {
  std::vector<int> found = {start};
  seen[start] = true;
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const int next : neighbours[found[k]]) {
      if (seen[next]) continue;
      seen[next] = true;
      found.push_back(next);
    }
  }
  return found;
}

// Always the joint with the fewest neighbours next, which then couples all of these with each other; `neighbours` of the
// component are used up. Leaves in `later` for each joint those that come after it; false when they become too many.
bool eliminate(const std::vector<int>& component, Neighbours& neighbours, std::vector<int>& order, Neighbours& later) {
  std::set<std::pair<std::size_t, int>> queue;
  for (const int joint : component) queue.insert({neighbours[joint].size(), joint});
  std::size_t pairs = 0;
  while (!queue.empty()) {
    const int joint = queue.begin()->second;
    queue.erase(queue.begin());
    order.push_back(joint);
    later[joint] = neighbours[joint];
    pairs += later[joint].size();
    if (pairs > kMostPairsPerJoint * component.size() + kMorePairs) return false;
    for (const int one : later[joint]) {
      queue.erase({neighbours[one].size(), one});
      neighbours[one].erase(joint);
      for (const int other : later[joint]) {
        if (other != one) neighbours[one].insert(other);
      }
    }
    for (const int one : later[joint]) queue.insert({neighbours[one].size(), one});
  }
  return true;
}

// Groups that share a body that moves see what the others did to it.
void mark_in_turn(const std::vector<JointDef>& joints, const std::vector<bool>& moves, const std::vector<int>& group_of,
                  std::vector<JointGroup>& groups) {
  std::vector<int> first_group(moves.size(), -1);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    for (const int body : {joints[i].a, joints[i].b}) {
      if (!moves[body]) continue;
      if (first_group[body] < 0) first_group[body] = group_of[i];
      if (first_group[body] == group_of[i]) continue;
      groups[first_group[body]].is_in_turn = true;
      groups[group_of[i]].is_in_turn = true;
    }
  }
}

// Moving bodies that joints connect.
void find_assemblies(const std::vector<JointDef>& joints, const std::vector<bool>& moves, JointGroups& groups) {
  std::vector<std::vector<int>> joined(moves.size());
  std::vector<bool> is_jointed(moves.size(), false);
  for (const JointDef& joint : joints) {
    is_jointed[joint.a] = is_jointed[joint.b] = true;
    if (!moves[joint.a] || !moves[joint.b]) continue;
    joined[joint.a].push_back(joint.b);
    joined[joint.b].push_back(joint.a);
  }
  groups.assembly_of.assign(moves.size(), -1);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!moves[i] || !is_jointed[i] || groups.assembly_of[i] >= 0) continue;
    const int number = static_cast<int>(groups.assemblies.size());
    std::vector<int>& bodies = groups.assemblies.emplace_back().bodies;
    bodies.push_back(static_cast<int>(i));
    groups.assembly_of[i] = number;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      for (const int next : joined[bodies[k]]) {
        if (groups.assembly_of[next] >= 0) continue;
        groups.assembly_of[next] = number;
        bodies.push_back(next);
      }
    }
    std::sort(bodies.begin(), bodies.end());
  }
  for (const JointDef& joint : joints) {
    if (moves[joint.a] == moves[joint.b]) continue;
    groups.assemblies[groups.assembly_of[moves[joint.a] ? joint.a : joint.b]].is_free = false;
  }
}

}  // namespace

void JointGroups::build(const std::vector<JointDef>& joints, const std::vector<bool>& moves) {
  *this = {};
  find_assemblies(joints, moves, *this);
  const Neighbours neighbours = find_neighbours(joints, moves);
  Neighbours left = neighbours;
  Neighbours later(joints.size());
  std::vector<bool> seen(joints.size(), false);
  std::vector<int> group_of(joints.size(), 0);
  const auto close_group = [&](std::size_t begin) {
    JointGroup group;
    group.first_joint = static_cast<int>(begin);
    group.end_joint = static_cast<int>(order.size());
    for (std::size_t k = begin; k < order.size(); ++k) group_of[order[k]] = static_cast<int>(groups.size());
    groups.push_back(group);
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (seen[i]) continue;
    const std::vector<int> component = find_component(neighbours, static_cast<int>(i), seen);
    const std::size_t begin = order.size();
    if (eliminate(component, left, order, later)) {
      close_group(begin);
      continue;
    }
    order.resize(begin);
    std::vector<int> in_turn = component;
    std::sort(in_turn.begin(), in_turn.end());
    for (const int joint : in_turn) {
      later[joint].clear();
      order.push_back(joint);
      close_group(order.size() - 1);
    }
  }
  mark_in_turn(joints, moves, group_of, groups);

  first_row.assign(joints.size(), 0);
  row_count.assign(joints.size(), 0);
  std::vector<int> place(joints.size(), 0);
  int rows_so_far = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[order[k]] = static_cast<int>(k);
    first_row[order[k]] = rows_so_far;
    row_count[order[k]] = rows_of(joints[order[k]]);
    rows_so_far += row_count[order[k]];
  }
  for (JointGroup& group : groups) {
    group.first_row = first_row[order[group.first_joint]];
    const int last = order[group.end_joint - 1];
    group.end_row = first_row[last] + row_count[last];
  }

  column_start.push_back(0);
  for (const int joint : order) {
    std::vector<int> after(later[joint].begin(), later[joint].end());
    std::sort(after.begin(), after.end(), [&](int a, int b) { return place[a] < place[b]; });
    for (int k = 0; k < row_count[joint]; ++k) {
      for (int m = k + 1; m < row_count[joint]; ++m) rows.push_back(first_row[joint] + m);
      for (const int other : after) {
        for (int m = 0; m < row_count[other]; ++m) rows.push_back(first_row[other] + m);
      }
      column_start.push_back(static_cast<int>(rows.size()));
    }
  }
  // The entry in a column and a later row; it is there.
  const auto entry = [&](int row, int column) {
    const auto begin = rows.begin() + column_start[column];
    const auto end = rows.begin() + column_start[column + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - rows.begin());
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    for (int m = 1; m < kJointRows; ++m) {
      for (int k = 0; k < m; ++k) {
        inner.push_back(m < row_count[i] ? entry(first_row[i] + m, first_row[i] + k) : -1);
      }
    }
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    for (const int other : neighbours[i]) {
      if (group_of[i] != group_of[other] || place[i] < place[other]) continue;
      for (const bool later_is_b : {false, true}) {
        for (const bool earlier_is_b : {false, true}) {
          const int body = later_is_b ? joints[i].b : joints[i].a;
          if (body != (earlier_is_b ? joints[other].b : joints[other].a) || !moves[body]) continue;
          JointCoupling coupling;
          coupling.later = static_cast<int>(i);
          coupling.earlier = other;
          coupling.later_is_b = later_is_b;
          coupling.earlier_is_b = earlier_is_b;
          coupling.body = body;
          for (int m = 0; m < row_count[i]; ++m) {
            for (int k = 0; k < row_count[other]; ++k) {
              coupling.at[m][k] = entry(first_row[i] + m, first_row[other] + k);
            }
          }
          couplings.push_back(coupling);
        }
      }
    }
  }
  for (JointGroup& group : groups) {
    group.first_eliminated = static_cast<int>(eliminated.size());
    for (int column = group.first_row; column < group.end_row; ++column) {
      for (int p = column_start[column]; p < column_start[column + 1]; ++p) {
        for (int q = p + 1; q < column_start[column + 1]; ++q) eliminated.push_back(entry(rows[q], rows[p]));
      }
    }
  }
}

GroupRange JointGroups::next_range(std::size_t begin) const {
  std::size_t end = begin;
  while (end < groups.size() && end < begin + kGroupsAtOnce && !groups[end].is_in_turn) ++end;
  // One that is solved in turn is alone.
  if (end == begin && end < groups.size()) ++end;
  return {begin, end};
}

}  // namespace horus::sim2d
