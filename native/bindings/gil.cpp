#include "gil.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace horus::bindings {
namespace {

std::atomic<bool> exiting{false};
std::atomic<int> asking{0};

[[noreturn]] void park() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

ReleaseGil::~ReleaseGil() {
  // The thread that exits has marked itself with `exiting` while it held the GIL, and waits for those that ask.
  asking.fetch_add(1);
  if (exiting.load()) {
    asking.fetch_sub(1);
    park();
  }
  PyEval_RestoreThread(state_);
  asking.fetch_sub(1);
}

void park_threads_at_exit() {
  const auto end = [] {
    exiting.store(true);
    while (asking.load() > 0) {
      PyThreadState* const state = PyEval_SaveThread();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      PyEval_RestoreThread(state);
    }
  };
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(end));
}

}  // namespace horus::bindings
