#include "tf_tree.hpp"

#include "tf_py_tree.hpp"

namespace horus::bindings {
namespace {

using tf::Frame;

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
  nb::class_<PyTree> tree(m, "Tree", nb::is_weak_referenceable(),
                          "Transforms between named frames over time: the native part of horus_sim.tf.TFTree.");
  tree.def(nb::init<std::int64_t>(), "buffer_duration_ns"_a);
  bind_insertions(tree);
  bind_lookups(tree);
  tree.def("has_frame", has_frame, "frame"_a.none(), "Whether the frame is in the tree.")
      .def(
          "get_all_frames", [](PyTree& self) { return nb::list(self.known_frames()); },
          "All frames, in the order in which they were first named.")
      .def("remove_frame", remove_frame, "frame"_a.none(), nb::kw_only(), "subtree"_a = false,
           "Forgets a frame, its link and its samples. Its children stay as orphans unless `subtree`.")
      .def_prop_ro(
          "memory_bytes",
          [](const PyTree& self) {
            return self.tree.bytes() + self.routes.bytes();
          },
          "Memory that the tree holds [bytes].")
      .def_prop_ro(
          "revision", [](const PyTree& self) { return self.tree.revision(); },
          "A number that grows with every change.")
      .def_prop_ro(
          "is_read_only", [](const PyTree& self) { return self.read_only; }, "Whether this is a snapshot.")
      .def("_clear", clear)
      .def("_copy_to", copy_to, "empty"_a, "history_ns"_a)
      .def("_frame_records", frame_records)
      .def("_frame_record", one_frame_record, "frame"_a.none())
      .def(
          "_set_change_hook",
          [](PyTree& self, nb::handle hook) {
            self.change_hook = hook.is_none() ? nb::object() : nb::borrow(hook);
          },
          "hook"_a.none());
}

}  // namespace horus::bindings
