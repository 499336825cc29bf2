// A small random generator that can be copied and stored with the state of a world.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "math/exponential.hpp"
#include "math/sine.hpp"

namespace horus::sim2d {

inline std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// xoroshiro128+, whose upper 53 bits are used.
struct Random {
  std::uint64_t a = 1;
  std::uint64_t b = 2;

  static Random stream(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t state = seed;
    state = split_mix(state) ^ (index * 0xD1342543DE82EF95ull);
    Random random;
    random.a = split_mix(state);
    random.b = split_mix(state) | 1;
    return random;
  }
  std::uint64_t next() {
    const std::uint64_t result = a + b;
    const std::uint64_t t = b ^ a;
    a = ((a << 24) | (a >> 40)) ^ t ^ (t << 16);
    b = (t << 37) | (t >> 27);
    return result;
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Two independent numbers of mean 0 and deviation 1.
  std::pair<double, double> gaussians() {
    const double radius = std::sqrt(-2.0 * math::logarithm(1.0 - uniform()));
    const double angle = 6.283185307179586 * uniform();
    double s, c;
    math::sine_cosine(angle, s, c);
    return {radius * c, radius * s};
  }
};

}  // namespace horus::sim2d
