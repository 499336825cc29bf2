// Kinematics of chains: forward, Jacobian, inverse, closest points and why.
#include <cmath>
#include <numbers>
#include <random>
#include <thread>
#include <vector>

#include "arm/batch.hpp"
#include "arm/closest.hpp"
#include "arm/kd_tree.hpp"
#include "arm/solver.hpp"
#include "check.hpp"

using namespace horus::arm;

namespace {

constexpr double kPi = std::numbers::pi;
std::mt19937 generator(7);

double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }

Constant screw(double a, double alpha) {
  const double c = std::cos(alpha), s = std::sin(alpha);
  return Constant(Frame{{1, 0, 0}, {0, c, s}, {0, -s, c}, {a, 0, 0}});
}

Joint revolute(double a, double d, double alpha, double lower, double upper) {
  Joint joint;
  joint.distance = d;
  joint.after = screw(a, alpha);
  joint.lower = lower;
  joint.upper = upper;
  return joint;
}

Chain six_joints() {
  Chain chain;
  chain.joints = {revolute(0, 0.3, kPi / 2, -3, 3),      revolute(0.35, 0, 0, -1, 2.6),
                  revolute(0.05, 0, kPi / 2, -2, 2),     revolute(0, 0.3, -kPi / 2, -3, 3),
                  revolute(0, 0, kPi / 2, -2, 2),        revolute(0, 0.1, 0, -kPi, kPi)};
  chain.base.p = {0.1, -0.2, 0.3};
  prepare(chain);
  return chain;
}

Chain with_a_slide() {
  Chain chain = six_joints();
  chain.joints[2].is_prismatic = true;
  chain.joints[2].lower = 0.0;
  chain.joints[2].upper = 0.4;
  chain.tool = Constant(Frame{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0.01, 0.02, 0.03}});
  prepare(chain);
  return chain;
}

Chain planar(double lower, double upper) {
  Chain chain;
  chain.joints = {revolute(0.5, 0, 0, lower, upper), revolute(0.4, 0, 0, lower, upper)};
  prepare(chain);
  return chain;
}

std::vector<double> configuration(const Chain& chain) {
  std::vector<double> q;
  for (const Joint& joint : chain.joints) q.push_back(uniform(joint.lower, joint.upper));
  return q;
}

Task pose_task(const Solver& solver, const Frame& target) {
  Task task;
  task.target = target;
  task.is_pose = true;
  task.rotation_weight = solver.rotation_weight();
  return task;
}

Task point_task(const Vec3& point) {
  Task task;
  task.target.p = point;
  return task;
}

}  // namespace

TEST(two_links_in_a_plane) {
  const Chain chain = planar(-kPi, kPi);
  const double q[2] = {0.3, 0.9};
  const Frame T = forward(chain, q);
  CHECK_CLOSE(T.p.x, 0.5 * std::cos(0.3) + 0.4 * std::cos(1.2), 1e-15);
  CHECK_CLOSE(T.p.y, 0.5 * std::sin(0.3) + 0.4 * std::sin(1.2), 1e-15);
  CHECK_CLOSE(T.x.x, std::cos(1.2), 1e-15);
}

TEST(a_batch_has_the_bits_of_single_calls) {
  for (const Chain& chain : {six_joints(), with_a_slide()}) {
    const std::size_t n = 1003, dof = chain.joints.size();
    std::vector<double> q, many(16 * n), many_alone(16 * n), one(16);
    for (std::size_t k = 0; k < n; ++k) {
      for (const double value : configuration(chain)) q.push_back(value);
    }
    q[5] = 1e7;
    forward_batch(chain, q.data(), n, false, 3, many.data());
    forward_batch(chain, q.data(), n, false, 1, many_alone.data());
    CHECK(many == many_alone);
    std::vector<double> frames(16 * n * (dof + 1));
    forward_batch(chain, q.data(), n, true, 2, frames.data());
    for (std::size_t k = 0; k < n; ++k) {
      write_matrix(forward(chain, q.data() + k * dof), one.data());
      CHECK(std::equal(one.begin(), one.end(), many.begin() + static_cast<long>(16 * k)));
      CHECK(std::equal(one.begin(), one.end(), frames.begin() + static_cast<long>(16 * ((k + 1) * (dof + 1) - 1))));
    }
  }
}

TEST(the_jacobian_is_the_derivative) {
  for (const Chain& chain : {six_joints(), with_a_slide()}) {
    std::vector<double> q = configuration(chain), J(6 * q.size());
    jacobian(chain, q.data(), J.data());
    for (std::size_t i = 0; i < q.size(); ++i) {
      constexpr double h = 1e-6;
      std::vector<double> low = q, high = q;
      low[i] -= h, high[i] += h;
      const Frame a = forward(chain, low.data()), b = forward(chain, high.data());
      const Vec3 linear = (0.5 / h) * (b.p - a.p), angular = (0.5 / h) * rotation_between(a, b);
      const double expected[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
      for (std::size_t r = 0; r < 6; ++r) CHECK_CLOSE(J[r * q.size() + i], expected[r], 1e-8);
    }
  }
}

TEST(the_rotation_between_frames_is_found_at_any_angle) {
  for (const double angle : {0.0, 1e-9, 1e-3, 0.5, 2.0, 3.1, kPi - 1e-7, kPi - 1e-9, kPi}) {
    const double c = std::cos(angle), s = std::sin(angle);
    const Frame from, to{{c, s, 0}, {-s, c, 0}, {0, 0, 1}, {}};
    const Vec3 turn = rotation_between(from, to);
    CHECK_CLOSE(norm(turn), angle, 1e-9);
    CHECK_CLOSE(std::abs(turn.z), angle, 1e-9);
  }
}

TEST(reachable_targets_are_reached_within_limits) {
  for (const Chain& chain : {six_joints(), with_a_slide(), planar(-2.5, 2.5)}) {
    const Solver solver(chain);
    for (int k = 0; k < 200; ++k) {
      const std::vector<double> q = configuration(chain), start = configuration(chain);
      const Frame target = forward(chain, q.data());
      for (const Task& task : {point_task(target.p), pose_task(solver, target)}) {
        for (const double* const from : {static_cast<const double*>(nullptr), start.data()}) {
          const Solution s = solver.solve(task, from, {});
          CHECK(s.reason == Reason::kSolved);
          const Frame reached = forward(chain, s.q);
          CHECK(norm(reached.p - target.p) <= task.position_tolerance);
          if (task.is_pose) CHECK(norm(rotation_between(reached, target)) <= task.rotation_tolerance);
          for (int i = 0; i < chain.dof(); ++i) {
            CHECK(s.q[i] >= chain.joints[i].lower && s.q[i] <= chain.joints[i].upper);
          }
        }
      }
    }
  }
}

TEST(a_target_out_of_reach_gets_the_closest_point) {
  const Solver solver(planar(-kPi, kPi));
  const Solution s = solver.solve(point_task({1.2, 1.6, 0.0}), nullptr, {});
  CHECK(s.reason == Reason::kOutOfReach);
  CHECK_CLOSE(s.position_error, 2.0 - 0.9, 1e-9);
  CHECK_CLOSE(s.q[0], std::atan2(1.6, 1.2), 1e-5);
  CHECK_CLOSE(s.q[1], 0.0, 1e-5);
  const Solution inside = solver.solve(point_task({0.02, 0.0, 0.0}), nullptr, {});
  CHECK_CLOSE(inside.position_error, 0.1 - 0.02, 1e-9);
}

TEST(limits_that_block_are_named) {
  Chain chain = planar(-kPi, kPi);
  chain.joints[0].lower = 0.0;
  chain.joints[0].upper = 0.5;
  chain.joints[1].lower = -0.2;
  chain.joints[1].upper = 0.2;
  const Solver solver(chain);
  const Solution s = solver.solve(point_task({-0.9, 0.0, 0.0}), nullptr, {});
  CHECK(s.reason == Reason::kBlockedByLimits);
  CHECK_EQUAL(s.blocking & 1u, 1u);
  CHECK_EQUAL(s.q[0], 0.5);
}

TEST(joints_that_wrap_stay_near_the_start) {
  Chain chain = planar(-2 * kPi, 2 * kPi);
  const Solver solver(chain);
  const double near[2] = {-5.0, 5.5};
  const double goal[2] = {-5.1, 5.4};
  const Solution s = solver.solve(point_task(forward(chain, goal).p), near, {});
  CHECK(s.reason == Reason::kSolved);
  CHECK_CLOSE(s.q[0], goal[0], 1e-5);
  CHECK_CLOSE(s.q[1], goal[1], 1e-5);
}

TEST(a_joint_does_not_turn_around_for_a_small_step) {
  Chain chain;
  chain.joints = {revolute(0, 0.3, kPi / 2, -2 * kPi, 2 * kPi), revolute(0.4, 0, 0, -2 * kPi, 2 * kPi),
                  revolute(0.3, 0, 0, -2 * kPi, 2 * kPi), revolute(0.1, 0, 0, -2 * kPi, 2 * kPi)};
  const Solver solver(chain);
  for (int k = 0; k < 300; ++k) {
    std::vector<double> q = configuration(chain);
    q[1] = uniform(-1.0, -0.5), q[2] = uniform(0.5, 1.0);
    q[3] = 2 * kPi - uniform(0, 0.005);  // so close to its bound that an unbounded step passes it
    const Vec3 p = forward(solver.chain(), q.data()).p;
    const Solution s = solver.solve(point_task(p + Vec3{0, 0, uniform(-0.004, 0.004)}), q.data(), {});
    CHECK(s.reason == Reason::kSolved);
    for (std::size_t i = 0; i < q.size(); ++i) CHECK(std::abs(s.q[i] - q[i]) < 0.2);
  }
}

TEST(a_start_far_outside_is_no_obstacle) {
  for (const Chain& chain : {six_joints(), planar(-4, 4), planar(-INFINITY, INFINITY)}) {
    const Solver solver(chain);
    const std::vector<double> far(chain.joints.size(), 1e12), inside(chain.joints.size(), 0.4);
    const Solution s = solver.solve(point_task(forward(chain, inside.data()).p), far.data(), {});
    CHECK(s.reason == Reason::kSolved);
  }
}

TEST(the_tree_finds_the_nearest) {
  std::vector<float> points(3 * 5000);
  for (float& value : points) value = static_cast<float>(uniform(-1, 1));
  const KdTree tree(3, points);
  for (int k = 0; k < 200; ++k) {
    const float query[3] = {static_cast<float>(uniform(-1, 1)), static_cast<float>(uniform(-1, 1)), 0.1f};
    Neighbour near[4];
    CHECK_EQUAL(tree.nearest(query, near, 100000), 4);
    float best = 1e9f;
    for (std::size_t i = 0; i < 5000; ++i) {
      float sum = 0.0f;
      for (std::size_t d = 0; d < 3; ++d) sum += (points[3 * i + d] - query[d]) * (points[3 * i + d] - query[d]);
      best = std::min(best, sum);
    }
    CHECK_EQUAL(near[0].distance2, best);
    CHECK(near[0].distance2 <= near[1].distance2 && near[2].distance2 <= near[3].distance2);
  }
  CHECK_EQUAL(KdTree().nearest(points.data(), {}, 1), 0);
  const KdTree same(2, std::vector<float>(200, 0.5f));
  Neighbour one[1];
  CHECK_EQUAL(same.nearest(points.data(), one, 10), 1);
}

TEST(threads_share_a_solver) {
  const Chain chain = six_joints();
  const Solver solver(chain);
  const std::vector<double> q = configuration(chain);
  const Task task = pose_task(solver, forward(chain, q.data()));
  std::vector<Solution> answers(4);
  {
    std::vector<std::jthread> threads;
    for (Solution& answer : answers) threads.emplace_back([&] { answer = solver.solve(task, nullptr, {}); });
  }
  for (const Solution& answer : answers) CHECK(std::equal(answer.q, answer.q + 6, answers[0].q));
}

int main() { return check::run_all(); }
