// The Python type Transform. A type of the C interface rather than of nanobind: making an instance takes a third of the time.
#pragma once

#include "python.hpp"
#include "tf/transform.hpp"

namespace horus::bindings {

void bind_transform(nb::module_& m);

// A new Python Transform.
PyObject* make_transform(const tf::Transform& value);
bool is_transform(PyObject* object);
// The value behind a Python Transform; null with an error set for anything else.
const tf::Transform* read_transform(PyObject* object);

// Points (N, 3) through T as a new array; null with an error set on failure.
nb::object transform_rows(const tf::Transform& T, PyObject* points);

}  // namespace horus::bindings
