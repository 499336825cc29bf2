#include "sim2d/floor.hpp"

#include <algorithm>
#include <cmath>

namespace horus::sim2d {
namespace {

constexpr int kMostCellsAside = 256;

void grow(Aabb& box, const Aabb& other) {
  box.min_x = std::min(box.min_x, other.min_x);
  box.min_y = std::min(box.min_y, other.min_y);
  box.max_x = std::max(box.max_x, other.max_x);
  box.max_y = std::max(box.max_y, other.max_y);
}

}  // namespace

void Floor::add_segment(Vec2 a, Vec2 b, double half_thickness, double intensity) {
  Mark mark;
  mark.a = a;
  mark.b = b;
  mark.half_thickness = half_thickness;
  mark.intensity = intensity;
  mark.box = {std::min(a.x, b.x) - half_thickness, std::min(a.y, b.y) - half_thickness,
              std::max(a.x, b.x) + half_thickness, std::max(a.y, b.y) + half_thickness};
  marks_.push_back(mark);
}

void Floor::add_patch(const std::vector<Vec2>& points, double intensity) {
  Mark mark;
  mark.intensity = intensity;
  mark.first = static_cast<int>(corners_.size());
  mark.count = static_cast<int>(points.size());
  mark.box = {points[0].x, points[0].y, points[0].x, points[0].y};
  for (const Vec2 p : points) {
    grow(mark.box, {p.x, p.y, p.x, p.y});
    corners_.push_back(p);
  }
  marks_.push_back(mark);
}

void Floor::finish() {
  if (marks_.empty()) return;
  box_ = marks_[0].box;
  double thickness = 0.0;
  for (const Mark& mark : marks_) {
    grow(box_, mark.box);
    thickness = std::max(thickness, mark.half_thickness);
  }
  const double size = std::max({box_.max_x - box_.min_x, box_.max_y - box_.min_y, 1e-9});
  // Coarse enough to stay small, fine enough for a few marks a cell.
  cell_ = std::max(size / kMostCellsAside, std::max(4.0 * thickness, size / 64.0));
  columns_ = static_cast<int>((box_.max_x - box_.min_x) / cell_) + 1;
  rows_ = static_cast<int>((box_.max_y - box_.min_y) / cell_) + 1;
  const auto each_cell = [&](const Mark& mark, auto&& visit) {
    for (int row = cell_y(mark.box.min_y); row <= cell_y(mark.box.max_y); ++row) {
      for (int column = cell_x(mark.box.min_x); column <= cell_x(mark.box.max_x); ++column) {
        visit(row * columns_ + column);
      }
    }
  };
  starts_.assign(static_cast<std::size_t>(columns_) * rows_ + 1, 0);
  for (const Mark& mark : marks_) each_cell(mark, [&](int cell) { ++starts_[cell + 1]; });
  for (std::size_t cell = 1; cell < starts_.size(); ++cell) starts_[cell] += starts_[cell - 1];
  members_.assign(starts_.back(), 0);
  std::vector<int> next(starts_.begin(), starts_.end() - 1);
  for (int k = 0; k < static_cast<int>(marks_.size()); ++k) {
    each_cell(marks_[k], [&](int cell) { members_[next[cell]++] = k; });
  }
}

void Floor::add_to(Fingerprint& fingerprint) const {
  fingerprint.add(marks_.size());
  for (const Mark& mark : marks_) {
    fingerprint.add(mark.a, mark.b, mark.half_thickness, mark.intensity, mark.first, mark.count);
  }
  for (const Vec2 corner : corners_) fingerprint.add(corner);
  fingerprint.add(bodies_.size());
  for (const SeenBody& seen : bodies_) fingerprint.add(seen.body, seen.intensity);
}

double Floor::intensity(Vec2 point) const {
  // A comparison that is false for NaN.
  const bool inside = point.x >= box_.min_x && point.x <= box_.max_x && point.y >= box_.min_y && point.y <= box_.max_y;
  if (marks_.empty() || !inside) return 0.0;
  const int cell = cell_y(point.y) * columns_ + cell_x(point.x);
  double strongest = 0.0;
  for (int k = starts_[cell]; k < starts_[cell + 1]; ++k) {
    const Mark& mark = marks_[members_[k]];
    if (mark.intensity > strongest && covers(mark, point)) strongest = mark.intensity;
  }
  return strongest;
}

bool Floor::covers(const Mark& mark, Vec2 point) const {
  if (mark.count == 0) {
    const Vec2 along = mark.b - mark.a;
    const Vec2 offset = point - mark.a;
    const double squared = dot(along, along);
    const double t = squared > 0.0 ? std::clamp(dot(offset, along) / squared, 0.0, 1.0) : 0.0;
    const Vec2 away = offset - t * along;
    return dot(away, away) <= mark.half_thickness * mark.half_thickness;
  }
  for (int i = 0; i < mark.count; ++i) {
    const Vec2 a = corners_[mark.first + i];
    const Vec2 b = corners_[mark.first + (i + 1) % mark.count];
    if (cross(b - a, point - a) < 0.0) return false;
  }
  return true;
}

int Floor::cell_x(double x) const { return std::clamp(static_cast<int>((x - box_.min_x) / cell_), 0, columns_ - 1); }
int Floor::cell_y(double y) const { return std::clamp(static_cast<int>((y - box_.min_y) / cell_), 0, rows_ - 1); }

}  // namespace horus::sim2d
