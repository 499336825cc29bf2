#include "sim2d/floor_patch.hpp"

#include <algorithm>
#include <cmath>

#include "math/exponential.hpp"

namespace horus::sim2d {
namespace {

// A rule for the unit disk under an even load, fitted to the integral of Coulomb friction over it for all ratios of
// sliding to spinning: force and torque are within 2 % of their largest values. Each point stands for a spot of a size
// of its own, which keeps friction smooth when the body turns about one of them.
constexpr int kInner = 2;
constexpr double kInnerRadius = 0.33436327;
constexpr double kOuterRadius = 0.75790615;
constexpr double kInnerWeight = 0.07218771;
constexpr double kOuterWeight = 0.25 * (0.5 - kInner * kInnerWeight);
constexpr double kSpot = 0.03595449;
// Spots of needles must not vanish beside their length.
constexpr double kLeastSpot = 1e-6;
constexpr double kQuarterPi = 0.78539816339744831;

constexpr double kWeights[FloorPatch::kPairs] = {kInnerWeight, kInnerWeight, kOuterWeight,
                                                 kOuterWeight, kOuterWeight, kOuterWeight};

// The rule carried over to an outline whose second moments are those of the disk mapped by the symmetric matrix
// (xx, xy; xy, yy), and scaled so that a pure spin has the outline's own mean arm.
FloorPatch mapped_patch(double xx, double xy, double yy, double mean_arm) {
  FloorPatch patch;
  const double largest = std::max(xx, yy);
  const double spot = std::max(kSpot * (xx * yy - xy * xy), kLeastSpot * largest * largest);
  double arm = 0.0;
  for (int k = 0; k < FloorPatch::kPairs; ++k) {
    const bool inner = k < kInner;
    // Inner points on the diagonals, outer ones from the x axis on.
    const double angle = inner ? kQuarterPi * (1 + 2 * k) : kQuarterPi * (k - kInner);
    const double radius = inner ? kInnerRadius : kOuterRadius;
    const Vec2 on_disk = radius * direction_of(angle);
    patch.x[k] = xx * on_disk.x + xy * on_disk.y;
    patch.y[k] = xy * on_disk.x + yy * on_disk.y;
    patch.square[k] = patch.x[k] * patch.x[k] + patch.y[k] * patch.y[k] + spot;
    arm += 2.0 * kWeights[k] * std::sqrt(patch.square[k]);
  }
  const double scale = mean_arm / arm;
  for (int k = 0; k < FloorPatch::kPairs; ++k) {
    patch.x[k] *= scale;
    patch.y[k] *= scale;
    patch.square[k] *= scale * scale;
  }
  patch.mean_arm = mean_arm;
  return patch;
}

// Twice the integral of the root of x^2 + h^2 from 0 to s.
double mean_arm_part(double s, double h) {
  const double far = std::sqrt(s * s + h * h);
  const double area = h * h * math::logarithm((std::abs(s) + far) / h);
  return s * far + std::copysign(area, s);
}

}  // namespace

FloorPatch disk_patch(double radius) { return mapped_patch(radius, 0.0, radius, 2.0 / 3.0 * radius); }

FloorPatch polygon_patch(const std::vector<Vec2>& points) {
  const std::size_t n = points.size();
  double area = 0.0;
  Vec2 center;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 a = points[i] - points[0];
    const Vec2 b = points[(i + 1) % n] - points[0];
    const double twice = cross(a, b);
    area += 0.5 * twice;
    center = center + (twice / 6.0) * (a + b);
  }
  center = points[0] + (1.0 / area) * center;
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
  double arm = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 a = points[i] - center;
    const Vec2 b = points[(i + 1) % n] - center;
    const double twice = cross(a, b);
    xx += twice / 12.0 * (a.x * a.x + a.x * b.x + b.x * b.x);
    yy += twice / 12.0 * (a.y * a.y + a.y * b.y + b.y * b.y);
    xy += twice / 24.0 * (2.0 * a.x * a.y + a.x * b.y + b.x * a.y + 2.0 * b.x * b.y);
    // Integral of the distance over the triangle from the center to this edge, whose height is h.
    const Vec2 edge = b - a;
    const double size = length(edge);
    const double h = twice / size;
    if (!(h > 0.0)) continue;
    arm += h / 6.0 * (mean_arm_part(dot(b, edge) / size, h) - mean_arm_part(dot(a, edge) / size, h));
  }
  // A unit disk has second moments 1/4; the square root of a symmetric 2 x 2 matrix in closed form.
  xx *= 4.0 / area;
  xy *= 4.0 / area;
  yy *= 4.0 / area;
  const double root = std::sqrt(std::max(xx * yy - xy * xy, 0.0));
  const double scale = 1.0 / std::sqrt(xx + yy + 2.0 * root);
  return mapped_patch(scale * (xx + root), scale * xy, scale * (yy + root), arm / area);
}

FloorDrag floor_drag(const FloorPatch& patch, double vx, double vy, double w) {
  constexpr int n = FloorPatch::kPairs;
  const double sliding = vx * vx + vy * vy;
  const double spinning = w * w;
  const double twice_w = 2.0 * w;
  double sum[n];
  double odd_x[n];
  double odd_y[n];
  double turning[n];
  // In a loop of its own, which the compiler turns into one of vectors.
  for (int k = 0; k < n; ++k) {
    // Slips of the two points of a pair.
    const double even = sliding + spinning * patch.square[k];
    const double odd = twice_w * (vy * patch.x[k] - vx * patch.y[k]);
    const double near = std::sqrt(even + odd);
    const double far = std::sqrt(even - odd);
    const double inverse = kWeights[k] / (near * far);
    sum[k] = inverse * (near + far);
    const double difference = inverse * (far - near);
    odd_x[k] = difference * patch.x[k];
    odd_y[k] = difference * patch.y[k];
    turning[k] = sum[k] * patch.square[k];
  }
  FloorDrag drag;
  for (int k = 0; k < n; ++k) {
    drag.direct += sum[k];
    drag.odd.x += odd_x[k];
    drag.odd.y += odd_y[k];
    drag.turning += turning[k];
  }
  return drag;
}

}  // namespace horus::sim2d
