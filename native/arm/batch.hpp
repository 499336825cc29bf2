// The same question for many arms' configurations or targets, over threads; results do not depend on their number.
#pragma once

#include <cstddef>
#include <functional>

#include "arm/solver.hpp"

namespace horus::arm {

// Calls `work(begin, end)` for pieces of 0 to n; at most `threads` at a time, 0 for one a processor.
void in_pieces(std::size_t n, std::size_t piece, int threads,
               const std::function<void(std::size_t, std::size_t)>& work);

// `q` is (n, dof). `out` takes homogeneous matrices, row-major: (n, 4, 4), or (n, dof + 1, 4, 4) with all frames.
void forward_batch(const Chain& chain, const double* q, std::size_t n, bool all_frames, int threads, double* out);
void jacobian_batch(const Chain& chain, const double* q, std::size_t n, int threads, double* out);

void write_matrix(const Frame& T, double* out);

}  // namespace horus::arm
