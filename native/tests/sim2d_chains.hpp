// Chains of links for the tests of joints, and what is measured on them: energy and stretch.
#pragma once

#include <algorithm>
#include <cmath>

#include "sim2d_scenes.hpp"

namespace scenes {

inline constexpr double kGravity = 9.81;

inline double energy(const World& world) {
  double sum = 0.0;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const BodyDef& definition = world.model().bodies[i];
    if (!definition.can_move) continue;
    const Body& body = world.bodies[i];
    sum += 0.5 * definition.mass * (body.vx * body.vx + body.vy * body.vy) + 0.5 * definition.inertia * body.w * body.w;
    sum += definition.mass * kGravity * body.y;
  }
  return sum;
}

inline double stretch(const World& world) {
  double most = 0.0;
  for (const JointDef& joint : world.model().joints) {
    const Body& a = world.bodies[joint.a];
    const Body& b = world.bodies[joint.b];
    const Vec2 gap = Vec2{b.x, b.y} + rotate(b.c, b.s, joint.anchor_b) - Vec2{a.x, a.y} - rotate(a.c, a.s, joint.anchor_a);
    const double open = joint.kind == JointKind::kDistance ? std::abs(length(gap) - joint.length) : length(gap);
    most = std::max(most, open);
  }
  return most;
}

// Links of `size` that hang from a pin, level or straight down.
inline void add_chain(Scene& scene, int links, double size, double mass, double last_mass, bool is_level) {
  scene.model->gravity = {0.0, -kGravity};
  int above = scene.wall({0, 0, 0}, 0.02, 0.02, 0.5, 0.0);
  for (int i = 0; i < links; ++i) {
    const double at = (i + 0.5) * size;
    const Pose pose = is_level ? Pose{at, 0.0, 0.0} : Pose{0.0, -at, -0.5 * M_PI};
    const int link = scene.box(pose, size, 0.2 * size, i + 1 < links ? mass : last_mass, 0.5, 0.0);
    scene.model->bodies[link].collides = false;
    JointDef joint;
    joint.a = above;
    joint.b = link;
    joint.anchor_a = i > 0 ? Vec2{0.5 * size, 0.0} : Vec2{};
    joint.anchor_b = {-0.5 * size, 0.0};
    scene.model->add_joint(joint);
    above = link;
  }
}

struct Outcome {
  // Energy beyond what it began with, as a share of what it takes to lift everything by the length.
  double gained = 0.0;
  double stretch = 0.0;
  bool is_finite = true;
};

inline Outcome watch(Scene& scene, World& world, double height, int steps) {
  Outcome outcome;
  double scale = 0.0;
  for (const BodyDef& body : scene.model->bodies) scale += body.can_move ? body.mass * kGravity * height : 0.0;
  const double before = energy(world);
  for (int k = 0; k < steps; ++k) {
    scene.run(world, 1);
    outcome.gained = std::max(outcome.gained, (energy(world) - before) / scale);
    outcome.stretch = std::max(outcome.stretch, stretch(world));
    outcome.is_finite = outcome.is_finite && std::isfinite(energy(world));
  }
  return outcome;
}

}  // namespace scenes
