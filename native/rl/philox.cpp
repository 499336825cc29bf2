#include "rl/philox.hpp"

#include <algorithm>
#include <cmath>

#include "math/exponential.hpp"
#include "math/sine.hpp"

namespace horus::rl {
namespace {

std::array<std::uint32_t, 4> block(const Origin& origin, std::uint32_t index) {
  return philox({index, origin.stream, origin.step, origin.episode},
                {static_cast<std::uint32_t>(origin.seed), static_cast<std::uint32_t>(origin.seed >> 32)});
}

double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

// Two numbers of mean 0 and deviation 1 (Box and Muller).
std::array<double, 2> gaussians(std::uint32_t a, std::uint32_t b) {
  const double radius = std::sqrt(-2.0 * math::logarithm((static_cast<double>(a) + 0.5) * 0x1.0p-32));
  const double angle = 6.283185307179586 * static_cast<double>(b) * 0x1.0p-32;
  double s, c;
  math::sine_cosine(angle, s, c);
  return {radius * c, radius * s};
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ull * counter[0];
    const std::uint64_t b = 0xCD9E8D57ull * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

std::array<double, 2> uniforms(const Origin& origin, std::uint32_t index) {
  const auto bits = block(origin, index);
  return {unit(bits[0], bits[1]), unit(bits[2], bits[3])};
}

void fill_uniform(const Origin& origin, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 2) {
    const auto [first, second] = uniforms(origin, static_cast<std::uint32_t>(i / 2));
    out[i] = first;
    if (i + 1 < count) out[i + 1] = second;
  }
}

void fill_normal(const Origin& origin, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 4) {
    const auto bits = block(origin, static_cast<std::uint32_t>(i / 4));
    const auto first = gaussians(bits[0], bits[1]);
    const auto second = gaussians(bits[2], bits[3]);
    const double four[] = {first[0], first[1], second[0], second[1]};
    std::copy_n(four, std::min<std::size_t>(4, count - i), out + i);
  }
}

}  // namespace horus::rl
