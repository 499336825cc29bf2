#include "tf/tree.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

namespace horus::tf {
namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

// The runs of a link after a sample at stamp_ns said `parent`.
std::vector<ParentRun> runs_with(const Frame& child, std::int64_t stamp_ns, Frame* parent) {
  const std::vector<ParentRun> old = child.runs();
  std::vector<ParentRun> result;
  const auto add = [&](const ParentRun& run) {
    if (result.empty() || result.back().parent != run.parent) result.push_back(run);
  };
  for (const ParentRun& run : old) {
    if (run.start_ns < stamp_ns) add(run);
  }
  add({stamp_ns, parent});
  if (const auto next_ns = child.history.next_stamp_ns(stamp_ns)) {
    add({*next_ns, child.parent_at(*next_ns)});
    for (const ParentRun& run : old) {
      if (run.start_ns > *next_ns) add(run);
    }
  }
  return result;
}

// The frames from `parent` up to `child` when at some time from first_ns to last_ns the chain above `parent` meets
// `child` over links that all have data at that time, else nothing.
std::vector<const Frame*> path_up_to(const Frame* parent, const Frame* child, std::int64_t first_ns,
                                     std::int64_t last_ns) {
  struct Visit {
    const Frame* frame;
    std::int64_t first_ns, last_ns;
    std::size_t below;
    // Leaves the times for which the frame's link has data; false when there are none.
    bool narrow() {
      if (frame->kind == LinkKind::kMoving) {
        first_ns = std::max<std::int64_t>(first_ns, frame->history.oldest_ns());
        last_ns = std::min<std::int64_t>(last_ns, frame->history.newest_ns());
      }
      return first_ns <= last_ns;
    }
  };
  constexpr std::size_t kStart = std::numeric_limits<std::size_t>::max();
  // Nearly always every frame keeps its parent in these times, and a plain walk tells that all is well.
  Visit top{parent, first_ns, last_ns, kStart};
  while (top.frame != nullptr && top.frame != child) {
    if (!top.narrow()) return {};
    if (top.frame->has_runs && top.frame->changes_parent_between(top.first_ns, top.last_ns)) break;
    top.frame = top.frame->parent_at(top.first_ns);
  }
  if (top.frame == nullptr) return {};

  // Ends, since every visit has times of its own and no circle that is stored has data all around.
  std::vector<Visit> visits{{parent, first_ns, last_ns, kStart}};
  for (std::size_t i = 0; i < visits.size(); ++i) {
    Visit at = visits[i];
    if (at.frame == child) {
      std::vector<const Frame*> path;
      for (std::size_t k = i; k != kStart; k = visits[k].below) path.push_back(visits[k].frame);
      std::reverse(path.begin(), path.end());
      return path;
    }
    if (!at.narrow()) continue;
    const std::vector<ParentRun> runs = at.frame->runs();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::int64_t from_ns = std::max(at.first_ns, r == 0 ? kFirst : runs[r].start_ns);
      const std::int64_t until_ns = std::min(at.last_ns, r + 1 == runs.size() ? kLast : runs[r + 1].start_ns - 1);
      if (from_ns <= until_ns) visits.push_back({runs[r].parent, from_ns, until_ns, i});
    }
  }
  return {};
}

// The same with the newest parents, whatever the times of their samples.
std::vector<const Frame*> newest_path_up_to(const Frame* parent, const Frame* child) {
  const Frame* top = parent;
  while (top != nullptr && top != child) top = top->parent_at(Frame::kForever);
  if (top == nullptr) return {};
  std::vector<const Frame*> path{parent};
  while (path.back() != child) path.push_back(path.back()->parent_at(Frame::kForever));
  return path;
}

}  // namespace

NameTable::NameTable() {
  tables_.push_back(std::make_unique<Table>(64));
  table_ = tables_.back().get();
}

Frame* NameTable::find(std::string_view name) const {
  const Table* const table = table_;
  for (std::size_t i = std::hash<std::string_view>{}(name) & table->mask;; i = (i + 1) & table->mask) {
    Frame* const frame = table->slots[i];
    if (frame == nullptr || frame->name == name) return frame;
  }
}

void NameTable::place(const Table& table, Frame* frame) {
  std::size_t i = std::hash<std::string_view>{}(frame->name) & table.mask;
  while (table.slots[i] != nullptr) i = (i + 1) & table.mask;
  table.slots[i] = frame;
}

void NameTable::insert(Frame* frame) {
  if (2 * ++used_ > table_->mask) {
    auto larger = std::make_unique<Table>(2 * (table_->mask + 1));
    for (std::size_t i = 0; i <= table_->mask; ++i) {
      if (Frame* const known = table_->slots[i]) place(*larger, known);
    }
    table_ = larger.get();
    tables_.push_back(std::move(larger));
  }
  place(*table_.operator->(), frame);
}

std::size_t NameTable::bytes() const {
  std::size_t bytes = 0;
  for (const auto& table : tables_) bytes += sizeof(Table) + (table->mask + 1) * sizeof(Shared<Frame*>);
  return bytes;
}

Frame& Tree::intern(std::string_view name) {
  if (Frame* const known = find(name)) return *known;
  const std::lock_guard hold(writers_);
  return intern_locked(name);
}

Frame& Tree::intern_locked(std::string_view name) {
  if (Frame* const known = find(name)) return *known;
  Frame& frame = frames_.emplace_back(std::string(name));
  names_.insert(&frame);
  frame_count_.store(frames_.size(), std::memory_order_release);
  return frame;
}

std::int64_t Tree::limit_ns(std::int64_t newest_ns) const {
  std::int64_t limit = kFirst;
  return __builtin_sub_overflow(newest_ns, buffer_duration_ns_, &limit) ? kFirst : limit;
}

InsertResult Tree::add_static(Frame& parent, Frame& child, const Transform& value) {
  const std::lock_guard hold(writers_);
  if (child.kind == LinkKind::kMoving) return {InsertStatus::kIsMoving, {}, 0};
  if (child.kind == LinkKind::kStatic && child.only_parent == &parent && parent.present) {
    const SeqLock::Write write(child.lock);
    child.fixed.store(value);
  } else {
    auto path = newest_path_up_to(&parent, &child);
    if (path.empty() && parents_changed_) path = path_up_to(&parent, &child, kFirst, kLast);
    if (!path.empty()) return {InsertStatus::kCycle, std::move(path), 0};
    const SeqLock::Write restructure(structure_);
    const SeqLock::Write write(child.lock);
    child.kind = LinkKind::kStatic;
    child.fixed.store(value);
    child.only_parent = &parent;
    child.present = true;
    parent.present = true;
  }
  changed();
  return {};
}

InsertResult Tree::add_moving(Frame& parent, Frame& child, const Sample& sample) {
  const std::lock_guard hold(writers_);
  return add_moving_locked(parent, child, sample);
}

InsertResult Tree::add_moving(Frame& parent, Frame& child, const std::vector<Sample>& samples, std::size_t& refused) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  const auto stamp_ns = [&](std::size_t i) { return samples[i].stamp_ns; };
  // Stable: of two samples with one stamp the last one wins.
  std::ranges::stable_sort(order, std::ranges::less{}, stamp_ns);
  std::vector<Sample> sorted;
  sorted.reserve(samples.size());
  for (const std::size_t i : order) sorted.push_back(samples[i]);
  if (sorted.empty()) return {};
  refused = order.front();

  const std::lock_guard whole(batches_);
  std::unique_lock hold(writers_);
  if (InsertResult result = refuse_batch(parent, child, sorted.front().stamp_ns, sorted.back().stamp_ns);
      result.status != InsertStatus::kOk) {
    return result;
  }
  constexpr std::size_t kBlock = 256;
  for (std::size_t start = 0; start < sorted.size(); start += kBlock) {
    if (start > 0) {
      // A pause in which readers of this link and other writers get through.
      hold.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(1));
      hold.lock();
    }
    const std::span<const Sample> block(sorted.data() + start, std::min(kBlock, sorted.size() - start));
    // The first sample of a block makes the link, or changes its parent.
    refused = order[start];
    InsertResult result = add_moving_locked(parent, child, block.front());
    std::size_t done = 1;
    if (result.status == InsertStatus::kOk && child.only_parent == &parent && parent.present) {
      // Another writer may have been let in.
      auto path = circle_closed_by(parent, child, block.front().stamp_ns, block.back().stamp_ns);
      if (!path.empty()) return {InsertStatus::kCycle, std::move(path), 0};
      const std::int64_t newest_ns = std::max(child.history.newest_ns(), block.back().stamp_ns);
      const SeqLock::Write write(child.lock);
      child.history.insert(block.subspan(1), pool_);
      child.history.drop_older_than(limit_ns(newest_ns), pool_);
      done = block.size();
    }
    for (; result.status == InsertStatus::kOk && done < block.size(); ++done) {
      refused = order[start + done];
      result = add_moving_locked(parent, child, block[done]);
    }
    if (result.status == InsertStatus::kTooOld) continue;  // The batch itself went on: it is history by now.
    if (result.status != InsertStatus::kOk) return result;
    changed();
  }
  return {};
}

InsertResult Tree::refuse_batch(Frame& parent, Frame& child, std::int64_t oldest_ns, std::int64_t newest_ns) const {
  if (child.kind == LinkKind::kStatic) return {InsertStatus::kIsStatic, {}, 0};
  const History& history = child.history;
  const bool moving = child.kind == LinkKind::kMoving;
  if (moving && oldest_ns < limit_ns(history.newest_ns())) return {InsertStatus::kTooOld, {}, history.newest_ns()};
  // As if all samples between the first and the last were of this parent.
  auto path = circle_closed_by(parent, child, oldest_ns, newest_ns);
  if (!path.empty()) return {InsertStatus::kCycle, std::move(path), 0};
  return {};
}

std::vector<const Frame*> Tree::circle_closed_by(const Frame& parent, const Frame& child, std::int64_t first_ns,
                                                 std::int64_t last_ns) const {
  const bool moving = child.kind == LinkKind::kMoving;
  const History& history = child.history;
  const bool new_parent = moving && child.only_parent != &parent;
  const auto next_ns = moving ? history.next_stamp_ns(last_ns) : std::nullopt;
  if (!next_ns && (new_parent || !moving)) {
    if (auto path = newest_path_up_to(&parent, &child); !path.empty()) return path;
  }
  // While no frame has two parents, the newest ones are those of all times.
  if (!parents_changed_ && !new_parent) return {};
  if (moving && history.newest_ns() < first_ns && history.newest_ns() >= limit_ns(first_ns)) {
    // Until the first new sample the child stays with its parent.
    auto path = path_up_to(child.parent_at(Frame::kForever), &child, history.newest_ns(), first_ns - 1);
    if (!path.empty()) return path;
  }
  return path_up_to(&parent, &child, first_ns, next_ns ? *next_ns - 1 : last_ns);
}

InsertResult Tree::add_moving_locked(Frame& parent, Frame& child, const Sample& sample) {
  if (child.kind == LinkKind::kStatic) return {InsertStatus::kIsStatic, {}, 0};
  const bool moving = child.kind == LinkKind::kMoving;
  const std::int64_t newest_ns =
      moving ? std::max(child.history.newest_ns(), sample.stamp_ns) : sample.stamp_ns;
  const std::int64_t oldest_kept_ns = limit_ns(newest_ns);
  if (sample.stamp_ns < oldest_kept_ns) return {InsertStatus::kTooOld, {}, newest_ns};

  const bool same_parent = moving && child.only_parent == &parent && parent.present;
  if (!same_parent || parents_changed_) {
    auto path = circle_closed_by(parent, child, sample.stamp_ns, sample.stamp_ns);
    if (!path.empty()) return {InsertStatus::kCycle, std::move(path), 0};
  }
  if (same_parent) {
    const SeqLock::Write write(child.lock);
    child.history.insert(sample, pool_);
    child.history.drop_older_than(oldest_kept_ns, pool_);
  } else {
    std::vector<ParentRun> runs =
        moving ? runs_with(child, sample.stamp_ns, &parent) : std::vector<ParentRun>{{sample.stamp_ns, &parent}};
    parents_changed_ |= runs.size() > 1;
    const SeqLock::Write restructure(structure_);
    const SeqLock::Write write(child.lock);
    child.kind = LinkKind::kMoving;
    child.history.insert(sample, pool_);
    child.history.drop_older_than(oldest_kept_ns, pool_);
    while (runs.size() > 1 && runs[1].start_ns <= child.history.oldest_ns()) runs.erase(runs.begin());
    child.set_runs(runs);
    child.present = true;
    parent.present = true;
  }
  changed();
  return {};
}

void Tree::drop_link(Frame& frame) {
  const SeqLock::Write write(frame.lock);
  frame.kind = LinkKind::kNone;
  frame.history.clear(pool_);
  frame.set_runs({});
}

void Tree::remove(Frame& frame, bool with_subtree) {
  const std::lock_guard hold(writers_);
  const SeqLock::Write restructure(structure_);
  std::vector<Frame*> doomed{&frame};
  for (std::size_t i = 0; with_subtree && i < doomed.size(); ++i) {
    for (Frame& other : frames_) {
      if (other.present && other.parent_at(Frame::kForever) == doomed[i]) doomed.push_back(&other);
    }
  }
  for (Frame* const gone : doomed) {
    drop_link(*gone);
    gone->present = false;
  }
  changed();
}

void Tree::clear() {
  const std::lock_guard hold(writers_);
  const SeqLock::Write restructure(structure_);
  std::vector<Frame*> kept;
  for (Frame& frame : frames_) {
    if (frame.kind == LinkKind::kMoving) drop_link(frame);
    if (frame.kind != LinkKind::kStatic) continue;
    kept.push_back(&frame);
    Frame* const parent = frame.only_parent;
    if (parent->present) kept.push_back(parent);
  }
  for (Frame& frame : frames_) frame.present = false;
  for (Frame* const frame : kept) frame->present = true;
  parents_changed_ = false;
  changed();
}

void Tree::copy_to(Tree& empty, std::int64_t history_ns) const {
  const std::lock_guard whole(batches_);
  const std::lock_guard hold(writers_);
  for (const Frame& frame : frames_) {
    if (frame.present) empty.intern_locked(frame.name).present = true;
  }
  for (const Frame& frame : frames_) {
    if (!frame.present || frame.kind == LinkKind::kNone) continue;
    Frame& copy = empty.intern_locked(frame.name);
    std::vector<ParentRun> runs = frame.runs();
    for (ParentRun& run : runs) run.parent = &empty.intern_locked(run.parent->name);
    if (frame.kind == LinkKind::kStatic) {
      copy.fixed.store(frame.fixed.load());
    } else {
      std::int64_t since_ns = kFirst;
      if (__builtin_sub_overflow(frame.history.newest_ns(), history_ns, &since_ns)) since_ns = kFirst;
      copy.history.append_from(frame.history, since_ns, empty.pool_);
      while (runs.size() > 1 && runs[1].start_ns <= copy.history.oldest_ns()) runs.erase(runs.begin());
    }
    copy.kind = static_cast<LinkKind>(frame.kind);
    copy.set_runs(runs);
  }
}

std::vector<const Frame*> Tree::frames() const {
  const std::lock_guard hold(writers_);
  std::vector<const Frame*> present;
  for (const Frame& frame : frames_) {
    if (frame.present) present.push_back(&frame);
  }
  return present;
}

std::size_t Tree::bytes() const {
  const std::lock_guard hold(writers_);
  std::size_t bytes = sizeof(*this) + frames_.size() * sizeof(Frame) + names_.bytes() + pool_.bytes();
  for (const Frame& frame : frames_) {
    if (frame.name.capacity() > 15) bytes += frame.name.capacity() + 1;
    bytes += frame.history.directory_bytes() + frame.run_bytes();
  }
  return bytes;
}

}  // namespace horus::tf
