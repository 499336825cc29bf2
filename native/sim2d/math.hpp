// Vectors, rotations and poses in the plane.
#pragma once

#include <cmath>

#include "math/sine.hpp"

namespace horus::sim2d {

struct Vec2 {
  double x = 0.0;
  double y = 0.0;
};

inline Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator*(double k, Vec2 a) { return {k * a.x, k * a.y}; }
inline Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
inline double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
inline double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
// Velocity of a point at r on a body that turns at w.
inline Vec2 cross(double w, Vec2 r) { return {-w * r.y, w * r.x}; }
// A quarter turn to the left.
inline Vec2 left_of(Vec2 a) { return {-a.y, a.x}; }
inline double length(Vec2 a) { return std::sqrt(dot(a, a)); }
// v of the frame turned by (c, s), in the frame that it is turned in.
inline Vec2 rotate(double c, double s, Vec2 v) { return {c * v.x - s * v.y, s * v.x + c * v.y}; }
inline Vec2 unrotate(double c, double s, Vec2 v) { return {c * v.x + s * v.y, c * v.y - s * v.x}; }

// The unit vector at an angle.
inline Vec2 direction_of(double angle) {
  Vec2 direction;
  math::any_sine_cosine(angle, direction.y, direction.x);
  return direction;
}

struct Pose {
  double x = 0.0;
  double y = 0.0;
  double theta = 0.0;
};

struct Aabb {
  double min_x = 0.0;
  double min_y = 0.0;
  double max_x = 0.0;
  double max_y = 0.0;
};

inline bool overlap(const Aabb& a, const Aabb& b) {
  return (a.min_x <= b.max_x) & (b.min_x <= a.max_x) & (a.min_y <= b.max_y) & (b.min_y <= a.max_y);
}

}  // namespace horus::sim2d
