#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/arc_tangent.hpp"
#include "math/sine.hpp"
#include "tf/transform.hpp"

namespace horus::tf {
bool normalize(Quat& q) {
  const double norm2 = dot(q, q);
  if (std::abs(norm2 - 1.0) <= 1e-15) return true;
  // Scale by the largest entry first: squares of tiny or huge entries leave the range of doubles.
  const double largest = std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z), std::abs(q.w)});
  if (!(largest > 0.0) || !is_finite(q)) return false;
  const Quat scaled{q.x / largest, q.y / largest, q.z / largest, q.w / largest};
  const double norm = std::sqrt(dot(scaled, scaled));
  q = {scaled.x / norm, scaled.y / norm, scaled.z / norm, scaled.w / norm};
  return true;
}

void slerp_weights(double u, double one_minus_cos, double& weight_a, double& weight_b) {
  if (one_minus_cos < 0.02) {
    weight_a = sine_ratio<9>(1.0 - u, one_minus_cos);
    weight_b = sine_ratio<9>(u, one_minus_cos);
    return;
  }
  const double share = std::clamp(0.5 * one_minus_cos, 0.0, 1.0);
  const double half_angle = 2.0 * math::arc_tangent(std::sqrt(share), std::sqrt(1.0 - share));
  const double sine = math::sine(half_angle);
  weight_a = math::sine((1.0 - u) * half_angle) / sine;
  weight_b = math::sine(u * half_angle) / sine;
}

Transform extrapolate(const Transform& a, const Transform& b, double u) {
  Quat turn = conjugate(a.rotation) * b.rotation;
  if (turn.w < 0.0) turn = -1.0 * turn;
  const double sine = std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  Quat rotation = b.rotation;
  if (sine > 0.0) {
    // By the angle itself: an error of it grows with u, and 1 - cos hides small ones.
    double turned, w;
    math::any_sine_cosine(u * math::arc_tangent(sine, turn.w), turned, w);
    const double scale = turned / sine;
    rotation = a.rotation * Quat{scale * turn.x, scale * turn.y, scale * turn.z, w};
    normalize(rotation);
  }
  return {a.translation + u * (b.translation - a.translation), rotation};
}

Matrix3 to_matrix(const Quat& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
           {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
           {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

Quat from_matrix(const Matrix3& matrix) {
  const auto& m = matrix.m;
  const double trace = m[0][0] + m[1][1] + m[2][2];
  // The largest component first: its square root is far from zero.
  Quat q;
  if (trace >= std::max({m[0][0], m[1][1], m[2][2]})) {
    q = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + trace};
  } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
    q = {1.0 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2]};
  } else if (m[1][1] >= m[2][2]) {
    q = {m[0][1] + m[1][0], 1.0 - m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1], m[0][2] - m[2][0]};
  } else {
    q = {m[0][2] + m[2][0], m[1][2] + m[2][1], 1.0 - m[0][0] - m[1][1] + m[2][2], m[1][0] - m[0][1]};
  }
  normalize(q);
  return q;
}

double determinant(const Matrix3& matrix) {
  const auto& m = matrix.m;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

double orthonormality_error(const Matrix3& matrix) {
  double worst = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double product = i == j ? -1.0 : 0.0;
      for (int k = 0; k < 3; ++k) product += matrix.m[i][k] * matrix.m[j][k];
      worst = std::max(worst, std::abs(product));
    }
  }
  return worst;
}

Quat from_euler(const Vec3& rpy) {
  double cr, sr, cp, sp, cy, sy;
  math::any_sine_cosine(0.5 * rpy.x, sr, cr);
  math::any_sine_cosine(0.5 * rpy.y, sp, cp);
  math::any_sine_cosine(0.5 * rpy.z, sy, cy);
  Quat q{sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
         cr * cp * cy + sr * sp * sy};
  normalize(q);
  return q;
}

Vec3 to_euler(const Quat& q) {
  // Half sums and differences of roll and yaw stay well defined at the poles, unlike the matrix entries
  // (Bernardes and Viollet, "Quaternion to Euler angles conversion", PLOS ONE 2022).
  const double a = q.w - q.y, b = q.x + q.z, c = q.y + q.w, d = q.z - q.x;
  const double cd = std::sqrt(c * c + d * d), ab = std::sqrt(a * a + b * b);
  const double pitch = 2.0 * math::arc_tangent(cd, ab) - 0.5 * std::numbers::pi;
  const double half_sum = math::arc_tangent(b, a);
  const double half_difference = math::arc_tangent(d, c);
  constexpr double kPole = 1e-12;
  double roll, yaw;
  if (cd < kPole) {
    roll = 0.0;
    yaw = 2.0 * half_sum;
  } else if (ab < kPole) {
    roll = 0.0;
    yaw = 2.0 * half_difference;
  } else {
    yaw = half_sum + half_difference;
    roll = half_sum - half_difference;
  }
  const auto wrapped = [](double angle) { return std::remainder(angle, 2.0 * std::numbers::pi); };
  return {wrapped(roll), pitch, wrapped(yaw)};
}

}  // namespace horus::tf
