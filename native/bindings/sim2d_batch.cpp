#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>

#include "gil.hpp"
#include "sim2d_batch.hpp"

namespace horus::bindings {
namespace {

using namespace sim2d;

void make_batch(PyBatch* self, const PyModel& model, const std::vector<std::uint64_t>& seeds, int threads) {
  if (!model.finished) throw nb::value_error("call finish() on the model first");
  if (threads < 1) throw nb::value_error("a batch needs at least one thread");
  new (self) PyBatch(model, seeds, threads);
}

// An array with a row of `width` numbers for each world, which `fill` writes.
template <class Fill>
nb::object gather(PyBatch& self, std::size_t items, std::size_t width, Fill fill) {
  const npy_intp count = self.batch.size();
  const auto rows = static_cast<npy_intp>(items);
  nb::object array = width == 0 ? make_array({count, rows}, NPY_DOUBLE)
                                : make_array({count, rows, static_cast<npy_intp>(width)}, NPY_DOUBLE);
  if (!array.is_valid()) throw nb::python_error();
  double* out = data<double>(array);
  const std::lock_guard lock(self.mutex);
  for (const World& world : self.batch.worlds) out = fill(world, out);
  return array;
}

nb::object poses(PyBatch& self) {
  return gather(self, self.bodies, 3, [](const World& world, double* out) {
    for (const Body& b : world.bodies) {
      *out++ = b.x;
      *out++ = b.y;
      *out++ = b.angle;
    }
    return out;
  });
}

nb::object velocities(PyBatch& self) {
  return gather(self, self.bodies, 3, [](const World& world, double* out) {
    for (const Body& b : world.bodies) {
      *out++ = b.vx;
      *out++ = b.vy;
      *out++ = b.w;
    }
    return out;
  });
}

void step(PyBatch& self, nb::handle commands, double dt, int n) {
  nb::object array;
  const double* values = nullptr;
  if (!commands.is_none()) {
    array = read_array(commands, {self.batch.size(), static_cast<npy_intp>(self.wheels)}, "commands");
    values = data<const double>(array);
  }
  const ReleaseGil released;
  const std::lock_guard lock(self.mutex);
  if (values != nullptr) {
    for (World& world : self.batch.worlds) {
      for (WheelState& wheel : world.wheels) wheel.command = *values++;
    }
  }
  self.batch.step(dt, n);
}

World& world_at(PyBatch& self, std::int64_t index) {
  return self.batch.worlds[checked_index(index, self.batch.worlds.size(), "world")];
}

void reset(PyBatch& self, const std::vector<std::int64_t>& ids, const std::vector<std::uint64_t>& seeds) {
  if (ids.size() != seeds.size()) throw nb::value_error("as many seeds as ids are needed");
  for (const std::int64_t id : ids) world_at(self, id);
  const std::lock_guard lock(self.mutex);
  for (std::size_t k = 0; k < ids.size(); ++k) self.batch.worlds[ids[k]].reset(seeds[k]);
}

// Scales the nominal masses and frictions of bodies, the grip of wheels, and the noise of the sensors of one world.
void randomize(PyBatch& self, std::int64_t id, const std::vector<double>& mass, const std::vector<double>& friction,
               const std::vector<double>& grip, double noise) {
  if (mass.size() != self.bodies || friction.size() != self.bodies || grip.size() != self.wheels) {
    throw nb::value_error("a factor for each body and each wheel is needed");
  }
  World& world = world_at(self, id);
  const std::lock_guard lock(self.mutex);
  for (std::size_t i = 0; i < self.bodies; ++i) {
    const BodyDef& nominal = world.model().bodies[i];
    world.set_mass(static_cast<int>(i), mass[i] * nominal.mass, mass[i] * nominal.inertia);
    world.params[i].friction = friction[i] * nominal.friction;
    world.params[i].ground_friction = friction[i] * nominal.ground_friction;
  }
  std::copy(grip.begin(), grip.end(), world.wheel_grip.begin());
  world.noise_scale = noise;
}

}  // namespace

void bind_sim2d_batch(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<PyBatch> batch(m, "Sim2dBatch", "Many worlds of one 2D model.");
  batch.def("__init__", make_batch, "model"_a, "seeds"_a, "threads"_a)
      .def("step", step, "commands"_a.none(), "dt"_a, "n"_a)
      .def("step_index",
           [](PyBatch& self, std::int64_t id) {
             const std::lock_guard lock(self.mutex);
             return world_at(self, id).step_index;
           })
      .def("poses", poses)
      .def("velocities", velocities)
      .def("readings",
           [](PyBatch& self) {
             return gather(self, self.readings, 0, [](const World& world, double* out) {
               if (world.is_sensed()) return std::copy(world.readings.begin(), world.readings.end(), out);
               // Reading changes nothing.
               World sensed = world;
               sensed.sense();
               return std::copy(sensed.readings.begin(), sensed.readings.end(), out);
             });
           })
      .def("wheel_speeds",
           [](PyBatch& self) {
             return gather(self, self.wheels, 0, [](const World& world, double* out) {
               for (const WheelState& wheel : world.wheels) *out++ = wheel.omega;
               return out;
             });
           })
      .def("times",
           [](PyBatch& self) {
             nb::object array = make_array({self.batch.size()}, NPY_DOUBLE);
             double* out = data<double>(array);
             const std::lock_guard lock(self.mutex);
             for (const World& world : self.batch.worlds) *out++ = world.time;
             return array;
           })
      .def("contact_counts",
           [](PyBatch& self, std::int64_t body) {
             const int wanted = checked_index(body, self.bodies, "body");
             nb::object array = make_array({self.batch.size()}, NPY_DOUBLE);
             double* out = data<double>(array);
             const std::lock_guard lock(self.mutex);
             for (const World& world : self.batch.worlds) {
               double touching = 0.0;
               for (const Contact& contact : world.contacts) touching += contact.a == wanted || contact.b == wanted;
               *out++ = touching;
             }
             return array;
           })
      .def("reset", reset, "ids"_a, "seeds"_a)
      .def("set_pose",
           [](PyBatch& self, std::int64_t id, std::int64_t body, double x, double y, double theta) {
             const int i = checked_index(body, self.bodies, "body");
             const std::lock_guard lock(self.mutex);
             world_at(self, id).set_pose(i, {x, y, theta});
           })
      .def("set_velocity",
           [](PyBatch& self, std::int64_t id, std::int64_t body, double vx, double vy, double w) {
             const int i = checked_index(body, self.bodies, "body");
             const std::lock_guard lock(self.mutex);
             world_at(self, id).set_velocity(i, vx, vy, w);
           })
      .def("randomize", randomize, "world"_a, "mass"_a, "friction"_a, "grip"_a, "noise"_a)
      .def("save",
           [](PyBatch& self, std::int64_t id) {
             const std::lock_guard lock(self.mutex);
             const std::string bytes = world_at(self, id).save();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("load", [](PyBatch& self, std::int64_t id, nb::bytes bytes) {
        const std::lock_guard lock(self.mutex);
        return world_at(self, id).load(std::string(bytes.c_str(), bytes.size()));
      });
  bind_sim2d_episodes(batch);
}

}  // namespace horus::bindings
