#include "math/arc_tangent.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "math/bits.hpp"

namespace horus::math {
namespace {

constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiRest = 0x1.1a62633145c07p-54;
constexpr int kSteps = 32;

// Arc tangents of k / kSteps, and what they lack.
constexpr double kArcs[kSteps + 1][2] = {
    {0.0, 0.0},
    {0x1.ffd55bba97625p-6, -0x1.5ec431444912cp-60},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.7ee182602f10fp-4, -0x1.cfb654c0c3d98p-58},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.3d6eee8c6626cp-3, 0x1.61a3b0ce9281bp-57},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.b90d7529260a2p-3, 0x1.17b10d2e0e5abp-61},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.18bf5a30bf178p-2, 0x1.30ca4748b1bf9p-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.530ad9951cd4ap-2, -0x1.2566480884082p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.8b24d394a1b25p-2, 0x1.b6d0ba3748fa8p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.c0db4c94ec9fp-2, -0x1.cc1ce70934c34p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.f40dd0b541418p-2, -0x1.a3992dc382a23p-57},
    {0x1.0657e94db30dp-1, -0x1.d5b495f6349e6p-56},
    {0x1.1255d9bfbd2a9p-1, -0x1.2bdaee1c0ee35p-58},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.2958e59308e31p-1, -0x1.09e73b0c6c087p-56},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.3f13fb89e96f4p-1, 0x1.ecf8b492644fp-56},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.538f57b89061fp-1, -0x1.1bb74abda520cp-55},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.66d663923e087p-1, -0x1.6ea6febe8bbbap-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.78f6bbd5d315ep-1, 0x1.406a08980374p-55},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.89ff5ff57f1f8p-1, -0x1.55b9a5e177a1bp-55},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// Factors of d, d^2, ... in the arc tangent of k / kSteps + d.
constexpr int kTerms = 9;
constexpr auto kSeries = [] {
  std::array<std::array<double, kTerms>, kSteps + 1> series{};
  for (int k = 0; k <= kSteps; ++k) {
    const double at = static_cast<double>(k) / kSteps;
    const double first = 1.0 / (1.0 + at * at);
    // Of 1 / (1 + (at + d)^2), the derivative.
    double before = 0.0, factor = first;
    for (int n = 0; n < kTerms; ++n) {
      series[k][n] = factor / (n + 1);
      const double next = -first * (2.0 * at * factor + before);
      before = factor;
      factor = next;
    }
  }
  return series;
}();

}  // namespace

double arc_tangent(double y, double x) {
  double large = std::abs(x), small = std::abs(y);
  const bool is_steep = small > large;
  if (is_steep) std::swap(large, small);
  if (!(large > 0x1p-500 && large < 0x1p500 && small > 0x1p-500)) [[unlikely]] {
    if (std::isnan(x) || std::isnan(y)) return x + y;
    if (large == std::numeric_limits<double>::infinity()) {
      small = small == large ? 1.0 : 0.0, large = 1.0;
    } else if (large == 0.0) {
      large = 1.0;
    } else if (large >= 0x1p500) {
      large *= 0x1p-600, small *= 0x1p-600;
    } else if (large <= 0x1p-500) {
      large *= 0x1p+600, small *= 0x1p+600;
    }
  }
  // The quotient and what it lacks.
  const double inverse = 1.0 / large;
  const double q = small * inverse;
  double rest = 0.0;
  if (q > 0x1p-400) {
    const double q1 = short_part(q), q2 = q - q1, large1 = short_part(large), large2 = large - large1;
    rest = ((((small - q1 * large1) - q1 * large2) - q2 * large1) - q2 * large2) * inverse;
  }
  double arc, low;
  if (q < 1.5 / kSteps) {
    // So small that the quotient may lose digits.
    if (q <= 0x1p-400 && !is_steep && !std::signbit(x)) return x == 0.0 ? y : y / x;
    const double z = q * q;
    const double series =
        -1.0 / 3.0 +
        z * (1.0 / 5.0 +
             z * (-1.0 / 7.0 + z * (1.0 / 9.0 + z * (-1.0 / 11.0 + z * (1.0 / 13.0 + z * (-1.0 / 15.0))))));
    arc = q;
    low = rest + q * z * series;
  } else {
    const int k = static_cast<int>(q * kSteps + 0.5);
    const double d = (q - static_cast<double>(k) / kSteps) + rest;
    const auto& a = kSeries[k];
    const double series =
        a[1] + d * (a[2] + d * (a[3] + d * (a[4] + d * (a[5] + d * (a[6] + d * (a[7] + d * a[8]))))));
    arc = kArcs[k][0];
    low = kArcs[k][1] + (d * a[0] + d * d * series);
  }
  if (is_steep || std::signbit(x)) {
    // A quarter turn less the arc, a half turn less it, or a quarter turn more.
    const double turn = is_steep ? kHalfPi : 2.0 * kHalfPi, turn_rest = is_steep ? kHalfPiRest : 2.0 * kHalfPiRest;
    const double sign = is_steep && std::signbit(x) ? 1.0 : -1.0;
    const double sum = turn + sign * arc;
    low = (((turn - sum) + sign * arc) + turn_rest) + sign * low;
    arc = sum;
  }
  return std::copysign(arc + low, y);
}

}  // namespace horus::math
