// Frames, their names and the links between them. Look-ups go through a Route (route.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "tf/frame.hpp"

namespace horus::tf {

enum class InsertStatus : std::uint8_t { kOk, kCycle, kIsStatic, kIsMoving, kTooOld };

struct InsertResult {
  InsertStatus status = InsertStatus::kOk;
  // With kCycle: the frames from a parent up to the child. Mostly the new parent; a late sample can also prolong the stay
  // with an older one.
  std::vector<const Frame*> path;
  // With kTooOld.
  std::int64_t newest_ns = 0;
};

// Name to frame; grows only, so that readers need no lock.
class NameTable {
 public:
  NameTable();
  Frame* find(std::string_view name) const;
  // Writer only; the name must be new.
  void insert(Frame* frame);
  std::size_t bytes() const;

 private:
  struct Table {
    explicit Table(std::size_t capacity) : mask(capacity - 1), slots(std::make_unique<Shared<Frame*>[]>(capacity)) {}
    const std::size_t mask;
    const std::unique_ptr<Shared<Frame*>[]> slots;
  };
  static void place(const Table& table, Frame* frame);

  Shared<const Table*> table_;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Table>> tables_;
};

class Tree {
 public:
  explicit Tree(std::int64_t buffer_duration_ns) : buffer_duration_ns_(buffer_duration_ns) {}

  std::int64_t buffer_duration_ns() const { return buffer_duration_ns_; }

  // Lock-free. Frames that are not present are found too.
  Frame* find(std::string_view name) const { return names_.find(name); }
  // Finds or makes; a new frame is not present until a link names it.
  Frame& intern(std::string_view name);

  // parent and child differ; the value is finite with a unit quaternion.
  InsertResult add_static(Frame& parent, Frame& child, const Transform& value);
  InsertResult add_moving(Frame& parent, Frame& child, const Sample& sample);
  // In the order of their stamps. Stores nothing when one is too old or they would close a cycle; `refused` is the index
  // of the refused sample. Lets readers and other writers in between.
  InsertResult add_moving(Frame& parent, Frame& child, const std::vector<Sample>& samples, std::size_t& refused);

  // Forgets the frame, its link and its samples; its children stay, orphaned, unless they go with it.
  void remove(Frame& frame, bool with_subtree);
  // Drops every moving link; frames without a static link are forgotten.
  void clear();
  // Writes all present frames with the newest `history_ns` of each moving link into an empty tree.
  void copy_to(Tree& empty, std::int64_t history_ns) const;

  // Present frames in order of their first mention.
  std::vector<const Frame*> frames() const;
  // Number of frames ever named.
  std::size_t frame_count() const { return frame_count_.load(std::memory_order_acquire); }
  std::size_t bytes() const;

  // Changes with every stored sample or change of structure, after it is visible.
  std::uint64_t revision() const { return revision_.load(std::memory_order_acquire); }
  // Changes with every change of parents or presence; readers of several frames repeat when it moved.
  const SeqLock& structure() const { return structure_; }

 private:
  // Why a batch between two stamps cannot be stored.
  InsertResult refuse_batch(Frame& parent, Frame& child, std::int64_t oldest_ns, std::int64_t newest_ns) const;
  // The frames from a parent up to `child` when samples of `parent` between two stamps would close a circle, else
  // nothing: one in the newest parents, or one at a time for which every link on it has data.
  std::vector<const Frame*> circle_closed_by(const Frame& parent, const Frame& child, std::int64_t first_ns,
                                             std::int64_t last_ns) const;
  InsertResult add_moving_locked(Frame& parent, Frame& child, const Sample& sample);
  std::int64_t limit_ns(std::int64_t newest_ns) const;
  void drop_link(Frame& frame);
  void changed() { revision_.store(revision_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  Frame& intern_locked(std::string_view name);

  const std::int64_t buffer_duration_ns_;
  // Held for a whole batch, so that a copy has all of it or nothing; taken before writers_.
  mutable std::mutex batches_;
  mutable std::mutex writers_;
  SeqLock structure_;
  // Whether a moving frame has had two parents since the last clear; only then do circles depend on time.
  bool parents_changed_ = false;
  std::atomic<std::uint64_t> revision_{0};
  std::atomic<std::size_t> frame_count_{0};
  std::deque<Frame> frames_;
  NameTable names_;
  ChunkPool pool_;
};

}  // namespace horus::tf
