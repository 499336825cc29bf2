#include "sim2d/box_tree.hpp"

#include <algorithm>

namespace horus::sim2d {
namespace {

constexpr int kLeaf = 4;

}  // namespace

void BoxTree::build(const std::vector<int>& members, const std::vector<Aabb>& boxes) {
  nodes_.clear();
  members_.assign(members.begin(), members.end());
  if (members.empty()) return;
  nodes_.emplace_back();
  split(0, 0, static_cast<int>(members.size()), boxes);
  boxes_.clear();
  for (const int member : members_) boxes_.push_back(boxes[member]);
}

void BoxTree::split(int at, int first, int end, const std::vector<Aabb>& boxes) {
  Aabb box = boxes[members_[first]];
  for (int k = first + 1; k < end; ++k) {
    const Aabb& other = boxes[members_[k]];
    box.min_x = std::min(box.min_x, other.min_x);
    box.min_y = std::min(box.min_y, other.min_y);
    box.max_x = std::max(box.max_x, other.max_x);
    box.max_y = std::max(box.max_y, other.max_y);
  }
  nodes_[at].box = box;
  if (end - first <= kLeaf) {
    // std::nth_element of each library leaves another order.
    std::sort(members_.begin() + first, members_.begin() + end);
    nodes_[at].first = first;
    nodes_[at].count = end - first;
    return;
  }
  const bool along_x = box.max_x - box.min_x >= box.max_y - box.min_y;
  const auto middle_of = [&](int i) {
    return along_x ? boxes[i].min_x + boxes[i].max_x : boxes[i].min_y + boxes[i].max_y;
  };
  const int half = first + (end - first) / 2;
  std::nth_element(members_.begin() + first, members_.begin() + half, members_.begin() + end, [&](int one, int other) {
    const double a = middle_of(one);
    const double b = middle_of(other);
    return a != b ? a < b : one < other;
  });
  const int children = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  nodes_.emplace_back();
  nodes_[at].first = children;
  split(children, first, half, boxes);
  split(children + 1, half, end, boxes);
}

}  // namespace horus::sim2d
