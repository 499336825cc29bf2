#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "tf/points.hpp"
#include "tf_errors.hpp"
#include "tf_py_tree.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {
namespace {

using tf::Frame;
using tf::Outcome;
using tf::Reach;
using tf::Transform;

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
  // False, with MemoryError set, when there is no room for them.
  bool is_valid() const { return t.is_valid() && q.is_valid() && valid.is_valid(); }
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
  if (!answers.is_valid()) return nb::object();
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
    const ReleaseGil release;
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
    return nb::steal(raise_invalid("sources must be a sequence of frame names, got the text %.100R", sources.ptr()));
  }
  const nb::object names = nb::steal(PySequence_Tuple(sources.ptr()));
  if (!names.is_valid()) {
    if (!is_conversion_error()) return names;
    return nb::steal(raise_invalid("sources must be a sequence of frame names, got %.100R", sources.ptr()));
  }
  const npy_intp n = NB_TUPLE_GET_SIZE(names.ptr());
  const Answers answers(n);
  if (!answers.is_valid()) return nb::object();
  if (find_frame(self, target.ptr()) == nullptr) return nb::object();
  for (npy_intp i = 0; i < n; ++i) {
    double* const t = data<double>(answers.t) + 3 * i;
    double* const q = data<double>(answers.q) + 4 * i;
    PyObject* const source = NB_TUPLE_GET_ITEM(names.ptr(), i);
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
    const ReleaseGil release;
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

}  // namespace

void bind_lookups(nb::class_<PyTree>& tree) {
  using namespace nb::literals;
  const auto none = nb::none();
  tree.def("lookup_transform", lookup, "source"_a.none(), "target"_a.none(), "time"_a.none() = none, nb::kw_only(),
           "tolerance_ns"_a.none() = 0, "predict"_a = false,
           "T_target_source: maps `source` coordinates into `target`, at a time [ns] or the latest common one.")
      .def("can_transform", can_transform, "source"_a.none(), "target"_a.none(), "time"_a.none() = none,
           nb::kw_only(), "tolerance_ns"_a.none() = 0, "predict"_a = false, "Whether `lookup_transform` would answer.")
      .def("lookup_transforms", lookup_times, "source"_a.none(), "target"_a.none(), "times"_a.none(), nb::kw_only(),
           "tolerance_ns"_a.none() = 0, "predict"_a = false, "mask"_a = false,
           "T_target_source at many times [ns]: translations (N, 3), quaternions xyzw (N, 4), with `mask` also "
           "validity (N,).")
      .def("lookup_many", lookup_many, "sources"_a.none(), "target"_a.none(), "time"_a.none() = none, nb::kw_only(),
           "tolerance_ns"_a.none() = 0, "predict"_a = false, "mask"_a = false,
           "T_target_source of many sources: translations (N, 3), quaternions xyzw (N, 4), with `mask` also "
           "validity (N,).")
      .def("transform_points", transform_points, "points"_a.none(), "source"_a.none(), "target"_a.none(),
           "time"_a.none() = none, nb::kw_only(), "tolerance_ns"_a.none() = 0, "predict"_a = false,
           "Points (N, 3) [m] of `source` in `target`, at one time [ns] or at a time for each point (N,).")
      .def("lookup_stamped", lookup_stamped, "source"_a.none(), "target"_a.none(), nb::kw_only(),
           "tolerance_ns"_a.none() = 0, "The latest T_target_source and its time [ns], None where nothing moves.")
      .def("latest_common_time", latest_common_time, "source"_a.none(), "target"_a.none(),
           "The latest time [ns] that every moving link between two frames knows, or None.")
      .def("chain", chain, "source"_a.none(), "target"_a.none(), "time"_a.none() = none,
           "The frames from `source` to `target` over their common ancestor, both included.");
}

}  // namespace horus::bindings
