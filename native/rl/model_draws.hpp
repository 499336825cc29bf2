// Fields of environments' models from nominal values and what is drawn for an episode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rl/philox.hpp"

namespace horus::rl {

enum class Law {
  scale,        // nominal value times the number
  shift,        // nominal value plus the number
  restitution,  // damping ratio of a contact that gives back that share of speed
};

// Elements of a field that follow a draw.
struct Target {
  double* values;    // of environment 0
  std::size_t step;  // from one environment to the next
  std::vector<std::size_t> elements;
  std::vector<double> nominal;     // of each element, in all environments
  std::vector<std::size_t> drawn;  // which of the numbers each element follows
  const double* bases = nullptr;   // of environment 0, where nominal values differ between them
  std::size_t base_step = 0;
};

struct ModelDraw {
  std::uint32_t stream;
  std::size_t size;  // how many numbers
  double low, high;
  double neutral;  // what a curriculum's level 0 makes of every number
  Law law;
  std::vector<Target> targets;
};

// Draws for a new episode of environment `env`, which `seed` and `episode` belong to, and writes the fields. `level` is
// that of the curriculum, 1 for the full ranges; `out` takes the numbers of all draws one after the other.
void begin_episode(const std::vector<ModelDraw>& draws, std::size_t env, std::uint64_t seed, std::uint32_t episode,
                   double level, double* out);

}  // namespace horus::rl
