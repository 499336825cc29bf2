// Random numbers that are the same on every machine: SplitMix64.
#pragma once

#include <cstdint>

namespace horus::arm {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace horus::arm
