// Rigid transforms: a translation [m] and a unit quaternion in xyzw order.
#pragma once

#include <cmath>
#include <limits>

namespace horus::tf {

struct Vec3 {
  double x = 0.0, y = 0.0, z = 0.0;
};

struct Quat {
  double x = 0.0, y = 0.0, z = 0.0, w = 1.0;
};

// Maps coordinates of a child frame into its parent: p_parent = rotation * p_child + translation.
struct Transform {
  Vec3 translation;
  Quat rotation;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, const Vec3& v) { return {s * v.x, s * v.y, s * v.z}; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline double dot(const Quat& a, const Quat& b) { return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w); }
inline Quat operator*(double s, const Quat& q) { return {s * q.x, s * q.y, s * q.z, s * q.w}; }
inline Quat conjugate(const Quat& q) { return {-q.x, -q.y, -q.z, q.w}; }

inline Quat operator*(const Quat& a, const Quat& b) {
  return {(a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y), (a.w * b.y - a.x * b.z) + (a.y * b.w + a.z * b.x),
          (a.w * b.z + a.x * b.y) + (a.z * b.w - a.y * b.x), (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z)};
}

inline Vec3 rotate(const Quat& q, const Vec3& v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 twice = 2.0 * cross(axis, v);
  return v + (q.w * twice + cross(axis, twice));
}

// One Newton step towards norm 1: exact to rounding for a quaternion that is already close.
inline Quat renormalized(const Quat& q) { return (0.5 * (3.0 - dot(q, q))) * q; }

inline Transform compose(const Transform& a, const Transform& b) {
  return {a.translation + rotate(a.rotation, b.translation), a.rotation * b.rotation};
}

inline Transform inverse(const Transform& a) {
  const Quat back = conjugate(a.rotation);
  const Vec3 t = rotate(back, a.translation);
  return {{-t.x, -t.y, -t.z}, back};
}

// inverse(a) * b without forming the inverse.
inline Transform compose_inverse(const Transform& a, const Transform& b) {
  const Quat back = conjugate(a.rotation);
  return {rotate(back, b.translation - a.translation), back * b.rotation};
}

inline Vec3 apply(const Transform& a, const Vec3& point) { return rotate(a.rotation, point) + a.translation; }

inline bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
inline bool is_finite(const Quat& q) {
  return std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w);
}

// Scales q to norm 1 and returns true; a zero or non-finite quaternion is left alone and gives false.
// A quaternion that already has norm 1 to rounding keeps its bits, so that normalizing twice changes nothing.
bool normalize(Quat& q);

// sin(u h) / sin(h) = u (1 + m_1 (1 + m_2 (1 + ...))) with m_i = (1 - cos h) (i^2 - u^2) / (i (2 i + 1)).
// Terms shrink by about (1 - cos h) / 2 each, and need no trigonometric function.
template <int kTerms>
inline double sine_ratio(double u, double one_minus_cos) {
  const double u2 = u * u;
  double sum = 1.0;
  for (int i = kTerms; i >= 1; --i) sum = 1.0 + (one_minus_cos * (1.0 / (i * (2.0 * i + 1.0)))) * (i * i - u2) * sum;
  return u * sum;
}

// Weights of the two ends for any angle.
void slerp_weights(double u, double one_minus_cos, double& weight_a, double& weight_b);

// Shortest-arc spherical interpolation for 0 <= u <= 1; u = 0 gives a, u = 1 gives b.
inline Quat slerp(const Quat& a, const Quat& b, double u) {
  const double cosine = dot(a, b);
  // The weights are smooth in 1 - cos, so its rounding error of 1e-16 stays as small in the result.
  const double one_minus_cos = 1.0 - std::abs(cosine);
  double weight_a, weight_b;
  if (one_minus_cos < 1e-4) [[likely]] {
    weight_a = sine_ratio<3>(1.0 - u, one_minus_cos);
    weight_b = sine_ratio<3>(u, one_minus_cos);
  } else {
    slerp_weights(u, one_minus_cos, weight_a, weight_b);
  }
  if (cosine < 0.0) weight_b = -weight_b;
  return {weight_a * a.x + weight_b * b.x, weight_a * a.y + weight_b * b.y, weight_a * a.z + weight_b * b.z,
          weight_a * a.w + weight_b * b.w};
}

// Linear in translation, slerp in rotation.
inline Transform interpolate(const Transform& a, const Transform& b, double u) {
  const Vec3 step = b.translation - a.translation;
  return {a.translation + u * step, slerp(a.rotation, b.rotation, u)};
}

// Goes on from a over b at constant linear and angular velocity; u = 1 gives b.
Transform extrapolate(const Transform& a, const Transform& b, double u);

struct Matrix3 {
  double m[3][3];
};

Matrix3 to_matrix(const Quat& q);
// m must be orthonormal with determinant +1.
Quat from_matrix(const Matrix3& m);
double determinant(const Matrix3& m);
// Largest entry of |m m^T - 1|.
double orthonormality_error(const Matrix3& m);

// Roll, pitch, yaw [rad] about the fixed axes x, y, z, in this order (REP 103, URDF).
Quat from_euler(const Vec3& rpy);
Vec3 to_euler(const Quat& q);

}  // namespace horus::tf
