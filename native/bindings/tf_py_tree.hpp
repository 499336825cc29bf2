// The native tree behind the Python class Tree, and what its methods share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "python.hpp"
#include "tf/route.hpp"
#include "tf/tree.hpp"
#include "tf_route_cache.hpp"

namespace horus::bindings {

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
      const std::vector<const tf::Frame*> frames = tree.frames();
      known_ = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(frames.size())));
      for (std::size_t i = 0; i < frames.size(); ++i) {
        NB_TUPLE_SET_ITEM(known_.ptr(), static_cast<Py_ssize_t>(i), nb::str(frames[i]->name.c_str()).release().ptr());
      }
      known_ticket_ = now;
    }
    return known_;
  }

 private:
  nb::object known_;
  std::uint64_t known_ticket_ = 1;
};

// Names and frames. Null or nothing comes with a Python error set.

nb::object name_of(const tf::Frame* frame);
// The name as the tree stores it: leading slashes are dropped, as tf2 drops one.
std::optional<std::string_view> read_name(PyObject* object);
// A subclass of str may hash and compare as it likes: its plain text counts.
nb::object plain_text(PyObject* object);
bool has_frame(PyTree& self, nb::handle name);
tf::Frame* find_frame(PyTree& self, PyObject* name);
// The prepared look-up of two names. It may be gone after any call of Python code.
CachedRoute* find_route(PyTree& self, PyObject* source, PyObject* target);

// Numbers; false with a Python error set.

bool read_stamp(PyObject* object, std::int64_t& out, const char* what);
bool read_reach(nb::handle tolerance_ns, bool predict, tf::Reach& out);

// Errors.

std::nullptr_t raise_unknown(PyTree& self, PyObject* name);
std::nullptr_t raise_outcome(PyTree& self, tf::Outcome outcome, const tf::Failure& failure, const tf::Frame& source,
                             const tf::Frame& target);
std::nullptr_t raise_read_only();

// Tells those who wait that the tree changed.
void notify(PyTree& self);

// Methods, by file.

void bind_insertions(nb::class_<PyTree>& tree);
void bind_lookups(nb::class_<PyTree>& tree);

}  // namespace horus::bindings
