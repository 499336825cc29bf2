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

RayHit World::cast(Vec2 origin, Vec2 direction, double range, int ignored_body) {
  return cast_where(origin, direction, range, [&](int i) { return i != ignored_body; });
}

RayHit World::cast_fixed(Vec2 origin, Vec2 direction, double range) {
  return cast_where(origin, direction, range, [&](int i) { return params[i].inv_mass == 0.0; });
}

void World::scan(int self, const std::vector<Vec2>& directions, double range, double* out) {
  const Body& seer = bodies[self];
  const Vec2 origin = {seer.x, seer.y};
  const int rays = static_cast<int>(directions.size());
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

template <class Predicate>
RayHit World::cast_where(Vec2 origin, Vec2 direction, double range, Predicate wanted) {
  RayHit hit;
  hit.distance = range;
  const int n = static_cast<int>(bodies.size());
  for (int i = 0; i < n; ++i) {
    const BodyDef& definition = model_->bodies[i];
    const Shape& shape = definition.shape;
    const Body& body = bodies[i];
    const Vec2 middle = Vec2{body.x, body.y} + rotate(body.c, body.s, shape.box_center);
    const Vec2 offset = middle - origin;
    const double across = cross(direction, offset);
    const double along = dot(direction, offset);
    const double bound = shape.bounding_radius;
    if (std::abs(across) > bound || along < -bound || along - bound > hit.distance) continue;
    if (!definition.collides || !wanted(i)) continue;
    double distance = 0.0;
    if (shape.is_circle) {
      distance = to_circle(origin, direction, middle, shape.radius);
    } else {
      Hull hull;
      make_hull(i, hull);
      distance = to_polygon(origin, direction, hull, hit.distance);
    }
    if (distance < 0.0 || distance >= hit.distance) continue;
    hit.distance = distance;
    hit.body = i;
  }
  return hit;
}

}  // namespace horus::sim2d
