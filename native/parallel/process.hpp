// Which process this is, for what must not be used in one that was forked from it.
#pragma once

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace horus {

// Another number in a forked process; where there are no forks, always the same.
inline long process_number() {
#if defined(_WIN32)
  return 0;
#else
  return static_cast<long>(getpid());
#endif
}

}  // namespace horus
