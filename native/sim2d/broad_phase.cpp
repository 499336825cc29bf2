// Which bodies are near enough to touch in this step. Small worlds try all pairs. Large ones keep the pairs of widened
// boxes, found by sorting and sweeping, until a body leaves its widened box; which pairs a step sees does not depend on
// when that was.
#include <algorithm>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

constexpr int kFewBodies = 40;
// Boxes are widened by this share of the shape's radius, and by the motion of a few steps.
constexpr double kWidening = 0.2;
constexpr double kStepsAhead = 4.0;

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
  if (n > kFewBodies) {
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
    const double share = model.bodies[i].can_move ? kWidening * model.bodies[i].shape.min_extent : 0.0;
    const double x = share + kStepsAhead * dt * std::abs(body.vx);
    const double y = share + kStepsAhead * dt * std::abs(body.vy);
    const Aabb& box = world.boxes_[i];
    boxes[i] = {box.min_x - x, box.min_y - y, box.max_x + x, box.max_y + y};
  }
  sweep(boxes);
  world.wide_pairs_valid_ = true;
}

void StepContext::sweep(const std::vector<Aabb>& boxes) {
  std::vector<int>& order = world.order_;
  const int n = static_cast<int>(order.size());
  // Almost sorted since the last time.
  for (int i = 1; i < n; ++i) {
    const int moved = order[i];
    const double key = boxes[moved].min_x;
    int k = i;
    for (; k > 0 && boxes[order[k - 1]].min_x > key; --k) order[k] = order[k - 1];
    order[k] = moved;
  }
  std::vector<std::uint64_t>& pairs = scratch.unsorted_pairs;
  pairs.clear();
  for (int i = 0; i < n; ++i) {
    const int body = order[i];
    const Aabb& box = boxes[body];
    for (int k = i + 1; k < n && boxes[order[k]].min_x <= box.max_x; ++k) {
      const int other = order[k];
      if (!((box.min_y <= boxes[other].max_y) & (boxes[other].min_y <= box.max_y))) continue;
      if (!model.bodies[body].can_move && !model.bodies[other].can_move) continue;
      const int a = std::min(body, other);
      const int b = std::max(body, other);
      if (may_touch(a, b)) pairs.push_back(pair_key(a, b));
    }
  }
  sort_pairs(pairs, world.wide_pairs_);
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
