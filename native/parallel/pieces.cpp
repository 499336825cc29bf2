#include "parallel/pieces.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace horus {

void in_pieces(std::size_t n, std::size_t piece, int threads,
               const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t pieces = (n + piece - 1) / piece;
  if (pieces <= 1 || threads == 1) {
    if (n > 0) work(0, n);
    return;
  }
  const std::size_t allowed = threads > 0 ? static_cast<std::size_t>(threads) : std::thread::hardware_concurrency();
  const std::size_t used = std::clamp<std::size_t>(allowed, 1, pieces);
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t k = next.fetch_add(1); k < pieces; k = next.fetch_add(1)) {
      work(k * piece, std::min(n, (k + 1) * piece));
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t t = 1; t < used; ++t) helpers.emplace_back(run);
  run();
}

}  // namespace horus
