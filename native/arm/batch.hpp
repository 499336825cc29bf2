// The same question for many arms' configurations or targets, over threads; results do not depend on their number.
#pragma once

#include <cstddef>

#include "arm/solver.hpp"
#include "parallel/pieces.hpp"

namespace horus::arm {

// `q` is (n, dof). `out` takes homogeneous matrices, row-major: (n, 4, 4), or (n, dof + 1, 4, 4) with all frames.
void forward_batch(const Chain& chain, const double* q, std::size_t n, bool all_frames, int threads, double* out);
void jacobian_batch(const Chain& chain, const double* q, std::size_t n, int threads, double* out);

void write_matrix(const Frame& T, double* out);

}  // namespace horus::arm
