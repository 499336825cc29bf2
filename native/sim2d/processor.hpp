// What the processor can do beyond what every one of its kind can.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace horus::sim2d {

#if defined(__x86_64__)
// Asked of the processor itself: __builtin_cpu_supports needs a library that not every toolchain links.
inline bool read_has_avx2() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kSavesRegisters = 1u << 27, kAvx = 1u << 28, kAvx2 = 1u << 5, kWideState = 0b110;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSavesRegisters) == 0 || (c & kAvx) == 0) return false;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  // The system must save the upper halves of registers when it switches threads.
  if ((low & kWideState) != kWideState) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kAvx2) != 0;
}

inline bool has_avx2() {
  static const bool has = read_has_avx2();
  return has;
}
#else
inline bool has_avx2() { return false; }
#endif

}  // namespace horus::sim2d
