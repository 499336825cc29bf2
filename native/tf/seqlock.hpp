// One writer at a time, any number of readers that never block it: a reader repeats when a write crossed its path.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>

#include "tf/transform.hpp"

namespace horus::tf {

class SeqLock {
 public:
  // Returns an even ticket; whatever is read until `is_current(ticket)` belongs to one state when that is true.
  std::uint64_t begin_read() const {
    for (unsigned spins = 0;; ++spins) {
      const std::uint64_t ticket = sequence_.load(std::memory_order_acquire);
      if ((ticket & 1) == 0) return ticket;
      if (spins > 64) std::this_thread::yield();
    }
  }

  bool is_current(std::uint64_t ticket) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return sequence_.load(std::memory_order_relaxed) == ticket;
  }

  // Calls `read` until no write crossed it. What it reads must be atomic, and may be inconsistent while it runs.
  template <class Read>
  auto read(Read&& read) const {
    for (;;) {
      const std::uint64_t ticket = begin_read();
      auto result = read();
      if (is_current(ticket)) return result;
    }
  }

  class Write {
   public:
    explicit Write(SeqLock& lock) : lock_(lock) {
      lock_.sequence_.store(lock_.sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
    }
    ~Write() {
      lock_.sequence_.store(lock_.sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;

   private:
    SeqLock& lock_;
  };

 private:
  std::atomic<std::uint64_t> sequence_{0};
};

// A value that is written under a SeqLock while others read it.
template <class T>
class Shared {
  // Whoever sees a pointer must also see what it points to.
  static constexpr auto kLoad = std::is_pointer_v<T> ? std::memory_order_acquire : std::memory_order_relaxed;
  static constexpr auto kStore = std::is_pointer_v<T> ? std::memory_order_release : std::memory_order_relaxed;

 public:
  Shared() = default;
  explicit Shared(T value) : value_(value) {}
  operator T() const { return value_.load(kLoad); }
  Shared& operator=(T value) {
    value_.store(value, kStore);
    return *this;
  }
  T operator->() const { return *this; }

 private:
  std::atomic<T> value_{};
};

class SharedTransform {
 public:
  Transform load() const {
    return {{value_[0], value_[1], value_[2]}, {value_[3], value_[4], value_[5], value_[6]}};
  }
  void store(const Transform& transform) {
    const Vec3& t = transform.translation;
    const Quat& q = transform.rotation;
    const double values[7] = {t.x, t.y, t.z, q.x, q.y, q.z, q.w};
    for (int i = 0; i < 7; ++i) value_[i] = values[i];
  }

 private:
  Shared<double> value_[7];
};

}  // namespace horus::tf
