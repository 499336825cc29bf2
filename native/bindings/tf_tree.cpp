#include "tf_tree.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "tf/points.hpp"
#include "tf/route.hpp"
#include "tf/tree.hpp"
#include "tf_errors.hpp"
#include "tf_route_cache.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {
namespace {

using tf::Frame;
using tf::Outcome;
using tf::Reach;
using tf::Transform;

constexpr Py_ssize_t kLongestName = 64;

class PyTree {
 public:
  explicit PyTree(std::int64_t buffer_duration_ns) : tree(buffer_duration_ns) {}

  tf::Tree tree;
  RouteCache routes;
  bool read_only = false;
  // Called without arguments after a change; set while someone waits for one.
  nb::object change_hook;

  // Names of all frames, made anew when the structure changed.
  nb::object known_frames() {
    const std::uint64_t now = tree.structure().begin_read();
    if (!known_.is_valid() || now != known_ticket_) {
      const std::vector<const Frame*> frames = tree.frames();
      known_ = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(frames.size())));
      for (std::size_t i = 0; i < frames.size(); ++i) {
        PyTuple_SET_ITEM(known_.ptr(), static_cast<Py_ssize_t>(i), nb::str(frames[i]->name.c_str()).release().ptr());
      }
      known_ticket_ = now;
    }
    return known_;
  }

 private:
  nb::object known_;
  std::uint64_t known_ticket_ = 1;
};

// Frame names ---------------------------------------------------------------------------------------------------------

nb::object name_of(const Frame* frame) { return nb::str(frame->name.data(), frame->name.size()); }

// The name as the tree stores it: one leading slash is dropped, as in tf2. Not valid with an error set.
std::optional<std::string_view> read_name(PyObject* object) {
  if (!PyUnicode_Check(object)) {
    raise_invalid("a frame name must be text, got %.100R", object);
    return std::nullopt;
  }
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {
    PyErr_Clear();
    raise_invalid("frame name %A is not valid Unicode", object);
    return std::nullopt;
  }
  std::string_view name(text, static_cast<std::size_t>(size));
  if (name.starts_with('/')) name.remove_prefix(1);
  if (name.empty()) {
    raise_invalid("a frame name is empty; give every frame a name such as 'base_link'");
    return std::nullopt;
  }
  return name;
}

// A name that may enter the tree and its fixed-size messages.
std::optional<std::string_view> read_new_name(PyObject* object) {
  const auto name = read_name(object);
  if (!name) return name;
  if (static_cast<Py_ssize_t>(name->size()) > kLongestName) {
    raise_invalid("frame name %R has %zd bytes in UTF-8; the longest is %zd, shorten it", object,
                  static_cast<Py_ssize_t>(name->size()), kLongestName);
    return std::nullopt;
  }
  if (name->find('\0') != std::string_view::npos) {
    raise_invalid("frame name %R contains a NUL character; remove it", object);
    return std::nullopt;
  }
  return name;
}

// Errors --------------------------------------------------------------------------------------------------------------

std::nullptr_t raise_unknown(PyTree& self, PyObject* name) {
  return raise_with(tf_errors().unknown_frame, nb::make_tuple(nb::borrow(name), self.known_frames()));
}

std::nullptr_t raise_outcome(PyTree& self, Outcome outcome, const tf::Failure& failure, const Frame& source,
                             const Frame& target) {
  switch (outcome) {
    case Outcome::kUnknownSource:
      return raise_unknown(self, name_of(&source).ptr());
    case Outcome::kUnknownTarget:
      return raise_unknown(self, name_of(&target).ptr());
    case Outcome::kDisconnected:
      return raise_with(tf_errors().disconnected, nb::make_tuple(name_of(&source), name_of(&target),
                                                                name_of(failure.source_root),
                                                                name_of(failure.target_root)));
    default:
      return raise_with(tf_errors().extrapolation,
                        nb::make_tuple(name_of(failure.link_parent), name_of(failure.link_child), failure.requested_ns,
                                       failure.oldest_ns, failure.newest_ns, outcome == Outcome::kCannotPredict));
  }
}

std::nullptr_t raise_insert(const tf::InsertResult& result, const Frame& parent, const Frame& child, std::int64_t stamp_ns,
                            std::int64_t buffer_duration_ns) {
  const nb::object child_name = name_of(&child);
  switch (result.status) {
    case tf::InsertStatus::kCycle: {
      const nb::object path = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(result.path.size())));
      for (std::size_t i = 0; i < result.path.size(); ++i) {
        PyTuple_SET_ITEM(path.ptr(), static_cast<Py_ssize_t>(i), name_of(result.path[i]).release().ptr());
      }
      return raise_with(tf_errors().cycle, nb::make_tuple(name_of(&parent), child_name, path));
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

std::nullptr_t raise_read_only() {
  PyErr_SetString(tf_errors().read_only, "this is a snapshot and cannot change; write to the tree it was taken from");
  return nullptr;
}

// Arguments -----------------------------------------------------------------------------------------------------------

bool read_stamp(PyObject* object, std::int64_t& out, const char* what) {
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    out = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) return true;
    raise_invalid("%s %R does not fit 64 bits; stamps are integer nanoseconds", what, object);
    return false;
  }
  const nb::object index = PyBool_Check(object) ? nb::object() : nb::steal(PyNumber_Index(object));
  if (!index.is_valid()) {
    PyErr_Clear();
    raise_invalid("%s must be integer nanoseconds, got %.100R; for seconds write round(seconds * 1e9)", what, object);
    return false;
  }
  return read_stamp(nb::steal(PyNumber_Long(index.ptr())).ptr(), out, what);
}

bool read_reach(nb::handle tolerance_ns, bool predict, Reach& out) {
  out.predict = predict;
  if (!read_stamp(tolerance_ns.ptr(), out.tolerance_ns, "tolerance_ns")) return false;
  if (out.tolerance_ns >= 0) return true;
  raise_invalid("tolerance_ns must not be negative, got %R", tolerance_ns.ptr());
  return false;
}

// The frame of a name for a look-up; null with an error set.
Frame* find_frame(PyTree& self, PyObject* object) {
  const auto name = read_name(object);
  if (!name) return nullptr;
  Frame* const frame = self.tree.find(*name);
  if (frame == nullptr || !frame->present) return raise_unknown(self, nb::str(name->data(), name->size()).ptr());
  return frame;
}

// A subclass of str may hash and compare as it likes: its plain text counts.
nb::object plain_text(PyObject* object) {
  if (PyUnicode_CheckExact(object) || !PyUnicode_Check(object)) return nb::borrow(object);
  return nb::steal(PyUnicode_FromObject(object));
}

// The prepared look-up of two names; null with an error set. It may be gone after any call of Python code.
CachedRoute* find_route(PyTree& self, PyObject* source_name, PyObject* target_name) {
  const nb::object source = plain_text(source_name), target = plain_text(target_name);
  if (!source.is_valid() || !target.is_valid()) return nullptr;
  if (PyUnicode_CheckExact(source.ptr()) && PyUnicode_CheckExact(target.ptr())) {
    if (CachedRoute* const known = self.routes.find(source.ptr(), target.ptr())) return known;
  }
  Frame* const source_frame = find_frame(self, source.ptr());
  if (source_frame == nullptr) return nullptr;
  Frame* const target_frame = find_frame(self, target.ptr());
  if (target_frame == nullptr) return nullptr;
  return self.routes.put(
      std::make_unique<CachedRoute>(self.tree, source.ptr(), target.ptr(), *source_frame, *target_frame));
}

void notify(PyTree& self) {
  if (!self.change_hook.is_valid()) return;
  const nb::object hook = self.change_hook;
  const nb::object result = nb::steal(PyObject_CallNoArgs(hook.ptr()));
  if (!result.is_valid()) PyErr_WriteUnraisable(hook.ptr());
}

// Insertion -----------------------------------------------------------------------------------------------------------

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

nb::object add_static(PyTree& self, nb::handle parent, nb::handle child, nb::handle transform) {
  const Transform* const value = read_transform(transform.ptr());
  if (value == nullptr) return nb::object();
  CachedRoute* const link = link_frames(self, parent.ptr(), child.ptr());
  if (link == nullptr) return nb::object();
  const tf::InsertResult result = self.tree.add_static(link->source, link->target, *value);
  if (result.status != tf::InsertStatus::kOk) {
    return nb::steal(raise_insert(result, link->source, link->target, 0, 0));
  }
  notify(self);
  return nb::none();
}

nb::object add_moving(PyTree& self, nb::handle parent, nb::handle child, nb::handle transform, nb::handle stamp_ns) {
  tf::Sample sample;
  const Transform* const value = read_transform(transform.ptr());
  if (value == nullptr || !read_stamp(stamp_ns.ptr(), sample.stamp_ns, "stamp_ns")) return nb::object();
  sample.value = *value;
  CachedRoute* const link = link_frames(self, parent.ptr(), child.ptr());
  if (link == nullptr) return nb::object();
  const tf::InsertResult result = self.tree.add_moving(link->source, link->target, sample);
  if (result.status != tf::InsertStatus::kOk) {
    return nb::steal(
        raise_insert(result, link->source, link->target, sample.stamp_ns, self.tree.buffer_duration_ns()));
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
    const nb::gil_scoped_release release;
    result = self.tree.add_moving(parent_frame, child_frame, samples, refused);
  }
  notify(self);
  if (result.status != tf::InsertStatus::kOk) {
    return nb::steal(raise_insert(result, parent_frame, child_frame, samples[refused].stamp_ns,
                                  self.tree.buffer_duration_ns()));
  }
  return nb::none();
}

// Look-ups ------------------------------------------------------------------------------------------------------------

nb::object lookup(PyTree& self, nb::handle source, nb::handle target, nb::handle time, nb::handle tolerance_ns,
                  bool predict) {
  Reach reach;
  std::int64_t time_ns = 0;
  if (!time.is_none() && !read_stamp(time.ptr(), time_ns, "time")) return nb::object();
  if (!read_reach(tolerance_ns, predict, reach)) return nb::object();
  CachedRoute* const entry = find_route(self, source.ptr(), target.ptr());
  if (entry == nullptr) return nb::object();
  Transform result;
  tf::Failure failure;
  Outcome outcome;
  if (time.is_none()) {
    const std::uint64_t revision = self.tree.revision();
    if (entry->latest.is_valid() && entry->revision == revision) return entry->latest;
    outcome = entry->route.lookup_latest(reach, result, failure);
    if (outcome == Outcome::kOk) {
      const nb::object latest = nb::steal(make_transform(result));
      // An answer that needed a tolerance is not one for those who give none.
      if (reach.tolerance_ns == 0) {
        entry->latest = latest;
        entry->revision = revision;
      }
      return latest;
    }
  } else {
    outcome = entry->route.lookup(time_ns, reach, result, failure);
    if (outcome == Outcome::kOk) return nb::steal(make_transform(result));
  }
  return nb::steal(raise_outcome(self, outcome, failure, entry->source, entry->target));
}

bool has_frame(PyTree& self, nb::handle name) {
  const auto text = read_name(name.ptr());
  if (!text) {
    if (!PyUnicode_Check(name.ptr())) throw nb::python_error();
    PyErr_Clear();
    return false;
  }
  const Frame* const frame = self.tree.find(*text);
  return frame != nullptr && frame->present;
}

bool can_transform(PyTree& self, nb::handle source, nb::handle target, nb::handle time, nb::handle tolerance_ns,
                   bool predict) {
  if (!has_frame(self, source) || !has_frame(self, target)) return false;
  const nb::object result = lookup(self, source, target, time, tolerance_ns, predict);
  if (result.is_valid()) return true;
  if (PyErr_ExceptionMatches(tf_errors().disconnected) || PyErr_ExceptionMatches(tf_errors().extrapolation) ||
      PyErr_ExceptionMatches(tf_errors().unknown_frame)) {
    PyErr_Clear();
    return false;
  }
  throw nb::python_error();
}

void store(const Transform& T, double* t, double* q) {
  t[0] = T.translation.x, t[1] = T.translation.y, t[2] = T.translation.z;
  q[0] = T.rotation.x, q[1] = T.rotation.y, q[2] = T.rotation.z, q[3] = T.rotation.w;
}

void store_invalid(double* t, double* q) {
  std::fill_n(t, 3, std::numeric_limits<double>::quiet_NaN());
  std::fill_n(q, 4, std::numeric_limits<double>::quiet_NaN());
}

// Three arrays for n answers: translations, rotations, validity.
struct Answers {
  explicit Answers(npy_intp n)
      : t(make_array({n, 3}, NPY_DOUBLE)), q(make_array({n, 4}, NPY_DOUBLE)), valid(make_array({n}, NPY_BOOL)) {}
  nb::object t, q, valid;
  nb::object result(bool with_mask) const { return with_mask ? nb::make_tuple(t, q, valid) : nb::make_tuple(t, q); }
};

nb::object lookup_times(PyTree& self, nb::handle source, nb::handle target, nb::handle times, nb::handle tolerance_ns,
                        bool predict, bool mask) {
  Reach reach;
  const nb::object stamps = read_stamps(times.ptr(), "times");
  if (!stamps.is_valid() || !read_reach(tolerance_ns, predict, reach)) return nb::object();
  CachedRoute* const entry = find_route(self, source.ptr(), target.ptr());
  if (entry == nullptr) return nb::object();
  const Frame& source_frame = entry->source;
  const Frame& target_frame = entry->target;
  const npy_intp n = rows(stamps);
  const Answers answers(n);
  const std::int64_t* const time_ns = data<const std::int64_t>(stamps);
  double* const t = data<double>(answers.t);
  double* const q = data<double>(answers.q);
  npy_bool* const valid = data<npy_bool>(answers.valid);
  // A mask is for times, not for frames that are not there.
  if (!source_frame.present) return nb::steal(raise_unknown(self, name_of(&source_frame).ptr()));
  if (!target_frame.present) return nb::steal(raise_unknown(self, name_of(&target_frame).ptr()));
  // A route of its own: another thread may use the cached one while the GIL is released.
  tf::Route route(self.tree, source_frame, target_frame);
  tf::Failure failure;
  Outcome outcome = Outcome::kOk;
  {
    const nb::gil_scoped_release release;
    Transform block[tf::Route::kBlock];
    bool block_valid[tf::Route::kBlock];
    for (npy_intp start = 0; start < n;) {
      const auto count = std::min<std::size_t>(tf::Route::kBlock, static_cast<std::size_t>(n - start));
      std::size_t good = route.lookup_block(time_ns + start, count, reach, block, mask ? block_valid : nullptr);
      if (good < count) {
        // Once more, alone, for the reason; a writer may have brought the answer meanwhile.
        outcome = route.lookup(time_ns[start + static_cast<npy_intp>(good)], reach, block[good], failure);
        if (outcome != Outcome::kOk) break;
        ++good;
      }
      for (std::size_t k = 0; k < good; ++k) {
        const npy_intp i = start + static_cast<npy_intp>(k);
        valid[i] = !mask || block_valid[k];
        valid[i] ? store(block[k], t + 3 * i, q + 4 * i) : store_invalid(t + 3 * i, q + 4 * i);
      }
      start += static_cast<npy_intp>(good);
    }
  }
  if (outcome != Outcome::kOk) return nb::steal(raise_outcome(self, outcome, failure, source_frame, target_frame));
  return answers.result(mask);
}

nb::object lookup_many(PyTree& self, nb::handle sources, nb::handle target, nb::handle time, nb::handle tolerance_ns,
                       bool predict, bool mask) {
  Reach reach;
  std::int64_t time_ns = 0;
  if (!time.is_none() && !read_stamp(time.ptr(), time_ns, "time")) return nb::object();
  if (!read_reach(tolerance_ns, predict, reach)) return nb::object();
  if (PyUnicode_Check(sources.ptr())) {
    return nb::steal(raise_invalid("sources must be a sequence of frame names, got the text %R", sources.ptr()));
  }
  const nb::object names = nb::steal(PySequence_Fast(sources.ptr(), "sources must be a sequence of frame names"));
  if (!names.is_valid()) return names;
  const npy_intp n = PySequence_Fast_GET_SIZE(names.ptr());
  const Answers answers(n);
  if (n == 0) return answers.result(mask);
  if (find_frame(self, target.ptr()) == nullptr) return nb::object();
  for (npy_intp i = 0; i < n; ++i) {
    double* const t = data<double>(answers.t) + 3 * i;
    double* const q = data<double>(answers.q) + 4 * i;
    PyObject* const source = PySequence_Fast_GET_ITEM(names.ptr(), i);
    CachedRoute* const entry = find_route(self, source, target.ptr());
    Transform T;
    tf::Failure failure;
    Outcome outcome = Outcome::kUnknownSource;
    if (entry != nullptr) {
      outcome = time.is_none() ? entry->route.lookup_latest(reach, T, failure)
                               : entry->route.lookup(time_ns, reach, T, failure);
    } else if (!mask || !PyErr_ExceptionMatches(tf_errors().unknown_frame)) {
      return nb::object();
    } else {
      PyErr_Clear();
    }
    data<npy_bool>(answers.valid)[i] = outcome == Outcome::kOk;
    if (outcome == Outcome::kOk) {
      store(T, t, q);
    } else if (mask) {
      store_invalid(t, q);
    } else {
      return nb::steal(raise_outcome(self, outcome, failure, entry->source, entry->target));
    }
  }
  return answers.result(mask);
}

// Points with a time each; equal neighbouring times, as in a lidar's columns, share a look-up.
template <class Real>
Outcome transform_each(tf::Route& route, const Real* in, const std::int64_t* times_ns, Real* out, npy_intp n,
                       const Reach& reach, tf::Failure& failure) {
  for (npy_intp i = 0; i < n;) {
    Transform T;
    const Outcome outcome = route.lookup(times_ns[i], reach, T, failure);
    if (outcome != Outcome::kOk) return outcome;
    npy_intp end = i + 1;
    while (end < n && times_ns[end] == times_ns[i]) ++end;
    tf::transform_points(T, in + 3 * i, out + 3 * i, static_cast<std::size_t>(end - i));
    i = end;
  }
  return Outcome::kOk;
}

nb::object transform_points(PyTree& self, nb::handle points, nb::handle source, nb::handle target, nb::handle time,
                            nb::handle tolerance_ns, bool predict) {
  // Arrays claim to be convertible to an index whatever their shape.
  const bool each = PyArray_Check(time.ptr()) ? PyArray_NDIM(reinterpret_cast<PyArrayObject*>(time.ptr())) > 0
                                              : PySequence_Check(time.ptr()) && !PyUnicode_Check(time.ptr());
  if (!each) {
    const nb::object T = lookup(self, source, target, time, tolerance_ns, predict);
    if (!T.is_valid()) return T;
    return transform_rows(*read_transform(T.ptr()), points.ptr());
  }
  Reach reach;
  if (!read_reach(tolerance_ns, predict, reach)) return nb::object();
  const nb::object times = read_stamps(time.ptr(), "time");
  if (!times.is_valid()) return times;
  const nb::object in = read_rows(points.ptr(), 3, "points", true);
  if (!in.is_valid()) return in;
  const npy_intp n = rows(in);
  if (rows(times) != n) {
    return nb::steal(raise_invalid("time must be one stamp, or one for each point: got %zd stamps for %zd points",
                                   rows(times), n));
  }
  CachedRoute* const entry = find_route(self, source.ptr(), target.ptr());
  if (entry == nullptr) return nb::object();
  const Frame& source_frame = entry->source;
  const Frame& target_frame = entry->target;
  const int type = PyArray_TYPE(as_array(in));
  nb::object out = make_array({n, 3}, type);
  if (!out.is_valid()) return out;
  tf::Route route(self.tree, source_frame, target_frame);
  tf::Failure failure;
  Outcome outcome;
  {
    const nb::gil_scoped_release release;
    const std::int64_t* const times_ns = data<const std::int64_t>(times);
    outcome = type == NPY_FLOAT32
                  ? transform_each(route, data<const float>(in), times_ns, data<float>(out), n, reach, failure)
                  : transform_each(route, data<const double>(in), times_ns, data<double>(out), n, reach, failure);
  }
  if (outcome != Outcome::kOk) return nb::steal(raise_outcome(self, outcome, failure, source_frame, target_frame));
  return out;
}

nb::object lookup_stamped(PyTree& self, nb::handle source, nb::handle target, nb::handle tolerance_ns) {
  Reach reach;
  if (!read_reach(tolerance_ns, false, reach)) return nb::object();
  CachedRoute* const entry = find_route(self, source.ptr(), target.ptr());
  if (entry == nullptr) return nb::object();
  Transform T;
  std::optional<std::int64_t> time_ns;
  tf::Failure failure;
  const Outcome outcome = entry->route.lookup_latest(reach, T, time_ns, failure);
  if (outcome != Outcome::kOk) return nb::steal(raise_outcome(self, outcome, failure, entry->source, entry->target));
  return nb::make_tuple(nb::steal(make_transform(T)),
                        time_ns ? nb::object(nb::int_(*time_ns)) : nb::none());
}

nb::object latest_common_time(PyTree& self, nb::handle source, nb::handle target) {
  CachedRoute* const entry = find_route(self, source.ptr(), target.ptr());
  if (entry == nullptr) return nb::object();
  std::optional<std::int64_t> time_ns;
  tf::Failure failure;
  const Outcome outcome = entry->route.latest_common_ns(time_ns, failure);
  if (outcome != Outcome::kOk) return nb::steal(raise_outcome(self, outcome, failure, entry->source, entry->target));
  return time_ns ? nb::object(nb::int_(*time_ns)) : nb::none();
}

nb::object chain(PyTree& self, nb::handle source, nb::handle target, nb::handle time) {
  std::int64_t time_ns = Frame::kForever;
  if (!time.is_none() && !read_stamp(time.ptr(), time_ns, "time")) return nb::object();
  CachedRoute* const entry = find_route(self, source.ptr(), target.ptr());
  if (entry == nullptr) return nb::object();
  std::vector<const Frame*> frames;
  tf::Failure failure;
  const Outcome outcome = entry->route.frames(time_ns, frames, failure);
  if (outcome != Outcome::kOk) return nb::steal(raise_outcome(self, outcome, failure, entry->source, entry->target));
  nb::list names;
  for (const Frame* const frame : frames) names.append(name_of(frame));
  return names;
}

// Frames --------------------------------------------------------------------------------------------------------------

// (name, parent or None, parent is present, is_static, samples, oldest_ns or None, newest_ns or None)
nb::object frame_record(const Frame* frame) {
  const Frame* const parent = frame->parent_at(Frame::kForever);
  const tf::StampRange range = frame->stamps();
  const bool moving = frame->kind == tf::LinkKind::kMoving;
  return nb::make_tuple(name_of(frame), parent != nullptr ? name_of(parent) : nb::none(),
                        parent == nullptr || parent->present, frame->kind == tf::LinkKind::kStatic, range.samples,
                        moving ? nb::object(nb::int_(range.oldest_ns)) : nb::none(),
                        moving ? nb::object(nb::int_(range.newest_ns)) : nb::none());
}

nb::list frame_records(PyTree& self) {
  nb::list records;
  for (const Frame* const frame : self.tree.frames()) records.append(frame_record(frame));
  return records;
}

nb::object one_frame_record(PyTree& self, nb::handle name) {
  const Frame* const frame = find_frame(self, name.ptr());
  return frame == nullptr ? nb::object() : frame_record(frame);
}

nb::object remove_frame(PyTree& self, nb::handle name, bool subtree) {
  if (self.read_only) return nb::steal(raise_read_only());
  Frame* const frame = find_frame(self, name.ptr());
  if (frame == nullptr) return nb::object();
  self.tree.remove(*frame, subtree);
  notify(self);
  return nb::none();
}

nb::object clear(PyTree& self) {
  if (self.read_only) return nb::steal(raise_read_only());
  self.tree.clear();
  notify(self);
  return nb::none();
}

void copy_to(PyTree& self, PyTree& empty, std::int64_t history_ns) {
  self.tree.copy_to(empty.tree, history_ns);
  empty.read_only = true;
}

}  // namespace

void bind_tree(nb::module_& m) {
  using namespace nb::literals;
  const auto none = nb::none();
  nb::class_<PyTree>(m, "Tree", nb::is_weak_referenceable(),
                     "Transforms between named frames over time: the native part of horus_sim.tf.TFTree.")
      .def(nb::init<std::int64_t>(), "buffer_duration_ns"_a)
      .def("add_static_transform", add_static, "parent"_a.none(), "child"_a.none(), "transform"_a.none())
      .def("add_transform", add_moving, "parent"_a.none(), "child"_a.none(), "transform"_a.none(), "stamp_ns"_a.none())
      .def("add_transforms", add_many, "parent"_a.none(), "child"_a.none(), "stamps_ns"_a.none(), "translations"_a.none(), "rotations"_a.none())
      .def("lookup_transform", lookup, "source"_a.none(), "target"_a.none(), "time"_a.none() = none, nb::kw_only(),
           "tolerance_ns"_a.none() = 0, "predict"_a = false)
      .def("can_transform", can_transform, "source"_a.none(), "target"_a.none(), "time"_a.none() = none, nb::kw_only(),
           "tolerance_ns"_a.none() = 0, "predict"_a = false)
      .def("lookup_transforms", lookup_times, "source"_a.none(), "target"_a.none(), "times"_a.none(), nb::kw_only(), "tolerance_ns"_a.none() = 0,
           "predict"_a = false, "mask"_a = false)
      .def("lookup_many", lookup_many, "sources"_a.none(), "target"_a.none(), "time"_a.none() = none, nb::kw_only(),
           "tolerance_ns"_a.none() = 0, "predict"_a = false, "mask"_a = false)
      .def("transform_points", transform_points, "points"_a.none(), "source"_a.none(), "target"_a.none(), "time"_a.none() = none,
           nb::kw_only(), "tolerance_ns"_a.none() = 0, "predict"_a = false)
      .def("lookup_stamped", lookup_stamped, "source"_a.none(), "target"_a.none(), nb::kw_only(), "tolerance_ns"_a.none() = 0)
      .def("latest_common_time", latest_common_time, "source"_a.none(), "target"_a.none())
      .def("chain", chain, "source"_a.none(), "target"_a.none(), "time"_a.none() = none)
      .def("has_frame", has_frame, "frame"_a.none())
      .def("get_all_frames", [](PyTree& self) { return nb::list(self.known_frames()); })
      .def("remove_frame", remove_frame, "frame"_a.none(), nb::kw_only(), "subtree"_a = false)
      .def_prop_ro("memory_bytes",
                   [](const PyTree& self) {
                     return self.tree.bytes() + RouteCache::kSlots * sizeof(std::unique_ptr<CachedRoute>);
                   })
      .def_prop_ro("revision", [](const PyTree& self) { return self.tree.revision(); })
      .def_prop_ro("is_read_only", [](const PyTree& self) { return self.read_only; })
      .def("_clear", clear)
      .def("_copy_to", copy_to, "empty"_a, "history_ns"_a)
      .def("_frame_records", frame_records)
      .def("_frame_record", one_frame_record, "frame"_a.none())
      .def("_set_change_hook", [](PyTree& self, nb::handle hook) {
        self.change_hook = hook.is_none() ? nb::object() : nb::borrow(hook);
      }, "hook"_a.none());
}

}  // namespace horus::bindings
