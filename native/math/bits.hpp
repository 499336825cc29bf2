// Doubles by their bits.
#pragma once

#include <bit>
#include <cstdint>

namespace horus::math {

// 2^exponent, for exponents of normal numbers.
inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

// The first 26 binary digits: products of two such numbers, and of one with what the other lacks, are exact.
inline double short_part(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~0x7FFFFFFull); }

}  // namespace horus::math
