// The samples of one link over time, in fixed-size chunks that are recycled and never returned while the tree lives:
// a reader that follows an outdated pointer finds old numbers, never unmapped memory, and its SeqLock makes it repeat.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tf/seqlock.hpp"
#include "tf/transform.hpp"

namespace horus::tf {

// Differences of 64-bit stamps can exceed the signed range; the later one minus the earlier one fits the unsigned one.
inline std::uint64_t elapsed_ns(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<std::uint64_t>(to_ns) - static_cast<std::uint64_t>(from_ns);
}

struct Sample {
  std::int64_t stamp_ns = 0;
  Transform value;
};

// The last sample at or before a time and the one after it, itself for the newest. The values are never null.
struct Bracket {
  std::int64_t before_ns, after_ns;
  const SharedTransform* before;
  const SharedTransform* after;
};

// Stamps of a chunk share a cache line as 32-bit offsets, so a chunk spans at most 4.29 s.
struct Chunk {
  static constexpr std::uint32_t kCapacity = 16;

  Shared<std::int64_t> base_ns;
  Shared<std::uint32_t> count;
  Shared<std::uint32_t> offset_ns[kCapacity];
  SharedTransform value[kCapacity];

  std::int64_t stamp_ns(std::uint32_t i) const { return base_ns + offset_ns[i]; }
  Sample sample(std::uint32_t i) const { return {stamp_ns(i), value[i].load()}; }
  // Index of the last sample at or before time_ns >= base_ns, sought from a guess on.
  std::uint32_t last_at_or_before(std::int64_t time_ns, std::uint32_t i) const {
    const auto sought_ns =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(elapsed_ns(base_ns, time_ns), 0xFFFF'FFFFu));
    const std::uint32_t last = (count - 1) % kCapacity;
    if (i > last) i = last;
    while (i > 0 && offset_ns[i] > sought_ns) --i;
    while (i < last && offset_ns[i + 1] <= sought_ns) ++i;
    return i;
  }
  // Sample i and the one after it, here or at the start of the next chunk.
  Bracket between(std::uint32_t i) const {
    const std::uint32_t after = (i + 1) % kCapacity;
    return {stamp_ns(i), stamp_ns(after), &value[i], &value[after]};
  }
  Bracket between(std::uint32_t i, const Chunk& next) const {
    return {stamp_ns(i), next.base_ns, &value[i], &next.value[0]};
  }
};

// Hands out chunks; all its methods are called under the tree's writer lock.
class ChunkPool {
 public:
  Chunk* take();
  void give_back(Chunk* chunk) { free_.push_back(chunk); }
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kSlab = 16;
  std::vector<std::unique_ptr<Chunk[]>> slabs_;
  std::vector<Chunk*> free_;
};

class History {
 public:
  // Readers, inside a SeqLock read.
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t oldest_ns() const { return oldest_ns_; }
  std::int64_t newest_ns() const { return newest_ns_; }
  Transform newest() const { return newest_.load(); }
  Transform oldest() const;
  // oldest_ns() <= time_ns <= newest_ns() and not empty.
  Bracket bracket(std::int64_t time_ns) const;
  // The two newest samples; size() >= 2.
  Bracket newest_pair() const;

  // Writer.
  // Keeps samples sorted by stamp; an equal stamp is replaced. Cheap at the end, and near it.
  void insert(const Sample& sample, ChunkPool& pool) { insert({&sample, 1}, pool); }
  // Samples with ascending stamps; the newer ones that are there already are moved once for all of them.
  void insert(std::span<const Sample> samples, ChunkPool& pool);
  void drop_older_than(std::int64_t limit_ns, ChunkPool& pool);
  void clear(ChunkPool& pool);
  // Appends the samples with stamps >= since_ns of another history that no one writes to meanwhile.
  void append_from(const History& other, std::int64_t since_ns, ChunkPool& pool);
  // Stamp of the first sample after time_ns.
  std::optional<std::int64_t> next_stamp_ns(std::int64_t time_ns) const;
  std::size_t directory_bytes() const;

 private:
  // A ring of chunk pointers with a power-of-two capacity.
  struct Directory {
    explicit Directory(std::uint32_t capacity)
        : capacity(capacity), slots(std::make_unique<Shared<Chunk*>[]>(capacity)) {}
    const std::uint32_t capacity;
    const std::unique_ptr<Shared<Chunk*>[]> slots;
  };

  const Chunk* chunk(const Directory& directory, std::uint32_t i) const {
    return directory.slots[(head_ + i) & (directory.capacity - 1)];
  }
  Bracket at_newest() const { return {newest_ns_, newest_ns_, &newest_, &newest_}; }
  // Index of the last of `chunks` chunks that starts at or before time_ns.
  std::uint32_t bisect(const Directory& directory, std::uint32_t chunks, std::int64_t time_ns) const;
  Chunk* writable_chunk(std::uint32_t i);
  void append(const Sample& sample, ChunkPool& pool);
  Sample take_newest(ChunkPool& pool);
  void push_chunk(Chunk* chunk);
  void refresh_newest();
  void refresh_rate();

  Shared<const Directory*> directory_;
  Shared<std::uint32_t> head_;    // Ring position of the first chunk.
  Shared<std::uint32_t> chunks_;  // Chunks in use.
  Shared<std::uint32_t> front_;   // Index of the oldest sample in the first chunk.
  Shared<std::uint32_t> size_;
  Shared<std::int64_t> oldest_ns_;
  Shared<std::int64_t> newest_ns_;
  SharedTransform newest_;
  Shared<double> samples_per_ns_;  // On average; finds a sample of a regular stream without a search.
  // Outgrown directories stay readable; doubling keeps their sum below the size of the current one.
  std::vector<std::unique_ptr<Directory>> directories_;
};

inline Bracket History::bracket(std::int64_t time_ns) const {
  const Directory* const directory = directory_;
  // A torn read may lack a directory or a chunk; whatever is answered then, the caller's SeqLock discards it.
  if (time_ns >= newest_ns_ || directory == nullptr) return at_newest();
  const std::uint32_t chunks = std::clamp<std::uint32_t>(chunks_, 1, directory->capacity);
  const double since_oldest_ns = static_cast<double>(static_cast<std::int64_t>(elapsed_ns(oldest_ns_, time_ns)));
  const double guess = static_cast<double>(front_) + since_oldest_ns * samples_per_ns_;
  const auto position = static_cast<std::uint32_t>(std::clamp(guess, 0.0, Chunk::kCapacity * chunks - 1.0));
  std::uint32_t at = position / Chunk::kCapacity;
  const Chunk* here = chunk(*directory, at);
  if (here == nullptr) return at_newest();

  if (here->base_ns <= time_ns) [[likely]] {
    const std::uint32_t i = here->last_at_or_before(time_ns, position % Chunk::kCapacity);
    if (i + 1 < here->count) return here->between(i);
    const Chunk* const next = chunk(*directory, at + 1);
    if (at + 1 < chunks && next != nullptr && time_ns < next->base_ns) return here->between(i, *next);
  }
  at = bisect(*directory, chunks, time_ns);
  here = chunk(*directory, at);
  if (here == nullptr) return at_newest();
  const std::uint32_t i = here->last_at_or_before(time_ns, Chunk::kCapacity / 2);
  if (i + 1 < here->count) return here->between(i);
  const Chunk* const next = chunk(*directory, at + 1);
  return next == nullptr ? at_newest() : here->between(i, *next);
}

}  // namespace horus::tf
