// Nearest neighbours among points of few dimensions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace horus::arm {

struct Neighbour {
  float distance2;
  std::uint32_t index;
};

// A balanced k-d tree over float points; the order of the points given is the order of their indices.
class KdTree {
 public:
  static constexpr int kMaxDimensions = 9;

  KdTree() = default;
  // `points` holds `dimensions` numbers for each.
  KdTree(int dimensions, const std::vector<float>& points);

  std::size_t size() const { return order_.size(); }
  // Fills `out` with the nearest points, closest first, looking into at most `max_leaves` leaves; returns how many.
  int nearest(const float* query, std::span<Neighbour> out, int max_leaves) const;

 private:
  static constexpr std::uint32_t kLeafSize = 16;
  struct Node {
    float split;
    std::int32_t dimension;  // negative for a leaf
    std::uint32_t begin, end;
    std::uint32_t right;
  };
  struct Query;

  void build(const std::vector<float>& points, std::uint32_t begin, std::uint32_t end);

  int dimensions_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<float> sorted_;  // points in the order of the leaves
};

}  // namespace horus::arm
