#include "tf/points.hpp"

// Wider registers where the machine has them; without FMA every version gives the same bits.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define HORUS_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define HORUS_WIDE
#endif

namespace horus::tf {
namespace {

template <class Real>
inline __attribute__((always_inline)) void apply_to_all(const Matrix3& R, const Vec3& t, const Real* in, Real* out,
                                                        std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    out[3 * i] = static_cast<Real>(R.m[0][0] * x + R.m[0][1] * y + (R.m[0][2] * z + t.x));
    out[3 * i + 1] = static_cast<Real>(R.m[1][0] * x + R.m[1][1] * y + (R.m[1][2] * z + t.y));
    out[3 * i + 2] = static_cast<Real>(R.m[2][0] * x + R.m[2][1] * y + (R.m[2][2] * z + t.z));
  }
}

}  // namespace

HORUS_WIDE void transform_points(const Transform& T, const double* in, double* out, std::size_t n) {
  apply_to_all(to_matrix(T.rotation), T.translation, in, out, n);
}

HORUS_WIDE void transform_points(const Transform& T, const float* in, float* out, std::size_t n) {
  apply_to_all(to_matrix(T.rotation), T.translation, in, out, n);
}

}  // namespace horus::tf
