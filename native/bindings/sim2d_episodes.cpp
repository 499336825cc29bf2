#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "gil.hpp"
#include "sim2d/episodes.hpp"
#include "sim2d_batch.hpp"

namespace horus::bindings {
namespace {

using namespace sim2d;

template <class T, std::size_t Dimensions>
using Array = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Chosen = std::optional<Array<const std::uint8_t, 1>>;

void require(bool holds, const char* problem) {
  if (!holds) throw nb::value_error(problem);
}

const std::uint8_t* chosen_data(const PyBatch& self, const Chosen& chosen) {
  if (!chosen) return nullptr;
  require(chosen->shape(0) == self.batch.worlds.size(), "chosen must have a number for each world");
  return chosen->data();
}

void run_worlds(PyBatch& self, Array<const double, 2> commands, const Chosen& chosen, double dt, int steps,
                std::int64_t watched, Array<std::uint8_t, 1> touched) {
  const std::size_t worlds = self.batch.worlds.size();
  require(commands.shape(0) == worlds && commands.shape(1) == self.wheels, "commands must be (worlds, wheels)");
  require(touched.shape(0) == worlds, "touched must have a number for each world");
  require(steps >= 0, "steps must not be negative");
  const int body = checked_index(watched, self.bodies, "body");
  const RunArguments arguments{commands.data(), chosen_data(self, chosen), dt, steps, body, touched.data()};
  const ReleaseGil released;
  const std::lock_guard lock(self.mutex);
  run(self.batch, arguments);
}

void place_bodies(PyBatch& self, Array<const std::int64_t, 1> ids, Array<const std::uint64_t, 1> seeds,
                  Array<const std::int64_t, 1> bodies, Array<const double, 3> poses) {
  const std::size_t count = ids.shape(0);
  require(seeds.shape(0) == count, "as many seeds as ids are needed");
  require(poses.shape(0) == count && poses.shape(1) == bodies.shape(0) && poses.shape(2) == 3,
          "poses must be (ids, bodies, 3)");
  for (std::size_t k = 0; k < count; ++k) checked_index(ids.data()[k], self.batch.worlds.size(), "world");
  for (std::size_t k = 0; k < bodies.shape(0); ++k) checked_index(bodies.data()[k], self.bodies, "body");
  const PlaceArguments arguments{ids.data(), seeds.data(), count, bodies.data(), bodies.shape(0), poses.data()};
  const ReleaseGil released;
  const std::lock_guard lock(self.mutex);
  place(self.batch, arguments);
}

void read_body(PyBatch& self, std::int64_t body, Array<double, 2> out) {
  require(out.shape(0) == self.batch.worlds.size() && out.shape(1) == 6, "out must be (worlds, 6)");
  const int index = checked_index(body, self.bodies, "body");
  const std::lock_guard lock(self.mutex);
  read_states(self.batch, index, out.data());
}

void scan_worlds(PyBatch& self, std::int64_t body, double range, const Chosen& chosen, Array<double, 2> out) {
  require(out.shape(0) == self.batch.worlds.size() && out.shape(1) > 0, "out must be (worlds, rays)");
  const int index = checked_index(body, self.bodies, "body");
  const std::uint8_t* const rows = chosen_data(self, chosen);
  const ReleaseGil released;
  const std::lock_guard lock(self.mutex);
  scan(self.batch, rows, index, static_cast<int>(out.shape(1)), range, out.data());
}

}  // namespace

void bind_sim2d_episodes(nb::class_<PyBatch>& batch) {
  using namespace nb::literals;
  batch
      .def("run", run_worlds, "commands"_a.noconvert(), "chosen"_a.noconvert().none(), "dt"_a, "steps"_a, "watched"_a,
           "touched"_a.noconvert())
      .def("place", place_bodies, "ids"_a.noconvert(), "seeds"_a.noconvert(), "bodies"_a.noconvert(),
           "poses"_a.noconvert())
      .def("read_body", read_body, "body"_a, "out"_a.noconvert())
      .def("scan", scan_worlds, "body"_a, "max_range"_a, "chosen"_a.noconvert().none(), "out"_a.noconvert());
}

}  // namespace horus::bindings
