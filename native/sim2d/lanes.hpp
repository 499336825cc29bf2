// Arithmetic of lanes. The compiler makes of them what the machine has, one register or two, with equal bits.
#pragma once

#include <cstring>

#include "sim2d/contact_lanes.hpp"

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

}  // namespace horus::sim2d
