// A number that differs between models that differ, the same in every process (FNV-1a).
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sim2d/math.hpp"

namespace horus::sim2d {

class Fingerprint {
 public:
  // Numbers, flags and kinds, one by one: structures may have padding.
  template <class... Values>
  void add(const Values&... values) {
    (add_one(values), ...);
  }
  std::uint64_t value() const { return hash_; }

 private:
  void add_one(Vec2 v) { add(v.x, v.y); }
  void add_one(Pose p) { add(p.x, p.y, p.theta); }
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void add_one(T value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001B3ull;
  }

  std::uint64_t hash_ = 0xCBF29CE484222325ull;
};

}  // namespace horus::sim2d
