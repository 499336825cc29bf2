#include "tf/frame.hpp"

#include <algorithm>

namespace horus::tf {

std::uint32_t Frame::run_at(const Runs& runs, std::int64_t time_ns) {
  const std::uint32_t count = std::clamp<std::uint32_t>(runs.count, 1, runs.capacity);
  std::uint32_t low = 0;
  for (std::uint32_t high = count; high - low > 1;) {
    const std::uint32_t middle = low + (high - low) / 2;
    (runs.entries[middle].start_ns <= time_ns ? low : high) = middle;
  }
  return low;
}

Frame* Frame::parent_at(std::int64_t time_ns) const {
  return lock.read([&]() -> Frame* {
    if (!has_runs) return only_parent;
    const Runs* const runs = runs_;
    return runs->entries[run_at(*runs, time_ns)].parent;
  });
}

bool Frame::changes_parent_between(std::int64_t before_ns, std::int64_t after_ns) const {
  const Runs* const runs = runs_;
  return runs != nullptr && run_at(*runs, before_ns) != run_at(*runs, after_ns);
}

std::int64_t Frame::newest_run_start_ns() const {
  return lock.read([&]() -> std::int64_t {
    if (!has_runs) return history.oldest_ns();
    const Runs* const runs = runs_;
    return runs->entries[run_at(*runs, kForever)].start_ns;
  });
}

LinkStatus Frame::read_link_outside(std::int64_t time_ns, const Reach& reach, Transform& out) const {
  const auto tolerance_ns = static_cast<std::uint64_t>(reach.tolerance_ns);
  const std::int64_t oldest_ns = history.oldest_ns(), newest_ns = history.newest_ns();
  if (time_ns < oldest_ns) {
    out = history.oldest();
    return elapsed_ns(time_ns, oldest_ns) <= tolerance_ns ? LinkStatus::kOk : LinkStatus::kPast;
  }
  const std::uint64_t gap_ns = elapsed_ns(newest_ns, time_ns);
  if (!reach.predict || (tolerance_ns > 0 && gap_ns > tolerance_ns)) {
    out = history.newest();
    return gap_ns <= tolerance_ns ? LinkStatus::kOk : LinkStatus::kFuture;
  }
  const Bracket last = history.newest_pair();
  if (history.size() < 2 || last.before_ns >= last.after_ns ||
      (has_runs && changes_parent_between(last.before_ns, last.after_ns))) {
    return LinkStatus::kCannotPredict;
  }
  const double u = 1.0 + static_cast<double>(gap_ns) / static_cast<double>(elapsed_ns(last.before_ns, last.after_ns));
  out = extrapolate(last.before->load(), last.after->load(), u);
  return LinkStatus::kOk;
}

std::vector<ParentRun> Frame::runs() const {
  if (!has_runs) {
    Frame* const parent = only_parent;
    if (parent == nullptr) return {};
    return {{history.empty() ? 0 : history.oldest_ns(), parent}};
  }
  const Runs* const runs = runs_;
  std::vector<ParentRun> result;
  for (std::uint32_t i = 0; i < runs->count; ++i) result.push_back({runs->entries[i].start_ns, runs->entries[i].parent});
  return result;
}

std::size_t Frame::run_bytes() const {
  std::size_t bytes = all_runs_.capacity() * sizeof(all_runs_[0]);
  for (const auto& runs : all_runs_) bytes += sizeof(Runs) + runs->capacity * sizeof(SharedRun);
  return bytes;
}

void Frame::set_runs(const std::vector<ParentRun>& runs) {
  if (runs.size() <= 1) {
    only_parent = runs.empty() ? nullptr : runs.front().parent;
    has_runs = false;
    return;
  }
  const auto count = static_cast<std::uint32_t>(runs.size());
  if (all_runs_.empty() || all_runs_.back()->capacity < count) {
    const std::uint32_t capacity = std::max(4u, 2 * count);
    all_runs_.push_back(std::make_unique<Runs>(capacity));
  }
  Runs* const target = all_runs_.back().get();
  for (std::uint32_t i = 0; i < count; ++i) {
    target->entries[i].start_ns = runs[i].start_ns;
    target->entries[i].parent = runs[i].parent;
  }
  target->count = count;
  runs_ = target;
  only_parent = nullptr;
  has_runs = true;
}

}  // namespace horus::tf
