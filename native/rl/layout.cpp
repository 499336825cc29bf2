#include "rl/layout.hpp"

#include <cmath>

#include "math/sine.hpp"

namespace horus::rl {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr std::uint32_t kTries = 3;
constexpr double kAway = 1000.0;

double square(double x, double y) { return x * x + y * y; }

void place_circles(const LayoutSettings& settings, const Origin& radii, const Origin& places, const double* goal,
                   double* circles, std::size_t count) {
  std::array<double, 2> shares{};
  for (std::size_t k = 0; k < count; ++k) {
    if (k % 2 == 0) shares = uniforms(radii, static_cast<std::uint32_t>(k / 2));
    const double radius = shares[k % 2] * (settings.largest_radius - settings.least_radius) + settings.least_radius;
    const double room = square(radius + settings.margin, 0.0);
    double* circle = circles + 3 * k;
    circle[0] = circle[1] = kAway;
    circle[2] = radius;
    for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
      const auto [u, v] = uniforms(places, static_cast<std::uint32_t>(k) * kTries + attempt);
      const double x = u * (2.0 * settings.half) - settings.half;
      const double y = v * (2.0 * settings.half) - settings.half;
      if (square(x, y) <= room || square(x - goal[0], y - goal[1]) <= room) continue;
      circle[0] = x;
      circle[1] = y;
      break;
    }
  }
}

}  // namespace

void lay_out(const LayoutSettings& settings, const LayoutStreams& streams, std::uint64_t seed, std::uint32_t episode,
             double level, double* heading, double* goal, double* circles, std::size_t count) {
  const auto origin = [&](std::uint32_t stream) { return Origin{seed, episode, 0, stream}; };
  const double half_yaw = uniforms(origin(streams.yaw), 0)[0] * kPi - kPi / 2.0;
  math::any_sine_cosine(half_yaw, heading[3], heading[0]);
  heading[1] = heading[2] = 0.0;
  const auto [share, turn] = uniforms(origin(streams.goal), 0);
  const double away =
      settings.least_distance + level * (share * (settings.largest_distance - settings.least_distance));
  double s, c;
  math::any_sine_cosine(turn * (2.0 * kPi), s, c);
  goal[0] = away * c;
  goal[1] = away * s;
  place_circles(settings, origin(streams.radius), origin(streams.place), goal, circles, count);
}

}  // namespace horus::rl
