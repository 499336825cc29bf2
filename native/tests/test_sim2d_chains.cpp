// Many joints that hold together: chains, nets and rings at any mass ratio, with bounds on energy and stretch.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "sim2d_chains.hpp"

using namespace scenes;

namespace {

void swing(int links, double size, double mass, double last_mass, double most_stretch) {
  Scene scene;
  add_chain(scene, links, size, mass, last_mass, true);
  World world = scene.build();
  const Outcome outcome = watch(scene, world, links * size, 20 * 120);
  CHECK(outcome.is_finite);
  // Velocities are those of half a step before the poses: 1 % of a pendulum of half a metre.
  CHECK(outcome.gained < 0.012);
  CHECK(outcome.stretch < most_stretch);
}

}  // namespace

TEST(two_links_of_1_and_100_kg_released_level) { swing(2, 0.5, 1.0, 100.0, 0.001); }
TEST(ten_links_with_the_last_ten_times_heavier) { swing(10, 0.1, 1.0, 10.0, 0.01); }
TEST(twenty_equal_links_of_10_cm) { swing(20, 0.1, 1.0, 1.0, 0.01); }
TEST(twenty_links_with_1_to_100) { swing(20, 0.1, 1.0, 100.0, 0.01); }
TEST(twenty_links_with_1_to_1000) { swing(20, 0.1, 1.0, 1000.0, 0.01); }
TEST(twenty_links_with_1000_to_1) { swing(20, 0.1, 1000.0, 1.0, 0.01); }
TEST(a_hundred_links) { swing(100, 0.05, 1.0, 1.0, 0.01); }

TEST(a_hanging_chain_does_not_stretch) {
  Scene scene;
  add_chain(scene, 20, 0.1, 1.0, 1000.0, false);
  World world = scene.build();
  const Outcome outcome = watch(scene, world, 2.0, 1200);
  CHECK(outcome.stretch < 0.001);
  CHECK_CLOSE(world.bodies.back().y, -1.95, 1e-4);
}

namespace {

constexpr int kSide = 6;
constexpr double kLength = 0.1;

// A net of 6 x 6 knots that hangs from one upper corner or both; the knot across weighs `last_mass`.
void add_net(Scene& scene, bool has_two_pins, double radius, double last_mass) {
  scene.model->gravity = {0.0, -kGravity};
  std::vector<int> knots;
  for (int i = 0; i < kSide * kSide; ++i) {
    const Pose pose = {kLength * (i % kSide), -kLength * (i / kSide), 0.0};
    const bool is_pinned = i == 0 || (has_two_pins && i == kSide - 1);
    const double mass = i == kSide * kSide - 1 ? last_mass : 1.0;
    knots.push_back(is_pinned ? scene.model->add_circle(fixed(pose, 0.5, 0.0), radius)
                              : scene.circle(pose, radius, mass, 0.5, 0.0));
    scene.model->bodies.back().collides = !has_two_pins;
  }
  for (int i = 0; i < kSide * kSide; ++i) {
    for (const int other : {i + 1, i + kSide}) {
      if (other >= kSide * kSide || (other == i + 1 && other % kSide == 0)) continue;
      JointDef joint;
      joint.kind = JointKind::kDistance;
      joint.length = kLength;
      joint.a = knots[i];
      joint.b = knots[other];
      scene.model->add_joint(joint);
    }
  }
}

}  // namespace

TEST(a_net_of_distances_hangs_still) {
  Scene scene;
  add_net(scene, true, 0.02, 1.0);
  World world = scene.build();
  const Outcome outcome = watch(scene, world, kSide * kLength, 1200);
  CHECK(outcome.is_finite);
  CHECK(outcome.gained < 0.01);
  CHECK(outcome.stretch < 0.002);
}

// It folds about its one corner, and its knots hit each other.
TEST(a_net_that_falls_does_not_tear) {
  for (const double last_mass : {1.0, 10.0, 100.0, 1000.0}) {
    Scene scene;
    add_net(scene, false, 0.01, last_mass);
    World world = scene.build();
    const Outcome outcome = watch(scene, world, kSide * kLength, 1200);
    CHECK(outcome.is_finite);
    CHECK(outcome.gained < 0.05);
    CHECK(outcome.stretch < 0.005);
  }
}

// It hangs from one of its hinges and whips about.
TEST(a_ring_of_twenty_with_one_of_1000_times_the_mass_stays_closed) {
  constexpr int kLinks = 20;
  const double radius = 0.5;
  const double size = 2.0 * radius * std::sin(M_PI / kLinks);
  const double distance = radius * std::cos(M_PI / kLinks);
  for (const int heavy : {2, 10, 15}) {
    for (const bool collides : {false, true}) {
      Scene scene;
      scene.model->gravity = {0.0, -kGravity};
      const int pin = scene.model->add_circle(fixed({0.0, radius, 0.0}, 0.5, 0.0), 0.005);
      scene.model->bodies[pin].collides = false;
      for (int i = 0; i < kLinks; ++i) {
        const double at = 0.5 * M_PI + 2.0 * M_PI * (i + 0.5) / kLinks;
        const Pose pose = {distance * std::cos(at), distance * std::sin(at), at + 0.5 * M_PI};
        scene.box(pose, 0.95 * size, 0.02, i == heavy ? 1000.0 : 1.0, 0.5, 0.0);
        scene.model->bodies.back().collides = collides;
      }
      for (int i = 0; i <= kLinks; ++i) {
        JointDef joint;
        joint.a = i < kLinks ? 1 + i : pin;
        joint.b = i < kLinks ? 1 + (i + 1) % kLinks : 1;
        joint.anchor_a = i < kLinks ? Vec2{0.5 * size, 0.0} : Vec2{};
        joint.anchor_b = {-0.5 * size, 0.0};
        scene.model->add_joint(joint);
      }
      World world = scene.build();
      const Outcome outcome = watch(scene, world, 2.0 * radius, 1200);
      CHECK(outcome.is_finite);
      CHECK(outcome.gained < 0.02);
      CHECK(outcome.stretch < 0.005);
    }
  }
}

TEST(a_ring_with_a_heavy_link_stays_closed) {
  constexpr int kLinks = 4;
  const double radius = 0.5;
  const double size = 2.0 * radius * std::sin(M_PI / kLinks);
  const double distance = radius * std::cos(M_PI / kLinks);
  for (const double heavy : {1.0, 10.0, 100.0}) {
    Scene scene;
    scene.model->gravity = {0.0, -kGravity};
    const int pin = scene.model->add_circle(fixed({0.0, radius, 0.0}, 0.5, 0.0), 0.005);
    const auto join = [&](int a, int b, Vec2 anchor_a, Vec2 anchor_b) {
      JointDef joint;
      joint.a = a;
      joint.b = b;
      joint.anchor_a = anchor_a;
      joint.anchor_b = anchor_b;
      scene.model->add_joint(joint);
    };
    for (int i = 0; i < kLinks; ++i) {
      const double at = 0.5 * M_PI + 2.0 * M_PI * (i + 0.5) / kLinks;
      const Pose pose = {distance * std::cos(at), distance * std::sin(at), at + 0.5 * M_PI};
      scene.box(pose, 0.95 * size, 0.02, i == 2 ? heavy : 1.0, 0.5, 0.0);
    }
    for (int i = 0; i < kLinks; ++i) join(1 + i, 1 + (i + 1) % kLinks, {0.5 * size, 0.0}, {-0.5 * size, 0.0});
    join(pin, 1, {}, {-0.5 * size, 0.0});
    // A bob on a spring.
    const int bob = scene.circle({0.0, -1.0, 0.0}, 0.01, 0.1, 0.5, 0.0);
    join(3, bob, {}, {});
    JointDef& spring = scene.model->joints.back();
    spring.kind = JointKind::kDistance;
    spring.stiffness = 500.0;
    spring.length = 0.7;
    World world = scene.build();
    const Outcome outcome = watch(scene, world, 1.0, 1200);
    CHECK(outcome.is_finite);
    CHECK(outcome.gained < 0.1);
  }
}

int main() { return check::run_all(); }
