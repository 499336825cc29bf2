// Fast and turning bodies against bodies that cannot move: none passes.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "sim2d_scenes.hpp"

using namespace scenes;

namespace {

// Whether a rod of 1 m on a pin gets past a peg, which stands at angle 0.
bool passes(double speed, double start, double distance, double peg_radius) {
  Scene scene;
  const int pin = scene.wall({0, 0, 0}, 0.001, 0.001, 0.5, 0.0);
  scene.model->bodies[pin].collides = false;
  const int rod = scene.box({0, 0, start}, 1.0, 0.02, 1.0, 0.5, 0.0);
  scene.model->add_circle(fixed({distance, 0, 0}, 0.5, 0.0), peg_radius);
  JointDef joint;
  joint.a = pin;
  joint.b = rod;
  scene.model->add_joint(joint);
  World world = scene.build();
  world.set_velocity(rod, 0.0, 0.0, speed);
  for (int k = 0; k < 120; ++k) {
    scene.run(world, 1);
    // Its other half comes from the other side.
    const double angle = world.bodies[rod].angle;
    if (angle > 0.0 || angle < -M_PI) return true;
  }
  return false;
}

}  // namespace

TEST(no_rod_passes_a_peg) {
  for (const double speed : {10.0, 40.0}) {
    for (int k = 0; k < 24; ++k) CHECK(!passes(speed, -0.5 - speed * kStep * k / 24.0, 0.45, 0.005));
  }
  Random random = Random::stream(9, 1);
  for (int k = 0; k < 1000; ++k) {
    const double speed = random.uniform(1.0, 40.0);
    CHECK(!passes(speed, random.uniform(-1.0, -0.4), random.uniform(0.1, 0.49), random.uniform(0.002, 0.02)));
  }
}

// Rods, triangles and boxes that are thrown about between walls of 1 cm, up to the caps of the solver.
TEST(nothing_leaves_a_box_of_thin_walls) {
  constexpr double kThick = 0.01;
  constexpr double kMiddle = 0.5 + 0.5 * kThick;
  Random random = Random::stream(3, 0);
  for (int k = 0; k < 1000; ++k) {
    Scene scene;
    for (const double side : {kMiddle, -kMiddle}) {
      scene.wall({side, 0, 0}, kThick, 1.0 + 2.0 * kThick, 0.5, 0.2);
      scene.wall({0, side, 0}, 1.0 + 2.0 * kThick, kThick, 0.5, 0.2);
    }
    const double size = random.uniform(0.05, 0.45);
    const double width = k % 3 == 0 ? random.uniform(0.01, 0.03) : random.uniform(0.02, 0.3);
    const Pose pose = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-3.0, 3.0)};
    int thrown = 0;
    if (k % 3 == 1) {
      const std::vector<Vec2> triangle = {{-size / 3, -width / 3}, {2 * size / 3, -width / 3}, {-size / 3, 2 * width / 3}};
      const BodyDef definition = body(pose, 1.0, (size * size + width * width) / 18.0, 0.5, 0.2);
      thrown = scene.model->add_polygon(definition, triangle);
    } else {
      thrown = scene.box(pose, size, width, 1.0, 0.5, 0.2);
    }
    World world = scene.build();
    for (int step = 0; step < 120; ++step) {
      if (step % 10 == 0) {
        world.set_velocity(thrown, random.uniform(-10.6, 10.6), random.uniform(-10.6, 10.6), random.uniform(-40.0, 40.0));
      }
      scene.run(world, 1);
      CHECK(std::abs(world.bodies[thrown].x) < 0.5 + kThick && std::abs(world.bodies[thrown].y) < 0.5 + kThick);
    }
  }
}

// The same without any loss, for all of two seconds.
TEST(nothing_bounces_out_of_a_box) {
  constexpr double kThick = 0.01;
  Random random = Random::stream(7, 100);
  int left = 0;
  for (int k = 0; k < 500; ++k) {
    Scene scene;
    for (const double side : {0.5, -0.5}) {
      scene.wall({side, 0, 0}, kThick, 1.0 + kThick, 0.0, 1.0);
      scene.wall({0, side, 0}, 1.0 + kThick, kThick, 0.0, 1.0);
    }
    const Pose pose = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-3.0, 3.0)};
    const int rod = scene.box(pose, random.uniform(0.05, 0.55), random.uniform(0.0015, 0.01), 1.0, 0.0, 1.0);
    World world = scene.build();
    world.set_velocity(rod, random.uniform(-10.6, 10.6), random.uniform(-10.6, 10.6), random.uniform(-40.0, 40.0));
    scene.run(world, 240);
    left += std::abs(world.bodies[rod].x) > 0.5 + kThick || std::abs(world.bodies[rod].y) > 0.5 + kThick;
  }
  CHECK(left == 0);
}

// From any height: the first bounce reaches e^2 of it, for the bounce begins where the body touches.
TEST(a_bounce_begins_where_the_body_touches) {
  for (const double restitution : {0.5, 0.8, 1.0}) {
    for (int k = 0; k < 16; ++k) {
      Scene scene;
      scene.model->gravity = {0.0, -9.81};
      scene.wall({0, -0.5, 0}, 4.0, 1.0, 0.5, restitution);
      const double drop = 0.4587 + 0.025 * k / 16.0;
      const bool is_round = k % 2 == 0;
      const Pose pose = {0.0, drop + 0.05, 0.0};
      const int ball = is_round ? scene.circle(pose, 0.05, 1.0, 0.5, restitution)
                                : scene.box(pose, 0.1, 0.1, 1.0, 0.5, restitution);
      World world = scene.build();
      while (world.bodies[ball].vy <= 0.0) scene.run(world, 1);
      double highest = 0.0;
      while (world.bodies[ball].vy > 0.0) {
        highest = std::max(highest, world.bodies[ball].y - 0.05);
        scene.run(world, 1);
      }
      highest = std::max(highest, world.bodies[ball].y - 0.05);
      CHECK_CLOSE(highest, restitution * restitution * drop, 0.0005);
    }
  }
}

// Trees and grids find what looking at all bodies finds.
TEST(rays_in_a_large_world_meet_the_nearest_body) {
  Scene scene;
  Random random = Random::stream(4, 0);
  for (int i = 0; i < 300; ++i) {
    const Pose pose = {random.uniform(-5.0, 5.0), random.uniform(-5.0, 5.0), random.uniform(-3.0, 3.0)};
    if (i % 3 == 0) {
      scene.wall(pose, random.uniform(0.05, 0.6), 0.05, 0.5, 0.0);
    } else if (i % 3 == 1) {
      scene.circle(pose, random.uniform(0.02, 0.2), 1.0, 0.5, 0.0);
    } else {
      scene.box(pose, 0.1, 0.2, 1.0, 0.5, 0.0);
    }
  }
  World world = scene.build();
  scene.run(world, 3);
  for (int k = 0; k < 500; ++k) {
    const Vec2 origin = {random.uniform(-5.0, 5.0), random.uniform(-5.0, 5.0)};
    const double angle = k % 4 == 0 ? 0.5 * M_PI * (k / 4 % 4) : random.uniform(-3.2, 3.2);
    const Vec2 direction = {std::cos(angle), std::sin(angle)};
    const RayHit hit = world.cast(origin, direction, 6.0, k % 300);
    // Each body alone in a world of its own is met by looking at it.
    RayHit nearest;
    nearest.distance = 6.0;
    for (int i = 0; i < 300; ++i) {
      if (i == k % 300) continue;
      Scene alone;
      const BodyDef& definition = world.model().bodies[i];
      BodyDef copy = definition;
      copy.pose = {world.bodies[i].x, world.bodies[i].y, world.bodies[i].angle};
      if (definition.shape.is_circle) {
        alone.model->add_circle(copy, definition.shape.radius);
      } else {
        const auto first = world.model().vertices.begin() + definition.shape.first;
        alone.model->add_polygon(copy, std::vector<Vec2>(first, first + definition.shape.count));
      }
      World single = alone.build();
      const RayHit met = single.cast(origin, direction, 6.0, -1);
      if (met.body < 0 || met.distance >= nearest.distance) continue;
      nearest = {met.distance, i};
    }
    CHECK(hit.body == nearest.body);
    CHECK_CLOSE(hit.distance, nearest.distance, 1e-12);
  }
}

int main() { return check::run_all(); }
