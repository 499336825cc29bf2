// Bodies that lie on each other: stacks, heavy on light, and boxes that must lie still.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "sim2d_scenes.hpp"

using namespace scenes;

namespace {

TEST(a_stack_of_ten_boxes_stands) {
  Scene scene;
  scene.model->gravity = {0.0, -9.81};
  scene.wall({0, -0.05, 0}, 4.0, 0.1, 0.6, 0.0);
  for (int i = 0; i < 10; ++i) scene.box({0, 0.05 + 0.1 * i, 0}, 0.1, 0.1, 1.0, 0.6, 0.0);
  World world = scene.build();
  double deepest = 0.0;
  for (int k = 0; k < 1200; ++k) {
    scene.run(world, 1);
    for (int i = 1; i <= 10; ++i) {
      const double below = i == 1 ? -0.05 : world.bodies[i - 1].y;
      deepest = std::max(deepest, 0.1 - (world.bodies[i].y - below));
    }
  }
  CHECK(deepest <= 0.002);
  CHECK_CLOSE(world.bodies[10].y, 0.95, 0.02);
  CHECK_CLOSE(world.bodies[10].x, 0.0, 0.005);
  CHECK_CLOSE(world.bodies[10].angle, 0.0, 0.01);
}

TEST(a_light_box_carries_a_heavy_one) {
  Scene scene;
  scene.model->gravity = {0.0, -9.81};
  scene.wall({0, -0.05, 0}, 4.0, 0.1, 0.5, 0.0);
  const int light = scene.box({0, 0.05, 0}, 0.1, 0.1, 1.0, 0.5, 0.0);
  const int heavy = scene.box({0, 0.15, 0}, 0.1, 0.1, 100.0, 0.5, 0.0);
  World world = scene.build();
  scene.run(world, 1200);
  // To the slop of two contacts.
  CHECK_CLOSE(world.bodies[light].y, 0.05, 0.0022);
  CHECK_CLOSE(world.bodies[heavy].y, 0.15, 0.0044);
  CHECK(std::abs(world.bodies[heavy].vy) < 1e-6);
}

// Boxes with parallel faces: a slight turn makes the other one's face the one that is clipped at, and its points have other
// names. A model that makes no passes shows the impulses that a step begins with.
TEST(impulses_survive_when_points_get_other_names) {
  const auto boxes = [](Scene& scene) {
    scene.model->gravity = {0.0, -9.81};
    scene.wall({0.0, 0.0, 0.0}, 0.1, 0.1, 0.5, 0.0);
    return scene.box({0.02, 0.099, 0.0}, 0.1, 0.1, 1.0, 0.5, 0.0);
  };
  Scene scene;
  const int top = boxes(scene);
  World world = scene.build();
  scene.run(world, 120);
  CHECK(world.contacts.size() == 1 && world.contacts[0].count == 2);
  const Contact before = world.contacts[0];
  CHECK_CLOSE(before.impulses[0] + before.impulses[2], 9.81 * kStep, 1e-6);
  const double low = std::min(before.impulses[0], before.impulses[2]);
  CHECK(low < 0.49 * 9.81 * kStep);
  int renamed = 0;
  for (const double angle : {2e-3, -2e-3}) {
    Scene again;
    again.model->solver.velocity_iterations = 0;
    boxes(again);
    World turned = again.build();
    turned.contacts = world.contacts;
    turned.set_pose(top, {0.02, 0.099, angle});
    again.run(turned, 1);
    CHECK(turned.contacts.size() == 1 && turned.contacts[0].count == 2);
    const Contact& after = turned.contacts[0];
    const bool is_renamed = after.ids[0] != before.ids[0];
    renamed += is_renamed;
    // Seen from the other body the points are in the other order.
    for (int k = 0; k < 2; ++k) {
      const int was = is_renamed ? 1 - k : k;
      CHECK(after.impulses[2 * k] == before.impulses[2 * was]);
      CHECK(after.impulses[2 * k + 1] == before.impulses[2 * was + 1]);
    }
  }
  CHECK(renamed == 1);
}

TEST(a_stack_of_ten_boxes_stays_straight) {
  Scene scene;
  scene.model->gravity = {0.0, -9.81};
  scene.wall({0.0, -0.5, 0.0}, 10.0, 1.0, 0.5, 0.0);
  for (int i = 0; i < 10; ++i) scene.box({0.0, 0.05 + 0.1 * i, 0.0}, 0.1, 0.1, 1.0, 0.5, 0.0);
  World world = scene.build();
  scene.run(world, 1200);
  CHECK(std::abs(world.bodies[10].x) < 3e-4);
}

TEST(a_resting_box_lies_still) {
  for (const double drop : {0.0, 0.3}) {
    Scene scene;
    scene.model->gravity = {0.0, -9.81};
    scene.wall({0, -0.05, 0}, 4.0, 0.1, 0.6, 0.0);
    const int a = scene.box({0, 0.05 + drop, 0}, 0.1, 0.1, 1.0, 0.6, 0.0);
    World world = scene.build();
    scene.run(world, 360);
    const double y = world.bodies[a].y;
    CHECK(y >= 0.05 - scene.model->solver.correction_slop - 1e-4);
    CHECK(y <= 0.05 + 1e-4);
    double jitter = 0.0;
    for (int k = 0; k < 240; ++k) {
      scene.run(world, 1);
      jitter = std::max(jitter, std::abs(world.bodies[a].y - y));
    }
    CHECK(jitter < 1e-6);
  }
}

}  // namespace

int main() { return check::run_all(); }
