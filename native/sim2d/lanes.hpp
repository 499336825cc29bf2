// Arithmetic of lanes. The compiler makes of them what the machine has, one register or two, with equal bits.
#pragma once

#include <cstring>

#include "sim2d/contact_lanes.hpp"
#include "sim2d/processor.hpp"

// Everything here is inlined: no vector is ever passed or returned.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace horus::sim2d {

typedef long long LaneMask __attribute__((vector_size(32), aligned(32)));

#define HORUS_LANES_INLINE inline __attribute__((always_inline))

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HORUS_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef HORUS_SHUFFLE
#define HORUS_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, LaneMask{__VA_ARGS__})
#endif

HORUS_LANES_INLINE Lane spread(double value) { return Lane{value, value, value, value}; }
HORUS_LANES_INLINE Lane greater(const Lane& a, const Lane& b) { return a > b ? a : b; }
HORUS_LANES_INLINE Lane smaller(const Lane& a, const Lane& b) { return a < b ? a : b; }
HORUS_LANES_INLINE Lane magnitude(const Lane& a) {
  // Between vectors such a cast keeps the bits.
  return (Lane)((LaneMask)a & 0x7FFFFFFFFFFFFFFFll);
}
HORUS_LANES_INLINE bool any(const LaneMask& mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }

// Four rows of four numbers each, turned into four columns.
HORUS_LANES_INLINE void transpose(Lane& a, Lane& b, Lane& c, Lane& d) {
  const Lane ab_even = HORUS_SHUFFLE(a, b, 0, 4, 2, 6);
  const Lane ab_odd = HORUS_SHUFFLE(a, b, 1, 5, 3, 7);
  const Lane cd_even = HORUS_SHUFFLE(c, d, 0, 4, 2, 6);
  const Lane cd_odd = HORUS_SHUFFLE(c, d, 1, 5, 3, 7);
  a = HORUS_SHUFFLE(ab_even, cd_even, 0, 1, 4, 5);
  b = HORUS_SHUFFLE(ab_odd, cd_odd, 0, 1, 4, 5);
  c = HORUS_SHUFFLE(ab_even, cd_even, 2, 3, 6, 7);
  d = HORUS_SHUFFLE(ab_odd, cd_odd, 2, 3, 6, 7);
}

// Four numbers from each of four addresses: the first of all in a, and so on.
HORUS_LANES_INLINE void load_columns(const double* p0, const double* p1, const double* p2, const double* p3, Lane& a,
                                     Lane& b, Lane& c, Lane& d) {
  // Copied straight into columns that lie in memory, rows would go there by halves, and reading them as a whole would stall.
  Lane rows[4];
  std::memcpy(&rows[0], p0, sizeof(Lane));
  std::memcpy(&rows[1], p1, sizeof(Lane));
  std::memcpy(&rows[2], p2, sizeof(Lane));
  std::memcpy(&rows[3], p3, sizeof(Lane));
  transpose(rows[0], rows[1], rows[2], rows[3]);
  a = rows[0];
  b = rows[1];
  c = rows[2];
  d = rows[3];
}

// The way back, from the last address to the first: where they are equal, the first lane is kept.
HORUS_LANES_INLINE void store_columns(const Lane& column_a, const Lane& column_b, const Lane& column_c,
                                      const Lane& column_d, double* p0, double* p1, double* p2, double* p3) {
  Lane a = column_a, b = column_b, c = column_c, d = column_d;
  transpose(a, b, c, d);
  std::memcpy(p3, &d, sizeof(Lane));
  std::memcpy(p2, &c, sizeof(Lane));
  std::memcpy(p1, &b, sizeof(Lane));
  std::memcpy(p0, &a, sizeof(Lane));
}

// Code for wider registers, where the machine has them: the same operations without fused multiply-add, hence equal bits.
#if defined(__x86_64__)
template <class Work>
__attribute__((target("avx2"), noinline)) void run_wide(Work&& work) {
  work();
}
#else
template <class Work>
void run_wide(Work&& work) {
  work();
}
#endif

template <class Work>
void run_lanes(Work&& work) {
  if (has_avx2()) {
    run_wide(work);
  } else {
    work();
  }
}

}  // namespace horus::sim2d
