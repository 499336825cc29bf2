// Small worlds for the tests of the 2D engine.
#pragma once

#include <memory>
#include <vector>

#include "sim2d/world.hpp"

namespace scenes {

using namespace horus::sim2d;

inline constexpr double kStep = 1.0 / 120.0;

inline std::vector<Vec2> box_points(double width, double height) {
  const double x = 0.5 * width;
  const double y = 0.5 * height;
  return {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
}

inline BodyDef body(Pose pose, double mass, double inertia, double friction, double restitution) {
  BodyDef definition;
  definition.pose = pose;
  definition.mass = mass;
  definition.inertia = inertia;
  definition.friction = friction;
  definition.restitution = restitution;
  return definition;
}

inline BodyDef fixed(Pose pose, double friction, double restitution) {
  BodyDef definition = body(pose, 1.0, 1.0, friction, restitution);
  definition.can_move = false;
  return definition;
}

struct Scene {
  std::shared_ptr<Model> model = std::make_shared<Model>();
  ScratchPtr scratch = make_scratch();

  int circle(Pose pose, double radius, double mass, double friction, double restitution) {
    return model->add_circle(body(pose, mass, 0.5 * mass * radius * radius, friction, restitution), radius);
  }
  int box(Pose pose, double width, double height, double mass, double friction, double restitution) {
    const double inertia = mass * (width * width + height * height) / 12.0;
    return model->add_polygon(body(pose, mass, inertia, friction, restitution), box_points(width, height));
  }
  int wall(Pose pose, double width, double height, double friction, double restitution) {
    return model->add_polygon(fixed(pose, friction, restitution), box_points(width, height));
  }
  // A square of `size` inside, of walls .1 thick.
  void arena(double size, double friction, double restitution) {
    const double middle = 0.5 * size + 0.05;
    wall({middle, 0.0, 0.0}, 0.1, size + 0.2, friction, restitution);
    wall({-middle, 0.0, 0.0}, 0.1, size + 0.2, friction, restitution);
    wall({0.0, middle, 0.0}, size + 0.2, 0.1, friction, restitution);
    wall({0.0, -middle, 0.0}, size + 0.2, 0.1, friction, restitution);
  }
  // A robot .2 x .15 with two wheels `track` apart.
  int robot(Pose pose, double mass, double track, const WheelDef& wheel) {
    const int chassis = box(pose, 0.2, 0.15, mass, 0.5, 0.0);
    for (const double side : {1.0, -1.0}) {
      WheelDef added = wheel;
      added.body = chassis;
      added.mount = {0.0, side * 0.5 * track, 0.0};
      added.wheel_count = 2;
      model->add_wheel(added);
    }
    return chassis;
  }
  World build(std::uint64_t seed = 0) {
    model->finish();
    return World(model, seed);
  }
  void run(World& world, int steps) { world.step(kStep, steps, *scratch); }
};

}  // namespace scenes
