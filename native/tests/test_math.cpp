// Against long double, in units in the last place.
#include <algorithm>
#include <cmath>
#include <limits>

#include "arm/random.hpp"
#include "check.hpp"
#include "math/arc_tangent.hpp"
#include "math/exponential.hpp"
#include "math/sine.hpp"

using namespace horus::math;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How far `got` is from `exact`, in units in the last place of a double.
double units_off(double got, long double exact) {
  const double magnitude = std::abs(static_cast<double>(exact));
  const double unit = std::max(std::nextafter(magnitude, kInfinity) - magnitude, std::numeric_limits<double>::denorm_min());
  return static_cast<double>(std::abs(got - exact) / unit);
}

// Magnitudes evenly over their exponents, of both signs.
double any_number(horus::arm::Random& random, double least_exponent, double most_exponent) {
  const double exponent = least_exponent + (most_exponent - least_exponent) * random.unit();
  return (random.bits() & 1 ? 1.0 : -1.0) * std::exp2(exponent) * (1.0 + random.unit()) * 0.5;
}

struct Worst {
  double units = 0.0, at = 0.0;
  void note(double off, double x) {
    if (!(off <= units)) units = off, at = x;
  }
};

#define CHECK_WORST(worst) check::close(__FILE__, __LINE__, #worst ".units", (worst).units, 0.0, 0.999)

}  // namespace

TEST(sine_and_cosine_are_within_a_unit) {
  horus::arm::Random random(1);
  Worst sines, cosines;
  const auto look_at = [&](double x) {
    double s, c;
    any_sine_cosine(x, s, c);
    sines.note(units_off(s, std::sin(static_cast<long double>(x))), x);
    cosines.note(units_off(c, std::cos(static_cast<long double>(x))), x);
  };
  for (int k = 0; k < 400'000; ++k) {
    look_at(20.0 * (random.unit() - 0.5));
    look_at(2.0 * kLargeAngle * (random.unit() - 0.5));
    look_at(any_number(random, -30.0, 60.0));
  }
  // Where the reduction leaves least: next to multiples of a quarter turn.
  for (int k = 1; k < 63'000; ++k) {
    const auto near = static_cast<double>(k * 1.5707963267948966192313L);
    for (const double x : {std::nextafter(near, 0.0), near, std::nextafter(near, kInfinity)}) look_at(x);
  }
  CHECK_WORST(sines);
  CHECK_WORST(cosines);
}

TEST(huge_angles_are_reduced_with_all_digits) {
  // sin and cos of numbers that are close to multiples of a quarter turn, from mpmath with 1,500 digits.
  double s, c;
  any_sine_cosine(6381956970095103.0 * 0x1p797, s, c);
  CHECK(units_off(s, 1.0L) < 1.0);
  CHECK(units_off(c, -4.687165924254627611123e-19L) < 1.0);
  any_sine_cosine(-0x1.fffffffffffffp+1023, s, c);
  CHECK(units_off(s, -0.004961954789184061790503L) < 1.0);
  CHECK(units_off(c, -0.9999876894265599374649L) < 1.0);
  any_sine_cosine(1e22, s, c);
  CHECK(units_off(s, -0.8522008497671888017727L) < 1.0);
  CHECK(units_off(c, 0.5232147853951389454976L) < 1.0);
}

TEST(sine_and_cosine_of_special_numbers) {
  CHECK(std::signbit(sine(-0.0)) && sine(-0.0) == 0.0);
  CHECK_EQUAL(cosine(0.0), 1.0);
  CHECK_EQUAL(sine(1e-310), 1e-310);
  for (const double x : {kInfinity, -kInfinity, std::nan("")}) {
    CHECK(std::isnan(sine(x)) && std::isnan(cosine(x)));
  }
}

TEST(arc_tangent_is_within_a_unit) {
  horus::arm::Random random(2);
  Worst worst;
  const auto look_at = [&](double y, double x) {
    worst.note(units_off(arc_tangent(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))), y / x);
  };
  for (int k = 0; k < 400'000; ++k) {
    look_at(random.unit() - 0.5, random.unit() - 0.5);
    look_at(random.unit(), 1.0);
    look_at(any_number(random, -12.0, 2.0), random.bits() & 1 ? 1.0 : -1.0);
    look_at(any_number(random, -30.0, 30.0), any_number(random, -30.0, 30.0));
    look_at(any_number(random, -1070.0, 1023.0), any_number(random, -1070.0, 1023.0));
  }
  CHECK_WORST(worst);
}

TEST(arc_tangent_of_special_numbers) {
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  const double values[] = {0.0, -0.0, 1.0, -1.0, kInfinity, -kInfinity, least, -least, most, -most};
  for (const double y : values) {
    for (const double x : values) {
      CHECK_EQUAL(arc_tangent(y, x), std::atan2(y, x));
      CHECK_EQUAL(std::signbit(arc_tangent(y, x)), std::signbit(std::atan2(y, x)));
    }
    CHECK(std::isnan(arc_tangent(y, std::nan(""))) && std::isnan(arc_tangent(std::nan(""), y)));
  }
}

TEST(exponential_is_within_a_unit) {
  horus::arm::Random random(3);
  Worst worst;
  for (int k = 0; k < 400'000; ++k) {
    for (const double x : {2.0 * (random.unit() - 0.5), -745.0 + 1454.0 * random.unit(), any_number(random, -60.0, 9.4)}) {
      worst.note(units_off(exponential(x), std::exp(static_cast<long double>(x))), x);
    }
  }
  CHECK_WORST(worst);
  CHECK_EQUAL(exponential(0.0), 1.0);
  CHECK_EQUAL(exponential(-kInfinity), 0.0);
  CHECK_EQUAL(exponential(-800.0), 0.0);
  CHECK_EQUAL(exponential(kInfinity), kInfinity);
  CHECK_EQUAL(exponential(710.0), kInfinity);
  CHECK(std::isnan(exponential(std::nan(""))));
}

TEST(logarithm_is_within_a_unit) {
  horus::arm::Random random(4);
  Worst worst;
  for (int k = 0; k < 400'000; ++k) {
    for (const double x : {random.unit() + 1e-300, 0.5 + random.unit(), std::abs(any_number(random, -1074.0, 1023.0))}) {
      worst.note(units_off(logarithm(x), std::log(static_cast<long double>(x))), x);
    }
  }
  CHECK_WORST(worst);
  CHECK_EQUAL(logarithm(1.0), 0.0);
  CHECK_EQUAL(logarithm(0.0), -kInfinity);
  CHECK_EQUAL(logarithm(-0.0), -kInfinity);
  CHECK_EQUAL(logarithm(kInfinity), kInfinity);
  CHECK(std::isnan(logarithm(-1.0)) && std::isnan(logarithm(std::nan(""))) && std::isnan(logarithm(-kInfinity)));
}

int main() { return check::run_all(); }
