// Rays against the shapes of a world, in closed form.
#include <algorithm>
#include <cmath>

#include "sim2d/world.hpp"

namespace horus::sim2d {
namespace {

// Distance to a circle; negative for a miss, 0 from the inside.
double to_circle(Vec2 origin, Vec2 direction, Vec2 center, double radius) {
  const Vec2 offset = center - origin;
  const double inside = dot(offset, offset) - radius * radius;
  if (inside <= 0.0) return 0.0;
  const double along = dot(offset, direction);
  const double discriminant = along * along - inside;
  if (along <= 0.0 || discriminant < 0.0) return -1.0;
  return along - std::sqrt(discriminant);
}

double to_polygon(Vec2 origin, Vec2 direction, const Hull& hull, double range) {
  double enter = 0.0;
  double leave = range;
  for (int i = 0; i < hull.count; ++i) {
    const double rate = dot(hull.normals[i], direction);
    const double distance = dot(hull.normals[i], hull.vertices[i] - origin);
    if (rate == 0.0) {
      if (distance < 0.0) return -1.0;
    } else if (rate < 0.0) {
      enter = std::max(enter, distance / rate);
    } else {
      leave = std::min(leave, distance / rate);
    }
    if (enter > leave) return -1.0;
  }
  return enter;
}

}  // namespace

const BoxTree& World::fixed_tree() {
  if (!fixed_tree_valid_) fixed_tree_.build(model_->fixed_bodies, boxes_);
  fixed_tree_valid_ = true;
  return fixed_tree_;
}

const BoxTree& World::moving_tree() {
  if (!moving_tree_valid_) {
    // Boxes of a step are longer, by the motion in it.
    for (const int i : model_->moving_bodies) update_box(i, 0.0);
    moving_tree_.build(model_->moving_bodies, boxes_);
  }
  moving_tree_valid_ = true;
  return moving_tree_;
}

void World::meet(int i, Vec2 origin, Vec2 direction, RayHit& hit) {
  const BodyDef& definition = model_->bodies[i];
  const Shape& shape = definition.shape;
  if (!definition.collides) return;
  const Body& body = bodies[i];
  const Vec2 middle = Vec2{body.x, body.y} + rotate(body.c, body.s, shape.box_center);
  const Vec2 offset = middle - origin;
  const double along = dot(direction, offset);
  const double bound = shape.bounding_radius;
  if (std::abs(cross(direction, offset)) > bound || along < -bound || along - bound > hit.distance) return;
  double distance = 0.0;
  if (shape.is_circle) {
    distance = to_circle(origin, direction, middle, shape.radius);
  } else {
    Hull hull;
    make_hull(i, hull);
    distance = to_polygon(origin, direction, hull, hit.distance);
  }
  if (distance < 0.0 || distance > hit.distance) return;
  // Of several at one distance the first one, in whatever order they are looked at.
  if (distance == hit.distance && (hit.body < 0 || hit.body < i)) return;
  hit.distance = distance;
  hit.body = i;
}

RayHit World::cast(Vec2 origin, Vec2 direction, double range, int ignored_body) {
  RayHit hit;
  hit.distance = range;
  const auto visit = [&](int i) {
    if (i != ignored_body) meet(i, origin, direction, hit);
    return hit.distance;
  };
  if (has_trees()) {
    fixed_tree().cast(origin, direction, range, visit);
    moving_tree().cast(origin, direction, hit.distance, visit);
  } else {
    for (int i = 0; i < static_cast<int>(bodies.size()); ++i) visit(i);
  }
  return hit;
}

void World::scan(int self, const std::vector<Vec2>& directions, double range, double* out) {
  const Body& seer = bodies[self];
  const Vec2 origin = {seer.x, seer.y};
  const int rays = static_cast<int>(directions.size());
  if (has_trees()) {
    for (int k = 0; k < rays; ++k) out[k] = cast(origin, rotate(seer.c, seer.s, directions[k]), range, self).distance;
    return;
  }
  std::fill(out, out + rays, range);
  const int n = static_cast<int>(bodies.size());
  for (int i = 0; i < n; ++i) {
    const Shape& shape = model_->bodies[i].shape;
    const Body& body = bodies[i];
    if (i == self || !model_->bodies[i].collides) continue;
    const Vec2 middle = Vec2{body.x, body.y} + rotate(body.c, body.s, shape.box_center);
    // In the frame of the seer, where the directions are.
    const Vec2 offset = unrotate(seer.c, seer.s, middle - origin);
    const double bound = shape.bounding_radius;
    if (dot(offset, offset) > (range + bound) * (range + bound)) continue;
    Hull hull;
    if (!shape.is_circle) make_hull(i, hull);
    for (int k = 0; k < rays; ++k) {
      const double along = dot(directions[k], offset);
      if (std::abs(cross(directions[k], offset)) > bound || along < -bound || along - bound > out[k]) continue;
      const Vec2 direction = rotate(seer.c, seer.s, directions[k]);
      const double distance = shape.is_circle ? to_circle(origin, direction, middle, shape.radius)
                                              : to_polygon(origin, direction, hull, out[k]);
      if (distance >= 0.0 && distance < out[k]) out[k] = distance;
    }
  }
}

}  // namespace horus::sim2d
