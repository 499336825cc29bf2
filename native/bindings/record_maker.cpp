#include "record_maker.hpp"

namespace horus::bindings {

void bind_record_maker(nb::module_& m) {
  nb::class_<RecordMaker>(m, "RecordMaker")
      .def(nb::init<nb::object>(), nb::arg("recipe"))
      .def(
          "make",
          [](const RecordMaker& self, nb::args values) {
            return self.make(values.size(), [&](std::size_t i) { return nb::object(values[i]); });
          },
          nb::arg("values"));
}

}  // namespace horus::bindings
