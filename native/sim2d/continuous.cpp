// How far a body can move and turn in a step before it meets a body that cannot move. Contacts that arise from impulses
// of this very step, or from turning, are not foreseen when velocities are solved; this keeps such a body on its side.
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/sine.hpp"
#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// A body that touches already may go deeper by this share of half a width in a step; its contact pushes it out.
constexpr double kDeeper = 0.25;
// From this share on it may only come out.
constexpr double kDeepest = 0.5;
constexpr int kMostAdvances = 40;
constexpr double kFree = std::numeric_limits<double>::infinity();

// How a body moves during a step: its center by `motion`, about it by `turn`.
struct Sweep {
  Vec2 motion;
  double turn = 0.0;
  // How far the turning carries its outermost point.
  double swing = 0.0;

  // How fast the body may come nearer along a direction that points away from it, in lengths a step.
  double rate(Vec2 away) const { return std::max(dot(away, motion), 0.0) + swing; }
};

// The largest share of the step after which two shapes are certainly still `target` apart, given a direction from the
// moving one to the fixed one and how far they are apart along it; negative when they are not.
inline double safe_share(const Sweep& sweep, Vec2 away, double separation, double target) {
  if (separation <= target) return -1.0;
  const double rate = sweep.rate(away);
  return rate > 0.0 ? (separation - target) / rate : kFree;
}

struct Gap {
  double separation = -kFree;
  double share = -1.0;

  void consider(const Sweep& sweep, Vec2 away, double distance, double target) {
    separation = std::max(separation, distance);
    share = std::max(share, safe_share(sweep, away, distance, target));
  }
};

double nearest_along(const Hull& hull, Vec2 direction) {
  double nearest = dot(direction, hull.vertices[0]);
  for (int i = 1; i < hull.count; ++i) nearest = std::min(nearest, dot(direction, hull.vertices[i]));
  return nearest;
}

// From a polygon to a point: the distance, negative inside, and the direction.
double away_from(const Hull& polygon, Vec2 point, Vec2& direction) {
  int face = 0;
  double separation = -kFree;
  for (int i = 0; i < polygon.count; ++i) {
    const double s = dot(polygon.normals[i], point - polygon.vertices[i]);
    if (s > separation) {
      separation = s;
      face = i;
    }
  }
  direction = polygon.normals[face];
  if (separation <= 0.0) return separation;
  const Vec2 v1 = polygon.vertices[face];
  const Vec2 v2 = polygon.vertices[face + 1 < polygon.count ? face + 1 : 0];
  const bool before = dot(point - v1, v2 - v1) < 0.0;
  const bool behind = dot(point - v2, v1 - v2) < 0.0;
  if (!before && !behind) return separation;
  // Beyond the end of the face that is farthest away the nearest point is one of its corners or of another face.
  double best = kFree;
  for (int i = 0; i < polygon.count; ++i) {
    const Vec2 a = polygon.vertices[i];
    const Vec2 edge = polygon.vertices[i + 1 < polygon.count ? i + 1 : 0] - a;
    const double t = std::clamp(dot(point - a, edge) / dot(edge, edge), 0.0, 1.0);
    const Vec2 offset = point - a - t * edge;
    const double squared = dot(offset, offset);
    if (squared >= best) continue;
    best = squared;
    direction = offset;
  }
  const double distance = std::sqrt(best);
  direction = (1.0 / distance) * direction;
  return distance;
}

Gap gap_between(const Hull& moving, const Hull& fixed, const Sweep& sweep, double target) {
  Gap gap;
  if (moving.count > 0 && fixed.count > 0) {
    for (int i = 0; i < moving.count; ++i) {
      const Vec2 n = moving.normals[i];
      gap.consider(sweep, n, nearest_along(fixed, n) - dot(n, moving.vertices[i]), target);
    }
    for (int i = 0; i < fixed.count; ++i) {
      const Vec2 n = fixed.normals[i];
      gap.consider(sweep, -n, nearest_along(moving, n) - dot(n, fixed.vertices[i]), target);
    }
    return gap;
  }
  Vec2 away;
  double distance = 0.0;
  if (moving.count > 0) {
    distance = away_from(moving, fixed.center, away) - fixed.radius;
  } else if (fixed.count > 0) {
    distance = away_from(fixed, moving.center, away) - moving.radius;
    away = -away;
  } else {
    const Vec2 offset = fixed.center - moving.center;
    const double size = length(offset);
    away = size > 0.0 ? (1.0 / size) * offset : Vec2{1.0, 0.0};
    distance = size - moving.radius - fixed.radius;
  }
  gap.consider(sweep, away, distance, target);
  return gap;
}

}  // namespace

// Whether a body may pass something by a motion.
bool StepContext::is_fast(int i, Vec2 motion, double turn) const {
  const BodyDef& definition = model.bodies[i];
  const Shape& shape = definition.shape;
  const double swing = shape.is_circle ? 0.0 : std::abs(turn) * shape.reach;
  const double slow = kSlow * std::min(shape.min_extent, model.thinnest);
  // Most are slower by far.
  if (std::abs(motion.x) + std::abs(motion.y) + swing <= slow) return false;
  return config.swept_contacts && definition.collides && length(motion) + swing > slow;
}

// The share of its motion that a body can make. Slow ones make all of it.
double StepContext::free_share(int i, Vec2 motion, double turn) {
  if (!is_fast(i, motion, turn)) return 1.0;
  const Shape& shape = model.bodies[i].shape;
  const Body& body = world.bodies[i];
  const double reach = shape.is_circle ? shape.radius : shape.reach;
  const Aabb box = {body.x - reach + std::min(motion.x, 0.0), body.y - reach + std::min(motion.y, 0.0),
                    body.x + reach + std::max(motion.x, 0.0), body.y + reach + std::max(motion.y, 0.0)};
  double share = 1.0;
  world.for_each_fixed(box, [&](int other) {
    if (may_touch(std::min(i, other), std::max(i, other))) {
      share = share_before(i, other, motion, turn, share);
    }
  });
  return share;
}

// Conservative advancement: the body is moved by steps that are certainly free, until it touches.
double StepContext::share_before(int i, int other, Vec2 motion, double turn, double most) {
  const BodyDef& definition = model.bodies[i];
  const Shape& shape = definition.shape;
  const Body& body = world.bodies[i];
  const Sweep sweep = {motion, turn, shape.is_circle ? 0.0 : std::abs(turn) * shape.reach};
  Hull fixed;
  world.make_hull(other, fixed);
  Hull moving;
  moving.radius = shape.radius;
  moving.count = shape.is_circle ? 0 : shape.count;
  std::vector<Vec2>& vertices = scratch.swept_vertices;
  std::vector<Vec2>& normals = scratch.swept_normals;
  if (vertices.size() < static_cast<std::size_t>(moving.count)) {
    vertices.resize(static_cast<std::size_t>(moving.count));
    normals.resize(static_cast<std::size_t>(moving.count));
  }
  moving.vertices = vertices.data();
  moving.normals = normals.data();
  const auto move_to = [&](double at) {
    moving.center = Vec2{body.x, body.y} + at * motion;
    if (shape.is_circle) return;
    double c = body.c;
    double s = body.s;
    if (turn != 0.0) math::any_sine_cosine(body.angle + at * turn, s, c);
    for (int k = 0; k < shape.count; ++k) {
      vertices[k] = rotate(c, s, model.vertices[shape.first + k]) + moving.center;
      normals[k] = rotate(c, s, model.normals[shape.first + k]);
    }
  };
  // Near enough that the next step finds a contact.
  const double tolerance = 0.25 * config.contact_margin;
  double target = tolerance;
  double at = 0.0;
  for (int advance = 0; advance < kMostAdvances; ++advance) {
    move_to(at);
    Gap gap = gap_between(moving, fixed, sweep, target);
    if (advance == 0 && gap.separation <= target + tolerance) {
      const double width = std::min(shape.min_extent, model.bodies[other].shape.min_extent);
      if (gap.separation <= -kDeepest * width) {
        move_to(most);
        return gap_between(moving, fixed, sweep, target).separation >= gap.separation ? most : 0.0;
      }
      target = std::max(std::min(gap.separation, 0.0) - kDeeper * width, -kDeepest * width - tolerance);
      gap = gap_between(moving, fixed, sweep, target);
    }
    if (gap.separation <= target + tolerance) return at;
    at += gap.share;
    if (at >= most) return most;
  }
  return at;
}

}  // namespace horus::sim2d
