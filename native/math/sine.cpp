#include "math/sine.hpp"

#include <limits>

#include "math/bits.hpp"

namespace horus::math {
namespace {

// Binary digits of 2 / pi, behind 64 zeros.
constexpr std::uint64_t kTwoOverPi[] = {
    0,
    0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4,
    0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D,
};

struct Wide {
  std::uint64_t high, low;
};

Wide product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a1 = a >> 32, a0 = a & 0xFFFFFFFFu, b1 = b >> 32, b0 = b & 0xFFFFFFFFu;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const std::uint64_t other = a0 * b1 + (middle & 0xFFFFFFFFu);
  return {a1 * b1 + (middle >> 32) + (other >> 32), a * b};
}

// 64 digits from the one at `place` on.
std::uint64_t digits(int place) {
  const int word = place / 64, shift = place % 64;
  return shift == 0 ? kTwoOverPi[word] : kTwoOverPi[word] << shift | kTwoOverPi[word + 1] >> (64 - shift);
}

}  // namespace

// Payne and Hanek: of x * 2 / pi, only the digits around the point are worked out.
void large_sine_cosine(double x, double& sine, double& cosine) {
  if (!std::isfinite(x)) {
    sine = cosine = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFull) | 1ull << 52;
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1075;
  // The product begins with two digits before the point: whole turns are left out.
  const int place = 64 + exponent - 2;
  const Wide last = product(mantissa, digits(place + 128)), middle = product(mantissa, digits(place + 64));
  const std::uint64_t second = last.high + middle.low;
  const std::uint64_t first = mantissa * digits(place) + middle.high + (second < middle.low);
  std::uint64_t quadrant = first >> 62;
  std::uint64_t high = first << 2 | second >> 62, low = second << 2 | last.low >> 62;
  const bool is_past_half = high >> 63 != 0;
  if (is_past_half) {
    ++quadrant;
    low = ~low + 1;
    high = ~high + (low == 0);
  }
  // No double comes closer to a quarter turn than 2^-62, so that `high` is not zero for long.
  const int zeros = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low | 1);
  if (zeros >= 64) {
    high = low << (zeros - 64), low = 0;
  } else if (zeros > 0) {
    high = high << zeros | low >> (64 - zeros), low <<= zeros;
  }
  const double a = static_cast<double>(high >> 11) * power_of_two(-53 - zeros);
  const double b = static_cast<double>((high & 0x7FF) << 42 | low >> 22) * power_of_two(-106 - zeros);
  // Times a quarter turn, exactly but for what is far below rounding.
  constexpr double kQuarter = 0x1.921fb54442d18p+0, kQuarterRest = 0x1.1a62633145c07p-54;
  const double r = a * kQuarter;
  const double a1 = short_part(a), a2 = a - a1, q1 = short_part(kQuarter), q2 = kQuarter - q1;
  const double tail = ((((a1 * q1 - r) + a1 * q2) + a2 * q1) + a2 * q2) + (a * kQuarterRest + b * kQuarter);
  const double near = r + tail;
  const double rest = tail - (near - r);
  const double sign = is_past_half ? -1.0 : 1.0;
  reduced_sine_cosine(sign * near, sign * rest, quadrant, sine, cosine);
  if (bits >> 63 != 0) sine = -sine;
}

}  // namespace horus::math
