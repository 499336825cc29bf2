// Worlds with many contacts, which are solved four at a time, and what a step may ask of memory.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "check.hpp"
#include "sim2d/batch.hpp"
#include "sim2d/lane_setup.hpp"
#include "sim2d_scenes.hpp"

using namespace scenes;

namespace {

std::atomic<long> allocations = 0;

void* allocate(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t kUsual = 16;

}  // namespace

void* operator new(std::size_t size) { return allocate(size, kUsual); }
void* operator new[](std::size_t size) { return allocate(size, kUsual); }
void* operator new(std::size_t size, std::align_val_t at) { return allocate(size, static_cast<std::size_t>(at)); }
void* operator new[](std::size_t size, std::align_val_t at) { return allocate(size, static_cast<std::size_t>(at)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

// Circles and boxes close together, `count` of them, in rows of ten.
void add_crowd(Scene& scene, int count, double spacing, double restitution = 0.0) {
  for (int i = 0; i < count; ++i) {
    const Pose pose = {spacing * (i % 10) - 4.5 * spacing, spacing * (i / 10) - 0.9, 0.37 * i};
    if (i % 2) {
      scene.circle(pose, 0.05, 1.0 + 0.01 * i, 0.5, restitution);
    } else {
      scene.box(pose, 0.1, 0.1, 1.0, 0.5, restitution);
    }
  }
}

void stir(World& world, double speed, int first = 0) {
  Random random = Random::stream(5, 0);
  for (int i = first; i < static_cast<int>(world.bodies.size()); ++i) {
    world.set_velocity(i, random.uniform(-speed, speed), random.uniform(-speed, speed), random.uniform(-3.0, 3.0));
  }
}

World heap(Scene& scene, int count) {
  scene.model->gravity = {0.0, -9.81};
  scene.arena(2.0, 0.9, 0.05);
  add_crowd(scene, count, 0.18);
  return scene.build();
}

}  // namespace

TEST(a_crowd_keeps_its_momentum) {
  Scene scene;
  add_crowd(scene, 80, 0.104);
  World world = scene.build();
  stir(world, 1.0);
  const auto sums = [&] {
    double px = 0.0, py = 0.0;
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      const Body& b = world.bodies[i];
      const BodyParams& p = world.params[i];
      px += p.mass * b.vx;
      py += p.mass * b.vy;
    }
    return Vec2{px, py};
  };
  const Vec2 before = sums();
  std::size_t most = 0;
  for (int k = 0; k < 60; ++k) {
    scene.run(world, 1);
    most = std::max(most, world.contacts.size());
  }
  CHECK(most > 100);
  const Vec2 after = sums();
  CHECK_CLOSE(after.x, before.x, 1e-11);
  CHECK_CLOSE(after.y, before.y, 1e-11);
}

TEST(a_heap_comes_to_rest_without_overlap) {
  Scene scene;
  World world = heap(scene, 100);
  scene.run(world, 1200);
  double fastest = 0.0, deepest = 0.0;
  for (const Body& body : world.bodies) {
    fastest = std::max(fastest, std::hypot(body.vx, body.vy));
    CHECK(std::abs(body.x) < 1.1 && std::abs(body.y) < 1.1);
  }
  for (const Contact& contact : world.contacts) {
    for (int k = 0; k < contact.count; ++k) deepest = std::max(deepest, -contact.separations[k]);
  }
  CHECK(world.contacts.size() > 100);
  CHECK(fastest < 1e-4);
  CHECK(deepest < scene.model->solver.correction_slop + 2e-5);
  for (const Warning& warning : world.warnings) CHECK(warning.kind == WarningKind::kAngularSpeed);
}

// What the passes leave over makes a heap sink in on itself; corrections are faster.
TEST(a_high_heap_overlaps_little) {
  Scene scene;
  scene.model->gravity = {0.0, -9.81};
  scene.wall({0.0, -1.05, 0.0}, 4.0, 0.1, 0.5, 0.0);
  scene.wall({-1.05, 3.0, 0.0}, 0.1, 8.0, 0.5, 0.0);
  scene.wall({1.05, 3.0, 0.0}, 0.1, 8.0, 0.5, 0.0);
  add_crowd(scene, 400, 0.18);
  World world = scene.build();
  scene.run(world, 1200);
  double deepest = 0.0;
  for (const Contact& contact : world.contacts) {
    for (int k = 0; k < contact.count; ++k) deepest = std::max(deepest, -contact.separations[k]);
  }
  CHECK(world.contacts.size() > 600);
  CHECK(deepest < 0.008);
}

// The floor carries the heap: the impulses of its contacts with the walls balance the weight.
TEST(the_floor_carries_the_heap) {
  Scene scene;
  World world = heap(scene, 100);
  scene.run(world, 1200);
  double carried = 0.0, weight = 0.0;
  for (int k = 0; k < 120; ++k) {
    scene.run(world, 1);
    for (const Contact& c : world.contacts) {
      const bool fixed_a = world.params[c.a].inv_mass == 0.0;
      if (!fixed_a && world.params[c.b].inv_mass > 0.0) continue;
      const double sign = fixed_a ? 1.0 : -1.0;
      for (int m = 0; m < c.count; ++m) {
        carried += sign * (c.impulses[2 * m] * c.normal.y + c.impulses[2 * m + 1] * c.normal.x);
      }
    }
  }
  for (const BodyParams& p : world.params) weight += p.inv_mass > 0.0 ? p.mass : 0.0;
  CHECK_CLOSE(carried / (weight * 9.81), 1.0, 0.01);
}

// More contacts on one body than there are colors: the rest is solved one by one.
TEST(a_body_with_forty_neighbours) {
  Scene scene;
  const int hub = scene.circle({0.0, 0.0, 0.0}, 1.0, 5.0, 0.3, 0.0);
  constexpr int kAround = 40;
  for (int i = 0; i < kAround; ++i) {
    const double angle = 2.0 * 3.14159265358979 * i / kAround;
    scene.circle({1.05 * std::cos(angle), 1.05 * std::sin(angle), 0.0}, 0.05, 0.1, 0.3, 0.0);
  }
  World world = scene.build();
  for (int i = 1; i <= kAround; ++i) {
    world.set_velocity(i, -world.bodies[i].x, -world.bodies[i].y, 0.0);
  }
  scene.run(world, 30);
  CHECK(world.contacts.size() >= 33);
  CHECK_CLOSE(world.bodies[hub].x, 0.0, 1e-7);
  CHECK_CLOSE(world.bodies[hub].y, 0.0, 1e-7);
  for (int i = 1; i <= kAround; ++i) {
    CHECK(std::hypot(world.bodies[i].x, world.bodies[i].y) > 1.05 - 0.0021);
    CHECK(std::hypot(world.bodies[i].vx, world.bodies[i].vy) < 1e-3);
  }
}

TEST(wide_registers_give_the_same_bits) {
  Random random = Random::stream(1, 0);
  for (int round = 0; round < 200; ++round) {
    Body bodies[8];
    for (Body& body : bodies) {
      body.vx = random.uniform(-1.0, 1.0);
      body.vy = random.uniform(-1.0, 1.0);
      body.w = random.uniform(-3.0, 3.0);
    }
    TwoPointPack pack;
    double* const values = reinterpret_cast<double*>(&pack.head.normal_x);
    const std::size_t count = (sizeof(pack) - offsetof(TwoPointPack, head.normal_x)) / sizeof(double);
    for (std::size_t i = 0; i < count; ++i) values[i] = random.uniform(0.01, 1.0);
    for (int k = 0; k < kLanes; ++k) {
      pack.head.a[k] = 2 * k;
      pack.head.b[k] = 2 * k + 1;
      pack.coupling[k] = random.uniform() < 0.2 ? 0.0 : pack.coupling[k];
    }
    TwoPointPack wide_pack = pack;
    Body wide_bodies[8];
    std::copy(std::begin(bodies), std::end(bodies), std::begin(wide_bodies));
    LaneMask narrow{}, wide{};
    narrow = solve_pack(pack, bodies);
    const auto work = [&]() __attribute__((always_inline)) { wide = solve_pack(wide_pack, wide_bodies); };
    if (has_avx2()) {
      run_wide(work);
    } else {
      work();
    }
    CHECK(std::memcmp(&pack, &wide_pack, sizeof(pack)) == 0);
    CHECK(std::memcmp(bodies, wide_bodies, sizeof(bodies)) == 0);
    CHECK(std::memcmp(&narrow, &wide, sizeof(narrow)) == 0);
  }
}

// Which pairs are kept between steps is no part of the state: a world that forgot them goes on as one that did not.
TEST(kept_pairs_change_nothing) {
  Scene scene;
  scene.arena(3.0, 0.5, 0.9);
  add_crowd(scene, 100, 0.2, 0.9);
  World world = scene.build();
  stir(world, 2.0, 4);
  for (int k = 0; k < 40; ++k) {
    World copy = world;
    CHECK(copy.load(world.save()));
    scene.run(world, 5);
    scene.run(copy, 5);
    CHECK(world.save() == copy.save());
  }
}

// Every pair of overlapping shapes is found by the kept pairs, as brute force finds them.
TEST(kept_pairs_miss_no_contact) {
  Scene scene;
  scene.arena(3.0, 0.5, 0.9);
  for (int i = 0; i < 60; ++i) scene.circle({-1.3 + 0.26 * (i % 10), -1.3 + 0.26 * (i / 10), 0.0}, 0.06, 1.0, 0.1, 1.0);
  World world = scene.build();
  stir(world, 3.0, 4);
  for (int k = 0; k < 400; ++k) {
    const std::vector<Body> before = world.bodies;
    scene.run(world, 1);
    for (int i = 4; i < 64; ++i) {
      for (int j = i + 1; j < 64; ++j) {
        if (std::hypot(before[i].x - before[j].x, before[i].y - before[j].y) > 0.12) continue;
        bool found = false;
        for (const Contact& contact : world.contacts) found = found || (contact.a == i && contact.b == j);
        CHECK(found);
      }
    }
  }
}

TEST(steps_allocate_nothing_once_warmed_up) {
  WheelDef wheel;
  Scene small;
  small.robot({0.0, 0.0, 0.0}, 1.0, 0.14, wheel);
  for (int i = 0; i < 12; ++i) small.box({0.4 * std::cos(0.5 * i), 0.4 * std::sin(0.5 * i), 0.0}, 0.1, 0.1, 0.2, 0.5, 0.1);
  small.arena(4.0, 0.9, 0.05);
  World one = small.build();
  one.wheels[0].command = one.wheels[1].command = 0.5;
  small.run(one, 240);
  Scene large;
  World many = heap(large, 100);
  large.run(many, 600);
  const long before = allocations.load();
  small.run(one, 240);
  large.run(many, 240);
  CHECK_EQUAL(allocations.load() - before, 0);
}

TEST(a_batch_allocates_nothing_once_warmed_up) {
  Scene scene;
  scene.model->gravity = {0.0, -9.81};
  scene.arena(2.0, 0.9, 0.05);
  add_crowd(scene, 60, 0.18);
  scene.build();
  Batch batch(scene.model, {1, 2, 3, 4, 5, 6}, 2);
  batch.step(kStep, 600);
  const long before = allocations.load();
  for (int k = 0; k < 24; ++k) batch.step(kStep, 10);
  CHECK_EQUAL(allocations.load() - before, 0);
}

int main() { return check::run_all(); }
