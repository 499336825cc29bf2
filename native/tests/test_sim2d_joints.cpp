// What joints promise: limits, stiffness, conserved energy and momentum, with closed forms where there are any.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "sim2d_chains.hpp"

using namespace scenes;

namespace {

// The angle of each hinge of a chain that bends under its weight between its limits.
std::vector<double> bent(const std::vector<double>& masses, double limit) {
  Scene scene;
  scene.model->gravity = {0.0, -kGravity};
  int above = scene.wall({0, 0, 0}, 0.01, 0.01, 0.5, 0.0);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const int link = scene.box({0.1 * static_cast<double>(i) + 0.05, 0.0, 0.0}, 0.098, 0.02, masses[i], 0.5, 0.0);
    JointDef joint;
    joint.a = above;
    joint.b = link;
    joint.anchor_a = i > 0 ? Vec2{0.05, 0.0} : Vec2{};
    joint.anchor_b = {-0.05, 0.0};
    joint.lower = -limit;
    joint.upper = limit;
    scene.model->add_joint(joint);
    above = link;
  }
  World world = scene.build();
  scene.run(world, 20 * 120);
  std::vector<double> angles;
  for (const JointDef& joint : scene.model->joints) {
    CHECK(std::abs(world.bodies[joint.b].w) < 1e-3);
    angles.push_back(world.bodies[joint.b].angle - world.bodies[joint.a].angle);
  }
  return angles;
}

}  // namespace

// All hinges rest at their lower limits.
TEST(a_chain_with_limits_comes_to_rest_at_them) {
  for (const std::vector<double>& masses : {std::vector<double>{1, 1}, {1, 1, 1}, {1, 10}, {1, 1, 1, 1, 1}}) {
    for (const double limit : {0.05, 0.2}) {
      for (const double angle : bent(masses, limit)) CHECK_CLOSE(angle, -limit, 1e-3);
    }
  }
}

// Twenty hinges between limits of which many are reached at once, at any mass ratio.
TEST(a_long_chain_with_limits_does_not_pass_them) {
  for (const double last_mass : {1.0, 10.0, 100.0, 1000.0}) {
    for (const double limit : {0.05, 0.2, 0.5}) {
      Scene scene;
      add_chain(scene, 20, 0.1, 1.0, last_mass, true);
      for (JointDef& joint : scene.model->joints) {
        joint.lower = -limit;
        joint.upper = limit;
      }
      World world = scene.build();
      double beyond = 0.0;
      Outcome worst;
      for (int k = 0; k < 1200; ++k) {
        const Outcome outcome = watch(scene, world, 2.0, 1);
        worst.stretch = std::max(worst.stretch, outcome.stretch);
        worst.is_finite = worst.is_finite && outcome.is_finite;
        for (const JointDef& joint : scene.model->joints) {
          const double angle = world.bodies[joint.b].angle - world.bodies[joint.a].angle;
          beyond = std::max(beyond, std::abs(angle) - limit);
        }
      }
      CHECK(worst.is_finite);
      CHECK(worst.stretch < 0.005);
      CHECK(beyond < 0.1);
    }
  }
  // As far as its limits let it, like a bow.
  for (const double angle : bent(std::vector<double>(20, 1.0), 0.05)) CHECK_CLOSE(angle, -0.05, 1e-3);
}

// Angles of the bodies may be whole turns apart.
TEST(limits_count_from_the_angle_that_a_hinge_has) {
  Scene scene;
  const int base = scene.wall({0, 0, 3.0}, 0.02, 0.02, 0.5, 0.0);
  const int link = scene.box({0.0, 0.0, 3.1 - 2.0 * M_PI}, 0.5, 0.05, 1.0, 0.5, 0.0);
  scene.model->solver.ground_friction = 0.0;
  JointDef joint;
  joint.a = base;
  joint.b = link;
  joint.lower = -0.5;
  joint.upper = 0.5;
  scene.model->add_joint(joint);
  World world = scene.build();
  world.set_velocity(link, 0.0, 0.0, 2.0);
  scene.run(world, 120);
  CHECK_CLOSE(world.bodies[link].angle, 3.5 - 2.0 * M_PI, 1e-4);
  CHECK(std::abs(world.bodies[link].w) < 1e-3);
}

TEST(rigid_joints_do_not_sag) {
  for (const double last_mass : {1.0, 100.0, 1000.0}) {
    Scene scene;
    add_chain(scene, 20, 0.1, 1.0, last_mass, true);
    for (JointDef& joint : scene.model->joints) joint.kind = JointKind::kRigid;
    World world = scene.build();
    scene.run(world, 1200);
    CHECK_CLOSE(world.bodies.back().y, 0.0, 1e-3);
  }
}

TEST(a_light_child_far_from_its_hinge) {
  Scene scene;
  scene.model->gravity = {0.0, -kGravity};
  const int base = scene.wall({0, 0, 0}, 0.02, 0.02, 0.5, 0.0);
  const int child = scene.circle({1.0, 0.0, 0.0}, 0.05, 1.0, 0.5, 0.0);
  scene.model->bodies[child].inertia = 1e-6;
  JointDef joint;
  joint.a = base;
  joint.b = child;
  joint.anchor_b = {-1.0, 0.0};
  scene.model->add_joint(joint);
  World world = scene.build();
  const Outcome outcome = watch(scene, world, 1.0, 20 * 120);
  CHECK(outcome.is_finite);
  CHECK(outcome.gained < 0.02);
  CHECK(outcome.stretch < 1e-4);
  // A pendulum of a point: v^2 = 2 g h at every height, to the accuracy of the half step.
  const Body& body = world.bodies[child];
  CHECK_CLOSE(body.vx * body.vx + body.vy * body.vy, -2.0 * kGravity * body.y, 0.6);
}

// A bob of 5 cm a metre below its pin, released at 1 rad; the closed form has a complete elliptic integral.
TEST(the_period_and_the_energy_of_a_pendulum) {
  constexpr double kPeriod = 2.1404734;
  Scene scene;
  scene.model->gravity = {0.0, -kGravity};
  const int bob = scene.circle({std::sin(1.0), -std::cos(1.0), 1.0}, 0.05, 1.0, 0.5, 0.0);
  const int pin = scene.wall({0.0, 0.0, 0.0}, 0.02, 0.02, 0.5, 0.0);
  JointDef joint;
  joint.a = pin;
  joint.b = bob;
  joint.anchor_b = {0.0, 1.0};
  scene.model->add_joint(joint);
  World world = scene.build();
  const double before = energy(world);
  std::vector<double> crossings;
  double last = world.bodies[bob].x;
  for (int k = 0; k < 20 * 120; ++k) {
    scene.run(world, 1);
    const double x = world.bodies[bob].x;
    if (last < 0.0 && x >= 0.0) crossings.push_back(kStep * (k + last / (last - x)));
    last = x;
  }
  const double swings = static_cast<double>(crossings.size() - 1);
  CHECK_CLOSE((crossings.back() - crossings.front()) / swings, kPeriod, 1.1e-4);
  scene.run(world, 38 * 120);
  double mean = 0.0;
  for (int k = 0; k < 257; ++k) {
    scene.run(world, 1);
    mean += energy(world) / 257.0;
  }
  CHECK_CLOSE((mean + kGravity) / (before + kGravity), 1.0, 1e-3);
}

// More than one joint says the same: none of them gets an impulse without bound.
TEST(redundant_joints_are_harmless) {
  Scene scene;
  scene.model->gravity = {0.0, -kGravity};
  const int base = scene.wall({0, 0, 0}, 0.02, 0.02, 0.5, 0.0);
  const int link = scene.box({0.25, 0.0, 0.0}, 0.5, 0.05, 1.0, 0.5, 0.0);
  for (const JointKind kind : {JointKind::kRigid, JointKind::kRigid, JointKind::kHinge}) {
    JointDef joint;
    joint.kind = kind;
    joint.a = base;
    joint.b = link;
    joint.anchor_b = {-0.25, 0.0};
    scene.model->add_joint(joint);
  }
  World world = scene.build();
  scene.run(world, 1200);
  CHECK_CLOSE(world.bodies[link].x, 0.25, 1e-4);
  CHECK_CLOSE(world.bodies[link].y, 0.0, 1e-4);
  CHECK_CLOSE(world.bodies[link].angle, 0.0, 1e-3);
}

namespace {

// Momentum, and the energy of what moves without gravity.
struct Motion {
  Vec2 momentum;
  double energy = 0.0;
};

Motion motion_of(const World& world) {
  Motion sum;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const BodyDef& definition = world.model().bodies[i];
    const Body& body = world.bodies[i];
    sum.momentum = sum.momentum + definition.mass * Vec2{body.vx, body.vy};
    sum.energy += 0.5 * (definition.mass * (body.vx * body.vx + body.vy * body.vy) + definition.inertia * body.w * body.w);
  }
  return sum;
}

// A ball hits a bent chain that nothing holds, elastically and without friction.
void hit_chain(JointKind kind, int target, double direction, double mass, double speed) {
  constexpr int kLinks = 12;
  const bool is_hinge = kind == JointKind::kHinge;
  Scene scene;
  scene.model->solver.ground_friction = 0.0;
  Vec2 at;
  for (int i = 0; i < kLinks; ++i) {
    const double angle = 0.2 * i;
    const Vec2 half = {0.05 * std::cos(angle), 0.05 * std::sin(angle)};
    const Vec2 middle = at + half;
    at = middle + half;
    const double own_mass = i % 4 == 0 ? 10.0 : 1.0;
    if (is_hinge) scene.box({middle.x, middle.y, angle}, 0.098, 0.02, own_mass, 0.0, 1.0);
    if (!is_hinge) scene.circle({at.x, at.y, 0.0}, 0.02, own_mass, 0.0, 1.0);
    if (i == 0) continue;
    JointDef joint;
    joint.kind = kind;
    joint.a = i - 1;
    joint.b = i;
    joint.length = 0.1;
    if (is_hinge) joint.anchor_a = {0.05, 0.0};
    if (is_hinge) joint.anchor_b = {-0.05, 0.0};
    scene.model->add_joint(joint);
  }
  const Pose aim = scene.model->bodies[target].pose;
  const Vec2 way = {std::cos(direction), std::sin(direction)};
  const int ball = scene.circle({aim.x - 0.4 * way.x, aim.y - 0.4 * way.y, 0.0}, 0.02, mass, 0.0, 1.0);
  World world = scene.build();
  world.set_velocity(ball, speed * way.x, speed * way.y, 0.0);
  const Motion before = motion_of(world);
  for (int k = 0; k < 240; ++k) {
    scene.run(world, 1);
    const Motion after = motion_of(world);
    // Caps of speeds take momentum, too.
    if (!world.warnings.empty()) return;
    CHECK(after.energy <= before.energy * (1.0 + 1e-12));
    CHECK(length(after.momentum - before.momentum) <= 1e-12 * length(before.momentum));
  }
}

}  // namespace

TEST(an_elastic_hit_on_a_free_chain_adds_no_energy) {
  for (const JointKind kind : {JointKind::kHinge, JointKind::kDistance}) {
    for (int target = 0; target < 12; target += 3) {
      for (int k = 0; k < 6; ++k) {
        for (const double mass : {0.3, 3.0}) hit_chain(kind, target, k * M_PI / 3.0, mass, 3.0);
      }
    }
  }
}

// The fixed end of a joint never moves, whatever happens to the other one.
TEST(a_pin_stays_where_it_is) {
  Scene scene;
  add_chain(scene, 5, 0.1, 1.0, 1.0, true);
  World world = scene.build();
  world.set_velocity(3, std::nan(""), 0.0, 0.0);
  scene.run(world, 10);
  CHECK(world.bodies[0].x == 0.0 && world.bodies[0].y == 0.0 && world.bodies[0].angle == 0.0);
  for (const Body& body : world.bodies) CHECK(std::isfinite(body.x + body.y + body.angle + body.vx + body.vy + body.w));
}

// Chains are solved side by side, several at once.
TEST(a_chain_moves_alike_alone_and_beside_others) {
  constexpr int kLinks = 7;
  Scene alone;
  add_chain(alone, kLinks, 0.1, 1.0, 1.0, true);
  Scene many;
  for (int i = 0; i < 9; ++i) add_chain(many, kLinks + i % 3, 0.1, 1.0 + i % 2, 1.0, true);
  World one = alone.build();
  World all = many.build();
  alone.run(one, 240);
  many.run(all, 240);
  for (int i = 0; i <= kLinks; ++i) {
    CHECK(one.bodies[i].x == all.bodies[i].x && one.bodies[i].y == all.bodies[i].y);
    CHECK(one.bodies[i].angle == all.bodies[i].angle && one.bodies[i].w == all.bodies[i].w);
  }
}

// Spokes of a hub that moves: too many to be solved at once, and not side by side either.
TEST(joints_of_a_hub_are_solved_in_turn) {
  Scene scene;
  const int hub = scene.circle({0, 0, 0}, 0.5, 1.0, 0.5, 0.0);
  for (int i = 0; i < 120; ++i) {
    const double angle = 2.0 * M_PI * i / 120;
    const int end = scene.circle({std::cos(angle), std::sin(angle), 0.0}, 0.01, 0.01, 0.5, 0.0);
    JointDef spoke;
    spoke.a = hub;
    spoke.b = end;
    spoke.anchor_a = {std::cos(angle), std::sin(angle)};
    scene.model->add_joint(spoke);
  }
  const World world = scene.build();
  const JointGroups& groups = world.model().joint_groups;
  CHECK(groups.groups.size() == 120);
  for (std::size_t k = 0; k < groups.groups.size(); ++k) CHECK(groups.next_range(k).end == k + 1);
}

int main() { return check::run_all(); }
