// State of worlds: saving and loading, batches over threads, sensors, shapes.
#include <string>

#include "check.hpp"
#include "sim2d/batch.hpp"
#include "sim2d_scenes.hpp"

using namespace scenes;

namespace {

// A robot that pushes its way through boxes, with one sensor of each kind.
void crowded(Scene& scene) {
  WheelDef wheel;
  const int robot = scene.robot({0, 0, 0}, 1.0, 0.14, wheel);
  for (int i = 0; i < 12; ++i) {
    const int box = scene.box({0.3 + 0.15 * (i % 4), -0.3 + 0.2 * (i / 4), 0.1 * i}, 0.1, 0.1, 0.3, 0.5, 0.1);
    scene.model->bodies[box].ground_friction = 0.4;
  }
  scene.arena(3.0, 0.9, 0.05);
  scene.model->floor.add_segment({-1, 0}, {1, 0}, 0.02, 1.0);
  for (const SensorKind kind : {SensorKind::kLine, SensorKind::kDistance, SensorKind::kImu, SensorKind::kEncoder}) {
    SensorDef sensor;
    sensor.kind = kind;
    sensor.body = robot;
    sensor.wheel = 0;
    sensor.count = 5;
    sensor.spacing = 0.02;
    sensor.noise = 0.01;
    sensor.rate_hz = 50.0;
    scene.model->add_sensor(sensor);
  }
}

void command(World& world, double left, double right) {
  world.wheels[0].command = left;
  world.wheels[1].command = right;
}

TEST(a_saved_world_goes_on_alike) {
  Scene scene;
  crowded(scene);
  World world = scene.build(3);
  command(world, 0.8, 0.7);
  scene.run(world, 200);
  const std::string saved = world.save();
  scene.run(world, 200);
  World other(scene.model, 9);
  CHECK(other.load(saved));
  CHECK_EQUAL(other.save(), saved);
  const ScratchPtr fresh = make_scratch();
  other.step(kStep, 200, *fresh);
  CHECK_EQUAL(other.save(), world.save());
}

TEST(models_that_differ_in_one_number_have_other_fingerprints) {
  const auto print = [](auto change) {
    Scene scene;
    crowded(scene);
    change(*scene.model);
    return scene.build(3).model().fingerprint;
  };
  const std::uint64_t plain = print([](Model&) {});
  CHECK_EQUAL(print([](Model&) {}), plain);
  CHECK(print([](Model& model) { model.bodies[0].mass *= 1.5; }) != plain);
  CHECK(print([](Model& model) { model.sensors[0].noise += 0.5; }) != plain);
  CHECK(print([](Model& model) { model.wheels[0].mount.y += 0.5; }) != plain);
  CHECK(print([](Model& model) { model.floor.add_segment({0.0, 0.0}, {1.0, 0.0}, 0.1, 1.0); }) != plain);
}

TEST(bytes_of_another_world_are_refused) {
  Scene scene;
  crowded(scene);
  World world = scene.build(3);
  scene.run(world, 50);
  const std::string saved = world.save();
  Scene empty;
  empty.circle({0, 0, 0}, 0.1, 1.0, 0.5, 0.0);
  World small = empty.build();
  CHECK(!small.load(saved));
  CHECK(!world.load(""));
  for (std::size_t cut = 0; cut < saved.size(); cut += 97) CHECK(!world.load(saved.substr(0, cut)));
  CHECK_EQUAL(world.save(), saved);
}

TEST(a_batch_is_the_same_with_any_number_of_threads) {
  Scene scene;
  crowded(scene);
  scene.model->finish();
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t i = 0; i < 13; ++i) seeds.push_back(i);
  Batch one(scene.model, seeds, 1);
  Batch three(scene.model, seeds, 3);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < one.size(); ++i) {
      command(one.worlds[i], 0.1 * i, 0.9);
      command(three.worlds[i], 0.1 * i, 0.9);
    }
    one.step(kStep, 20);
    three.step(kStep, 20);
  }
  for (int i = 0; i < one.size(); ++i) CHECK(one.worlds[i].save() == three.worlds[i].save());
}

TEST(a_resting_world_costs_no_motion) {
  Scene scene;
  crowded(scene);
  World world = scene.build();
  const double x = world.bodies[3].x;
  scene.run(world, 300);
  CHECK_EQUAL(world.bodies[3].x, x);
  CHECK(world.warnings.empty());
}

TEST(sweep_and_all_pairs_find_the_same_contacts) {
  // The same crowd with far bodies added passes the limit above which bodies are sorted.
  Scene few;
  crowded(few);
  Scene many;
  crowded(many);
  for (int i = 0; i < 40; ++i) many.circle({50.0 + i, 0, 0}, 0.1, 1.0, 0.5, 0.0);
  World a = few.build();
  World b = many.build();
  command(a, 0.9, 0.8);
  command(b, 0.9, 0.8);
  few.run(a, 400);
  many.run(b, 400);
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    CHECK_EQUAL(a.bodies[i].x, b.bodies[i].x);
    CHECK_EQUAL(a.bodies[i].angle, b.bodies[i].angle);
  }
}

TEST(a_state_that_is_not_finite_is_named) {
  Scene scene;
  crowded(scene);
  World world = scene.build();
  world.set_velocity(2, std::nan(""), 0.0, 0.0);
  scene.run(world, 10);
  CHECK_EQUAL(world.warnings.size(), 1u);
  CHECK_EQUAL(world.warnings[0].body, 2);
  for (const Body& body : world.bodies) CHECK(std::isfinite(body.x + body.y + body.angle + body.vx));
}

TEST(marks_cover_what_they_should) {
  Floor floor;
  floor.add_segment({0, 0}, {1, 0}, 0.1, 0.7);
  floor.add_patch({{2, 0}, {3, 0}, {3, 1}, {2, 1}}, 0.4);
  floor.finish();
  CHECK_EQUAL(floor.intensity({0.5, 0.09}), 0.7);
  CHECK_EQUAL(floor.intensity({0.5, 0.11}), 0.0);
  CHECK_EQUAL(floor.intensity({-0.09, 0.0}), 0.7);
  CHECK_EQUAL(floor.intensity({2.5, 0.5}), 0.4);
  CHECK_EQUAL(floor.intensity({2.5, 1.1}), 0.0);
  CHECK_EQUAL(floor.intensity({std::nan(""), 0.0}), 0.0);
}

}  // namespace

int main() { return check::run_all(); }
