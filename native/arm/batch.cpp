#include "arm/batch.hpp"

#include <algorithm>

#include "arm/lanes.hpp"

namespace horus::arm {

void write_matrix(const Frame& T, double* out) {
  const double m[16] = {T.x.x, T.y.x, T.z.x, T.p.x, T.x.y, T.y.y, T.z.y, T.p.y,
                        T.x.z, T.y.z, T.z.z, T.p.z, 0.0,   0.0,   0.0,   1.0};
  std::copy_n(m, 16, out);
}

void forward_batch(const Chain& chain, const double* q, std::size_t n, bool all_frames, int threads, double* out) {
  const std::size_t dof = chain.joints.size();
  in_pieces(n, 4096, threads, [&](std::size_t begin, std::size_t end) {
    std::size_t k = begin;
    if (all_frames) {
      Frame frames[kMaxDof + 1];
      for (; k < end; ++k) {
        forward_all(chain, q + k * dof, frames);
        for (std::size_t i = 0; i <= dof; ++i) write_matrix(frames[i], out + 16 * (k * (dof + 1) + i));
      }
    }
    for (; k + kLanes <= end; k += kLanes) forward_lanes(chain, q + k * dof, out + 16 * k);
    for (; k < end; ++k) write_matrix(forward(chain, q + k * dof), out + 16 * k);
  });
}

void jacobian_batch(const Chain& chain, const double* q, std::size_t n, int threads, double* out) {
  const std::size_t dof = chain.joints.size();
  in_pieces(n, 4096, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) jacobian(chain, q + k * dof, out + 6 * dof * k);
  });
}

}  // namespace horus::arm
