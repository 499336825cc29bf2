#include "math_functions.hpp"

#include "math/arc_tangent.hpp"
#include "math/sine.hpp"

namespace horus::bindings {

void bind_math(nb::module_& m) {
  m.def(
      "cosine_sine",
      [](double angle) {
        double s, c;
        math::any_sine_cosine(angle, s, c);
        return nb::make_tuple(c, s);
      },
      nb::arg("angle"));
  m.def("arc_tangent", &math::arc_tangent, nb::arg("y"), nb::arg("x"));
}

}  // namespace horus::bindings
