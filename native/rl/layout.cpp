#include "rl/layout.hpp"

namespace horus::rl {
namespace {

constexpr std::uint32_t kTries = 3;
constexpr double kAway = 1000.0;

double square(double x, double y) { return x * x + y * y; }

}  // namespace

void place_circles(const LayoutSettings& settings, const Origin& radii, const Origin& places, const double* goal,
                   double* circles, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const double share = uniforms(radii, static_cast<std::uint32_t>(k / 2))[k % 2];
    const double radius = share * (settings.largest_radius - settings.least_radius) + settings.least_radius;
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

}  // namespace horus::rl
