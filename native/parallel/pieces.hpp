// Work over a range of indices, over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace horus {

// Calls `work(begin, end)` for pieces of 0 to n; at most `threads` at a time, 0 for one a processor. One piece runs in
// the calling thread alone.
void in_pieces(std::size_t n, std::size_t piece, int threads,
               const std::function<void(std::size_t, std::size_t)>& work);

}  // namespace horus
