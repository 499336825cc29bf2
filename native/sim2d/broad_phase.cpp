// Which bodies are near enough to touch in this step. Small worlds try all pairs. Large ones keep the pairs of widened
// boxes, found by a grid and a tree, until a body leaves its widened box; which pairs a step sees does not depend on when
// that was.
#include <algorithm>
#include <cmath>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Boxes are widened by this share of the shape's reach, and by the motion of so many steps where that is not more again,
// else by that of one step.
constexpr double kWidening = 0.5;
constexpr double kStepsAhead = 4.0;
// So many movers may be larger than a cell of the grid.
constexpr std::size_t kMostLarge = 16;

inline bool contains(const Aabb& outer, const Aabb& inner) {
  return (outer.min_x <= inner.min_x) & (outer.min_y <= inner.min_y) & (inner.max_x <= outer.max_x) &
         (inner.max_y <= outer.max_y);
}

}  // namespace

void World::update_box(int body, double dt) {
  const Body& b = bodies[body];
  const Shape& shape = model_->bodies[body].shape;
  double x = b.x;
  double y = b.y;
  double half_x = shape.radius;
  double half_y = shape.radius;
  if (!shape.is_circle) {
    const double c = std::abs(b.c);
    const double s = std::abs(b.s);
    x += b.c * shape.box_center.x - b.s * shape.box_center.y;
    y += b.s * shape.box_center.x + b.c * shape.box_center.y;
    half_x = c * shape.box_half.x + s * shape.box_half.y;
    half_y = s * shape.box_half.x + c * shape.box_half.y;
  }
  const double margin = 0.5 * model_->solver.contact_margin;
  const double dx = b.vx * dt;
  const double dy = b.vy * dt;
  boxes_[body] = {x - half_x - margin + std::min(dx, 0.0), y - half_y - margin + std::min(dy, 0.0),
                  x + half_x + margin + std::max(dx, 0.0), y + half_y + margin + std::max(dy, 0.0)};
}

void World::mark_if_left(int body) {
  if (!wide_boxes_.empty() && !contains(wide_boxes_[body], boxes_[body])) wide_pairs_valid_ = false;
}

bool StepContext::may_touch(int a, int b) const {
  if (!model.bodies[a].collides || !model.bodies[b].collides) return false;
  return model.exempt.empty() || !std::binary_search(model.exempt.begin(), model.exempt.end(), pair_key(a, b));
}

void StepContext::find_pairs() {
  const int n = static_cast<int>(world.bodies.size());
  const std::vector<int>& active = scratch.movers;
  for (const int i : active) world.update_box(i, dt);
  if (world.has_trees()) {
    find_pairs_in_large_world();
    return;
  }
  scratch.pairs.clear();
  std::size_t next_active = 0;
  const Aabb* const boxes = world.boxes_.data();
  for (int a = 0; a < n && next_active < active.size(); ++a) {
    const Aabb box = boxes[a];
    if (active[next_active] == a) {
      ++next_active;
      for (int b = a + 1; b < n; ++b) {
        if (overlap(box, boxes[b]) && may_touch(a, b)) scratch.pairs.push_back(pair_key(a, b));
      }
    } else {
      for (std::size_t k = next_active; k < active.size(); ++k) {
        if (overlap(box, boxes[active[k]]) && may_touch(a, active[k])) scratch.pairs.push_back(pair_key(a, active[k]));
      }
    }
  }
}

void StepContext::find_pairs_in_large_world() {
  if (world.wide_pairs_valid_) {
    for (const int body : scratch.movers) world.mark_if_left(body);
  }
  if (!world.wide_pairs_valid_) find_wide_pairs();
  std::vector<std::uint64_t>& pairs = scratch.pairs;
  pairs.resize(world.wide_pairs_.size());
  const Aabb* const boxes = world.boxes_.data();
  const std::uint8_t* const active = world.active_.data();
  // Every pair is written and some are overwritten: cheaper than a branch that cannot be foreseen.
  std::size_t used = 0;
  for (const std::uint64_t pair : world.wide_pairs_) {
    const std::size_t a = pair >> 32;
    const std::size_t b = pair & 0xFFFFFFFFu;
    pairs[used] = pair;
    used += overlap(boxes[a], boxes[b]) & ((active[a] | active[b]) != 0);
  }
  pairs.resize(used);
}

void StepContext::find_wide_pairs() {
  const int n = static_cast<int>(world.bodies.size());
  std::vector<Aabb>& boxes = world.wide_boxes_;
  boxes.resize(world.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Body& body = world.bodies[i];
    const double share = model.bodies[i].can_move ? kWidening * model.bodies[i].shape.reach : 0.0;
    const auto widening = [&](double speed) {
      const double motion = dt * std::abs(speed);
      return share + std::max(motion, std::min(kStepsAhead * motion, share));
    };
    const double x = widening(body.vx);
    const double y = widening(body.vy);
    const Aabb& box = world.boxes_[i];
    boxes[i] = {box.min_x - x, box.min_y - y, box.max_x + x, box.max_y + y};
  }
  scratch.unsorted_pairs.clear();
  for (const int mover : model.colliding_movers) {
    world.for_each_fixed(boxes[mover], [&](int other) { note_pair(mover, other); });
  }
  pair_movers();
  sort_pairs(scratch.unsorted_pairs, world.wide_pairs_);
  world.wide_pairs_valid_ = true;
}

void StepContext::note_pair(int one, int other) {
  const int a = std::min(one, other);
  const int b = std::max(one, other);
  if (may_touch(a, b)) scratch.unsorted_pairs.push_back(pair_key(a, b));
}

// Movers in the same and in neighbouring cells of a grid whose cells are as large as a box; the few that are larger are
// tried with all.
void StepContext::pair_movers() {
  const std::vector<Aabb>& boxes = world.wide_boxes_;
  const std::vector<int>& movers = model.colliding_movers;
  const auto size_of = [&](int i) {
    return std::max(boxes[i].max_x - boxes[i].min_x, boxes[i].max_y - boxes[i].min_y);
  };
  std::vector<double>& sizes = scratch.sizes;
  sizes.clear();
  for (const int i : movers) sizes.push_back(size_of(i));
  if (sizes.empty()) return;
  const std::size_t rank = sizes.size() - 1 - std::min(kMostLarge, sizes.size() - 1);
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank), sizes.end());
  const double cell = sizes[rank];
  const double per_cell = 1.0 / cell;

  std::uint32_t buckets = 64;
  while (buckets < 2 * movers.size()) buckets *= 2;
  const auto bucket_of = [&](std::int64_t x, std::int64_t y) {
    const std::uint64_t mixed = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15ull ^
                                static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Full;
    return static_cast<std::uint32_t>(mixed >> 40) & (buckets - 1);
  };
  std::vector<GridPlace>& grid = scratch.grid;
  std::vector<int>& starts = scratch.cell_starts;
  std::vector<int>& members = scratch.cell_members;
  grid.clear();
  starts.assign(buckets + 1, 0);
  for (const int i : movers) {
    if (size_of(i) > cell) {
      for (const int other : movers) {
        // Two large ones meet once.
        if (other != i && (other > i || size_of(other) <= cell) && overlap(boxes[i], boxes[other])) note_pair(i, other);
      }
      continue;
    }
    GridPlace place;
    place.x = static_cast<std::int64_t>(std::floor(0.5 * (boxes[i].min_x + boxes[i].max_x) * per_cell));
    place.y = static_cast<std::int64_t>(std::floor(0.5 * (boxes[i].min_y + boxes[i].max_y) * per_cell));
    place.bucket = bucket_of(place.x, place.y);
    place.body = i;
    ++starts[place.bucket + 1];
    grid.push_back(place);
  }
  for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
  members.resize(grid.size());
  // Filled from behind, after which each start is where it was.
  for (std::size_t k = grid.size(); k-- > 0;) members[--starts[grid[k].bucket + 1]] = static_cast<int>(k);
  const auto each_in = [&](std::uint32_t bucket, auto visit) {
    const int end = bucket + 2 < starts.size() ? starts[bucket + 2] : static_cast<int>(grid.size());
    for (int k = starts[bucket + 1]; k < end; ++k) visit(members[k]);
  };
  constexpr int kAhead[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};
  for (int k = 0; k < static_cast<int>(grid.size()); ++k) {
    const GridPlace& place = grid[k];
    const Aabb& box = boxes[place.body];
    const auto meet = [&](int m, std::int64_t x, std::int64_t y) {
      if (grid[m].x != x || grid[m].y != y || !overlap(box, boxes[grid[m].body])) return;
      note_pair(place.body, grid[m].body);
    };
    each_in(place.bucket, [&](int m) {
      if (m > k) meet(m, place.x, place.y);
    });
    for (const auto& ahead : kAhead) {
      const std::int64_t x = place.x + ahead[0];
      const std::int64_t y = place.y + ahead[1];
      each_in(bucket_of(x, y), [&](int m) { meet(m, x, y); });
    }
  }
}

// By the first body, then the second, so that the order of solving depends on nothing but the state.
void StepContext::sort_pairs(const std::vector<std::uint64_t>& pairs, std::vector<std::uint64_t>& sorted) {
  std::vector<int>& starts = scratch.starts;
  starts.assign(world.bodies.size() + 1, 0);
  for (const std::uint64_t pair : pairs) ++starts[(pair >> 32) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  if (sorted.capacity() < pairs.size()) sorted.reserve(2 * pairs.size());
  sorted.resize(pairs.size());
  std::vector<int>& ends = scratch.ends;
  ends.assign(starts.begin(), starts.end() - 1);
  // Each bucket is kept in order while it is filled.
  for (const std::uint64_t pair : pairs) {
    const std::size_t bucket = pair >> 32;
    int k = ends[bucket]++;
    for (; k > starts[bucket] && sorted[k - 1] > pair; --k) sorted[k] = sorted[k - 1];
    sorted[k] = pair;
  }
}

}  // namespace horus::sim2d
