// Sine and cosine of many angles at once, the same bits in a vector loop and alone.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace horus::arm {

// Beyond this the reduction below is no longer exact, and the library's functions are used.
inline constexpr double kLargeAngle = 1e5;  // [rad]

// Within 1 ulp or so for |x| < kLargeAngle: reduction to a quarter turn in three exact parts, then the polynomials of
// fdlibm. No branches and no tables, so that compilers turn loops over it into vector instructions.
inline void sine_cosine(double x, double& sine, double& cosine) {
  constexpr double kShift = 0x1.8p52;  // adding it rounds to an integer, which stands in the low bits
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kQuarter1 = 0x1.921fb544p+0, kQuarter2 = 0x1.0b4611a6p-34, kQuarter3 = 0x1.3198a2e037073p-69;
  const double shifted = x * kTwoOverPi + kShift;
  const double turns = shifted - kShift;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double r = ((x - turns * kQuarter1) - turns * kQuarter2) - turns * kQuarter3;
  const double z = r * r;
  const double s =
      r + r * z * (-1.66666666666666324348e-01 +
                   z * (8.33333333332248946124e-03 +
                        z * (-1.98412698298579493134e-04 +
                             z * (2.75573137070700676789e-06 +
                                  z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double half = 0.5 * z;
  const double rest = 1.0 - half;
  const double c =
      rest + (((1.0 - rest) - half) +
              z * z * (4.16666666666666019037e-02 +
                       z * (-1.38888888888741095749e-03 +
                            z * (2.48015872894767294178e-05 +
                                 z * (-2.75573143513906633035e-07 +
                                      z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  // Odd quadrants swap the two; signs follow from the bits of the quadrant.
  const std::uint64_t swap = 0u - (quadrant & 1u);
  const auto s_bits = std::bit_cast<std::uint64_t>(s), c_bits = std::bit_cast<std::uint64_t>(c);
  const std::uint64_t mixed = (s_bits ^ c_bits) & swap;
  sine = std::bit_cast<double>((s_bits ^ mixed) ^ ((quadrant & 2u) << 62));
  cosine = std::bit_cast<double>((c_bits ^ mixed) ^ (((quadrant + 1u) & 2u) << 62));
}

// As above for any angle; NaN and infinity give NaN.
inline void any_sine_cosine(double x, double& sine, double& cosine) {
  if (std::abs(x) < kLargeAngle) {
    sine_cosine(x, sine, cosine);
  } else {
    sine = std::sin(x), cosine = std::cos(x);
  }
}

}  // namespace horus::arm
