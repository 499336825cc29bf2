#include "sim2d/episodes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace horus::sim2d {
namespace {

bool touches(const World& world, int body) {
  return std::any_of(world.contacts.begin(), world.contacts.end(),
                     [body](const Contact& contact) { return contact.a == body || contact.b == body; });
}

}  // namespace

void run(Batch& batch, const RunArguments& arguments) {
  const RunArguments& a = arguments;
  batch.for_each([&](std::size_t i, Scratch& scratch) {
    a.touched[i] = 0;
    if (a.chosen != nullptr && a.chosen[i] == 0) return;
    World& world = batch.worlds[i];
    const std::size_t wheels = world.wheels.size();
    for (std::size_t k = 0; k < wheels; ++k) world.wheels[k].command = a.commands[i * wheels + k];
    for (int k = 0; k < a.steps; ++k) {
      world.step(a.dt, 1, scratch);
      if (touches(world, a.watched)) a.touched[i] = 1;
    }
    world.sense();
  });
}

void place(Batch& batch, const PlaceArguments& arguments) {
  const PlaceArguments& a = arguments;
  for (std::size_t k = 0; k < a.count; ++k) {
    World& world = batch.worlds[a.ids[k]];
    world.reset(a.seeds[k]);
    const double* pose = a.poses + 3 * k * a.body_count;
    for (std::size_t b = 0; b < a.body_count; ++b, pose += 3) {
      world.set_pose(static_cast<int>(a.bodies[b]), {pose[0], pose[1], pose[2]});
    }
    world.sense();
  }
}

void read_states(const Batch& batch, int body, double* out) {
  for (const World& world : batch.worlds) {
    const Body& b = world.bodies[body];
    for (const double value : {b.x, b.y, b.angle, b.vx, b.vy, b.w}) *out++ = value;
  }
}

void scan(Batch& batch, const std::uint8_t* chosen, int body, int rays, double range, double* out) {
  std::vector<Vec2> directions(static_cast<std::size_t>(rays));
  for (int k = 0; k < rays; ++k) {
    const double angle = 6.283185307179586 * k / rays;
    directions[k] = direction_of(angle);
  }
  batch.for_each([&](std::size_t i, Scratch&) {
    if (chosen != nullptr && chosen[i] == 0) return;
    batch.worlds[i].scan(body, directions, range, out + i * static_cast<std::size_t>(rays));
  });
}

}  // namespace horus::sim2d
