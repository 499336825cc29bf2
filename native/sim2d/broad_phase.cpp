// Which bodies are near enough to touch in this step: all pairs in small worlds, sort and sweep in large ones.
#include <algorithm>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

constexpr int kFewBodies = 40;

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

void StepContext::add_pair(int a, int b) {
  if (!model.exempt.empty() && std::binary_search(model.exempt.begin(), model.exempt.end(), pair_key(a, b))) return;
  scratch.pairs.push_back(pair_key(a, b));
}

void StepContext::find_pairs() {
  const int n = static_cast<int>(world.bodies.size());
  scratch.pairs.clear();
  std::vector<int>& active = scratch.active_bodies;
  active.clear();
  for (int i = 0; i < n; ++i) {
    if (!world.active_[i]) continue;
    world.update_box(i, dt);
    if (model.bodies[i].collides) active.push_back(i);
  }
  if (n > kFewBodies) {
    find_pairs_by_sweep();
    return;
  }
  std::size_t next_active = 0;
  const Aabb* const boxes = world.boxes_.data();
  for (int a = 0; a < n && next_active < active.size(); ++a) {
    const Aabb box = boxes[a];
    if (active[next_active] == a) {
      ++next_active;
      for (int b = a + 1; b < n; ++b) {
        if (overlap(box, boxes[b]) && model.bodies[b].collides) add_pair(a, b);
      }
    } else {
      for (std::size_t k = next_active; k < active.size(); ++k) {
        if (overlap(box, boxes[active[k]]) && model.bodies[a].collides) add_pair(a, active[k]);
      }
    }
  }
}

void StepContext::find_pairs_by_sweep() {
  std::vector<int>& order = world.order_;
  const std::vector<Aabb>& boxes = world.boxes_;
  const int n = static_cast<int>(order.size());
  // Almost sorted since the last step.
  for (int i = 1; i < n; ++i) {
    const int moved = order[i];
    const double key = boxes[moved].min_x;
    int k = i;
    for (; k > 0 && boxes[order[k - 1]].min_x > key; --k) order[k] = order[k - 1];
    order[k] = moved;
  }
  std::vector<SortedBox>& sorted = scratch.sorted_boxes;
  sorted.clear();
  for (const int body : order) {
    if (model.bodies[body].collides) sorted.push_back({boxes[body], body});
  }
  const std::size_t count = sorted.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Aabb box = sorted[i].box;
    const int body = sorted[i].body;
    const bool active = world.active_[body];
    for (std::size_t k = i + 1; k < count && sorted[k].box.min_x <= box.max_x; ++k) {
      const SortedBox& other = sorted[k];
      if (!((box.min_y <= other.box.max_y) & (other.box.min_y <= box.max_y))) continue;
      if (!active && !world.active_[other.body]) continue;
      add_pair(std::min(body, other.body), std::max(body, other.body));
    }
  }
  sort_pairs();
}

// By the first body, then the second, so that the order of solving depends on nothing but the state.
void StepContext::sort_pairs() {
  const std::vector<std::uint64_t>& pairs = scratch.pairs;
  std::vector<int>& starts = scratch.starts;
  starts.assign(world.bodies.size() + 1, 0);
  for (const std::uint64_t pair : pairs) ++starts[(pair >> 32) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<std::uint64_t>& sorted = scratch.sorted_pairs;
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
  scratch.pairs.swap(sorted);
}

}  // namespace horus::sim2d
