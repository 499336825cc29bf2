// Sine and cosine of many angles at once: the same bits in a vector loop, alone, and on every machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace horus::math {

// Beyond this the reduction to a quarter turn below is no longer exact.
inline constexpr double kLargeAngle = 1e5;  // [rad]

// Of r + tail, within an eighth of a turn of zero, and as many quarter turns as `quadrant` says: the polynomials of
// fdlibm. No branches and no tables, so that compilers turn loops over it into vector instructions.
inline void reduced_sine_cosine(double r, double tail, std::uint64_t quadrant, double& sine, double& cosine) {
  const double z = r * r;
  const double cube = z * r;
  const double s_rest =
      8.33333333332248946124e-03 +
      z * (-1.98412698298579493134e-04 +
           z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  // Subtracted last, so that -0 stays what it is.
  const double s = r - ((z * (0.5 * tail - cube * s_rest) - tail) - cube * -1.66666666666666324348e-01);
  const double half = 0.5 * z;
  const double rest = 1.0 - half;
  const double c_rest =
      4.16666666666666019037e-02 +
      z * (-1.38888888888741095749e-03 +
           z * (2.48015872894767294178e-05 +
                z * (-2.75573143513906633035e-07 +
                     z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  const double c = rest + (((1.0 - rest) - half) + (z * z * c_rest - r * tail));
  // Odd quadrants swap the two; signs follow from the bits of the quadrant.
  const std::uint64_t swap = 0u - (quadrant & 1u);
  const auto s_bits = std::bit_cast<std::uint64_t>(s), c_bits = std::bit_cast<std::uint64_t>(c);
  const std::uint64_t mixed = (s_bits ^ c_bits) & swap;
  sine = std::bit_cast<double>((s_bits ^ mixed) ^ ((quadrant & 2u) << 62));
  cosine = std::bit_cast<double>((c_bits ^ mixed) ^ (((quadrant + 1u) & 2u) << 62));
}

// Within 1 ulp for |x| < kLargeAngle.
inline void sine_cosine(double x, double& sine, double& cosine) {
  constexpr double kShift = 0x1.8p52;  // adding it rounds to an integer, which stands in the low bits
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  // A quarter turn in three parts: products of the first two with the number of turns are exact.
  constexpr double kQuarter1 = 0x1.921fb544p+0, kQuarter2 = 0x1.0b4611a6p-34, kQuarter3 = 0x1.3198a2e037073p-69;
  const double shifted = x * kTwoOverPi + kShift;
  const double turns = shifted - kShift;
  const double a = x - turns * kQuarter1;
  const double b = turns * kQuarter2;
  const double ab = a - b;
  const double c = turns * kQuarter3;
  const double r = ab - c;
  const double tail = ((ab - r) - c) + ((a - ab) - b);
  reduced_sine_cosine(r, tail, std::bit_cast<std::uint64_t>(shifted), sine, cosine);
}

// Of any angle that is finite, within 1 ulp; else NaN.
void large_sine_cosine(double x, double& sine, double& cosine);

// As above for any angle; NaN and infinity give NaN.
inline void any_sine_cosine(double x, double& sine, double& cosine) {
  if (std::abs(x) < kLargeAngle) {
    sine_cosine(x, sine, cosine);
  } else {
    large_sine_cosine(x, sine, cosine);
  }
}

inline double sine(double x) {
  double s, c;
  any_sine_cosine(x, s, c);
  return s;
}

inline double cosine(double x) {
  double s, c;
  any_sine_cosine(x, s, c);
  return c;
}

}  // namespace horus::math
