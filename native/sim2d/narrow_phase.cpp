// Contacts of the near pairs, with the impulses that they had in the last step.
#include <algorithm>
#include <cmath>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Pairs with a greater restitution bounce well.
constexpr double kElastic = 0.5;
// Impulses go over to points with other names while the cosine of the turn of the normal is at least this.
constexpr double kSameSide = 0.9;

inline void add_impulses(const Contact& earlier, int from, Contact& contact, int to) {
  contact.impulses[2 * to] += earlier.impulses[2 * from];
  contact.impulses[2 * to + 1] += earlier.impulses[2 * from + 1];
}

// The point of the contact that bears what point `m` of the earlier one bore, where the names of its points are others: faces
// that are nearly parallel take turns in being the one that the other is clipped at, which turns the order of points around.
inline int successor(const Contact& earlier, int m, const ContactArms& arms, const Contact& contact) {
  if (contact.count == 1) return 0;
  if (earlier.count == 2) return ((earlier.ids[m] ^ contact.ids[0]) & kFaceOfB) != 0 ? 1 - m : m;
  const Vec2 was = {earlier.middle[0], earlier.middle[1]};
  const Vec2 to_one = arms.points[0].a - was;
  const Vec2 to_two = arms.points[1].a - was;
  return dot(to_one, to_one) <= dot(to_two, to_two) ? 0 : 1;
}

// Begins with the impulses of the last step.
inline void take_over(const Contact& earlier, const ContactArms& arms, Contact& contact) {
  bool is_taken[2] = {false, earlier.count < 2};
  for (int m = 0; m < earlier.count; ++m) {
    for (int k = 0; k < contact.count; ++k) {
      if (earlier.ids[m] != contact.ids[k]) continue;
      add_impulses(earlier, m, contact, k);
      is_taken[m] = true;
    }
  }
  if (is_taken[0] && is_taken[1]) return;
  if (dot(earlier.normal, contact.normal) < kSameSide) return;
  for (int m = 0; m < earlier.count; ++m) {
    if (!is_taken[m]) add_impulses(earlier, m, contact, successor(earlier, m, arms, contact));
  }
}

}  // namespace

void World::make_hull(int body, Hull& hull) {
  const Body& b = bodies[body];
  const Shape& shape = model_->bodies[body].shape;
  hull.center = {b.x, b.y};
  if (shape.is_circle) {
    hull.count = 0;
    hull.radius = shape.radius;
    return;
  }
  hull.vertices = &hull_vertices_[shape.first];
  hull.normals = &hull_normals_[shape.first];
  hull.count = shape.count;
  if (hull_valid_[body]) return;
  hull_valid_[body] = 1;
  for (int i = shape.first; i < shape.first + shape.count; ++i) {
    hull_vertices_[i] = rotate(b.c, b.s, model_->vertices[i]) + hull.center;
    hull_normals_[i] = rotate(b.c, b.s, model_->normals[i]);
  }
}

void StepContext::find_contacts() {
  std::vector<Contact>& next = scratch.next_contacts;
  if (next.size() < scratch.pairs.size()) {
    next.resize(2 * scratch.pairs.size());
    scratch.arms.resize(2 * scratch.pairs.size());
  }
  std::size_t used = 0;
  std::size_t earlier = 0;
  const std::vector<Contact>& old = world.contacts;
  for (const std::uint64_t pair : scratch.pairs) {
    while (earlier < old.size() && pair_key(old[earlier].a, old[earlier].b) < pair) ++earlier;
    const bool known = earlier < old.size() && pair_key(old[earlier].a, old[earlier].b) == pair;
    const int a = static_cast<int>(pair >> 32);
    const int b = static_cast<int>(pair & 0xFFFFFFFFu);
    used += make_contact(a, b, known ? &old[earlier] : nullptr, next[used], scratch.arms[used]);
  }
  std::vector<Contact>& kept = world.contacts;
  // Room for more than are needed now: memory is asked for rarely.
  if (kept.capacity() < used) kept.reserve(2 * used);
  kept.assign(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(used));
}

bool StepContext::make_contact(int a, int b, const Contact* earlier, Contact& contact, ContactArms& arms) {
  Hull hull_a;
  Hull hull_b;
  world.make_hull(a, hull_a);
  world.make_hull(b, hull_b);
  const Body& body_a = world.bodies[a];
  const Body& body_b = world.bodies[b];
  const Vec2 motion = {dt * (body_b.vx - body_a.vx), dt * (body_b.vy - body_a.vy)};
  Manifold manifold;
  const Shape& shape_a = model.bodies[a].shape;
  const Shape& shape_b = model.bodies[b].shape;
  const double turns = dt * (std::abs(body_a.w) * shape_a.reach + std::abs(body_b.w) * shape_b.reach);
  const double slow = kSlow * std::min(shape_a.min_extent, shape_b.min_extent);
  double foreseen = 0.0;
  // The slow need no foresight, and what bounces well keeps its energy without it. Most are slower by far.
  if (config.swept_contacts && std::abs(motion.x) + std::abs(motion.y) + turns > slow) {
    const bool bounces = std::max(world.params[a].restitution, world.params[b].restitution) > kElastic;
    const double reach = bounces ? 0.0 : length(motion) + turns;
    if (reach > slow) foreseen = reach;
  }
  if (!collide(hull_a, hull_b, motion, config.contact_margin, foreseen, config.swept_contacts, manifold)) return false;
  contact.a = a;
  contact.b = b;
  contact.count = manifold.count;
  contact.normal = manifold.normal;
  const Vec2 middle = manifold.count == 2 ? 0.5 * (manifold.points[0].ra + manifold.points[1].ra) : manifold.points[0].ra;
  contact.middle[0] = static_cast<float>(middle.x);
  contact.middle[1] = static_cast<float>(middle.y);
  for (int k = 0; k < 2; ++k) {
    const bool exists = k < manifold.count;
    const ManifoldPoint& point = manifold.points[k];
    contact.ids[k] = exists ? point.id : 0;
    contact.separations[k] = exists ? point.separation : 0.0;
    arms.points[k] = {point.ra, point.rb};
    contact.impulses[2 * k] = 0.0;
    contact.impulses[2 * k + 1] = 0.0;
  }
  if (earlier != nullptr && config.warm_starting) take_over(*earlier, arms, contact);
  return true;
}

}  // namespace horus::sim2d
