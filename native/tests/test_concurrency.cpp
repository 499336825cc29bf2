// Readers and writers at the same time. Every sample carries its stamp in all its numbers, so that a torn one shows.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "check.hpp"
#include "tf/route.hpp"

using namespace horus::tf;

namespace {

constexpr std::int64_t kStep = 1'000'000;
// Writers go on until the readers had their share, however the machine schedules them.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kEnough = 20'000;
#else
constexpr int kEnough = 1'000'000;
#endif
constexpr std::int64_t kMost = 20'000'000;

Transform value_at(std::int64_t stamp_ns) {
  const double t = 1e-9 * static_cast<double>(stamp_ns);
  return {{t, 2.0 * t, -t}, {0.0, 0.0, std::sin(0.5 * t), std::cos(0.5 * t)}};
}

bool is_whole(const Transform& T, double scale) {
  const double t = T.translation.x / scale;
  return std::abs(T.translation.y - 2.0 * T.translation.x) < 1e-9 && std::abs(T.translation.z + T.translation.x) < 1e-9 &&
         std::abs(std::sin(0.5 * t) * T.rotation.w - std::cos(0.5 * t) * T.rotation.z) < 1e-9;
}

}  // namespace

TEST(a_seqlock_never_shows_half_a_write) {
  SeqLock lock;
  SharedTransform shared;
  shared.store({{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}});
  std::atomic<bool> done{false};
  std::atomic<int> torn{0}, answered{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (double i = 1.0; !done; i += 1.0) {
      const SeqLock::Write write(lock);
      shared.store({{i, i, i}, {i, i, i, i}});
    }
  });
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&] {
      while (answered < kEnough) {
        const Transform T = lock.read([&] { return shared.load(); });
        const double i = T.translation.x;
        if (T.translation.y != i || T.translation.z != i || T.rotation.z != i || T.rotation.w != i) ++torn;
        ++answered;
      }
      done = true;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(torn.load(), 0);
}

TEST(no_torn_sample_under_appends_late_samples_and_pruning) {
  Tree tree(500 * kStep);
  Frame& odom = tree.intern("odom");
  Frame& base = tree.intern("base");
  tree.add_moving(odom, base, {0, value_at(0)});
  std::atomic<bool> done{false};
  std::atomic<std::int64_t> written{0};
  std::atomic<int> torn{0}, answered{0};

  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (std::int64_t i = 1; i < 20'000 || (answered < kEnough && i < kMost); ++i) {
      // Every fourth sample comes late.
      const std::int64_t stamp_ns = kStep * (i % 4 == 3 ? i - 3 : i);
      tree.add_moving(odom, base, {stamp_ns, value_at(stamp_ns)});
      written = kStep * i;
    }
    done = true;
  });
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      Route route(tree, base, odom);
      Transform T;
      Failure failure;
      for (std::int64_t i = 0; !done; ++i) {
        const std::int64_t now_ns = written;
        const Outcome outcome = i % 2 == r ? route.lookup_latest({}, T, failure)
                                           : route.lookup(now_ns - (i * 37 % 400) * (kStep / 2), {}, T, failure);
        if (outcome != Outcome::kOk) continue;
        ++answered;
        if (!is_whole(T, 1.0)) ++torn;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(torn.load(), 0);
  CHECK(answered >= kEnough);
}

TEST(two_writers_and_structure_that_changes_under_readers) {
  Tree tree(500 * kStep);
  Frame& world = tree.intern("world");
  Frame& left = tree.intern("left");
  Frame& right = tree.intern("right");
  Frame& box = tree.intern("box");
  const Transform identity;
  tree.add_static(world, left, identity);
  tree.add_static(world, right, identity);
  std::atomic<bool> done{false};
  std::atomic<int> torn{0}, answered{0};

  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (std::int64_t i = 0; i < 6'000 || (answered < kEnough && i < kMost); ++i) {
      tree.add_moving(i / 16 % 2 ? left : right, box, {kStep * i, value_at(kStep * i)});
      if (i % 500 == 499) tree.remove(box, false);
      if (i % 1'700 == 1'699) tree.clear();
    }
    done = true;
  });
  threads.emplace_back([&] {
    for (int i = 0; !done; ++i) {
      Frame& other = tree.intern(std::to_string(i % 300));
      tree.add_moving(world, other, {kStep * i, value_at(kStep * i)});
      if (i % 100 == 0) {
        Tree copy(500 * kStep);
        tree.copy_to(copy, 100 * kStep);
      }
    }
  });
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&] {
      Route route(tree, box, world);
      Transform T;
      Failure failure;
      while (!done) {
        if (route.lookup_latest({}, T, failure) != Outcome::kOk) continue;
        ++answered;
        if (!is_whole(T, 1.0)) ++torn;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(torn.load(), 0);
  CHECK(answered >= kEnough);
}

int main() { return check::run_all(); }
