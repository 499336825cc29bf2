// A tree of boxes, to find those that a box overlaps or a ray meets without looking at all of them.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "sim2d/math.hpp"

namespace horus::sim2d {

class BoxTree {
 public:
  // Of boxes[i] for every i of `members`.
  void build(const std::vector<int>& members, const std::vector<Aabb>& boxes);
  void clear() { nodes_.clear(); }
  bool is_empty() const { return nodes_.empty(); }

  // Calls visit(i) for every member whose box overlaps.
  template <class Visit>
  void query(const Aabb& box, Visit visit) const {
    if (nodes_.empty()) return;
    int stack[kDeepest];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const Node& node = nodes_[stack[--depth]];
      if (!overlap(node.box, box)) continue;
      if (node.count > 0) {
        for (int k = node.first; k < node.first + node.count; ++k) {
          if (overlap(boxes_[k], box)) visit(members_[k]);
        }
      } else {
        stack[depth++] = node.first + 1;
        stack[depth++] = node.first;
      }
    }
  }

  // Calls visit(i) for members whose box a ray meets, near ones rather first. visit returns how far it still matters.
  template <class Visit>
  void cast(Vec2 origin, Vec2 direction, double range, Visit visit) const {
    if (nodes_.empty()) return;
    const Ray ray = {origin, {1.0 / direction.x, 1.0 / direction.y}};
    if (entry(ray, nodes_[0].box, range) > range) return;
    struct Open {
      int node;
      double at;
    };
    Open stack[kDeepest];
    int depth = 0;
    stack[depth++] = {0, 0.0};
    while (depth > 0) {
      const Open open = stack[--depth];
      if (open.at > range) continue;
      const Node& node = nodes_[open.node];
      if (node.count > 0) {
        for (int k = node.first; k < node.first + node.count; ++k) {
          if (entry(ray, boxes_[k], range) <= range) range = visit(members_[k]);
        }
        continue;
      }
      Open near = {node.first, entry(ray, nodes_[node.first].box, range)};
      Open far = {node.first + 1, entry(ray, nodes_[node.first + 1].box, range)};
      if (far.at < near.at) std::swap(near, far);
      if (far.at <= range) stack[depth++] = far;
      if (near.at <= range) stack[depth++] = near;
    }
  }

 private:
  struct Node {
    Aabb box;
    // Of its members, or of its two children when count is 0.
    int first = 0;
    int count = 0;
  };
  struct Ray {
    Vec2 origin;
    Vec2 inverse;
  };
  // Two for every level of a balanced tree of 2^31 boxes.
  static constexpr int kDeepest = 64;

  // Where a ray enters a box; more than `range` where it does not.
  static double entry(const Ray& ray, const Aabb& box, double range) {
    // Along an axis that the ray does not move along, 0 * infinity is NaN: written so that it counts as inside.
    const double x1 = (box.min_x - ray.origin.x) * ray.inverse.x;
    const double x2 = (box.max_x - ray.origin.x) * ray.inverse.x;
    const double y1 = (box.min_y - ray.origin.y) * ray.inverse.y;
    const double y2 = (box.max_y - ray.origin.y) * ray.inverse.y;
    double enter = 0.0;
    double leave = range;
    const auto clip = [&](double one, double two) {
      const double low = two < one ? two : one;
      const double high = two < one ? one : two;
      if (low > enter) enter = low;
      if (high < leave) leave = high;
    };
    clip(x1, x2);
    clip(y1, y2);
    return enter <= leave ? enter : std::numeric_limits<double>::infinity();
  }

  void split(int node, int first, int end, const std::vector<Aabb>& boxes);

  std::vector<Node> nodes_;
  std::vector<int> members_;
  std::vector<Aabb> boxes_;
};

}  // namespace horus::sim2d
