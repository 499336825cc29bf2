#include <cstdint>
#include <limits>
#include <map>
#include <random>

#include "check.hpp"
#include "tf/history.hpp"

using namespace horus::tf;

namespace {

Transform at(double x) { return {{x, 0.0, 0.0}, {}}; }

// A std::map does what the history must do.
struct Model {
  std::map<std::int64_t, double> samples;
  History history;
  ChunkPool pool;

  void insert(std::int64_t stamp_ns, double x) {
    samples[stamp_ns] = x;
    history.insert({stamp_ns, at(x)}, pool);
  }
  void drop_older_than(std::int64_t limit_ns) {
    samples.erase(samples.begin(), samples.lower_bound(limit_ns));
    history.drop_older_than(limit_ns, pool);
  }
  void compare(std::mt19937_64& random) const {
    CHECK_EQUAL(history.size(), samples.size());
    if (samples.empty()) return;
    const std::int64_t oldest = samples.begin()->first, newest = samples.rbegin()->first;
    CHECK_EQUAL(history.oldest_ns(), oldest);
    CHECK_EQUAL(history.newest_ns(), newest);
    CHECK_EQUAL(history.oldest().translation.x, samples.begin()->second);
    CHECK_EQUAL(history.newest().translation.x, samples.rbegin()->second);
    if (samples.size() >= 2) {
      const Bracket pair = history.newest_pair();
      CHECK_EQUAL(pair.before_ns, std::next(samples.rbegin())->first);
      CHECK_EQUAL(pair.before->load().translation.x, std::next(samples.rbegin())->second);
      CHECK_EQUAL(pair.after_ns, newest);
    }
    std::uniform_int_distribution<std::int64_t> any(oldest, newest);
    for (int i = 0; i < 20; ++i) check_at(any(random));
    for (const auto& [stamp_ns, x] : samples) check_at(stamp_ns);
  }
  void check_at(std::int64_t time_ns) const {
    const auto after = samples.upper_bound(time_ns);
    const auto before = std::prev(after);
    const Bracket got = history.bracket(time_ns);
    CHECK_EQUAL(got.before_ns, before->first);
    CHECK_EQUAL(got.before->load().translation.x, before->second);
    const auto expected_after = after == samples.end() ? before : after;
    CHECK_EQUAL(got.after_ns, expected_after->first);
    CHECK_EQUAL(got.after->load().translation.x, expected_after->second);
    const auto next = history.next_stamp_ns(time_ns);
    CHECK_EQUAL(next.has_value(), after != samples.end());
    if (next) CHECK_EQUAL(*next, after->first);
  }
};

}  // namespace

TEST(a_regular_stream_is_found_at_every_time) {
  Model model;
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) model.insert(10'000'000LL * i, i);
  model.compare(random);
  model.drop_older_than(4'995'000'000LL);
  model.compare(random);
}

TEST(gaps_longer_than_a_chunk_spans) {
  Model model;
  std::mt19937_64 random(2);
  std::int64_t stamp_ns = -5'000'000'000LL;
  for (int i = 0; i < 200; ++i) {
    stamp_ns += i % 7 == 0 ? 5'000'000'000LL : (i % 5 == 0 ? 4'294'967'295LL : 1'000LL);
    model.insert(stamp_ns, i);
  }
  model.compare(random);
}

TEST(any_order_of_arrival_with_duplicates_and_pruning) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Model model;
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int64_t> stamps(0, seed % 3 == 0 ? 300 : 60'000'000'000LL);
    std::int64_t limit_ns = std::numeric_limits<std::int64_t>::min();
    for (int i = 0; i < 400; ++i) {
      const std::int64_t stamp_ns = stamps(random);
      if (stamp_ns >= limit_ns) model.insert(stamp_ns, i);
      if (i % 50 == 49 && !model.samples.empty()) {
        auto middle = model.samples.begin();
        std::advance(middle, static_cast<std::ptrdiff_t>(model.samples.size() / 3));
        limit_ns = middle->first;
        model.drop_older_than(limit_ns);
        model.compare(random);
      }
    }
    model.drop_older_than(std::numeric_limits<std::int64_t>::max());
    model.compare(random);
    model.insert(7, 7.0);
    model.compare(random);
    model.history.clear(model.pool);
    model.samples.clear();
    model.compare(random);
  }
}

TEST(chunks_are_recycled) {
  Model model;
  for (int i = 0; i < 2'000; ++i) model.insert(10'000'000LL * i, i);
  const std::size_t bytes = model.pool.bytes() + model.history.directory_bytes();
  for (int i = 2'000; i < 100'000; ++i) {
    model.history.insert({10'000'000LL * i, at(i)}, model.pool);
    model.history.drop_older_than(10'000'000LL * (i - 1'990), model.pool);
  }
  CHECK(model.pool.bytes() + model.history.directory_bytes() <= bytes + 32 * sizeof(Chunk));
}

TEST(stamps_at_the_ends_of_the_range) {
  Model model;
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  model.insert(kMax, 3.0);
  model.insert(kMax - 1, 2.0);
  model.check_at(kMax - 1);
  model.check_at(kMax);
  Model early;
  early.insert(kMin, 1.0);
  early.insert(kMin + 2, 2.0);
  early.check_at(kMin);
  early.check_at(kMin + 1);
  early.check_at(kMin + 2);
}

int main() { return check::run_all(); }
