// Prepared look-ups by the names that Python passed, with the last answer of each.
#pragma once

#include <cstdint>
#include <memory>

#include "python.hpp"
#include "tf/route.hpp"

namespace horus::bindings {

struct CachedRoute {
  CachedRoute(const tf::Tree& tree, PyObject* source_name, PyObject* target_name, tf::Frame& source_frame,
              tf::Frame& target_frame)
      : source_name(nb::borrow(source_name)),
        target_name(nb::borrow(target_name)),
        source(source_frame),
        target(target_frame),
        route(tree, source_frame, target_frame) {}

  const nb::object source_name, target_name;
  tf::Frame& source;
  tf::Frame& target;
  tf::Route route;
  // The latest transform as it was at `revision`; immutable, so the same object may be handed out again.
  nb::object latest;
  std::uint64_t revision = 0;
};

// A direct-mapped table: a newcomer takes the place of the one it collides with. Used under the GIL only.
class RouteCache {
 public:
  // The entry for two str objects, or null; equal names match even when they are different objects.
  CachedRoute* find(PyObject* source, PyObject* target) {
    CachedRoute* const entry = slot(source, target).get();
    if (entry == nullptr || !same(entry->source_name.ptr(), source) || !same(entry->target_name.ptr(), target)) {
      return nullptr;
    }
    return entry;
  }

  CachedRoute* put(std::unique_ptr<CachedRoute> entry) {
    auto& place = slot(entry->source_name.ptr(), entry->target_name.ptr());
    place = std::move(entry);
    return place.get();
  }

  static constexpr std::size_t kSlots = 512;

  std::size_t bytes() const {
    std::size_t bytes = kSlots * sizeof(slots_[0]);
    for (std::size_t i = 0; i < kSlots; ++i) {
      if (slots_[i] != nullptr) bytes += sizeof(CachedRoute) + slots_[i]->route.bytes();
    }
    return bytes;
  }

 private:
  // Strings keep their hash, so this costs two reads.
  std::unique_ptr<CachedRoute>& slot(PyObject* source, PyObject* target) {
    const auto a = static_cast<std::uint64_t>(PyObject_Hash(source));
    const auto b = static_cast<std::uint64_t>(PyObject_Hash(target));
    const std::uint64_t mixed = (a ^ (b << 1 | b >> 63)) * 0x9E3779B97F4A7C15u;
    return slots_[mixed >> 55];
  }

  static bool same(PyObject* a, PyObject* b) { return a == b || PyUnicode_Compare(a, b) == 0; }

  std::unique_ptr<std::unique_ptr<CachedRoute>[]> slots_ = std::make_unique<std::unique_ptr<CachedRoute>[]>(kSlots);
};

static_assert(RouteCache::kSlots == 1u << (64 - 55));

}  // namespace horus::bindings
