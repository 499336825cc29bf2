#include "rl_plane.hpp"

#include <nanobind/stl/array.h>

#include "gil.hpp"
#include "parallel/pieces.hpp"
#include "rl/layout.hpp"
#include "rl/plane.hpp"
#include "rl/rover.hpp"
#include "rl_rows.hpp"

namespace horus::bindings {
namespace {

// Below it, threads cost more than they save.
constexpr std::size_t kPiece = 256;

// Shapes of all environments, and who looks at them.
class PyPlane {
 public:
  PyPlane(Array<double, 3> circles, Array<double, 3> boxes, Array<double, 3> walls, int threads)
      : threads(threads), circles_(std::move(circles)), boxes_(std::move(boxes)), walls_(std::move(walls)) {
    if (circles_.shape(2) != 3 || boxes_.shape(2) != 5 || walls_.shape(2) != 4)
      throw nb::value_error("circles, boxes and walls must have 3, 5 and 4 columns");
    if (boxes_.shape(0) != count() || walls_.shape(0) != count())
      throw nb::value_error("circles, boxes and walls must be of the same environments");
  }

  std::size_t count() const { return circles_.shape(0); }
  rl::Shapes operator[](std::size_t env) const {
    return {circles_.data() + env * 3 * circles_.shape(1), circles_.shape(1),
            boxes_.data() + env * 5 * boxes_.shape(1),     boxes_.shape(1),
            walls_.data() + env * 4 * walls_.shape(1),     walls_.shape(1)};
  }

  void cast(const Ids& ids, Array<const double, 2> headings, Array<const double, 2> directions, double range,
            Array<double, 2> out) const {
    const std::size_t n = checked_count(ids, count());
    const std::size_t rays = directions.shape(0);
    if (headings.shape(0) != n || headings.shape(1) != 4)
      throw nb::value_error("headings must be x, y, cos, sin of each");
    if (directions.shape(1) != 2) throw nb::value_error("directions must be x, y of each ray");
    if (out.shape(0) != n || out.shape(1) != rays)
      throw nb::value_error("out must have a row for each and a column a ray");
    const ReleaseGil release;
    in_pieces(n, kPiece, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const double* heading = headings.data() + 4 * k;
        rl::cast((*this)[chosen(ids, k)], {heading[0], heading[1], heading[2], heading[3]}, directions.data(), rays,
                 range, out.data() + k * rays);
      }
    });
  }

  void clearance(const Ids& ids, Array<const double, 2> points, double open, Array<double, 1> out) const {
    const std::size_t n = checked_count(ids, count());
    if (points.shape(0) != n || points.shape(1) != 2) throw nb::value_error("points must be x, y of each");
    if (out.shape(0) != n) throw nb::value_error("out must have a number for each");
    const ReleaseGil release;
    for (std::size_t k = 0; k < n; ++k) {
      const double* point = points.data() + 2 * k;
      out.data()[k] = rl::clearance((*this)[chosen(ids, k)], point[0], point[1], open);
    }
  }

  double* circles(std::size_t env) const { return circles_.data() + env * 3 * circles_.shape(1); }
  std::size_t circle_count() const { return circles_.shape(1); }
  double* boxes(std::size_t env) const { return boxes_.data() + env * 5 * boxes_.shape(1); }
  std::size_t box_count() const { return boxes_.shape(1); }

  const int threads;

 private:
  Array<double, 3> circles_, boxes_, walls_;
};

class PyRover {
 public:
  PyRover(const PyPlane& plane, RowArray qpos, RowArray qvel, RowArray goals, Array<const double, 2> directions,
          const rl::RoverSettings& settings, Array<double, 1> distance, RowArray goal_b, RowArray motion_b,
          Array<double, 1> clearance, RowArray nearness)
      : plane_(plane),
        directions_(std::move(directions)),
        settings_(settings),
        qpos_(qpos, qpos.shape(1), "qpos"),
        qvel_(qvel, qvel.shape(1), "qvel"),
        goals_(std::move(goals), 2, "goals"),
        goal_b_(std::move(goal_b), 3, "goal_b"),
        motion_b_(std::move(motion_b), 2, "motion_b"),
        nearness_(std::move(nearness), directions_.shape(0), "nearness"),
        distance_(std::move(distance)),
        clearance_(std::move(clearance)) {
    if (qpos.shape(1) < 7 || qvel.shape(1) < 6) throw nb::value_error("qpos and qvel must begin with a free joint");
    if (directions_.shape(1) != 2) throw nb::value_error("directions must be x, y of each ray");
    for (const Rows* rows : {&qpos_, &qvel_, &goals_, &goal_b_, &motion_b_, &nearness_}) {
      if (rows->count() != plane.count()) throw nb::value_error("arrays must have a row for each environment");
    }
    if (distance_.shape(0) != plane.count() || clearance_.shape(0) != plane.count())
      throw nb::value_error("arrays must have a row for each environment");
  }

  void look(const Ids& ids) const {
    const std::size_t n = checked_count(ids, plane_.count());
    const ReleaseGil release;
    in_pieces(n, kPiece, plane_.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t env = chosen(ids, k);
        rl::look(settings_, {qpos_[env], qvel_[env], goals_[env]}, plane_[env], directions_.data(),
                 directions_.shape(0),
                 {distance_.data() + env, goal_b_[env], motion_b_[env], clearance_.data() + env, nearness_[env]});
      }
    });
  }

 private:
  const PyPlane& plane_;
  Array<const double, 2> directions_;
  rl::RoverSettings settings_;
  Rows qpos_, qvel_, goals_, goal_b_, motion_b_, nearness_;
  Array<double, 1> distance_, clearance_;
};

// Begins episodes of robots among the circles and boxes of a plane.
class PyLayout {
 public:
  PyLayout(const PyPlane& plane, RowArray qpos, RowArray goals, const rl::LayoutSettings& settings,
           const rl::LayoutStreams& streams)
      : plane_(plane),
        settings_(settings),
        streams_(streams),
        qpos_(qpos, qpos.shape(1), "qpos"),
        goals_(std::move(goals), 2, "goals") {
    if (qpos.shape(1) < 7) throw nb::value_error("qpos must begin with a free joint");
    if (qpos_.count() != plane.count() || goals_.count() != plane.count())
      throw nb::value_error("arrays must have a row for each environment");
  }

  void begin(const Ids& ids, Array<const std::uint64_t, 1> seeds, Array<const std::uint32_t, 1> episodes,
             std::optional<Array<const double, 1>> levels) const {
    const std::size_t n = checked_count(ids, plane_.count());
    if (seeds.shape(0) != plane_.count() || episodes.shape(0) != plane_.count())
      throw nb::value_error("seeds and episodes must be of all environments");
    if (levels && levels->shape(0) != n) throw nb::value_error("levels must have a number for each of ids");
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t env = chosen(ids, k);
      rl::lay_out(settings_, streams_, seeds.data()[env], episodes.data()[env], levels ? levels->data()[k] : 1.0,
                  {qpos_[env] + 3, goals_[env], plane_.circles(env), plane_.circle_count(), plane_.boxes(env),
                   plane_.box_count()});
    }
  }

 private:
  const PyPlane& plane_;
  rl::LayoutSettings settings_;
  rl::LayoutStreams streams_;
  Rows qpos_, goals_;
};

using Pair = std::pair<double, double>;

PyLayout* make_layout(const PyPlane& plane, RowArray qpos, RowArray goals, Pair distance, Pair radius, Pair side,
                      double margin, double half, std::array<std::uint32_t, 6> streams) {
  return new PyLayout(
      plane, std::move(qpos), std::move(goals),
      {distance.first, distance.second, radius.first, radius.second, side.first, side.second, margin, half},
      {streams[0], streams[1], streams[2], streams[3], streams[4], streams[5]});
}

PyRover* make_rover(const PyPlane& plane, RowArray qpos, RowArray qvel, RowArray goals,
                    Array<const double, 2> directions, Array<double, 1> distance, RowArray goal_b, RowArray motion_b,
                    Array<double, 1> clearance, RowArray nearness, double lidar_x, double range, double half,
                    double hull_x, double hull_radius, double open, double far, double speed, double turn_rate) {
  return new PyRover(plane, std::move(qpos), std::move(qvel), std::move(goals), std::move(directions),
                     {lidar_x, range, half, hull_x, hull_radius, open, far, speed, turn_rate}, std::move(distance),
                     std::move(goal_b), std::move(motion_b), std::move(clearance), std::move(nearness));
}

}  // namespace

void bind_rl_plane(nb::module_& m) {
  using nb::arg;
  nb::class_<PyPlane>(m, "RlPlane")
      .def(nb::init<Array<double, 3>, Array<double, 3>, Array<double, 3>, int>(), arg("circles").noconvert(),
           arg("boxes").noconvert(), arg("walls").noconvert(), arg("threads"))
      .def("cast", &PyPlane::cast, arg("ids").noconvert().none(), arg("headings").noconvert(),
           arg("directions").noconvert(), arg("max_range"), arg("out").noconvert())
      .def("clearance", &PyPlane::clearance, arg("ids").noconvert().none(), arg("points").noconvert(),
           arg("open_space"), arg("out").noconvert());
  nb::class_<PyRover>(m, "RlRover")
      .def(nb::new_(&make_rover), nb::keep_alive<0, 1>(), arg("plane"), arg("qpos").noconvert(),
           arg("qvel").noconvert(), arg("goals").noconvert(), arg("directions").noconvert(),
           arg("distance").noconvert(), arg("goal_b").noconvert(), arg("motion_b").noconvert(),
           arg("clearance").noconvert(), arg("nearness").noconvert(), nb::kw_only(),
           arg("lidar_x"), arg("max_range"), arg("half"), arg("hull_x"), arg("hull_radius"), arg("open_space"),
           arg("far"), arg("speed"), arg("turn_rate"))
      .def("look", &PyRover::look, arg("ids").noconvert().none());
  nb::class_<PyLayout>(m, "RlLayout")
      .def(nb::new_(&make_layout), nb::keep_alive<0, 1>(), arg("plane"), arg("qpos").noconvert(),
           arg("goals").noconvert(), nb::kw_only(), arg("distance"), arg("radius"), arg("side"), arg("margin"),
           arg("half"), arg("streams"))
      .def("begin", &PyLayout::begin, arg("ids").noconvert().none(), arg("seeds").noconvert(),
           arg("episodes").noconvert(), arg("levels").noconvert().none());
}

}  // namespace horus::bindings
