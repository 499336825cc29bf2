#include "rl_random.hpp"

#include <nanobind/ndarray.h>

#include "rl/philox.hpp"

namespace horus::bindings {
namespace {

template <class T, std::size_t Dimensions>
using Array = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

// Row k of `out` belongs to environment ids[k].
void draw(Array<double, 2> out, Array<const std::int64_t, 1> ids, Array<const std::uint64_t, 1> seeds,
          Array<const std::uint32_t, 1> episodes, Array<const std::uint32_t, 1> steps, std::uint32_t stream, bool normal) {
  const std::size_t environments = seeds.shape(0);
  if (out.shape(0) != ids.shape(0)) throw nb::value_error("out must have a row for each of ids");
  if (episodes.shape(0) != environments || steps.shape(0) != environments)
    throw nb::value_error("seeds, episodes and steps must have the same length");
  const std::size_t count = out.shape(1);
  for (std::size_t k = 0; k < ids.shape(0); ++k) {
    const std::int64_t id = ids.data()[k];
    if (id < 0 || static_cast<std::size_t>(id) >= environments) throw nb::index_error("ids name no environment");
    const rl::Origin origin{seeds.data()[id], episodes.data()[id], steps.data()[id], stream};
    double* row = out.data() + k * count;
    normal ? rl::fill_normal(origin, row, count) : rl::fill_uniform(origin, row, count);
  }
}

}  // namespace

void bind_rl_random(nb::module_& m) {
  m.def("rl_draw", &draw, nb::arg("out").noconvert(), nb::arg("ids").noconvert(), nb::arg("seeds").noconvert(),
        nb::arg("episodes").noconvert(), nb::arg("steps").noconvert(), nb::arg("stream"), nb::arg("normal"));
}

}  // namespace horus::bindings
