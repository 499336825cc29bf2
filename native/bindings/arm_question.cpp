#include "arm_question.hpp"

#include <algorithm>
#include <cmath>

#include "arm_solver.hpp"
#include "items.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {
namespace {

constexpr double kFarthest = 1e6;  // [m]
constexpr double kRigid = 1e-6;
constexpr long kMostStarts = 1'000'000;

bool read_number(PyObject* object, double& out) {
  if (PyFloat_Check(object)) {
    out = value_of_float(object);
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    out = static_cast<double>(PyLong_AsLongAndOverflow(object, &overflow));
    if (overflow != 0) return false;
  } else {
    return false;
  }
  return std::isfinite(out);
}

// The doubles of an array of float64 of this shape; null for anything else.
const double* doubles_of(PyObject* object, std::initializer_list<npy_intp> shape) {
  if (!PyArray_Check(object)) return nullptr;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array)) return nullptr;
  if (!std::equal(shape.begin(), shape.end(), PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array))) {
    return nullptr;
  }
  const auto* const values = static_cast<const double*>(PyArray_DATA(array));
  const bool finite = std::all_of(values, values + PyArray_SIZE(array), [](double value) { return std::isfinite(value); });
  return finite ? values : nullptr;
}

bool read_vector(PyObject* object, Py_ssize_t n, double* out) {
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    if (size_of_tuple_or_list(object) != n) return false;
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (!read_number(item_of_tuple_or_list(object, i), out[i])) return false;
    }
    return true;
  }
  const double* const values = doubles_of(object, {n});
  if (values == nullptr) return false;
  std::copy_n(values, n, out);
  return true;
}

bool is_rigid(const double* m) {
  if (m[12] != 0.0 || m[13] != 0.0 || m[14] != 0.0 || m[15] != 1.0) return false;
  const tf::Vec3 rows[3] = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      if (!(std::abs(arm::dot(rows[i], rows[j]) - (i == j ? 1.0 : 0.0)) < kRigid)) return false;
    }
  }
  return arm::dot(tf::cross(rows[0], rows[1]), rows[2]) > 0.0;
}

enum class Mode { kAsTarget, kPosition, kPose, kUnknown };

Mode read_mode(PyObject* mode) {
  if (mode == Py_None) return Mode::kAsTarget;
  if (!PyUnicode_CheckExact(mode)) return Mode::kUnknown;
  if (PyUnicode_CompareWithASCIIString(mode, "position") == 0) return Mode::kPosition;
  return PyUnicode_CompareWithASCIIString(mode, "pose") == 0 ? Mode::kPose : Mode::kUnknown;
}

bool read_target(PyObject* target, Mode mode, arm::Task& task) {
  arm::Frame& T = task.target;
  task.is_pose = mode != Mode::kPosition;
  if (is_transform(target)) {
    const tf::Transform& given = *read_transform(target);
    T.p = given.translation;
    if (task.is_pose) {
      const tf::Matrix3 R = tf::to_matrix(given.rotation);
      T.x = {R.m[0][0], R.m[1][0], R.m[2][0]};
      T.y = {R.m[0][1], R.m[1][1], R.m[2][1]};
      T.z = {R.m[0][2], R.m[1][2], R.m[2][2]};
    }
  } else if (const double* const matrix = doubles_of(target, {4, 4})) {
    T.p = {matrix[3], matrix[7], matrix[11]};
    if (task.is_pose) {
      if (!is_rigid(matrix)) return false;
      T = read_frame(matrix);
    }
  } else {
    double point[3];
    if (mode == Mode::kPose || !read_vector(target, 3, point)) return false;
    T.p = {point[0], point[1], point[2]};
    task.is_pose = false;
  }
  return std::max({std::abs(T.p.x), std::abs(T.p.y), std::abs(T.p.z)}) <= kFarthest;
}

// A positive number, or the default that `out` has.
bool read_positive(PyObject* object, double& out) {
  return object == Py_None || (PyFloat_CheckExact(object) && read_number(object, out) && out > 0.0);
}

bool read_options(PyObject* seed, PyObject* max_starts, arm::SolveOptions& options) {
  if (!PyLong_CheckExact(seed)) return false;
  options.seed = PyLong_AsUnsignedLongLong(seed);
  if (options.seed == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
    PyErr_Clear();  // negative, or too large: the caller's checks say which
    return false;
  }
  if (max_starts == Py_None) return true;
  if (!PyLong_CheckExact(max_starts)) return false;
  int overflow = 0;
  const long starts = PyLong_AsLongAndOverflow(max_starts, &overflow);
  options.max_starts = static_cast<int>(starts);
  return overflow == 0 && starts >= 1 && starts <= kMostStarts;
}

}  // namespace

std::optional<Question> read_question(const arm::Solver& solver, PyObject* target, PyObject* start, PyObject* mode,
                                      PyObject* position_tolerance, PyObject* rotation_tolerance,
                                      PyObject* rotation_weight, PyObject* seed, PyObject* max_starts) {
  Question question;
  arm::Task& task = question.task;
  task.rotation_weight = solver.rotation_weight();
  const Mode wanted = read_mode(mode);
  if (wanted == Mode::kUnknown || !read_target(target, wanted, task)) return std::nullopt;
  question.has_start = start != Py_None;
  if (question.has_start && !read_vector(start, solver.chain().dof(), question.start)) return std::nullopt;
  if (!read_positive(position_tolerance, task.position_tolerance) ||
      !read_positive(rotation_tolerance, task.rotation_tolerance) ||
      !read_positive(rotation_weight, task.rotation_weight) || !read_options(seed, max_starts, question.options)) {
    return std::nullopt;
  }
  return question;
}

}  // namespace horus::bindings
