// Random numbers by counter: each is a function of (seed, episode, step, stream, index) and of nothing else, so that an
// environment's numbers depend neither on its neighbours nor on the order of calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace horus::rl {

// Philox4x32 with ten rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// Where the numbers of one environment come from.
struct Origin {
  std::uint64_t seed;
  std::uint32_t episode;
  std::uint32_t step;
  std::uint32_t stream;
};

// Two numbers in [0, 1), with 53 random bits each: those that `fill_uniform` gives at 2 * index and after it.
std::array<double, 2> uniforms(const Origin& origin, std::uint32_t index);
// Numbers in [0, 1), with 53 random bits each.
void fill_uniform(const Origin& origin, double* out, std::size_t count);
// Numbers of mean 0 and deviation 1, with 32 random bits each: tails end at 6.7.
void fill_normal(const Origin& origin, double* out, std::size_t count);

}  // namespace horus::rl
