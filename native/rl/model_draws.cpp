#include "rl/model_draws.hpp"

#include <algorithm>
#include <cmath>

#include "math/exponential.hpp"

namespace horus::rl {
namespace {

// A damped oscillator that starts at the surface leaves it with the share exp(-pi zeta / sqrt(1 - zeta^2)) of its
// speed.
double damping_ratio(double share) {
  const double log = math::logarithm(std::max(share, 1e-9));
  return -log / std::sqrt(9.869604401089358 + log * log);
}

double value(Law law, double nominal, double number) {
  switch (law) {
    case Law::scale:
      return number * nominal;
    case Law::shift:
      return nominal + number;
    case Law::restitution:
      return damping_ratio(number);
  }
  return nominal;
}

}  // namespace

void begin_episode(const std::vector<ModelDraw>& draws, std::size_t env, std::uint64_t seed, std::uint32_t episode,
                   double level, double* out) {
  for (const ModelDraw& draw : draws) {
    fill_uniform({seed, episode, 0, draw.stream}, out, draw.size);
    for (std::size_t k = 0; k < draw.size; ++k) {
      out[k] = out[k] * (draw.high - draw.low) + draw.low;
      if (level != 1.0) out[k] = draw.neutral + level * (out[k] - draw.neutral);
    }
    for (const Target& target : draw.targets) {
      double* row = target.values + env * target.step;
      const double* base = target.bases ? target.bases + env * target.base_step : nullptr;
      for (std::size_t k = 0; k < target.elements.size(); ++k) {
        const std::size_t element = target.elements[k];
        const double nominal = base ? base[element] : target.nominal[k];
        row[element] = value(draw.law, nominal, out[target.drawn[k]]);
      }
    }
    out += draw.size;
  }
}

}  // namespace horus::rl
