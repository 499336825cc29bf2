#include <nanobind/stl/string.h>

#include <string>

#include "sim2d/world.hpp"
#include "sim2d_bindings.hpp"

namespace horus::bindings {
namespace {

using namespace sim2d;

struct PyWorld {
  World world;
  ScratchPtr scratch = make_scratch();
  PyWorld(const PyModel& model, std::uint64_t seed) : world(model.model, seed) {}
};

void make_world(PyWorld* self, const PyModel& model, std::uint64_t seed) {
  if (!model.finished) throw nb::value_error("call finish() on the model first");
  new (self) PyWorld(model, seed);
}

int body_index(const PyWorld& self, std::int64_t index) {
  return checked_index(index, self.world.bodies.size(), "body");
}

nb::object states(const PyWorld& self) {
  nb::object array = make_array({static_cast<npy_intp>(self.world.bodies.size()), 6}, NPY_DOUBLE);
  double* out = data<double>(array);
  for (const Body& b : self.world.bodies) {
    for (const double value : {b.x, b.y, b.angle, b.vx, b.vy, b.w}) *out++ = value;
  }
  return array;
}

nb::object wheel_states(const PyWorld& self) {
  nb::object array = make_array({static_cast<npy_intp>(self.world.wheels.size()), 5}, NPY_DOUBLE);
  double* out = data<double>(array);
  for (const WheelState& w : self.world.wheels) {
    for (const double value : {w.command, w.omega, w.angle, w.long_impulse, w.lat_impulse}) *out++ = value;
  }
  return array;
}

// Calls `read` with the world as it is after the sensors that are due were read; reading itself changes nothing.
template <class Read>
auto with_readings(const PyWorld& self, Read read) {
  if (self.world.is_sensed()) return read(self.world);
  World sensed = self.world;
  sensed.sense();
  return read(static_cast<const World&>(sensed));
}

nb::object reading(const PyWorld& self, int first, int width) {
  checked_index(std::int64_t{first} + width - 1, self.world.readings.size(), "reading");
  checked_index(first, self.world.readings.size(), "reading");
  return with_readings(self, [&](const World& world) { return make_vector(&world.readings[first], width); });
}

double stamp(const PyWorld& self, std::int64_t sensor) {
  const int index = checked_index(sensor, self.world.sensors.size(), "sensor");
  return with_readings(self, [&](const World& world) { return world.sensors[index].stamp; });
}

nb::list warnings_of(const World& world) {
  static constexpr const char* kKinds[] = {"not_finite", "linear_speed", "angular_speed", "step_translation"};
  nb::list result;
  for (const Warning& w : world.warnings) {
    result.append(nb::make_tuple(kKinds[static_cast<int>(w.kind)], w.body, w.step, w.count));
  }
  return result;
}

nb::list contacts_of(const World& world) {
  nb::list result;
  for (const Contact& c : world.contacts) {
    double separation = c.separations[0];
    double impulse = 0.0;
    for (int k = 0; k < c.count; ++k) {
      separation = std::min(separation, c.separations[k]);
      impulse += c.impulses[2 * k];
    }
    const Body& a = world.bodies[c.a];
    const nb::tuple point = nb::make_tuple(a.x + c.middle[0], a.y + c.middle[1]);
    result.append(nb::make_tuple(c.a, c.b, point, nb::make_tuple(c.normal.x, c.normal.y), separation, impulse));
  }
  return result;
}

}  // namespace

void bind_sim2d_world(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<PyWorld>(m, "Sim2dWorld", "One world of the 2D engine.")
      .def("__init__", make_world, "model"_a, "seed"_a)
      .def("sense", [](PyWorld& self) { self.world.sense(); }, "Reads the sensors that are due.")
      .def("step",
           [](PyWorld& self, double dt) {
             self.world.step(dt, 1, *self.scratch);
             self.world.sense();
           },
           "dt"_a, "Reads the sensors that are due, moves the world by one step, and reads them again.")
      .def("reset", [](PyWorld& self, std::uint64_t seed) { self.world.reset(seed); }, "seed"_a)
      .def_prop_ro("time", [](const PyWorld& self) { return self.world.time; })
      .def_prop_ro("step_index", [](const PyWorld& self) { return self.world.step_index; })
      .def("states", states, "Poses and velocities x, y, theta, vx, vy, w of all bodies, shape (bodies, 6).")
      .def("state",
           [](const PyWorld& self, std::int64_t body) {
             const Body& b = self.world.bodies[body_index(self, body)];
             return nb::make_tuple(b.x, b.y, b.angle, b.vx, b.vy, b.w);
           })
      .def("readings",
           [](const PyWorld& self) {
             return with_readings(self, [](const World& world) {
               return make_vector(world.readings.data(), static_cast<npy_intp>(world.readings.size()));
             });
           },
           "Of all sensors one after the other; those that are due are read for it.")
      .def("reading", reading)
      .def("stamp", stamp, "Time of a sensor's reading [s].")
      .def("wheel_states", wheel_states, "command, omega, angle and impulses of all wheels, shape (wheels, 5).")
      .def("command",
           [](const PyWorld& self, std::int64_t wheel) {
             return self.world.wheels[checked_index(wheel, self.world.wheels.size(), "wheel")].command;
           })
      .def("set_command",
           [](PyWorld& self, std::int64_t wheel, double value) {
             self.world.wheels[checked_index(wheel, self.world.wheels.size(), "wheel")].command = value;
           })
      .def("set_pose",
           [](PyWorld& self, std::int64_t body, double x, double y, double theta) {
             self.world.set_pose(body_index(self, body), {x, y, theta});
           })
      .def("set_velocity",
           [](PyWorld& self, std::int64_t body, double vx, double vy, double w) {
             self.world.set_velocity(body_index(self, body), vx, vy, w);
           })
      .def("apply_force",
           [](PyWorld& self, std::int64_t body, double fx, double fy, double torque) {
             self.world.apply_force(body_index(self, body), fx, fy, torque);
           })
      .def("contacts", [](const PyWorld& self) { return contacts_of(self.world); })
      .def("warnings", [](const PyWorld& self) { return warnings_of(self.world); })
      .def("save",
           [](const PyWorld& self) {
             const std::string bytes = self.world.save();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("load", [](PyWorld& self, nb::bytes bytes) {
        return self.world.load(std::string(bytes.c_str(), bytes.size()));
      });
}

}  // namespace horus::bindings
