// Releases the GIL for a scope, safely also in daemon threads while the interpreter exits.
#pragma once

#include "python.hpp"

namespace horus::bindings {

// CPython ends a daemon thread that asks for the GIL during finalization by unwinding its stack, which aborts the
// process inside C++ destructors and catch blocks. Such a thread is parked here instead, before it asks.
class ReleaseGil {
 public:
  ReleaseGil() : state_(PyEval_SaveThread()) {}
  ~ReleaseGil();
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  PyThreadState* const state_;
};

// Registers the end with Python's atexit.
void park_threads_at_exit();

}  // namespace horus::bindings
