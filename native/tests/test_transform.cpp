#include <cmath>
#include <random>

#include "check.hpp"
#include "tf/points.hpp"
#include "tf/transform.hpp"

using namespace horus::tf;

namespace {

std::mt19937_64 generator(1);

Quat random_rotation() {
  std::normal_distribution<double> normal;
  Quat q{normal(generator), normal(generator), normal(generator), normal(generator)};
  normalize(q);
  return q;
}

Vec3 random_vector() {
  std::normal_distribution<double> normal;
  return {normal(generator), normal(generator), normal(generator)};
}

Transform random_transform() { return {random_vector(), random_rotation()}; }

void check_close(const Vec3& a, const Vec3& b, double tolerance) {
  CHECK_CLOSE(a.x, b.x, tolerance);
  CHECK_CLOSE(a.y, b.y, tolerance);
  CHECK_CLOSE(a.z, b.z, tolerance);
}

Vec3 multiply(const Matrix3& R, const Vec3& v) {
  const double x[3] = {v.x, v.y, v.z};
  double y[3] = {};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) y[i] += R.m[i][k] * x[k];
  }
  return {y[0], y[1], y[2]};
}

// Slerp by its definition, in extended precision.
Quat slerp_by_definition(const Quat& a, Quat b, double u) {
  if (dot(a, b) < 0.0) b = -1.0 * b;
  long double squared_chord = 0.0L;
  const double difference[4] = {b.x - a.x, b.y - a.y, b.z - a.z, b.w - a.w};
  for (const double d : difference) squared_chord += static_cast<long double>(d) * d;
  const long double angle = 2.0L * std::asin(0.5L * std::sqrt(squared_chord));
  if (angle == 0.0L) return a;
  const auto wa = static_cast<double>(std::sin((1.0L - u) * angle) / std::sin(angle));
  const auto wb = static_cast<double>(std::sin(u * angle) / std::sin(angle));
  return {wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w};
}

Quat about_z(double angle) { return {0.0, 0.0, std::sin(0.5 * angle), std::cos(0.5 * angle)}; }

}  // namespace

TEST(rotate_agrees_with_the_matrix) {
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random_rotation();
    const Vec3 v = random_vector();
    check_close(rotate(q, v), multiply(to_matrix(q), v), 1e-14);
  }
}

TEST(compose_applies_the_right_factor_first) {
  for (int i = 0; i < 1000; ++i) {
    const Transform a = random_transform(), b = random_transform();
    const Vec3 p = random_vector();
    check_close(apply(compose(a, b), p), apply(a, apply(b, p)), 1e-13);
    check_close(apply(compose_inverse(a, b), p), apply(inverse(a), apply(b, p)), 1e-13);
    check_close(apply(inverse(a), apply(a, p)), p, 1e-13);
  }
}

TEST(quarter_turns_have_known_answers) {
  const Transform T{{1.0, 2.0, 3.0}, about_z(M_PI_2)};
  check_close(apply(T, {1.0, 0.0, 0.0}), {1.0, 3.0, 3.0}, 1e-15);
  check_close(to_euler(T.rotation), {0.0, 0.0, M_PI_2}, 1e-15);
  check_close(rotate(from_euler({0.0, 0.0, M_PI_2}), {1.0, 0.0, 0.0}), {0.0, 1.0, 0.0}, 1e-15);
  check_close(rotate(from_euler({M_PI_2, 0.0, M_PI_2}), {0.0, 1.0, 0.0}), {0.0, 0.0, 1.0}, 1e-15);
}

TEST(normalize_keeps_unit_bits_and_refuses_what_has_no_direction) {
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random_rotation();
    Quat again = q;
    CHECK(normalize(again));
    CHECK(again.x == q.x && again.y == q.y && again.z == q.z && again.w == q.w);
  }
  Quat zero{0.0, 0.0, 0.0, 0.0};
  CHECK(!normalize(zero));
  Quat infinite{INFINITY, 0.0, 0.0, 1.0};
  CHECK(!normalize(infinite));
  Quat nan{NAN, 0.0, 0.0, 1.0};
  CHECK(!normalize(nan));
  for (const double scale : {1e-300, 1e-160, 1e160, 1e300}) {
    Quat q{0.6 * scale, 0.0, 0.0, 0.8 * scale};
    CHECK(normalize(q));
    CHECK_CLOSE(q.x, 0.6, 1e-15);
    CHECK_CLOSE(q.w, 0.8, 1e-15);
  }
}

TEST(slerp_agrees_with_its_definition_at_every_angle) {
  for (const double angle : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.05, 0.09, 0.1, 0.2, 0.4, 1.0, 2.0, 3.0, 3.14159}) {
    for (int i = 0; i < 100; ++i) {
      const Quat a = random_rotation();
      Quat b = a * about_z(angle);
      if (i % 2) b = -1.0 * b;
      for (const double u : {0.0, 0.001, 0.25, 0.5, 0.9, 1.0}) {
        const Quat got = slerp(a, b, u), expected = slerp_by_definition(a, b, u);
        const Quat difference{got.x - expected.x, got.y - expected.y, got.z - expected.z, got.w - expected.w};
        CHECK_CLOSE(std::sqrt(dot(difference, difference)), 0.0, 2e-15);
      }
    }
  }
}

TEST(extrapolation_goes_on_at_the_same_rate) {
  const Transform a{{0.0, 1.0, 0.0}, about_z(0.3)}, b{{1.0, 1.0, 0.0}, -1.0 * about_z(0.4)};
  check_close(to_euler(extrapolate(a, b, 2.5).rotation), {0.0, 0.0, 0.55}, 1e-14);
  check_close(extrapolate(a, b, 2.5).translation, {2.5, 1.0, 0.0}, 1e-14);
  check_close(to_euler(extrapolate(a, a, 1e6).rotation), {0.0, 0.0, 0.3}, 1e-14);
  // A turn far too small for 1 - cos, a million steps on.
  const Transform c{{}, about_z(1e-9)};
  check_close(to_euler(extrapolate({}, c, 1e6).rotation), {0.0, 0.0, 1e-3}, 1e-12);
  const Quat far = extrapolate({}, c, 1e12).rotation;
  CHECK_CLOSE(dot(far, far), 1.0, 1e-14);
}

TEST(matrix_and_euler_round_trips) {
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random_rotation();
    CHECK_CLOSE(std::abs(dot(from_matrix(to_matrix(q)), q)), 1.0, 1e-14);
    CHECK_CLOSE(std::abs(dot(from_euler(to_euler(q)), q)), 1.0, 1e-14);
    CHECK_CLOSE(determinant(to_matrix(q)), 1.0, 1e-14);
    CHECK_CLOSE(orthonormality_error(to_matrix(q)), 0.0, 1e-14);
  }
  for (const double off : {0.0, 1e-14, 1e-9, 1e-6}) {
    for (const double pitch : {M_PI_2 - off, -M_PI_2 + off}) {
      const Quat q = from_euler({0.4, pitch, -1.1});
      CHECK_CLOSE(std::abs(dot(from_euler(to_euler(q)), q)), 1.0, 1e-14);
    }
  }
}

TEST(many_points_agree_with_one_at_a_time) {
  const Transform T = random_transform();
  std::vector<double> in(3 * 101), out(in.size());
  std::vector<float> in32(in.size()), out32(in.size());
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = normal(generator);
    in32[i] = static_cast<float>(in[i]);
  }
  transform_points(T, in.data(), out.data(), 101);
  transform_points(T, in32.data(), out32.data(), 101);
  for (std::size_t i = 0; i < 101; ++i) {
    const Vec3 expected = apply(T, {in[3 * i], in[3 * i + 1], in[3 * i + 2]});
    check_close({out[3 * i], out[3 * i + 1], out[3 * i + 2]}, expected, 1e-14);
    check_close({out32[3 * i], out32[3 * i + 1], out32[3 * i + 2]}, expected, 1e-5);
  }
  transform_points(T, in.data(), in.data(), 101);
  CHECK(in == out);
}

int main() { return check::run_all(); }
