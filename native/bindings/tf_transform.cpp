#include "tf_transform.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "arguments.hpp"
#include "arrays.hpp"
#include "callable_type.hpp"
#include "gil.hpp"
#include "math/arc_tangent.hpp"
#include "tf/points.hpp"
#include "tf_errors.hpp"

namespace horus::bindings {
namespace {

using tf::Quat;
using tf::Transform;
using tf::Vec3;

struct TransformObject {
  PyObject_HEAD
  Transform value;
};

PyTypeObject* transform_type = nullptr;

const Transform& value_of(PyObject* self) { return reinterpret_cast<TransformObject*>(self)->value; }

// x, y, z of the translation, then x, y, z, w of the rotation.
std::array<double, 7> numbers_of(PyObject* self) { return std::bit_cast<std::array<double, 7>>(value_of(self)); }

PyObject* vector_of(const Vec3& v) {
  return make_vector(std::bit_cast<std::array<double, 3>>(v).data(), 3).release().ptr();
}

bool read_vec3(PyObject* object, Vec3& out, const char* what) {
  double values[3];
  if (!read_finite(object, values, 3, what)) return false;
  out = {values[0], values[1], values[2]};
  return true;
}

bool read_quat(PyObject* object, Quat& out) {
  double values[4];
  if (!read_finite(object, values, 4, "rotation (x, y, z, w)")) return false;
  out = {values[0], values[1], values[2], values[3]};
  if (tf::normalize(out)) return true;
  raise_invalid("rotation is the zero quaternion, which is no rotation; (0, 0, 0, 1) is the identity");
  return false;
}

PyObject* construct(PyObject* /*type*/, PyObject* const* args, std::size_t flags, PyObject* keywords) {
  static const char* const kNames[] = {"translation", "rotation"};
  PyObject* slots[2] = {};
  if (!parse_arguments("Transform()", kNames, 2, args, PyVectorcall_NARGS(flags), keywords, slots)) return nullptr;
  Transform value;
  if (slots[0] != nullptr && !read_vec3(slots[0], value.translation, "translation")) return nullptr;
  if (slots[1] != nullptr && !read_quat(slots[1], value.rotation)) return nullptr;
  return make_transform(value);
}

PyObject* construct_from_tuple(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  if (keywords != nullptr && PyDict_Size(keywords) > 0) {
    PyErr_SetString(PyExc_TypeError, "Transform.__new__ takes no keyword arguments; call Transform(...)");
    return nullptr;
  }
  PyObject* items[2] = {};
  const Py_ssize_t n = NB_TUPLE_GET_SIZE(args);
  for (Py_ssize_t i = 0; i < std::min<Py_ssize_t>(n, 2); ++i) items[i] = NB_TUPLE_GET_ITEM(args, i);
  return construct(reinterpret_cast<PyObject*>(type), items, static_cast<std::size_t>(n), nullptr);
}

void destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* get_translation(PyObject* self, void*) {
  return make_vector(numbers_of(self).data(), 3, false).release().ptr();
}

PyObject* get_rotation(PyObject* self, void*) {
  return make_vector(numbers_of(self).data() + 3, 4, false).release().ptr();
}

PyObject* identity(PyObject*, PyObject*) { return make_transform({}); }

PyObject* from_euler(PyObject*, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
  static const char* const kNames[] = {"translation", "rpy"};
  PyObject* slots[2] = {};
  if (!parse_arguments("Transform.from_euler()", kNames, 2, args, positional, keywords, slots)) return nullptr;
  Transform value;
  Vec3 rpy;
  if (slots[0] != nullptr && !read_vec3(slots[0], value.translation, "translation")) return nullptr;
  if (slots[1] != nullptr && !read_vec3(slots[1], rpy, "rpy")) return nullptr;
  value.rotation = tf::from_euler(rpy);
  return make_transform(value);
}

PyObject* from_matrix(PyObject*, PyObject* matrix) {
  const nb::object array = nb::steal(PyArray_FROMANY(matrix, NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO));
  if (!array.is_valid()) {
    if (!is_conversion_error()) return nullptr;
    return raise_invalid("matrix must be numbers of shape (4, 4) or (3, 3), got %.100R", matrix);
  }
  const npy_intp* const shape = PyArray_DIMS(as_array(array));
  if (PyArray_NDIM(as_array(array)) != 2 || shape[0] != shape[1] || (shape[0] != 3 && shape[0] != 4)) {
    const nb::object got = nb::steal(PyObject_GetAttrString(array.ptr(), "shape"));
    return raise_invalid("matrix must have shape (4, 4) or (3, 3), got %S", got.ptr());
  }
  const npy_intp n = shape[0];
  const double* const m = data<const double>(array);
  for (npy_intp i = 0; i < n * n; ++i) {
    if (!std::isfinite(m[i])) return raise_invalid("matrix[%zd, %zd] is not finite", i / n, i % n);
  }
  constexpr double kLastRow = 1e-9;
  if (n == 4 && (std::abs(m[12]) > kLastRow || std::abs(m[13]) > kLastRow || std::abs(m[14]) > kLastRow ||
                 std::abs(m[15] - 1.0) > kLastRow)) {
    return raise_invalid("matrix is not a rigid transform: its last row must be 0, 0, 0, 1");
  }
  tf::Matrix3 R;
  for (npy_intp i = 0; i < 3; ++i) std::copy_n(m + n * i, 3, R.m[i]);
  constexpr double kOrthonormal = 1e-6;
  const double determinant = tf::determinant(R);
  if (tf::orthonormality_error(R) > kOrthonormal) {
    const nb::object text = nb::steal(PyUnicode_FromFormat("%S", nb::float_(tf::orthonormality_error(R)).ptr()));
    return raise_invalid("matrix is not a rotation: its rows are not orthonormal (off by %S); remove scale and shear",
                         text.ptr());
  }
  if (determinant < 0) {
    return raise_invalid("matrix is a reflection (determinant -1), not a rotation; horus_sim.coords converts "
                         "between left- and right-handed frames");
  }
  Transform value;
  value.rotation = tf::from_matrix(R);
  if (n == 4) value.translation = {m[3], m[7], m[11]};
  return make_transform(value);
}

static_assert(std::endian::native == std::endian::little, "to_bytes promises little-endian numbers");

PyObject* to_bytes(PyObject* self, PyObject*) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(&value_of(self)), sizeof(Transform));
}

PyObject* from_bytes(PyObject*, PyObject* bytes) {
  Py_buffer view;
  if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0) return nullptr;
  const Py_ssize_t length = view.len;
  Transform value;
  if (length == sizeof(Transform)) std::memcpy(&value, view.buf, sizeof(Transform));
  PyBuffer_Release(&view);
  if (length != sizeof(Transform)) return raise_invalid("a Transform has %zd bytes, got %zd", sizeof(Transform), length);
  const auto numbers = std::bit_cast<std::array<double, 7>>(value);
  for (int i = 0; i < 7; ++i) {
    if (std::isfinite(numbers[i])) continue;
    return raise_invalid("the bytes of a Transform are not valid: %s[%d] is %S", i < 3 ? "translation" : "rotation",
                         i < 3 ? i : i - 3, nb::float_(numbers[i]).ptr());
  }
  if (!tf::normalize(value.rotation)) return raise_invalid("the bytes of a Transform are not valid: rotation is the zero quaternion");
  return make_transform(value);
}

PyObject* compose(PyObject* self, PyObject* other) {
  const Transform* const b = read_transform(other);
  if (b == nullptr) return nullptr;
  Transform product = tf::compose(value_of(self), *b);
  product.rotation = tf::renormalized(product.rotation);
  return make_transform(product);
}

PyObject* matmul(PyObject* a, PyObject* b) {
  if (!is_transform(a) || !is_transform(b)) Py_RETURN_NOTIMPLEMENTED;
  return compose(a, b);
}

PyObject* inverse(PyObject* self, PyObject*) { return make_transform(tf::inverse(value_of(self))); }

PyObject* transform_point(PyObject* self, PyObject* point) {
  double p[3];
  if (!read_numbers(point, p, 3, "point")) return nullptr;
  return vector_of(tf::apply(value_of(self), {p[0], p[1], p[2]}));
}

PyObject* transform_vector(PyObject* self, PyObject* vector) {
  double v[3];
  if (!read_numbers(vector, v, 3, "vector")) return nullptr;
  return vector_of(tf::rotate(value_of(self).rotation, {v[0], v[1], v[2]}));
}

PyObject* transform_points(PyObject* self, PyObject* points) {
  return transform_rows(value_of(self), points).release().ptr();
}

PyObject* to_matrix(PyObject* self, PyObject*) {
  nb::object array = make_array({4, 4}, NPY_DOUBLE);
  if (!array.is_valid()) return nullptr;
  const tf::Matrix3 R = tf::to_matrix(value_of(self).rotation);
  const Vec3& t = value_of(self).translation;
  const double m[16] = {R.m[0][0], R.m[0][1], R.m[0][2], t.x, R.m[1][0], R.m[1][1], R.m[1][2], t.y,
                        R.m[2][0], R.m[2][1], R.m[2][2], t.z, 0.0,       0.0,       0.0,       1.0};
  std::copy_n(m, 16, data<double>(array));
  return array.release().ptr();
}

PyObject* to_euler(PyObject* self, PyObject*) {
  return vector_of(tf::to_euler(value_of(self).rotation));
}

PyObject* interpolate(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
  static const char* const kNames[] = {"other", "t"};
  PyObject* slots[2] = {};
  if (!parse_arguments("Transform.interpolate()", kNames, 2, args, positional, keywords, slots)) return nullptr;
  if (slots[0] == nullptr || slots[1] == nullptr) {
    PyErr_SetString(PyExc_TypeError, "Transform.interpolate() needs other and t");
    return nullptr;
  }
  const Transform* const other = read_transform(slots[0]);
  if (other == nullptr) return nullptr;
  const double t = PyFloat_AsDouble(slots[1]);
  if (t == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return raise_invalid("t must be a number from 0 to 1, got %R", slots[1]);
  }
  if (!(t >= 0.0 && t <= 1.0)) return raise_invalid("t must be from 0 to 1, got %R", slots[1]);
  // The ends keep their bits.
  if (t == 0.0) return make_transform(value_of(self));
  if (t == 1.0) return make_transform(*other);
  return make_transform(tf::interpolate(value_of(self), *other, t));
}

PyObject* is_close(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
  static const char* const kNames[] = {"other", "tolerance_m", "tolerance_rad"};
  PyObject* slots[3] = {};
  if (!parse_arguments("Transform.is_close()", kNames, 3, args, positional, keywords, slots)) return nullptr;
  if (slots[0] == nullptr) {
    PyErr_SetString(PyExc_TypeError, "Transform.is_close() needs other");
    return nullptr;
  }
  const Transform* const other = read_transform(slots[0]);
  if (other == nullptr) return nullptr;
  double tolerance[2] = {1e-9, 1e-9};
  for (int i = 0; i < 2; ++i) {
    if (slots[i + 1] == nullptr) continue;
    tolerance[i] = PyFloat_AsDouble(slots[i + 1]);
    if (tolerance[i] == -1.0 && PyErr_Occurred()) return nullptr;
  }
  const Transform difference = tf::compose_inverse(value_of(self), *other);
  const Vec3& t = difference.translation;
  const Quat& q = difference.rotation;
  const double distance_m = std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  const double angle_rad = 2.0 * math::arc_tangent(std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z), std::abs(q.w));
  return PyBool_FromLong(distance_m <= tolerance[0] && angle_rad <= tolerance[1]);
}

PyObject* compare(PyObject* a, PyObject* b, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !is_transform(b)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((numbers_of(a) == numbers_of(b)) == (operation == Py_EQ));
}

Py_hash_t hash(PyObject* self) {
  std::uint64_t sum = 0x9E3779B97F4A7C15u;
  for (const double number : numbers_of(self)) {
    // -0.0 equals 0.0 and must hash alike.
    sum = (sum ^ std::bit_cast<std::uint64_t>(number + 0.0)) * 0x100000001B3u;
    sum ^= sum >> 29;
  }
  const auto result = static_cast<Py_hash_t>(sum);
  return result == -1 ? -2 : result;
}

nb::object as_tuple(const double* values, Py_ssize_t n) {
  nb::object tuple = nb::steal(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) NB_TUPLE_SET_ITEM(tuple.ptr(), i, PyFloat_FromDouble(values[i]));
  return tuple;
}

PyObject* repr(PyObject* self) {
  const std::array<double, 7> numbers = numbers_of(self);
  return PyUnicode_FromFormat("Transform(translation=%R, rotation=%R)", as_tuple(numbers.data(), 3).ptr(),
                              as_tuple(numbers.data() + 3, 4).ptr());
}

PyObject* reduce(PyObject* self, PyObject*) {
  const std::array<double, 7> numbers = numbers_of(self);
  return Py_BuildValue("O(NN)", transform_type, as_tuple(numbers.data(), 3).release().ptr(),
                       as_tuple(numbers.data() + 3, 4).release().ptr());
}

template <class Function>
PyCFunction method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr int kKeywords = METH_FASTCALL | METH_KEYWORDS;

PyMethodDef methods[] = {
    {"identity", identity, METH_NOARGS | METH_STATIC, "identity()\n--\n\nThe transform that changes nothing."},
    {"from_euler", method(from_euler), kKeywords | METH_STATIC,
     "from_euler(translation=(0, 0, 0), rpy=(0, 0, 0))\n--\n\n"
     "From a translation [m] and roll, pitch, yaw [rad] about the fixed axes x, y, z in this order (REP 103, URDF)."},
    {"from_matrix", from_matrix, METH_O | METH_STATIC,
     "from_matrix(matrix)\n--\n\nFrom a homogeneous (4, 4) or a rotation (3, 3) matrix; it must be rigid."},
    {"compose", compose, METH_O,
     "compose($self, other)\n--\n\nself @ other: first `other`, then `self`. T_a_c = T_a_b.compose(T_b_c)."},
    {"inverse", inverse, METH_NOARGS, "inverse($self)\n--\n\nThe way back: T_a_b.inverse() is T_b_a."},
    {"transform_point", transform_point, METH_O,
     "transform_point($self, point)\n--\n\nA point (3,) [m] of the child frame in the parent frame."},
    {"transform_vector", transform_vector, METH_O,
     "transform_vector($self, vector)\n--\n\nA direction (3,): rotated, not translated."},
    {"transform_points", transform_points, METH_O,
     "transform_points($self, points)\n--\n\nPoints (N, 3) [m]; float32 stays float32, anything else gives float64."},
    {"to_matrix", to_matrix, METH_NOARGS, "to_matrix($self)\n--\n\nThe homogeneous matrix (4, 4)."},
    {"to_euler", to_euler, METH_NOARGS,
     "to_euler($self)\n--\n\nRoll, pitch, yaw [rad], shape (3,). At pitch = +-90 degrees the roll is 0."},
    {"interpolate", method(interpolate), kKeywords,
     "interpolate($self, other, t)\n--\n\n"
     "The pose a fraction t in [0, 1] of the way to `other`: linear translation, shortest-arc SLERP."},
    {"is_close", method(is_close), kKeywords,
     "is_close($self, other, tolerance_m=1e-09, tolerance_rad=1e-09)\n--\n\n"
     "Whether `other` is the same pose within a distance [m] and an angle [rad]; q and -q are the same."},
    {"to_bytes", to_bytes, METH_NOARGS,
     "to_bytes($self)\n--\n\nTranslation x, y, z and rotation x, y, z, w as little-endian doubles: 56 bytes."},
    {"from_bytes", from_bytes, METH_O | METH_STATIC, "from_bytes(data)\n--\n\nReads what `to_bytes` wrote."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"translation", get_translation, nullptr, "Translation [m], shape (3,), read-only.", nullptr},
    {"rotation", get_rotation, nullptr, "Unit quaternion in the order x, y, z, w, shape (4,), read-only.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

const char* const kDoc =
    "Transform(translation=(0, 0, 0), rotation=(0, 0, 0, 1))\n--\n\n"
    "A rigid transform: a translation [m] and a unit quaternion (x, y, z, w). Immutable.\n\n"
    "T_parent_child maps child coordinates into the parent: p_parent = T_parent_child.transform_point(p_child), and\n"
    "neighbours cancel: T_world_tool = T_world_base @ T_base_tool. A quaternion of another length is normalized;\n"
    "zero, NaN and infinite entries raise InvalidTransformError.";

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {Py_tp_new, reinterpret_cast<void*>(construct_from_tuple)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_nb_matrix_multiply, reinterpret_cast<void*>(matmul)},
    {0, nullptr},
};

const PyType_Spec spec = {"horus_sim.tf.Transform", sizeof(TransformObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};

}  // namespace

bool is_transform(PyObject* object) { return Py_TYPE(object) == transform_type; }

PyObject* make_transform(const Transform& value) {
  auto* const self = PyObject_New(TransformObject, transform_type);
  if (self != nullptr) self->value = value;
  return reinterpret_cast<PyObject*>(self);
}

const Transform* read_transform(PyObject* object) {
  if (is_transform(object)) return &value_of(object);
  raise_invalid("expected a Transform, got %.100R; make one with Transform(translation, rotation)", object);
  return nullptr;
}

nb::object transform_rows(const Transform& T, PyObject* points) {
  const nb::object in = read_rows(points, 3, "points", true);
  if (!in.is_valid()) return in;
  const int type = PyArray_TYPE(as_array(in));
  const npy_intp n = rows(in);
  nb::object out = make_array({n, 3}, type);
  if (!out.is_valid()) return out;
  const ReleaseGil release;
  if (type == NPY_FLOAT32) {
    tf::transform_points(T, data<const float>(in), data<float>(out), static_cast<std::size_t>(n));
  } else {
    tf::transform_points(T, data<const double>(in), data<double>(out), static_cast<std::size_t>(n));
  }
  return out;
}

void bind_transform(nb::module_& m) {
  nb::object type = make_callable_type(spec, construct);
  if (!type.is_valid()) throw nb::python_error();
  m.attr("Transform") = type;
  transform_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
}

}  // namespace horus::bindings
