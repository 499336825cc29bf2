#include "sim2d/batch.hpp"

namespace horus::sim2d {

Batch::Batch(std::shared_ptr<const Model> model, const std::vector<std::uint64_t>& seeds, int threads) : crew_(threads) {
  worlds.reserve(seeds.size());
  for (const std::uint64_t seed : seeds) worlds.emplace_back(model, seed);
  for (int k = 0; k < threads; ++k) scratches_.push_back(make_scratch());
}

void Batch::step(double dt, int n) {
  for_each([this, dt, n](std::size_t i, Scratch& scratch) {
    worlds[i].step(dt, n, scratch);
    worlds[i].sense();
  });
}

}  // namespace horus::sim2d
