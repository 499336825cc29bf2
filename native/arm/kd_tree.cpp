#include "arm/kd_tree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace horus::arm {

KdTree::KdTree(int dimensions, const std::vector<float>& points) : dimensions_(dimensions) {
  order_.resize(points.size() / static_cast<std::size_t>(dimensions));
  std::iota(order_.begin(), order_.end(), 0u);
  if (order_.empty()) return;
  build(points, 0, static_cast<std::uint32_t>(order_.size()));
  sorted_.reserve(points.size());
  for (const std::uint32_t index : order_) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(index) * dimensions;
    sorted_.insert(sorted_.end(), first, first + dimensions);
  }
}

void KdTree::build(const std::vector<float>& points, std::uint32_t begin, std::uint32_t end) {
  const std::size_t self = nodes_.size();
  nodes_.push_back({0.0f, -1, begin, end, 0});
  // std::nth_element of each library leaves another order; which of several equally near points is found hangs on it.
  const auto sort_leaf = [&] { std::sort(order_.begin() + begin, order_.begin() + end); };
  if (end - begin <= kLeafSize) return sort_leaf();
  const auto value = [&](std::uint32_t index, int d) {
    return points[static_cast<std::size_t>(index) * dimensions_ + d];
  };
  int widest = 0;
  float width = -1.0f;
  for (int d = 0; d < dimensions_; ++d) {
    float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
    for (std::uint32_t k = begin; k < end; ++k) {
      low = std::min(low, value(order_[k], d));
      high = std::max(high, value(order_[k], d));
    }
    if (high - low > width) width = high - low, widest = d;
  }
  if (width <= 0.0f) return sort_leaf();
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const float x = value(a, widest), y = value(b, widest);
                     return x < y || (x == y && a < b);
                   });
  nodes_[self].dimension = widest;
  nodes_[self].split = value(order_[middle], widest);
  build(points, begin, middle);
  nodes_[self].right = static_cast<std::uint32_t>(nodes_.size());
  build(points, middle, end);
}

namespace {

struct Pending {
  std::uint32_t node;
  float distance2;
  std::array<float, KdTree::kMaxDimensions> gap;  // from the query to the node's box, by dimension
};

}  // namespace

int KdTree::nearest(const float* query, std::span<Neighbour> out, int max_leaves) const {
  if (nodes_.empty() || out.empty()) return 0;
  const int wanted = static_cast<int>(out.size());
  int found = 0;
  Pending stack[64];
  int depth = 0;
  stack[depth++] = {0, 0.0f, {}};
  int leaves = 0;
  while (depth > 0 && leaves < max_leaves) {
    Pending at = stack[--depth];
    if (found == wanted && at.distance2 >= out[wanted - 1].distance2) continue;
    while (nodes_[at.node].dimension >= 0) {
      const Node& node = nodes_[at.node];
      const float offset = query[node.dimension] - node.split;
      const std::uint32_t left = at.node + 1;
      const std::uint32_t near = offset < 0.0f ? left : node.right, far = offset < 0.0f ? node.right : left;
      const float old = at.gap[node.dimension];
      const float distance2 = at.distance2 - old * old + offset * offset;
      if (found < wanted || distance2 < out[wanted - 1].distance2) {
        stack[depth] = {far, distance2, at.gap};
        stack[depth++].gap[node.dimension] = offset;
      }
      at.node = near;
    }
    ++leaves;
    for (std::uint32_t k = nodes_[at.node].begin; k < nodes_[at.node].end; ++k) {
      const float* const point = sorted_.data() + static_cast<std::size_t>(k) * dimensions_;
      float distance2 = 0.0f;
      for (int d = 0; d < dimensions_; ++d) {
        const float gap = point[d] - query[d];
        distance2 += gap * gap;
      }
      if (found == wanted && distance2 >= out[wanted - 1].distance2) continue;
      int place = found < wanted ? found++ : wanted - 1;
      for (; place > 0 && out[place - 1].distance2 > distance2; --place) out[place] = out[place - 1];
      out[place] = {distance2, order_[k]};
    }
  }
  return found;
}

}  // namespace horus::arm
