#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "parallel/pieces.hpp"
#include "rl/constants.hpp"
#include "rl/layout.hpp"
#include "rl/model_draws.hpp"
#include "rl/plane.hpp"
#include "rl/rover.hpp"

using namespace horus::rl;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Marches along a ray until the clearance changes sign: an oracle that knows no intersections.
double marched(const Shapes& shapes, double x, double y, double dx, double dy, double range) {
  double t = 0.0;
  double gap = clearance(shapes, x, y, 1.0);
  const bool inside = gap < 0.0;
  while (t <= range && std::abs(gap) > 1e-10) {
    t += std::abs(gap);
    gap = clearance(shapes, x + t * dx, y + t * dy, 1.0);
    if ((gap < 0.0) != inside) break;
  }
  return t <= range ? t : kNever;
}

}  // namespace

TEST(rays_meet_what_a_march_meets) {
  const std::vector<double> circles{1.0, 0.2, 0.3, -0.5, 1.5, 0.2, -2.0, -1.0, 0.7};
  const std::vector<double> boxes{0.3, -1.4, 0.6, 0.5, 0.2, 2.5, 1.0, -0.3, 0.2, 0.9};
  const std::vector<double> walls{-3.0, -3.0, 3.0, -3.0, 3.0, -3.0, 3.0, 3.0};
  const Shapes shapes{circles.data(), 3, boxes.data(), 2, walls.data(), 2};
  constexpr std::size_t rays = 131;  // over more than two blocks
  std::vector<double> directions(2 * rays);
  for (std::size_t k = 0; k < rays; ++k) {
    directions[2 * k] = std::cos(2 * std::numbers::pi * static_cast<double>(k) / rays);
    directions[2 * k + 1] = std::sin(2 * std::numbers::pi * static_cast<double>(k) / rays);
  }
  std::vector<double> out(rays);
  for (const double yaw : {0.0, 0.7, -2.1}) {
    const Heading from{0.1, 0.05, std::cos(yaw), std::sin(yaw)};
    cast(shapes, from, directions.data(), rays, 10.0, out.data());
    for (std::size_t k = 0; k < rays; ++k) {
      const double dx = from.cos * directions[2 * k] - from.sin * directions[2 * k + 1];
      const double dy = from.sin * directions[2 * k] + from.cos * directions[2 * k + 1];
      const double expected = marched(shapes, from.x, from.y, dx, dy, 10.0);
      if (expected == kNever) CHECK_EQUAL(out[k], kNever);
      else CHECK_CLOSE(out[k], expected, 1e-6);
    }
  }
}

TEST(rays_from_within_find_the_way_out) {
  const double circle[] = {0.5, 0.0, 1.0};
  const double box[] = {0.0, 0.0, 0.0, 2.0, 1.0};
  const double directions[] = {1.0, 0.0, 0.0, 1.0, -1.0, 0.0};
  double out[3];
  cast({circle, 1, nullptr, 0, nullptr, 0}, {0, 0, 1, 0}, directions, 3, 10.0, out);
  CHECK_CLOSE(out[0], 1.5, 1e-15);
  CHECK_CLOSE(out[1], std::sqrt(0.75), 1e-15);
  CHECK_CLOSE(out[2], 0.5, 1e-15);
  cast({nullptr, 0, box, 1, nullptr, 0}, {0.5, 0, 1, 0}, directions, 3, 10.0, out);
  CHECK_CLOSE(out[0], 1.5, 1e-15);
  CHECK_CLOSE(out[1], 1.0, 1e-15);
  CHECK_CLOSE(out[2], 2.5, 1e-15);
  CHECK_CLOSE(clearance({circle, 1, box, 1, nullptr, 0}, 0.0, 0.0, 5.0), -1.0, 1e-15);
}

TEST(what_is_beyond_the_range_is_not_seen) {
  const double circle[] = {3.0, 0.0, 0.5};
  const double wall[] = {-2.0, -1.0, -2.0, 1.0};
  const double directions[] = {1.0, 0.0, -1.0, 0.0};
  double out[2];
  const Shapes shapes{circle, 1, nullptr, 0, wall, 1};
  cast(shapes, {0, 0, 1, 0}, directions, 2, 2.5, out);
  CHECK_EQUAL(out[0], 2.5);
  CHECK_EQUAL(out[1], 2.0);
  cast(shapes, {0, 0, 1, 0}, directions, 2, 1.9, out);
  CHECK_EQUAL(out[0], kNever);
  CHECK_EQUAL(out[1], kNever);
  CHECK_EQUAL(clearance({nullptr, 0, nullptr, 0, nullptr, 0}, 0, 0, 7.0), 7.0);
}

TEST(a_rover_knows_goal_motion_and_surroundings_in_its_frame) {
  const double circle[] = {0.0, 1.5, 0.5};
  const Shapes shapes{circle, 1, nullptr, 0, nullptr, 0};
  const double half = std::sqrt(0.5);
  const double qpos[] = {0.0, 0.0, 0.1, half, 0.0, 0.0, half};  // looks along y
  const double qvel[] = {0.0, 0.3, 0.0, 0.0, 0.0, 0.5};
  const double goal[] = {-2.0, 0.0};
  const double directions[] = {1.0, 0.0, 0.0, 1.0};
  double distance, goal_b[3], motion[2], gap, nearness[2];
  look({0.1, 3.0, 0.3, 0.2, 0.1, 10.0, 4.0, 0.3, 1.0}, {qpos, qvel, goal}, shapes, directions, 2,
       {&distance, goal_b, motion, &gap, nearness});
  CHECK_CLOSE(distance, 2.0, 1e-15);
  CHECK_CLOSE(goal_b[0], 0.0, 1e-15);
  CHECK_CLOSE(goal_b[1], 1.0, 1e-15);
  CHECK_CLOSE(goal_b[2], 0.5, 1e-15);
  CHECK_CLOSE(motion[0], 1.0, 1e-14);
  CHECK_CLOSE(motion[1], 0.5, 1e-15);
  CHECK_CLOSE(gap, 0.7, 1e-15);
  CHECK_CLOSE(nearness[0], 0.3 / (0.3 + 0.9), 1e-14);
  CHECK_EQUAL(nearness[1], 0.0);
}

TEST(layouts_leave_room_and_depend_on_seed_and_episode) {
  const LayoutSettings settings{0.5, 2.0, 0.1, 0.2, 0.1, 0.6, 0.35, 2.5};
  const LayoutStreams streams{1, 2, 3, 4, 5, 6};
  double heading[4], goal[2], circles[60], again[60], boxes[50];
  const Layout out{heading, goal, circles, 20, boxes, 10};
  double longest = 0.0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    lay_out(settings, streams, seed, 5, 1.0, out);
    CHECK_CLOSE(heading[0] * heading[0] + heading[3] * heading[3], 1.0, 1e-12);
    const double away = std::hypot(goal[0], goal[1]);
    CHECK(away >= 0.5 && away < 2.0);
    const Shapes shapes{circles, 20, boxes, 10, nullptr, 0};
    CHECK(clearance(shapes, 0.0, 0.0, 10.0) > 0.35);
    CHECK(clearance(shapes, goal[0], goal[1], 10.0) > 0.35);
    for (int k = 0; k < 10; ++k) {
      const double* box = boxes + 5 * k;
      CHECK(box[2] >= 0.0 && box[2] < 3.15);
      CHECK(box[3] >= 0.05 && box[3] < 0.3 && box[4] >= 0.05 && box[4] < 0.3);
      longest = std::max(longest, box[3]);
    }
  }
  CHECK(longest > 0.29);
  // Boxes change nothing of the rest.
  lay_out(settings, streams, 199, 5, 1.0, {heading, goal, again, 20, nullptr, 0});
  for (int k = 0; k < 60; ++k) CHECK_EQUAL(circles[k], again[k]);
  lay_out(settings, streams, 9, 5, 0.0, {heading, goal, again, 20, nullptr, 0});
  CHECK_CLOSE(std::hypot(goal[0], goal[1]), 0.5, 1e-15);
  lay_out(settings, streams, 199, 6, 1.0, {heading, goal, again, 20, nullptr, 0});
  CHECK(circles[0] != again[0]);
}

TEST(fields_follow_what_is_drawn) {
  std::vector<double> field(2 * 4, -1.0);
  std::vector<ModelDraw> draws{{7, 2, 0.5, 1.5, 1.0, Law::scale, {{field.data(), 4, {0, 2}, {10.0, 20.0}, {0, 1}}}},
                               {8, 1, -1.0, 1.0, 0.0, Law::shift, {{field.data(), 4, {3}, {5.0}, {0}}}}};
  double drawn[3];
  begin_episode(draws, 1, 42, 3, 1.0, drawn);
  CHECK(drawn[0] >= 0.5 && drawn[0] < 1.5 && drawn[0] != drawn[1]);
  CHECK_EQUAL(field[4], drawn[0] * 10.0);
  CHECK_EQUAL(field[5], -1.0);
  CHECK_EQUAL(field[6], drawn[1] * 20.0);
  CHECK_EQUAL(field[7], 5.0 + drawn[2]);
  CHECK_EQUAL(field[0], -1.0);
  begin_episode(draws, 0, 42, 3, 0.0, drawn);
  CHECK_EQUAL(field[0], 10.0);
  CHECK_EQUAL(field[3], 5.0);
  // Nominal values of each environment.
  const std::vector<double> bases{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
  draws[0].targets[0].bases = bases.data();
  draws[0].targets[0].base_step = 4;
  begin_episode(draws, 1, 42, 3, 1.0, drawn);
  CHECK_EQUAL(field[4], drawn[0] * 5.0);
  CHECK_EQUAL(field[6], drawn[1] * 7.0);
  CHECK_EQUAL(field[7], 5.0 + drawn[2]);
}

// A rod that hangs from a hinge: inertia m l^2 / 3 about its end.
TEST(constants_of_a_pendulum) {
  MassTree tree;
  tree.bodies = 2;
  tree.dofs = 1;
  tree.parent = {0, 0};
  tree.position = std::vector<double>(6, 0.0);
  tree.rotation = tree.inertial = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  tree.dof_body = {1};
  tree.dof_slides = {0};
  tree.dof_axis = {0, 1, 0};
  tree.dof_anchor = {0, 0, 0};
  tree.dof_group = {0};
  MassSolver solver(tree);
  const double mass[] = {0.0, 2.0};
  const double inertia[] = {0, 0, 0, 2.0 * 0.36 / 12, 2.0 * 0.36 / 12, 0.0};
  const double offset[] = {0, 0, 0, 0, 0, -0.3};
  const double armature[] = {0.01};
  double subtree[2], weights[4], dof_inertia, dof_weight;
  CHECK(solver.solve({mass, inertia, offset, armature}, {subtree, weights, &dof_inertia, &dof_weight}));
  const double expected = 2.0 * 0.36 / 3 + 0.01;
  CHECK_CLOSE(dof_inertia, expected, 1e-15);
  CHECK_CLOSE(dof_weight, 1 / expected, 1e-13);
  CHECK_CLOSE(weights[2], 0.09 / expected / 3, 1e-14);
  CHECK_CLOSE(weights[3], 1 / expected / 3, 1e-14);
  CHECK_EQUAL(subtree[0], 2.0);
  const double nothing[] = {0.0};
  const double massless[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  CHECK(!solver.solve({massless, massless, offset, nothing}, {subtree, weights, &dof_inertia, &dof_weight}));
}

TEST(pieces_cover_a_range_once_at_any_number_of_threads) {
  for (const int threads : {0, 1, 2, 5}) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{1000}}) {
      std::vector<int> seen(n, 0);
      horus::in_pieces(n, 64, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) ++seen[k];
      });
      for (const int count : seen) CHECK_EQUAL(count, 1);
    }
  }
}

int main() { return check::run_all(); }
