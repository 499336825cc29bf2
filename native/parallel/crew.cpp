#include "parallel/crew.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "parallel/process.hpp"

namespace horus {

struct Crew::Helpers {
  explicit Helpers(int count) {
    for (int share = 1; share <= count; ++share) threads.emplace_back([this, share] { work(share); });
  }

  ~Helpers() {
    {
      const std::lock_guard lock(mutex);
      closing = true;
    }
    begin.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void start(const Task& work) {
    {
      const std::lock_guard lock(mutex);
      task = &work;
      unfinished = static_cast<int>(threads.size());
      ++round;
    }
    begin.notify_all();
  }

  void finish() {
    std::unique_lock lock(mutex);
    end.wait(lock, [this] { return unfinished == 0; });
  }

  void work(int share) {
    std::uint64_t done = 0;
    while (true) {
      const Task* next = nullptr;
      {
        std::unique_lock lock(mutex);
        begin.wait(lock, [&] { return closing || round != done; });
        if (closing) return;
        done = round;
        next = task;
      }
      (*next)(share);
      {
        const std::lock_guard lock(mutex);
        --unfinished;
      }
      end.notify_one();
    }
  }

  std::mutex mutex;
  std::condition_variable begin;
  std::condition_variable end;
  const Task* task = nullptr;
  std::uint64_t round = 0;
  int unfinished = 0;
  bool closing = false;
  std::vector<std::thread> threads;
};

Crew::Crew(int threads) : threads_(threads), owner_(process_number()) {
  if (threads > 1) helpers_ = std::make_unique<Helpers>(threads - 1);
}

Crew::~Crew() { abandon_after_fork(); }

void Crew::run_all(const Task& task) {
  if (threads_ <= 1) {
    task(0);
    return;
  }
  abandon_after_fork();
  if (!helpers_) helpers_ = std::make_unique<Helpers>(threads_ - 1);
  helpers_->start(task);
  task(0);
  helpers_->finish();
}

// A forked process has the memory of its parent's threads but not the threads. To join them, or to destroy what they wait
// for, would wait for ever, so what belongs to them is left behind.
void Crew::abandon_after_fork() {
  const long current = process_number();
  if (current == owner_) return;
  owner_ = current;
  static_cast<void>(helpers_.release());
}

}  // namespace horus
