#include "tf/history.hpp"

#include <limits>

namespace horus::tf {
Chunk* ChunkPool::take() {
  if (free_.empty()) {
    slabs_.push_back(std::make_unique<Chunk[]>(kSlab));
    for (std::size_t i = kSlab; i > 0; --i) free_.push_back(&slabs_.back()[i - 1]);
  }
  Chunk* const chunk = free_.back();
  free_.pop_back();
  return chunk;
}

std::size_t ChunkPool::bytes() const {
  return slabs_.size() * kSlab * sizeof(Chunk) + slabs_.capacity() * sizeof(slabs_[0]) +
         free_.capacity() * sizeof(free_[0]);
}

Chunk* History::writable_chunk(std::uint32_t i) {
  return directory_->slots[(head_ + i) & (directory_->capacity - 1)];
}

std::uint32_t History::bisect(const Directory& directory, std::uint32_t chunks, std::int64_t time_ns) const {
  std::uint32_t low = 0;
  for (std::uint32_t high = chunks; high - low > 1;) {
    const std::uint32_t middle = low + (high - low) / 2;
    const Chunk* const candidate = chunk(directory, middle);
    (candidate != nullptr && candidate->base_ns <= time_ns ? low : high) = middle;
  }
  return low;
}

Transform History::oldest() const {
  const Directory* const directory = directory_;
  const Chunk* const first = directory == nullptr ? nullptr : chunk(*directory, 0);
  return first == nullptr ? Transform{} : first->value[front_ % Chunk::kCapacity].load();
}

Bracket History::newest_pair() const {
  const Directory* const directory = directory_;
  if (directory == nullptr) return at_newest();
  const std::uint32_t chunks = chunks_;
  const Chunk* before = chunk(*directory, chunks - 1);
  std::uint32_t from_end = 2;
  if (before == nullptr || before->count < from_end) {
    before = chunk(*directory, chunks - 2);
    from_end = 1;
    if (before == nullptr) return at_newest();
  }
  const std::uint32_t i = (before->count - from_end) % Chunk::kCapacity;
  return {before->base_ns + before->offset_ns[i], newest_ns_, &before->value[i], &newest_};
}

void History::insert(std::span<const Sample> samples, ChunkPool& pool) {
  if (samples.empty()) return;
  std::vector<Sample> newer;  // Newest first.
  while (size_ > 0 && newest_ns_ >= samples.front().stamp_ns) newer.push_back(take_newest(pool));
  const auto put = [&](const Sample& sample) {
    // Of two samples with one stamp the later arrival wins.
    if (size_ > 0 && newest_ns_ == sample.stamp_ns) take_newest(pool);
    append(sample, pool);
  };
  for (const Sample& sample : samples) {
    for (; !newer.empty() && newer.back().stamp_ns <= sample.stamp_ns; newer.pop_back()) put(newer.back());
    put(sample);
  }
  for (; !newer.empty(); newer.pop_back()) put(newer.back());
}

void History::append(const Sample& sample, ChunkPool& pool) {
  Chunk* last = chunks_ == 0 ? nullptr : writable_chunk(chunks_ - 1);
  if (last == nullptr || last->count == Chunk::kCapacity ||
      elapsed_ns(last->base_ns, sample.stamp_ns) > std::numeric_limits<std::uint32_t>::max()) {
    last = pool.take();
    last->base_ns = sample.stamp_ns;
    last->count = 0;
    push_chunk(last);
  }
  const std::uint32_t i = last->count;
  last->offset_ns[i] = static_cast<std::uint32_t>(elapsed_ns(last->base_ns, sample.stamp_ns));
  last->value[i].store(sample.value);
  last->count = i + 1;
  if (size_ == 0) oldest_ns_ = sample.stamp_ns;
  size_ = size_ + 1;
  newest_ns_ = sample.stamp_ns;
  newest_.store(sample.value);
  refresh_rate();
}

Sample History::take_newest(ChunkPool& pool) {
  const Sample taken{newest_ns_, newest_.load()};
  Chunk* const last = writable_chunk(chunks_ - 1);
  last->count = last->count - 1;
  size_ = size_ - 1;
  if (last->count == 0 || size_ == 0) {
    pool.give_back(last);
    chunks_ = chunks_ - 1;
    if (chunks_ == 0) front_ = 0;
  }
  refresh_newest();
  return taken;
}

void History::refresh_newest() {
  if (size_ == 0) return;
  const Chunk* const last = writable_chunk(chunks_ - 1);
  const Sample newest = last->sample(last->count - 1);
  newest_ns_ = newest.stamp_ns;
  newest_.store(newest.value);
}

void History::refresh_rate() {
  const double span_ns = static_cast<double>(elapsed_ns(oldest_ns_, newest_ns_));
  samples_per_ns_ = span_ns > 0.0 ? (size_ - 1.0) / span_ns : 0.0;
}

void History::drop_older_than(std::int64_t limit_ns, ChunkPool& pool) {
  if (size_ == 0 || oldest_ns_ >= limit_ns) return;
  while (size_ > 0 && oldest_ns_ < limit_ns) {
    Chunk* const first = writable_chunk(0);
    size_ = size_ - 1;
    front_ = front_ + 1;
    if (front_ == first->count) {
      pool.give_back(first);
      head_ = head_ + 1;
      chunks_ = chunks_ - 1;
      front_ = 0;
    }
    if (size_ > 0) {
      const Chunk* const now_first = writable_chunk(0);
      oldest_ns_ = now_first->base_ns + now_first->offset_ns[front_];
    }
  }
  refresh_rate();
}

void History::clear(ChunkPool& pool) {
  for (std::uint32_t i = 0; i < chunks_; ++i) pool.give_back(writable_chunk(i));
  chunks_ = 0;
  front_ = 0;
  size_ = 0;
}

void History::append_from(const History& other, std::int64_t since_ns, ChunkPool& pool) {
  for (std::uint32_t i = 0; i < other.chunks_; ++i) {
    const Chunk* const from = other.chunk(*other.directory_, i);
    if (from->stamp_ns(from->count - 1) < since_ns) continue;
    for (std::uint32_t k = i == 0 ? other.front_ : 0; k < from->count; ++k) {
      const Sample sample = from->sample(k);
      if (sample.stamp_ns >= since_ns) append(sample, pool);
    }
  }
}

std::optional<std::int64_t> History::next_stamp_ns(std::int64_t time_ns) const {
  if (size_ == 0 || time_ns >= newest_ns_) return std::nullopt;
  if (time_ns < oldest_ns_) return static_cast<std::int64_t>(oldest_ns_);
  return bracket(time_ns).after_ns;
}

std::size_t History::directory_bytes() const {
  std::size_t bytes = directories_.capacity() * sizeof(directories_[0]);
  for (const auto& directory : directories_) bytes += sizeof(Directory) + directory->capacity * sizeof(Shared<Chunk*>);
  return bytes;
}

void History::push_chunk(Chunk* chunk) {
  if (directory_ == nullptr || chunks_ == directory_->capacity) {
    auto larger = std::make_unique<Directory>(directory_ == nullptr ? 4 : 2 * directory_->capacity);
    for (std::uint32_t i = 0; i < chunks_; ++i) larger->slots[i] = writable_chunk(i);
    directory_ = larger.get();
    directories_.push_back(std::move(larger));
    head_ = 0;
  }
  directory_->slots[(head_ + chunks_) & (directory_->capacity - 1)] = chunk;
  chunks_ = chunks_ + 1;
}

}  // namespace horus::tf
