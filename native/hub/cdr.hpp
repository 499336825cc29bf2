// Messages of ROS 2 as bytes: plain CDR, little endian, with a header of four bytes after which alignment is counted.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace horus::hub {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in memory");

enum class Scalar : std::uint8_t { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, text };

// Bytes of one number, which is also its alignment; that of a text is the alignment of its length.
constexpr std::size_t size_of(Scalar scalar) {
  constexpr std::size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4};
  return sizes[static_cast<std::size_t>(scalar)];
}

enum class Step : std::uint8_t {
  value,    // one number or text
  values,   // an array or a sequence of them
  each,     // an array or a sequence of structures, whose instructions are the `length` next ones
  enter,    // a structure that is an object of its own; its instructions are the `length` next ones
  stamp,    // integer nanoseconds, on the wire seconds (i32) and nanoseconds (u32)
  numbers,  // `count` values in one array, on the wire one after the other
  pose,     // a transform, on the wire translation and quaternion
  frame,    // a text that names a frame
};

// One instruction of the program of a type.
struct Instruction {
  Step step = Step::value;
  Scalar scalar = Scalar::f64;
  bool is_sequence = false;   // of `values` and `each`: a length comes before them
  bool is_read = true;        // whether decoding gives it to the object; others are skipped
  std::uint32_t count = 0;    // how many; of a sequence at most, 0 without a bound
  std::uint32_t name = 0;     // where the object has it
  std::uint32_t length = 0;   // instructions inside
};

constexpr std::size_t HEADER_BYTES = 4;

// Writes numbers one after the other into memory that grows.
class Writer {
 public:
  using Grow = std::uint8_t* (*)(void* owner, std::size_t capacity, std::size_t written);

  // `grow` gives memory of at least that capacity with the bytes that were written so far, or null.
  Writer(void* owner, Grow grow, std::uint8_t* data, std::size_t capacity)
      : owner_(owner), grow_(grow), data_(data), capacity_(capacity) {
    constexpr std::uint8_t header[HEADER_BYTES] = {0, 1, 0, 0};
    std::memcpy(data_, header, HEADER_BYTES);
  }

  std::size_t size() const { return size_; }

  // Room for bytes behind the padding that they need; null without memory.
  std::uint8_t* room(std::size_t alignment, std::size_t bytes) {
    const std::size_t padding = (HEADER_BYTES - size_) & (alignment - 1);
    const std::size_t end = size_ + padding + bytes;
    if (end > capacity_ && !reserve(end)) return nullptr;
    std::uint8_t* const place = data_ + size_ + padding;
    for (std::uint8_t* byte = data_ + size_; byte != place; ++byte) *byte = 0;
    size_ = end;
    return place;
  }

  template <class T>
  bool put(T value) {
    std::uint8_t* const place = room(sizeof(T), sizeof(T));
    if (place == nullptr) return false;
    std::memcpy(place, &value, sizeof(T));
    return true;
  }

  // A text with its length, which counts the zero at its end.
  bool put_text(const char* text, std::size_t length) {
    if (!put(static_cast<std::uint32_t>(length + 1))) return false;
    std::uint8_t* const place = room(1, length + 1);
    if (place == nullptr) return false;
    std::memcpy(place, text, length);
    place[length] = 0;
    return true;
  }

 private:
  bool reserve(std::size_t needed) {
    const std::size_t capacity = needed + needed / 2;
    std::uint8_t* const data = grow_(owner_, capacity, size_);
    if (data == nullptr) return false;
    data_ = data;
    capacity_ = capacity;
    return true;
  }

  void* owner_;
  Grow grow_;
  std::uint8_t* data_;
  std::size_t capacity_;
  std::size_t size_ = HEADER_BYTES;
};

// Reads numbers one after the other; a message that is too short never reads past its end.
class Reader {
 public:
  Reader(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  // Whether the header is that of plain CDR, little endian; the two bytes behind it are options.
  bool has_header() const { return size_ >= HEADER_BYTES && data_[0] == 0 && data_[1] == 1; }
  std::size_t at() const { return at_; }
  std::size_t left() const { return size_ - at_; }

  // The next bytes behind their padding; null where the message ends before.
  const std::uint8_t* take(std::size_t alignment, std::size_t bytes) {
    const std::size_t padding = (HEADER_BYTES - at_) & (alignment - 1);
    if (padding > left() || bytes > left() - padding) return nullptr;
    const std::uint8_t* const place = data_ + at_ + padding;
    at_ += padding + bytes;
    return place;
  }

  template <class T>
  bool get(T& value) {
    const std::uint8_t* const place = take(sizeof(T), sizeof(T));
    if (place == nullptr) return false;
    std::memcpy(&value, place, sizeof(T));
    return true;
  }

  // A text without the zero at its end; null where there is none.
  const char* get_text(std::size_t& length) {
    std::uint32_t counted = 0;
    if (!get(counted)) return nullptr;
    if (counted == 0) {  // as some writers write an empty one
      length = 0;
      return "";
    }
    const std::uint8_t* const place = take(1, counted);
    if (place == nullptr) return nullptr;
    length = counted - (place[counted - 1] == 0 ? 1 : 0);
    return reinterpret_cast<const char*>(place);
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = HEADER_BYTES;
};

}  // namespace horus::hub
