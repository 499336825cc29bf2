#include <cmath>
#include <vector>

#include "check.hpp"
#include "rl/philox.hpp"

using namespace horus::rl;

// Vectors from the authors' own test of Philox4x32-10.
TEST(matches_published_vectors) {
  CHECK((philox({0, 0, 0, 0}, {0, 0}) ==
         std::array<std::uint32_t, 4>{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  constexpr std::uint32_t ones = 0xffffffffu;
  CHECK((philox({ones, ones, ones, ones}, {ones, ones}) ==
         std::array<std::uint32_t, 4>{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  CHECK((philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}) ==
         std::array<std::uint32_t, 4>{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(moments) {
  std::vector<double> values(100'001);
  double mean = 0.0;
  double square = 0.0;
  fill_normal({3, 1, 2, 7}, values.data(), values.size());
  for (const double value : values) mean += value, square += value * value;
  CHECK(std::abs(mean / 1e5) < 0.02);
  CHECK(std::abs(square / 1e5 - 1.0) < 0.02);
  fill_uniform({3, 1, 2, 7}, values.data(), values.size());
  mean = 0.0;
  for (const double value : values) {
    CHECK(value >= 0.0 && value < 1.0);
    mean += value;
  }
  CHECK(std::abs(mean / 1e5 - 0.5) < 0.01);
}

// A longer draw starts with the shorter one.
TEST(prefixes) {
  double few[3];
  double many[8];
  fill_uniform({9, 4, 0, 1}, few, 3);
  fill_uniform({9, 4, 0, 1}, many, 8);
  for (int i = 0; i < 3; ++i) CHECK(few[i] == many[i]);
  fill_normal({9, 4, 0, 1}, few, 3);
  fill_normal({9, 4, 0, 1}, many, 8);
  for (int i = 0; i < 3; ++i) CHECK(few[i] == many[i]);
}

int main() { return check::run_all(); }
