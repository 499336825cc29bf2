#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>

#include "sim2d_bindings.hpp"

namespace horus::bindings {
namespace {

using namespace sim2d;
using Triple = std::array<double, 3>;
using Pair = std::array<double, 2>;

Pose pose_of(const Triple& p) { return {p[0], p[1], p[2]}; }
Vec2 vec_of(const Pair& p) { return {p[0], p[1]}; }

std::vector<Vec2> points_of(const std::vector<Pair>& points) {
  std::vector<Vec2> result;
  result.reserve(points.size());
  for (const Pair& p : points) result.push_back(vec_of(p));
  return result;
}

Model& open(PyModel& self) {
  if (self.finished) throw nb::value_error("the model is finished; worlds share it");
  return *self.model;
}

void set_solver(PyModel& self, const nb::dict& values) {
  SolverConfig& solver = open(self).solver;
  for (const auto& [key, value] : values) {
    const std::string name = nb::cast<std::string>(key);
    if (name == "velocity_iterations") {
      solver.velocity_iterations = nb::cast<int>(value);
    } else if (name == "warm_starting") {
      solver.warm_starting = nb::cast<bool>(value);
    } else if (name == "swept_contacts") {
      solver.swept_contacts = nb::cast<bool>(value);
    } else {
      static constexpr std::pair<const char*, double SolverConfig::*> kFields[] = {
          {"velocity_tolerance", &SolverConfig::velocity_tolerance},
          {"resting_tolerance", &SolverConfig::resting_tolerance},
          {"linear_damping", &SolverConfig::linear_damping},
          {"angular_damping", &SolverConfig::angular_damping},
          {"max_linear_speed", &SolverConfig::max_linear_speed},
          {"max_angular_speed", &SolverConfig::max_angular_speed},
          {"max_step_translation", &SolverConfig::max_step_translation},
          {"correction_percent", &SolverConfig::correction_percent},
          {"correction_slop", &SolverConfig::correction_slop},
          {"max_correction", &SolverConfig::max_correction},
          {"contact_margin", &SolverConfig::contact_margin},
          {"restitution_threshold", &SolverConfig::restitution_threshold},
          {"ground_friction", &SolverConfig::ground_friction},
          {"ground_gravity", &SolverConfig::ground_gravity},
          {"rigid_stiffness", &SolverConfig::rigid_stiffness},
      };
      bool found = false;
      for (const auto& [field, member] : kFields) {
        if (name != field) continue;
        solver.*member = nb::cast<double>(value);
        found = true;
      }
      if (!found) throw nb::value_error(("no solver field is called " + name).c_str());
    }
  }
}

int add_body(PyModel& self, const Triple& pose, double radius, const std::vector<Pair>& points, double mass,
             double inertia, double friction, double restitution, double reflect_distance, double ground_friction,
             bool can_move, bool collides) {
  BodyDef body;
  body.pose = pose_of(pose);
  body.mass = mass;
  body.inertia = inertia;
  body.friction = friction;
  body.restitution = restitution;
  body.reflect_distance = reflect_distance;
  body.ground_friction = ground_friction;
  body.can_move = can_move;
  body.collides = collides;
  if (radius > 0.0) return open(self).add_circle(body, radius);
  if (points.size() < 3) throw nb::value_error("a polygon needs three points");
  return open(self).add_polygon(body, points_of(points));
}

int add_joint(PyModel& self, const std::string& kind, int a, int b, const Pair& anchor_a, const Pair& anchor_b,
              double lower, double upper, double reference, double length, double stiffness, double damping) {
  Model& model = open(self);
  JointDef joint;
  joint.kind = kind == "rigid" ? JointKind::kRigid : kind == "distance" ? JointKind::kDistance : JointKind::kHinge;
  joint.a = checked_index(a, model.bodies.size(), "body");
  joint.b = checked_index(b, model.bodies.size(), "body");
  joint.anchor_a = vec_of(anchor_a);
  joint.anchor_b = vec_of(anchor_b);
  joint.lower = lower;
  joint.upper = upper;
  joint.reference = reference;
  joint.length = length;
  joint.stiffness = stiffness;
  joint.damping = damping;
  return model.add_joint(joint);
}

int add_wheel(PyModel& self, int body, const Triple& mount, double radius, double max_force, double mu_long,
              double mu_lat, double normal_force, double gravity, int wheel_count, double lateral_damping,
              double response_time, double max_omega, bool detailed, double torque, double gear_ratio, double inertia) {
  Model& model = open(self);
  WheelDef wheel;
  wheel.body = checked_index(body, model.bodies.size(), "body");
  wheel.mount = pose_of(mount);
  wheel.radius = radius;
  wheel.max_force = max_force;
  wheel.mu_long = mu_long;
  wheel.mu_lat = mu_lat;
  wheel.normal_force = normal_force;
  wheel.gravity = gravity;
  wheel.wheel_count = wheel_count;
  wheel.lateral_damping = lateral_damping;
  wheel.response_time = response_time;
  wheel.max_omega = max_omega;
  wheel.detailed = detailed;
  wheel.torque = torque;
  wheel.gear_ratio = gear_ratio;
  wheel.inertia = inertia;
  return model.add_wheel(wheel);
}

// The place of its first reading and their number.
nb::tuple add_sensor(PyModel& self, const std::string& kind, int body, int wheel, const Triple& mount, int count,
                     double spacing, double max_range, double signal, double noise, double rate) {
  Model& model = open(self);
  SensorDef sensor;
  sensor.kind = kind == "distance"  ? SensorKind::kDistance
                : kind == "imu"     ? SensorKind::kImu
                : kind == "encoder" ? SensorKind::kEncoder
                                    : SensorKind::kLine;
  sensor.body = checked_index(body, model.bodies.size(), "body");
  if (sensor.kind == SensorKind::kEncoder) sensor.wheel = checked_index(wheel, model.wheels.size(), "wheel");
  sensor.mount = pose_of(mount);
  sensor.count = count;
  sensor.spacing = spacing;
  sensor.max_range = max_range;
  sensor.signal = signal;
  sensor.noise = noise;
  sensor.rate = rate;
  const SensorDef& added = model.sensors[model.add_sensor(sensor)];
  return nb::make_tuple(added.first, added.width);
}

}  // namespace

int checked_index(std::int64_t index, std::size_t count, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    throw nb::index_error((std::string(what) + " " + std::to_string(index) + " does not exist").c_str());
  }
  return static_cast<int>(index);
}

nb::object read_array(nb::handle object, std::initializer_list<npy_intp> shape, const char* what) {
  nb::object array = nb::steal(PyArray_FROMANY(object.ptr(), NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO));
  if (!array.is_valid()) throw nb::python_error();
  bool fits = PyArray_NDIM(as_array(array)) == static_cast<int>(shape.size());
  std::string wanted;
  int axis = 0;
  for (const npy_intp size : shape) {
    fits = fits && PyArray_DIM(as_array(array), axis) == size;
    wanted += (axis++ > 0 ? ", " : "") + std::to_string(size);
  }
  if (!fits) {
    const nb::object got = array.attr("shape");
    throw nb::value_error((std::string(what) + " must have shape (" + wanted + "), got " +
                           nb::cast<std::string>(nb::str(got)))
                              .c_str());
  }
  return array;
}

void bind_sim2d_model(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<PyModel>(m, "Sim2dModel", "What all worlds of a 2D scenario share.")
      .def(nb::init<>())
      .def("set_solver", set_solver, "values"_a, "Sets fields of the solver by name.")
      .def("set_gravity", [](PyModel& self, double x, double y) { open(self).gravity = {x, y}; })
      .def("add_body", add_body, "pose"_a, "radius"_a, "points"_a, "mass"_a, "inertia"_a, "friction"_a,
           "restitution"_a, "reflect_distance"_a, "ground_friction"_a, "can_move"_a, "collides"_a)
      .def("add_joint", add_joint, "kind"_a, "a"_a, "b"_a, "anchor_a"_a, "anchor_b"_a, "lower"_a, "upper"_a,
           "reference"_a, "length"_a, "stiffness"_a, "damping"_a)
      .def("add_wheel", add_wheel, "body"_a, "mount"_a, "radius"_a, "max_force"_a, "mu_long"_a, "mu_lat"_a,
           "normal_force"_a, "gravity"_a, "wheel_count"_a, "lateral_damping"_a, "response_time"_a, "max_omega"_a,
           "detailed"_a, "torque"_a, "gear_ratio"_a, "inertia"_a)
      .def("add_sensor", add_sensor, "kind"_a, "body"_a, "wheel"_a, "mount"_a, "count"_a, "spacing"_a, "max_range"_a,
           "signal"_a, "noise"_a, "rate"_a)
      .def("add_segment",
           [](PyModel& self, const Pair& a, const Pair& b, double half_thickness, double intensity) {
             open(self).floor.add_segment(vec_of(a), vec_of(b), half_thickness, intensity);
           })
      .def("add_patch",
           [](PyModel& self, const std::vector<Pair>& points, double intensity) {
             open(self).floor.add_patch(points_of(points), intensity);
           })
      .def("add_seen_body",
           [](PyModel& self, int body, double intensity) {
             Model& model = open(self);
             model.floor.add_body(checked_index(body, model.bodies.size(), "body"), intensity);
           })
      .def("finish",
           [](PyModel& self) {
             open(self).finish();
             self.finished = true;
           })
      .def("line_intensity", [](PyModel& self, double x, double y) { return self.model->floor.intensity({x, y}); });
}

}  // namespace horus::bindings
