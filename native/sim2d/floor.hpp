// What line sensors see: lines and patches on the floor, found by a grid, which never collide, and bodies over it.
#pragma once

#include <vector>

#include "sim2d/fingerprint.hpp"
#include "sim2d/math.hpp"

namespace horus::sim2d {

// A body that line sensors see where it lies over the floor, and how strongly.
struct SeenBody {
  int body = 0;
  double intensity = 0.0;
};

class Floor {
 public:
  // A segment with round ends.
  void add_segment(Vec2 a, Vec2 b, double half_thickness, double intensity);
  // A convex, counter-clockwise polygon in world coordinates.
  void add_patch(const std::vector<Vec2>& points, double intensity);
  void add_body(int body, double intensity) { bodies_.push_back({body, intensity}); }
  // Builds the grid.
  void finish();
  // The strongest intensity of the marks at a point; 0 off all of them.
  double intensity(Vec2 point) const;
  void add_to(Fingerprint& fingerprint) const;
  std::size_t size() const { return marks_.size(); }
  const std::vector<SeenBody>& bodies() const { return bodies_; }

 private:
  // A segment has one edge and a thickness, a patch has all its edges.
  struct Mark {
    Vec2 a;
    Vec2 b;
    double half_thickness = 0.0;
    double intensity = 0.0;
    int first = 0;
    int count = 0;
    Aabb box;
  };
  bool covers(const Mark& mark, Vec2 point) const;
  int cell_x(double x) const;
  int cell_y(double y) const;

  std::vector<Mark> marks_;
  std::vector<Vec2> corners_;
  std::vector<SeenBody> bodies_;
  Aabb box_;
  double cell_ = 1.0;
  int columns_ = 0;
  int rows_ = 0;
  // Marks of each cell: members_[starts_[cell]] to members_[starts_[cell + 1]].
  std::vector<int> starts_;
  std::vector<int> members_;
};

}  // namespace horus::sim2d
