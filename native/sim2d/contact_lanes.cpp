#include "sim2d/contact_lanes.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "sim2d/lane_setup.hpp"

namespace horus::sim2d {
namespace {

constexpr int kColors = 32;
constexpr std::uint8_t kNoColor = 255;

template <class Pack>
void make_room(std::vector<Pack>& packs, std::vector<PackPlaces>& places, std::size_t count) {
  if (packs.size() >= count) return;
  packs.resize(2 * count);
  places.resize(2 * count);
}

}  // namespace

void ContactLanes::clear() {
  one_count_ = 0;
  two_count_ = 0;
  left_over_.clear();
}

void ContactLanes::choose_colors(const World& world) {
  for (std::vector<std::uint32_t>& used : used_) used.assign(world.bodies.size(), 0);
  colors_.clear();
  for (const Contact& contact : world.contacts) {
    std::vector<std::uint32_t>& used = used_[contact.count - 1];
    // Bodies that cannot move may be in several lanes at once.
    const std::uint32_t moves_a = world.params[contact.a].inv_mass > 0.0 ? ~0u : 0u;
    const std::uint32_t moves_b = world.params[contact.b].inv_mass > 0.0 ? ~0u : 0u;
    const int color = std::countr_one((used[contact.a] & moves_a) | (used[contact.b] & moves_b));
    colors_.push_back(color < kColors ? static_cast<std::uint8_t>(color) : kNoColor);
    if (color >= kColors) continue;
    used[contact.a] |= 1u << color;
    used[contact.b] |= 1u << color;
  }
}

// Contacts of one kind and color fill packs in their order; only the last pack of a color has empty lanes.
void ContactLanes::choose_places(const World& world) {
  const int count = static_cast<int>(world.contacts.size());
  int places[2][kColors] = {};
  for (int i = 0; i < count; ++i) {
    if (colors_[i] == kNoColor) {
      left_over_.push_back(i);
    } else {
      ++places[world.contacts[i].count - 1][colors_[i]];
    }
  }
  std::size_t packs[2] = {0, 0};
  for (int kind = 0; kind < 2; ++kind) {
    for (int& place : places[kind]) {
      const int needed = (place + kLanes - 1) / kLanes;
      place = static_cast<int>(packs[kind]) * kLanes;
      packs[kind] += static_cast<std::size_t>(needed);
    }
  }
  one_count_ = packs[0];
  two_count_ = packs[1];
  make_room(one_point_, one_point_places_, one_count_);
  make_room(two_points_, two_point_places_, two_count_);
  for (int i = 0; i < count; ++i) {
    if (colors_[i] == kNoColor) continue;
    const int kind = world.contacts[i].count - 1;
    const int place = places[kind][colors_[i]]++;
    PackPlaces& pack = (kind == 0 ? one_point_places_ : two_point_places_)[place / kLanes];
    const int lane = place % kLanes;
    if (lane == 0) std::fill(pack.contact, pack.contact + kLanes, i);
    pack.contact[lane] = i;
    pack.count = lane + 1;
  }
}

void ContactLanes::prepare(const LaneInput& input) {
  choose_colors(input.world);
  choose_places(input.world);
  run_lanes([&]() __attribute__((always_inline)) {
    for (std::size_t i = 0; i < one_count_; ++i) set_pack(input, one_point_places_[i], one_point_[i]);
    for (std::size_t i = 0; i < two_count_; ++i) set_pack(input, two_point_places_[i], two_points_[i]);
  });
}

void ContactLanes::warm_start(Body* bodies) const {
  if (is_empty()) return;
  run_lanes([&]() __attribute__((always_inline)) {
    for (std::size_t i = 0; i < two_count_; ++i) warm_start_pack(two_points_[i], bodies);
    for (std::size_t i = 0; i < one_count_; ++i) warm_start_pack(one_point_[i], bodies);
  });
}

bool ContactLanes::solve(Body* bodies, bool forward) {
  if (is_empty()) return false;
  bool changed = false;
  run_lanes([&]() __attribute__((always_inline)) {
    // One change is enough: the packs after it are not asked any more.
    const auto pass = [&](auto* packs, std::size_t count, bool upwards) __attribute__((always_inline)) {
      std::size_t done = 0;
      const auto next = [&]() __attribute__((always_inline)) -> auto& { return packs[upwards ? done : count - 1 - done]; };
      for (; done < count && !changed; ++done) changed = any(solve_pack(next(), bodies));
      for (; done < count; ++done) solve_pack(next(), bodies);
    };
    if (forward) {
      pass(two_points_.data(), two_count_, true);
      pass(one_point_.data(), one_count_, true);
    } else {
      pass(one_point_.data(), one_count_, false);
      pass(two_points_.data(), two_count_, false);
    }
  });
  return changed;
}

void ContactLanes::keep_impulses(std::vector<Contact>& contacts) const {
  const auto put = [](const LanePoint& point, int k, double* impulses) {
    impulses[0] = point.normal_impulse[k];
    impulses[1] = point.tangent_impulse[k];
  };
  for (std::size_t i = 0; i < one_count_; ++i) {
    const PackPlaces& places = one_point_places_[i];
    for (int k = 0; k < places.count; ++k) put(one_point_[i].point, k, contacts[places.contact[k]].impulses);
  }
  for (std::size_t i = 0; i < two_count_; ++i) {
    const PackPlaces& places = two_point_places_[i];
    for (int k = 0; k < places.count; ++k) {
      put(two_points_[i].one, k, contacts[places.contact[k]].impulses);
      put(two_points_[i].two, k, contacts[places.contact[k]].impulses + 2);
    }
  }
}

void ContactLanes::correct(World& world, double dt, std::uint8_t* corrected) const {
  if (is_empty()) return;
  const SolverConfig& config = world.model().solver;
  Body* const bodies = world.bodies.data();
  run_lanes([&]() __attribute__((always_inline)) {
    for (std::size_t i = 0; i < one_count_; ++i) correct_pack(config, dt, one_point_[i], bodies, corrected);
    for (std::size_t i = 0; i < two_count_; ++i) correct_pack(config, dt, two_points_[i], bodies, corrected);
  });
}

}  // namespace horus::sim2d
