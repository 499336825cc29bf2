#include "rl/plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/sine.hpp"

namespace horus::rl {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 64;

// Directions of a few rays in the world, and what each meets first.
struct Rays {
  std::array<double, kBlock> x, y;
  std::size_t count;
  std::size_t padded;  // to whole vector registers; what is beyond `count` has no meaning
  double range;
  double* out;

  void meet(std::size_t ray, double t) {
    if (t < out[ray] && t <= range) out[ray] = t;
  }
};

void circle(Rays& rays, double dx, double dy, double radius) {
  const double away = dx * dx + dy * dy;
  if (away > (rays.range + radius) * (rays.range + radius)) return;
  const double outside = away - radius * radius;
  // In two passes, of which the first has no branches and runs on several rays at once: most rays miss.
  std::array<double, kBlock> along;
  std::array<double, kBlock> square;
  for (std::size_t k = 0; k < rays.padded; ++k) {
    along[k] = rays.x[k] * dx + rays.y[k] * dy;
    square[k] = along[k] * along[k] - outside;
  }
  for (std::size_t k = 0; k < rays.count; ++k) {
    // Those that look away hit only from within.
    if (square[k] < 0.0 || (along[k] < 0.0 && outside > 0.0)) continue;
    const double root = std::sqrt(square[k]);
    rays.meet(k, along[k] >= root ? along[k] - root : along[k] + root);
  }
}

// Where a line enters and leaves a slab about the origin.
struct Slab {
  double enter, leave;
};

Slab slab(double from, double direction, double half) {
  if (direction == 0.0) return std::abs(from) <= half ? Slab{-kNever, kNever} : Slab{kNever, -kNever};
  const double a = (-half - from) / direction;
  const double b = (half - from) / direction;
  return {std::min(a, b), std::max(a, b)};
}

void box(Rays& rays, const Heading& from, const double* shape) {
  double sin, cos;
  math::any_sine_cosine(shape[2], sin, cos);
  const double dx = from.x - shape[0];
  const double dy = from.y - shape[1];
  const double x = cos * dx + sin * dy;
  const double y = cos * dy - sin * dx;
  for (std::size_t k = 0; k < rays.count; ++k) {
    const Slab along = slab(x, cos * rays.x[k] + sin * rays.y[k], shape[3]);
    const Slab across = slab(y, cos * rays.y[k] - sin * rays.x[k], shape[4]);
    const double enter = std::max(along.enter, across.enter);
    const double leave = std::min(along.leave, across.leave);
    if (enter > leave || leave < 0.0) continue;
    rays.meet(k, enter >= 0.0 ? enter : leave);
  }
}

void wall(Rays& rays, const Heading& from, const double* shape) {
  const double ax = shape[0] - from.x;
  const double ay = shape[1] - from.y;
  const double ex = shape[2] - shape[0];
  const double ey = shape[3] - shape[1];
  const double side = ax * ey - ay * ex;
  for (std::size_t k = 0; k < rays.count; ++k) {
    const double across = rays.x[k] * ey - rays.y[k] * ex;
    if (across == 0.0) continue;
    const double t = side / across;
    const double part = (ax * rays.y[k] - ay * rays.x[k]) / across;
    if (t >= 0.0 && part >= 0.0 && part <= 1.0) rays.meet(k, t);
  }
}

double box_gap(const double* shape, double px, double py) {
  double sin, cos;
  math::any_sine_cosine(shape[2], sin, cos);
  const double dx = px - shape[0];
  const double dy = py - shape[1];
  const double x = std::abs(cos * dx + sin * dy) - shape[3];
  const double y = std::abs(cos * dy - sin * dx) - shape[4];
  if (x <= 0.0 || y <= 0.0) return std::max(x, y);
  return std::sqrt(x * x + y * y);
}

double wall_gap(const double* shape, double px, double py) {
  const double ex = shape[2] - shape[0];
  const double ey = shape[3] - shape[1];
  const double dx = px - shape[0];
  const double dy = py - shape[1];
  const double length = ex * ex + ey * ey;
  const double part = length > 0.0 ? std::clamp((dx * ex + dy * ey) / length, 0.0, 1.0) : 0.0;
  const double x = dx - part * ex;
  const double y = dy - part * ey;
  return std::sqrt(x * x + y * y);
}

}  // namespace

void cast(const Shapes& shapes, const Heading& from, const double* directions, std::size_t rays, double range,
          double* out) {
  std::fill_n(out, rays, kNever);
  for (std::size_t begin = 0; begin < rays; begin += kBlock) {
    Rays some;
    some.count = std::min(kBlock, rays - begin);
    some.padded = (some.count + 3) / 4 * 4;
    some.range = range;
    std::fill(some.x.begin() + some.count, some.x.begin() + some.padded, 0.0);
    std::fill(some.y.begin() + some.count, some.y.begin() + some.padded, 0.0);
    some.out = out + begin;
    for (std::size_t k = 0; k < some.count; ++k) {
      const double* direction = directions + 2 * (begin + k);
      some.x[k] = from.cos * direction[0] - from.sin * direction[1];
      some.y[k] = from.sin * direction[0] + from.cos * direction[1];
    }
    for (std::size_t k = 0; k < shapes.circle_count; ++k) {
      const double* shape = shapes.circles + 3 * k;
      circle(some, shape[0] - from.x, shape[1] - from.y, shape[2]);
    }
    for (std::size_t k = 0; k < shapes.box_count; ++k) box(some, from, shapes.boxes + 5 * k);
    for (std::size_t k = 0; k < shapes.wall_count; ++k) wall(some, from, shapes.walls + 4 * k);
  }
}

double clearance(const Shapes& shapes, double x, double y, double open) {
  double least = open;
  for (std::size_t k = 0; k < shapes.circle_count; ++k) {
    const double* shape = shapes.circles + 3 * k;
    const double dx = shape[0] - x;
    const double dy = shape[1] - y;
    least = std::min(least, std::sqrt(dx * dx + dy * dy) - shape[2]);
  }
  for (std::size_t k = 0; k < shapes.box_count; ++k) least = std::min(least, box_gap(shapes.boxes + 5 * k, x, y));
  for (std::size_t k = 0; k < shapes.wall_count; ++k) least = std::min(least, wall_gap(shapes.walls + 4 * k, x, y));
  return least;
}

}  // namespace horus::rl
