// Frames as four columns: the axes and the origin of a frame, expressed in the frame above.
#pragma once

#include <cmath>

#include "tf/transform.hpp"

namespace horus::arm {

using tf::cross;
using tf::Vec3;

inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double norm(const Vec3& v) { return std::sqrt(dot(v, v)); }

// T_parent_frame: x, y, z are the columns of its rotation, p its translation [m].
struct Frame {
  Vec3 x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0}, p;
};

inline Vec3 rotate(const Frame& T, const Vec3& v) { return v.x * T.x + v.y * T.y + v.z * T.z; }

inline Frame compose(const Frame& a, const Frame& b) {
  return {rotate(a, b.x), rotate(a, b.y), rotate(a, b.z), a.p + rotate(a, b.p)};
}

inline Vec3 rotate_back(const Frame& T, const Vec3& v) { return {dot(T.x, v), dot(T.y, v), dot(T.z, v)}; }

inline Frame inverse(const Frame& T) {
  const Vec3 p = rotate_back(T, T.p);
  return {{T.x.x, T.y.x, T.z.x}, {T.x.y, T.y.y, T.z.y}, {T.x.z, T.y.z, T.z.z}, {-p.x, -p.y, -p.z}};
}

}  // namespace horus::arm
