#include <optional>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "tf_errors.hpp"
#include "tf_py_tree.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {
namespace {

using tf::Frame;
using tf::Transform;

constexpr Py_ssize_t kLongestName = 64;

// A name that may enter the tree and its fixed-size messages.
std::optional<std::string_view> read_new_name(PyObject* object) {
  const auto name = read_name(object);
  if (!name) return name;
  if (static_cast<Py_ssize_t>(name->size()) > kLongestName) {
    raise_invalid("frame name %.100R has %zd bytes in UTF-8; the longest is %zd, shorten it", object,
                  static_cast<Py_ssize_t>(name->size()), kLongestName);
    return std::nullopt;
  }
  if (name->find('\0') != std::string_view::npos) {
    raise_invalid("frame name %R contains a NUL character; remove it", object);
    return std::nullopt;
  }
  return name;
}

std::nullptr_t raise_insert(const tf::InsertResult& result, const Frame& child, std::int64_t stamp_ns,
                            std::int64_t buffer_duration_ns) {
  const nb::object child_name = name_of(&child);
  switch (result.status) {
    case tf::InsertStatus::kCycle: {
      const nb::object path = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(result.path.size())));
      for (std::size_t i = 0; i < result.path.size(); ++i) {
        NB_TUPLE_SET_ITEM(path.ptr(), static_cast<Py_ssize_t>(i), name_of(result.path[i]).release().ptr());
      }
      return raise_with(tf_errors().cycle, nb::make_tuple(name_of(result.path.front()), child_name, path));
    }
    case tf::InsertStatus::kIsStatic:
      return raise_invalid("%R is static, so it cannot move; call remove_frame(%R) first to make it a moving frame",
                           child_name.ptr(), child_name.ptr());
    case tf::InsertStatus::kIsMoving:
      return raise_invalid("%R is moving (it has stamped samples); call remove_frame(%R) first to make it static",
                           child_name.ptr(), child_name.ptr());
    default: {
      const nb::object seconds = nb::module_::import_("horus_sim.errors").attr("seconds");
      return raise_invalid(
          "the sample of %R at %S is older than the history keeps (newest %S, buffer_duration %S); "
          "call clear() if the clock was set back, or use a longer buffer_duration",
          child_name.ptr(), seconds(stamp_ns).ptr(), seconds(result.newest_ns).ptr(), seconds(buffer_duration_ns).ptr());
    }
  }
}

// Both frames of a new link; null with an error set. Names enter the tree only when both are fit.
CachedRoute* link_frames(PyTree& self, PyObject* parent_text, PyObject* child_text) {
  if (self.read_only) return raise_read_only();
  const nb::object parent = plain_text(parent_text), child = plain_text(child_text);
  if (!parent.is_valid() || !child.is_valid()) return nullptr;
  if (PyUnicode_CheckExact(parent.ptr()) && PyUnicode_CheckExact(child.ptr())) {
    CachedRoute* const known = self.routes.find(parent.ptr(), child.ptr());
    if (known != nullptr && &known->source != &known->target) return known;
  }
  const auto parent_name = read_new_name(parent.ptr());
  if (!parent_name) return nullptr;
  const auto child_name = read_new_name(child.ptr());
  if (!child_name) return nullptr;
  if (*parent_name == *child_name) {
    return raise_invalid("%R cannot be its own parent; name another parent frame", child.ptr());
  }
  Frame& parent_frame = self.tree.intern(*parent_name);
  Frame& child_frame = self.tree.intern(*child_name);
  return self.routes.put(
      std::make_unique<CachedRoute>(self.tree, parent.ptr(), child.ptr(), parent_frame, child_frame));
}

// The value of a Transform that is finite: products of huge ones may not be.
const Transform* read_finite_transform(PyObject* object) {
  const Transform* const value = read_transform(object);
  if (value == nullptr || (tf::is_finite(value->translation) && tf::is_finite(value->rotation))) return value;
  return raise_invalid("%.200R is not finite; a frame cannot be there", object);
}

nb::object add_static(PyTree& self, nb::handle parent, nb::handle child, nb::handle transform) {
  const Transform* const value = read_finite_transform(transform.ptr());
  if (value == nullptr) return nb::object();
  CachedRoute* const link = link_frames(self, parent.ptr(), child.ptr());
  if (link == nullptr) return nb::object();
  const tf::InsertResult result = self.tree.add_static(link->source, link->target, *value);
  if (result.status != tf::InsertStatus::kOk) {
    return nb::steal(raise_insert(result, link->target, 0, 0));
  }
  notify(self);
  return nb::none();
}

nb::object add_moving(PyTree& self, nb::handle parent, nb::handle child, nb::handle transform, nb::handle stamp_ns) {
  tf::Sample sample;
  const Transform* const value = read_finite_transform(transform.ptr());
  if (value == nullptr || !read_stamp(stamp_ns.ptr(), sample.stamp_ns, "stamp_ns")) return nb::object();
  sample.value = *value;
  CachedRoute* const link = link_frames(self, parent.ptr(), child.ptr());
  if (link == nullptr) return nb::object();
  const tf::InsertResult result = self.tree.add_moving(link->source, link->target, sample);
  if (result.status != tf::InsertStatus::kOk) {
    return nb::steal(
        raise_insert(result, link->target, sample.stamp_ns, self.tree.buffer_duration_ns()));
  }
  notify(self);
  return nb::none();
}

nb::object add_many(PyTree& self, nb::handle parent, nb::handle child, nb::handle stamps_ns, nb::handle translations,
                    nb::handle rotations) {
  const nb::object stamps = read_stamps(stamps_ns.ptr(), "stamps_ns");
  if (!stamps.is_valid()) return stamps;
  const nb::object t = read_rows(translations.ptr(), 3, "translations", false);
  if (!t.is_valid()) return t;
  const nb::object q = read_rows(rotations.ptr(), 4, "rotations", false);
  if (!q.is_valid()) return q;
  const npy_intp n = rows(stamps);
  if (rows(t) != n || rows(q) != n) {
    return nb::steal(raise_invalid("stamps_ns, translations and rotations must have one row a sample, got %zd, %zd and %zd",
                                   n, rows(t), rows(q)));
  }
  std::vector<tf::Sample> samples(static_cast<std::size_t>(n));
  for (npy_intp i = 0; i < n; ++i) {
    const double* const ti = data<const double>(t) + 3 * i;
    const double* const qi = data<const double>(q) + 4 * i;
    tf::Sample& sample = samples[static_cast<std::size_t>(i)];
    sample = {data<const std::int64_t>(stamps)[i], {{ti[0], ti[1], ti[2]}, {qi[0], qi[1], qi[2], qi[3]}}};
    if (!tf::is_finite(sample.value.translation)) {
      return nb::steal(raise_invalid("translations[%zd] is not finite; nothing was added", i));
    }
    if (!tf::normalize(sample.value.rotation)) {
      return nb::steal(raise_invalid("rotations[%zd] is zero or not finite; nothing was added", i));
    }
  }
  CachedRoute* const link = link_frames(self, parent.ptr(), child.ptr());
  if (link == nullptr) return nb::object();
  Frame& parent_frame = link->source;
  Frame& child_frame = link->target;
  std::size_t refused = 0;
  tf::InsertResult result;
  {
    const ReleaseGil release;
    result = self.tree.add_moving(parent_frame, child_frame, samples, refused);
  }
  notify(self);
  if (result.status != tf::InsertStatus::kOk) {
    return nb::steal(raise_insert(result, child_frame, samples[refused].stamp_ns,
                                  self.tree.buffer_duration_ns()));
  }
  return nb::none();
}

}  // namespace

void bind_insertions(nb::class_<PyTree>& tree) {
  using namespace nb::literals;
  tree.def("add_static_transform", add_static, "parent"_a.none(), "child"_a.none(), "transform"_a.none(),
           "Says where `child` is in `parent`, at all times: T_parent_child.")
      .def("add_transform", add_moving, "parent"_a.none(), "child"_a.none(), "transform"_a.none(), "stamp_ns"_a.none(),
           "Says where `child` was in `parent` at one time [ns]: T_parent_child.")
      .def("add_transforms", add_many, "parent"_a.none(), "child"_a.none(), "stamps_ns"_a.none(),
           "translations"_a.none(), "rotations"_a.none(),
           "Many samples of one link: stamps [ns] (N,), translations [m] (N, 3), quaternions xyzw (N, 4).");
}

}  // namespace horus::bindings
