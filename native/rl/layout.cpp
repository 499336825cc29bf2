#include "rl/layout.hpp"

#include <cmath>

#include "math/sine.hpp"

namespace horus::rl {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr std::uint32_t kTries = 3;
constexpr double kAway = 1000.0;

double square(double x, double y) { return x * x + y * y; }

// Where the `number`-th obstacle with this radius stands.
void place(const LayoutSettings& settings, const Origin& places, std::size_t number, double radius, const double* goal,
           double* out) {
  const double room = square(radius + settings.margin, 0.0);
  out[0] = out[1] = kAway;
  for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
    const auto [u, v] = uniforms(places, static_cast<std::uint32_t>(number) * kTries + attempt);
    const double x = u * (2.0 * settings.half) - settings.half;
    const double y = v * (2.0 * settings.half) - settings.half;
    if (square(x, y) <= room || square(x - goal[0], y - goal[1]) <= room) continue;
    out[0] = x;
    out[1] = y;
    return;
  }
}

void place_circles(const LayoutSettings& settings, const Origin& radii, const Origin& places, const Layout& out) {
  std::array<double, 2> shares{};
  for (std::size_t k = 0; k < out.circle_count; ++k) {
    if (k % 2 == 0) shares = uniforms(radii, static_cast<std::uint32_t>(k / 2));
    const double radius = shares[k % 2] * (settings.largest_radius - settings.least_radius) + settings.least_radius;
    double* circle = out.circles + 3 * k;
    circle[2] = radius;
    place(settings, places, k, radius, out.goal, circle);
  }
}

void place_boxes(const LayoutSettings& settings, const Origin& shapes, const Origin& places, const Layout& out) {
  const auto half = [&](double share) {
    return 0.5 * (share * (settings.largest_side - settings.least_side) + settings.least_side);
  };
  for (std::size_t k = 0; k < out.box_count; ++k) {
    const auto [u, v] = uniforms(shapes, static_cast<std::uint32_t>(2 * k));
    double* box = out.boxes + 5 * k;
    box[2] = uniforms(shapes, static_cast<std::uint32_t>(2 * k + 1))[0] * kPi;
    box[3] = half(u);
    box[4] = half(v);
    place(settings, places, k, std::sqrt(square(box[3], box[4])), out.goal, box);
  }
}

}  // namespace

void lay_out(const LayoutSettings& settings, const LayoutStreams& streams, std::uint64_t seed, std::uint32_t episode,
             double level, const Layout& out) {
  const auto origin = [&](std::uint32_t stream) { return Origin{seed, episode, 0, stream}; };
  const double half_yaw = uniforms(origin(streams.yaw), 0)[0] * kPi - kPi / 2.0;
  math::any_sine_cosine(half_yaw, out.heading[3], out.heading[0]);
  out.heading[1] = out.heading[2] = 0.0;
  const auto [share, turn] = uniforms(origin(streams.goal), 0);
  const double away =
      settings.least_distance + level * (share * (settings.largest_distance - settings.least_distance));
  double s, c;
  math::any_sine_cosine(turn * (2.0 * kPi), s, c);
  out.goal[0] = away * c;
  out.goal[1] = away * s;
  place_circles(settings, origin(streams.radius), origin(streams.place), out);
  place_boxes(settings, origin(streams.box), origin(streams.box_place), out);
}

}  // namespace horus::rl
