#include <cstdint>
#include <optional>
#include <string>

#include "check.hpp"
#include "tf/route.hpp"
#include "tf/tree.hpp"

using namespace horus::tf;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct World {
  Tree tree{10 * kSecond};

  InsertStatus fix(const char* parent, const char* child, double x) {
    return tree.add_static(tree.intern(parent), tree.intern(child), at(x)).status;
  }
  InsertStatus move(const char* parent, const char* child, double x, double time_s) {
    const Sample sample{static_cast<std::int64_t>(time_s * 1e9), at(x)};
    return tree.add_moving(tree.intern(parent), tree.intern(child), sample).status;
  }
  Route route(const char* source, const char* target) {
    return Route(tree, tree.intern(source), tree.intern(target));
  }
  // x of the look-up, or nothing.
  std::optional<double> x(const char* source, const char* target, std::optional<double> time_s = {}, Reach reach = {}) {
    Transform T;
    failure = {};
    Route way = route(source, target);
    outcome = time_s ? way.lookup(static_cast<std::int64_t>(*time_s * 1e9), reach, T, failure)
                     : way.lookup_latest(reach, T, failure);
    if (outcome != Outcome::kOk) return std::nullopt;
    return T.translation.x;
  }
  static Transform at(double x) { return {{x, 0.0, 0.0}, {}}; }

  Outcome outcome = Outcome::kOk;
  Failure failure;
};

}  // namespace

TEST(chains_compose_and_invert) {
  World world;
  CHECK(world.fix("world", "base", 1.0) == InsertStatus::kOk);
  CHECK(world.fix("base", "camera", 0.5) == InsertStatus::kOk);
  CHECK(world.fix("base", "lidar", 0.25) == InsertStatus::kOk);
  CHECK_EQUAL(*world.x("camera", "world"), 1.5);
  CHECK_EQUAL(*world.x("world", "camera"), -1.5);
  CHECK_EQUAL(*world.x("camera", "lidar"), 0.25);
  CHECK_EQUAL(*world.x("camera", "camera"), 0.0);
  std::vector<const Frame*> frames;
  CHECK(world.route("camera", "lidar").frames(Frame::kForever, frames, world.failure) == Outcome::kOk);
  CHECK_EQUAL(frames.size(), 3u);
  CHECK_EQUAL(frames[1]->name, "base");
}

TEST(latest_is_the_common_time) {
  World world;
  for (const double t : {1.0, 2.0, 3.0}) world.move("odom", "base", t, t);
  world.move("base", "arm", 10.0, 1.0);
  world.move("base", "arm", 20.0, 2.0);
  CHECK_EQUAL(*world.x("arm", "odom"), 22.0);
  std::optional<std::int64_t> common;
  CHECK(world.route("arm", "odom").latest_common_ns(common, world.failure) == Outcome::kOk);
  CHECK_EQUAL(*common, 2 * kSecond);
}

TEST(outside_the_history) {
  World world;
  world.move("odom", "base", 1.0, 1.0);
  world.move("odom", "base", 2.0, 2.0);
  CHECK(!world.x("base", "odom", 0.5));
  CHECK(world.outcome == Outcome::kPast);
  CHECK_EQUAL(world.failure.link_child->name, "base");
  CHECK(!world.x("base", "odom", 2.5));
  CHECK(world.outcome == Outcome::kFuture);
  CHECK_EQUAL(*world.x("base", "odom", 2.5, {kSecond, false}), 2.0);
  CHECK_EQUAL(*world.x("base", "odom", 0.5, {kSecond, false}), 1.0);
  CHECK_CLOSE(*world.x("base", "odom", 2.5, {0, true}), 2.5, 1e-12);
  CHECK(!world.x("base", "odom", 2.5, {kSecond / 4, true}));
  world.move("odom", "other", 1.0, 1.0);
  CHECK(!world.x("other", "odom", 1.5, {0, true}));
  CHECK(world.outcome == Outcome::kCannotPredict);
}

TEST(parents_change_over_time) {
  World world;
  world.fix("world", "left", 1.0);
  world.fix("world", "right", 2.0);
  world.move("left", "box", 0.1, 1.0);
  world.move("right", "box", 0.2, 3.0);
  CHECK_CLOSE(*world.x("box", "world", 1.0), 1.1, 1e-15);
  CHECK_CLOSE(*world.x("box", "world", 2.9), 1.1, 1e-15);
  CHECK_CLOSE(*world.x("box", "world", 3.0), 2.2, 1e-15);
  CHECK_CLOSE(*world.x("box", "world"), 2.2, 1e-15);
  // A late sample splits the first stay.
  world.move("right", "box", 0.3, 2.0);
  CHECK_CLOSE(*world.x("box", "world", 1.5), 1.1, 1e-15);
  CHECK_CLOSE(*world.x("box", "world", 2.5), 2.25, 1e-15);
  // Enough time later only one parent is left.
  world.move("right", "box", 0.5, 20.0);
  world.move("right", "box", 0.6, 30.0);
  CHECK_CLOSE(*world.x("box", "world", 25.0), 2.55, 1e-15);
  CHECK(!world.x("box", "world", 3.0));
}

TEST(cycles_are_refused_also_across_time) {
  World world;
  CHECK(world.move("a", "b", 0.0, 1.0) == InsertStatus::kOk);
  CHECK(world.move("b", "c", 0.0, 1.0) == InsertStatus::kOk);
  CHECK(world.move("c", "a", 0.0, 5.0) == InsertStatus::kCycle);
  CHECK(world.fix("c", "a", 0.0) == InsertStatus::kCycle);
  // Once b hangs elsewhere, a may hang from it from then on, but not before.
  CHECK(world.move("world", "b", 0.0, 10.0) == InsertStatus::kOk);
  CHECK(world.move("b", "a", 0.0, 9.0) == InsertStatus::kCycle);
  CHECK(world.move("world", "a", 0.0, 1.0) == InsertStatus::kOk);
  CHECK(world.move("b", "a", 0.0, 10.0) == InsertStatus::kOk);
  CHECK(world.x("a", "world", 10.0).has_value());
  CHECK(world.x("c", "world", 1.0).has_value());
}

TEST(a_circle_needs_data_all_around_at_one_time) {
  World world;
  CHECK(world.move("a", "b", 1.0, 1.0) == InsertStatus::kOk);
  CHECK(world.move("c", "b", 2.0, 2.0) == InsertStatus::kOk);
  CHECK(world.move("b", "a", 3.0, 3.0) == InsertStatus::kOk);
  CHECK_CLOSE(*world.x("b", "a", 1.0), 1.0, 0.0);
  CHECK_CLOSE(*world.x("a", "b", 3.0), 3.0, 0.0);
  CHECK(!world.x("b", "a", 2.5));
  // Samples that would close the gap are refused, also of a link that keeps its parent.
  CHECK(world.move("b", "a", 3.0, 1.5) == InsertStatus::kCycle);
  CHECK(world.move("a", "b", 1.0, 3.0) == InsertStatus::kCycle);
  CHECK(world.move("b", "a", 3.0, 2.0) == InsertStatus::kOk);
}

TEST(static_and_moving_do_not_mix) {
  World world;
  world.fix("a", "b", 1.0);
  CHECK(world.move("a", "b", 1.0, 1.0) == InsertStatus::kIsStatic);
  world.move("a", "c", 1.0, 1.0);
  CHECK(world.fix("a", "c", 1.0) == InsertStatus::kIsMoving);
  CHECK(world.move("a", "c", 1.0, 20.0) == InsertStatus::kOk);
  CHECK(world.move("a", "c", 1.0, 9.0) == InsertStatus::kTooOld);
}

TEST(removal_clearing_and_return) {
  World world;
  world.fix("world", "base", 1.0);
  world.fix("base", "camera", 0.5);
  world.move("base", "wheel", 0.25, 1.0);
  Route camera = world.route("camera", "world");
  Transform T;
  CHECK(camera.lookup_latest({}, T, world.failure) == Outcome::kOk);
  world.tree.remove(world.tree.intern("base"), false);
  CHECK(camera.lookup_latest({}, T, world.failure) == Outcome::kDisconnected);
  CHECK_EQUAL(world.failure.source_root->name, "camera");
  world.fix("world", "base", 3.0);
  CHECK(camera.lookup_latest({}, T, world.failure) == Outcome::kOk);
  CHECK_EQUAL(T.translation.x, 3.5);
  world.tree.clear();
  CHECK(camera.lookup_latest({}, T, world.failure) == Outcome::kOk);
  CHECK(!world.x("wheel", "base"));
  CHECK(world.outcome == Outcome::kUnknownSource);
  world.tree.remove(world.tree.intern("base"), true);
  CHECK_EQUAL(world.tree.frames().size(), 1u);
}

TEST(a_copy_keeps_answers_and_does_not_follow) {
  World world;
  world.fix("world", "left", 1.0);
  world.fix("world", "right", 2.0);
  for (int i = 0; i <= 100; ++i) world.move(i < 50 ? "left" : "right", "box", i, 0.1 * i);
  Tree copy(10 * kSecond);
  world.tree.copy_to(copy, 2 * kSecond);
  world.move("left", "box", -1.0, 10.1);
  Transform T;
  Route route(copy, *copy.find("box"), *copy.find("world"));
  CHECK(route.lookup_latest({}, T, world.failure) == Outcome::kOk);
  CHECK_EQUAL(T.translation.x, 102.0);
  CHECK(route.lookup(8 * kSecond, {}, T, world.failure) == Outcome::kOk);
  CHECK(route.lookup(7 * kSecond, {}, T, world.failure) == Outcome::kPast);
}

TEST(a_batch_comes_in_any_order_and_all_or_nothing) {
  World world;
  Frame& odom = world.tree.intern("odom");
  Frame& base = world.tree.intern("base");
  std::size_t refused = 0;
  std::vector<Sample> samples;
  for (const std::int64_t t : {30, 2, 12, 25, 12}) samples.push_back({t * kSecond, World::at(static_cast<double>(t))});
  samples.back().value = World::at(-1.0);
  CHECK(world.tree.add_moving(odom, base, samples, refused).status == InsertStatus::kOk);
  // 10 s of history: 2 and 12 have gone, the rest is in order.
  CHECK_EQUAL(base.stamps().samples, 2u);
  CHECK_EQUAL(base.stamps().oldest_ns, 25 * kSecond);
  CHECK_CLOSE(*world.x("base", "odom", 27.5), 27.5, 1e-12);
  samples = {{31 * kSecond, World::at(31.0)}, {19 * kSecond, World::at(19.0)}};
  CHECK(world.tree.add_moving(odom, base, samples, refused).status == InsertStatus::kTooOld);
  CHECK_EQUAL(refused, 1u);
  CHECK_EQUAL(base.stamps().newest_ns, 30 * kSecond);
}

TEST(many_names) {
  World world;
  for (int i = 1; i < 5'000; ++i) {
    world.fix(std::to_string(i - 1).c_str(), std::to_string(i).c_str(), 1.0);
  }
  CHECK_EQUAL(*world.x("4999", "0"), 4999.0);
  CHECK(world.tree.find("5000") == nullptr);
}

int main() { return check::run_all(); }
