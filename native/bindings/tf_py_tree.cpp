#include "tf_py_tree.hpp"

#include "tf_errors.hpp"

namespace horus::bindings {

using tf::Frame;
using tf::Outcome;
using tf::Reach;

// Frame names ---------------------------------------------------------------------------------------------------------

nb::object name_of(const Frame* frame) { return nb::str(frame->name.data(), frame->name.size()); }

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
  while (name.starts_with('/')) name.remove_prefix(1);
  if (name.empty()) {
    raise_invalid("a frame name is empty; give every frame a name such as 'base_link'");
    return std::nullopt;
  }
  return name;
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

std::nullptr_t raise_read_only() {
  PyErr_SetString(tf_errors().read_only, "this is a snapshot and cannot change; write to the tree it was taken from");
  return nullptr;
}

bool read_stamp(PyObject* object, std::int64_t& out, const char* what) {
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    out = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) return true;
    raise_invalid("%s %.100R does not fit 64 bits; stamps are integer nanoseconds", what, object);
    return false;
  }
  const nb::object index = PyBool_Check(object) ? nb::object() : nb::steal(PyNumber_Index(object));
  if (!index.is_valid()) {
    PyErr_Clear();
    raise_invalid("%s must be integer nanoseconds, got %.100R; to_ns(seconds) makes them from seconds", what, object);
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

Frame* find_frame(PyTree& self, PyObject* object) {
  const auto name = read_name(object);
  if (!name) return nullptr;
  Frame* const frame = self.tree.find(*name);
  if (frame == nullptr || !frame->present) return raise_unknown(self, nb::str(name->data(), name->size()).ptr());
  return frame;
}

nb::object plain_text(PyObject* object) {
  if (PyUnicode_CheckExact(object) || !PyUnicode_Check(object)) return nb::borrow(object);
  return nb::steal(PyUnicode_FromObject(object));
}

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

}  // namespace horus::bindings
