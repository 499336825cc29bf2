#include "tf/route.hpp"

#include <algorithm>

namespace horus::tf {

namespace {

// Why a link has no answer at a time; kOk when a writer gave it one meanwhile.
Outcome explain(const Frame& link, std::int64_t time_ns, const Reach& reach, Failure& failure) {
  const LinkDiagnosis diagnosis = link.diagnose(time_ns, reach);
  failure.link_child = &link;
  failure.link_parent = link.parent_at(time_ns);
  failure.requested_ns = time_ns;
  failure.oldest_ns = diagnosis.stamps.oldest_ns;
  failure.newest_ns = diagnosis.stamps.newest_ns;
  switch (diagnosis.status) {
    case LinkStatus::kPast:
      return Outcome::kPast;
    case LinkStatus::kFuture:
      return Outcome::kFuture;
    case LinkStatus::kCannotPredict:
      return Outcome::kCannotPredict;
    default:
      return Outcome::kOk;
  }
}

// How many frames of a path that goes round in a circle come before its gap. Parents are held beyond their samples, so
// that some link on the circle has no data at this time.
std::size_t frames_before_gap(const std::vector<const Frame*>& path, std::int64_t time_ns, const Reach& reach) {
  // A tolerance may close the gap; then it opens where it would be without one.
  for (const Reach& tried : {reach, Reach{}}) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i]->diagnose(time_ns, tried).status != LinkStatus::kOk) return i + 1;
    }
  }
  return path.size();  // Torn by a writer: the caller sees that the structure moved.
}

}  // namespace

void Route::climb(const Frame* from, std::int64_t time_ns, const Reach& reach, std::vector<const Frame*>& path) {
  path.clear();
  const std::size_t most = tree_->frame_count();
  for (const Frame* frame = from; frame != nullptr;) {
    path.push_back(frame);
    depends_on_time_ |= frame->has_runs;
    const Frame* const parent = frame->parent_at(time_ns);
    frame = parent != nullptr && parent->present ? parent : nullptr;
    if (path.size() <= most) continue;
    path.resize(frames_before_gap(path, time_ns, reach));
    return;
  }
}

Outcome Route::resolve_afresh(std::int64_t time_ns, const Reach& reach, Failure& failure) {
  depends_on_time_ = false;
  up_count_ = down_count_ = 0;
  if (!source_->present) return Outcome::kUnknownSource;
  if (!target_->present) return Outcome::kUnknownTarget;
  climb(source_, time_ns, reach, up_);
  climb(target_, time_ns, reach, down_);
  failure.source_root = up_.back();
  failure.target_root = down_.back();
  if (up_.back() != down_.back()) return Outcome::kDisconnected;
  up_count_ = up_.size();
  down_count_ = down_.size();
  while (up_count_ > 0 && down_count_ > 0 && up_[up_count_ - 1] == down_[down_count_ - 1]) {
    --up_count_;
    --down_count_;
  }
  return Outcome::kOk;
}

Outcome Route::resolve(std::int64_t time_ns, const Reach& reach, Failure& failure) {
  const std::uint64_t now = tree_->structure().begin_read();
  if (now != ticket_ || depends_on_time_) {
    ticket_ = now;
    resolve_failure_ = {};
    resolved_ = resolve_afresh(time_ns, reach, resolve_failure_);
  }
  if (resolved_ != Outcome::kOk) failure = resolve_failure_;
  return resolved_;
}

namespace {

// Multiplies the links of one branch, from the common ancestor down. Links in the outer loop: look-ups at neighbouring
// times are independent and overlap in the processor, products of one chain are not.
inline void multiply(const std::vector<const Frame*>& links, std::size_t link_count, const std::int64_t* times_ns,
                     std::size_t count, const Reach& reach, Transform* out, const Frame** failed) {
  for (std::size_t k = link_count; k-- > 0;) {
    const Frame& link = *links[k];
    for (std::size_t i = 0; i < count; ++i) {
      Transform T_parent_child;
      if (link.link_at(times_ns[i], reach, T_parent_child) != LinkStatus::kOk) [[unlikely]] {
        if (failed[i] == nullptr) failed[i] = &link;
        continue;
      }
      out[i] = k + 1 == link_count ? T_parent_child : compose(out[i], T_parent_child);
    }
  }
}

}  // namespace

inline void Route::evaluate_block(const std::int64_t* times_ns, std::size_t count, const Reach& reach, Transform* out,
                                  const Frame** failed) const {
  multiply(up_, up_count_, times_ns, count, reach, out, failed);
  if (down_count_ > 0) {
    Transform T_common_target[kBlock];
    multiply(down_, down_count_, times_ns, count, reach, T_common_target, failed);
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = up_count_ == 0 ? inverse(T_common_target[i]) : compose_inverse(T_common_target[i], out[i]);
    }
  } else if (up_count_ == 0) {
    std::fill_n(out, count, Transform{});
  }
  // A single link keeps the bits that were stored.
  if (up_count_ + down_count_ <= 1) return;
  for (std::size_t i = 0; i < count; ++i) out[i].rotation = renormalized(out[i].rotation);
}

inline Outcome Route::evaluate(std::int64_t time_ns, const Reach& reach, Transform& out, Failure& failure) const {
  for (;;) {
    const Frame* failed = nullptr;
    evaluate_block(&time_ns, 1, reach, &out, &failed);
    if (failed == nullptr) return Outcome::kOk;
    if (const Outcome outcome = explain(*failed, time_ns, reach, failure); outcome != Outcome::kOk) return outcome;
    // The answer came in between, or the link went with a change of structure, which the caller sees.
    if (!is_current()) return Outcome::kDisconnected;
  }
}

std::size_t Route::lookup_block(const std::int64_t* times_ns, std::size_t count, const Reach& reach, Transform* out,
                                bool* valid) {
  const Frame* failed[kBlock];
  Failure failure;
  for (;;) {
    std::fill_n(failed, count, nullptr);
    const Outcome outcome = resolve(times_ns[0], reach, failure);
    if (depends_on_time_) {
      for (std::size_t i = 0; i < count; ++i) {
        const bool ok = lookup(times_ns[i], reach, out[i], failure) == Outcome::kOk;
        if (valid != nullptr) valid[i] = ok;
        if (!ok && valid == nullptr) return i;
      }
      return count;
    }
    if (outcome == Outcome::kOk) evaluate_block(times_ns, count, reach, out, failed);
    if (!is_current()) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const bool ok = outcome == Outcome::kOk && failed[i] == nullptr;
      if (valid != nullptr) valid[i] = ok;
      if (!ok && valid == nullptr) return i;
    }
    return count;
  }
}

Outcome Route::lookup(std::int64_t time_ns, const Reach& reach, Transform& out, Failure& failure) {
  for (;;) {
    Outcome outcome = resolve(time_ns, reach, failure);
    if (outcome == Outcome::kOk) outcome = evaluate(time_ns, reach, out, failure);
    if (outcome == Outcome::kDisconnected) outcome = disconnected_at(time_ns, reach, failure);
    if (is_current()) return outcome;
  }
}

Outcome Route::disconnected_at(std::int64_t time_ns, const Reach& reach, Failure& failure) const {
  for (const auto* const path : {&up_, &down_}) {
    for (const Frame* const link : *path) {
      if (const Outcome outcome = explain(*link, time_ns, reach, failure); outcome != Outcome::kOk) return outcome;
    }
  }
  return Outcome::kDisconnected;
}

std::optional<std::int64_t> Route::common_ns() const {
  std::int64_t common = Frame::kForever;
  bool moving = false;
  for (std::size_t i = 0; i < up_count_; ++i) moving |= up_[i]->limit_to_newest(common);
  for (std::size_t i = 0; i < down_count_; ++i) moving |= down_[i]->limit_to_newest(common);
  return moving ? std::optional(common) : std::nullopt;
}

Outcome Route::began_later(const Frame* top, std::int64_t time_ns, Failure& failure) const {
  for (const auto* const path : {&up_, &down_}) {
    for (const Frame* const link : *path) {
      if (link == top) break;
      const Frame* const newest_parent = link->parent_at(Frame::kForever);
      if (newest_parent == nullptr || link->parent_at(time_ns) == newest_parent) continue;
      failure.link_child = link;
      failure.link_parent = newest_parent;
      failure.requested_ns = time_ns;
      failure.oldest_ns = link->newest_run_start_ns();
      failure.newest_ns = link->stamps().newest_ns;
      return Outcome::kPast;
    }
  }
  return Outcome::kDisconnected;  // Torn by a writer: the caller sees that the structure moved.
}

Outcome Route::resolve_common(std::int64_t time_ns, const Reach& reach, Failure& failure) {
  const Frame* const top = up_[std::min(up_count_, up_.size() - 1)];
  Outcome outcome = resolve(time_ns, reach, failure);
  if (outcome == Outcome::kDisconnected) outcome = disconnected_at(time_ns, reach, failure);
  return outcome == Outcome::kDisconnected ? began_later(top, time_ns, failure) : outcome;
}

Outcome Route::lookup_latest(const Reach& reach, Transform& out, std::optional<std::int64_t>& time_ns,
                             Failure& failure) {
  // A writer that jumps ahead may prune the common time between the two passes; a few repeats outrun it.
  constexpr int kRepeats = 4;
  for (int repeat = 0;;) {
    const std::uint64_t revision = tree_->revision();
    Outcome outcome = resolve(Frame::kForever, reach, failure);
    if (outcome == Outcome::kOk) {
      time_ns = common_ns();
      if (depends_on_time_ && time_ns) outcome = resolve_common(*time_ns, reach, failure);
      // Any time will do where nothing moves.
      if (outcome == Outcome::kOk) outcome = evaluate(time_ns.value_or(0), reach, out, failure);
    }
    if (!is_current()) continue;
    if (outcome == Outcome::kOk || tree_->revision() == revision || ++repeat == kRepeats) return outcome;
  }
}

Outcome Route::latest_common_ns(std::optional<std::int64_t>& out, Failure& failure) {
  for (;;) {
    const Outcome outcome = resolve(Frame::kForever, Reach{}, failure);
    if (outcome == Outcome::kOk) out = common_ns();
    if (is_current()) return outcome;
  }
}

Outcome Route::frames(std::int64_t time_ns, std::vector<const Frame*>& out, Failure& failure) {
  for (;;) {
    Outcome outcome = resolve(time_ns, Reach{}, failure);
    if (outcome == Outcome::kDisconnected && time_ns != Frame::kForever) {
      outcome = disconnected_at(time_ns, Reach{}, failure);
    }
    out.clear();
    if (outcome == Outcome::kOk) {
      const std::size_t top = std::min(up_count_ + 1, up_.size());
      out.assign(up_.begin(), up_.begin() + static_cast<std::ptrdiff_t>(top));
      for (std::size_t i = down_count_; i > 0; --i) out.push_back(down_[i - 1]);
    }
    if (is_current()) return outcome;
  }
}

}  // namespace horus::tf
