#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "sim2d_bindings.hpp"
#include "sim2d_values.hpp"

namespace horus::bindings {
namespace {

using namespace sim2d;

Model& open(PyModel& self) {
  if (self.finished) throw nb::value_error("the model is finished; worlds share it");
  return *self.model;
}

int add_joint(PyModel& self, const JointDef& joint) {
  Model& model = open(self);
  for (const int body : {joint.a, joint.b}) checked_index(body, model.bodies.size(), "body");
  return model.add_joint(joint);
}

int add_wheel(PyModel& self, const WheelDef& wheel) {
  Model& model = open(self);
  checked_index(wheel.body, model.bodies.size(), "body");
  return model.add_wheel(wheel);
}

// The place of its first reading and their number.
nb::tuple add_sensor(PyModel& self, const SensorDef& sensor) {
  Model& model = open(self);
  checked_index(sensor.body, model.bodies.size(), "body");
  if (sensor.kind == SensorKind::kEncoder) checked_index(sensor.wheel, model.wheels.size(), "wheel");
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
  nb::class_<PyModel>(m, "Sim2dModel", "What all worlds of a 2D scenario share.")
      .def(nb::init<>())
      .def("set_solver", [](PyModel& self, const SolverConfig& solver) { open(self).solver = solver; })
      .def("set_gravity", [](PyModel& self, double x, double y) { open(self).gravity = {x, y}; })
      .def(
          "add_body",
          [](PyModel& self, const BodyDef& body, const std::vector<Vec2>& points, std::optional<double> radius) {
            if (radius) return open(self).add_circle(body, *radius);
            if (points.size() < 3) throw nb::value_error("a polygon needs three points");
            return open(self).add_polygon(body, points);
          },
          nb::arg(), nb::arg(), nb::arg().none(), "A circle where a radius is given, else a polygon.")
      .def("add_joint", add_joint)
      .def("add_wheel", add_wheel)
      .def("add_sensor", add_sensor)
      .def("add_segment",
           [](PyModel& self, Vec2 a, Vec2 b, double half_thickness, double intensity) {
             open(self).floor.add_segment(a, b, half_thickness, intensity);
           })
      .def("add_patch",
           [](PyModel& self, const std::vector<Vec2>& points, double intensity) {
             open(self).floor.add_patch(points, intensity);
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
