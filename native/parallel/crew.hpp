// Threads that wait for work between calls, for loops that are called too often to start threads each time.
#pragma once

#include <memory>

namespace horus {

class Crew {
 public:
  // `threads` includes the calling one, which takes share 0.
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Calls function(share) for shares 0 to threads - 1, each in a thread of its own, and returns when all are done.
  template <class Function>
  void run(const Function& function) {
    run_all({&function, [](const void* f, int share) { (*static_cast<const Function*>(f))(share); }});
  }

 private:
  // A reference to a function that outlives the call; unlike std::function it never allocates.
  struct Task {
    const void* function = nullptr;
    void (*call)(const void*, int) = nullptr;
    void operator()(int share) const { call(function, share); }
  };
  struct Helpers;

  void run_all(const Task& task);
  void abandon_after_fork();

  int threads_;
  long owner_ = 0;
  std::unique_ptr<Helpers> helpers_;
};

}  // namespace horus
