// A prepared look-up between two frames: the chain of links is found once and kept until the structure changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tf/tree.hpp"

namespace horus::tf {

enum class Outcome : std::uint8_t { kOk, kUnknownSource, kUnknownTarget, kDisconnected, kPast, kFuture, kCannotPredict };

// What an error message needs to know.
struct Failure {
  const Frame* source_root = nullptr;
  const Frame* target_root = nullptr;
  const Frame* link_parent = nullptr;
  const Frame* link_child = nullptr;
  std::int64_t requested_ns = 0;
  std::int64_t oldest_ns = 0;
  std::int64_t newest_ns = 0;
};

// Not thread-safe itself: one Route for each reader. The tree must outlive it.
class Route {
 public:
  Route(const Tree& tree, const Frame& source, const Frame& target)
      : tree_(&tree), source_(&source), target_(&target) {}

  // T_target_source at one time.
  Outcome lookup(std::int64_t time_ns, const Reach& reach, Transform& out, Failure& failure);
  // T_target_source at up to kBlock times; returns how many, from the first on, are answered before one fails or the end.
  // With `valid`, goes on after a failure, tells for each whether it is answered, and returns count.
  static constexpr std::size_t kBlock = 64;
  std::size_t lookup_block(const std::int64_t* times_ns, std::size_t count, const Reach& reach, Transform* out,
                           bool* valid);
  // T_target_source at the latest time that every moving link of the chain knows.
  Outcome lookup_latest(const Reach& reach, Transform& out, Failure& failure) {
    std::optional<std::int64_t> ignored_ns;
    return lookup_latest(reach, out, ignored_ns, failure);
  }
  // The same with that time; nothing when no link of the chain moves.
  Outcome lookup_latest(const Reach& reach, Transform& out, std::optional<std::int64_t>& time_ns, Failure& failure);
  // That time; nothing when no link of the chain moves.
  Outcome latest_common_ns(std::optional<std::int64_t>& out, Failure& failure);
  // Memory of the chain [bytes].
  std::size_t bytes() const { return (up_.capacity() + down_.capacity()) * sizeof(const Frame*); }
  // Frames from source to target over their common ancestor; time_ns Frame::kForever for the newest parents.
  Outcome frames(std::int64_t time_ns, std::vector<const Frame*>& out, Failure& failure);

 private:
  bool is_current() const { return tree_->structure().is_current(ticket_); }
  Outcome resolve(std::int64_t time_ns, const Reach& reach, Failure& failure);
  // After the newest chain: the chain of its common time, where parents change over time.
  Outcome resolve_common(std::int64_t time_ns, const Reach& reach, Failure& failure);
  // Kept apart, so that a look-up over a known chain does not pay for it.
  [[gnu::noinline]] Outcome resolve_afresh(std::int64_t time_ns, const Reach& reach, Failure& failure);
  void climb(const Frame* from, std::int64_t time_ns, const Reach& reach, std::vector<const Frame*>& path);
  // A link without data at that time might have joined the trees: then that is the cause, as in tf2.
  Outcome disconnected_at(std::int64_t time_ns, const Reach& reach, Failure& failure) const;
  // Which link of the newest chain, joined at `top`, is not yet there at its common time.
  Outcome began_later(const Frame* top, std::int64_t time_ns, Failure& failure) const;
  std::optional<std::int64_t> common_ns() const;
  Outcome evaluate(std::int64_t time_ns, const Reach& reach, Transform& out, Failure& failure) const;
  // For each time T_target_source in `out`, or in `failed` the link that has no answer for it.
  void evaluate_block(const std::int64_t* times_ns, std::size_t count, const Reach& reach, Transform* out,
                      const Frame** failed) const;

  const Tree* tree_;
  const Frame* source_;
  const Frame* target_;
  std::uint64_t ticket_ = 1;  // Odd: never current.
  Outcome resolved_ = Outcome::kOk;
  Failure resolve_failure_;
  bool depends_on_time_ = false;
  // Frames from source (target) up to their root; the first up_count_ (down_count_) are below the common ancestor.
  std::vector<const Frame*> up_, down_;
  std::size_t up_count_ = 0, down_count_ = 0;
};

}  // namespace horus::tf
