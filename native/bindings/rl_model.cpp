#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rl/constants.hpp"
#include "rl/model_draws.hpp"
#include "rl_plane.hpp"
#include "rl_rows.hpp"

namespace horus::bindings {
namespace {

rl::Law law_of(const std::string& name) {
  if (name == "scale") return rl::Law::scale;
  if (name == "shift") return rl::Law::shift;
  if (name == "restitution") return rl::Law::restitution;
  throw nb::value_error("law must be 'scale', 'shift' or 'restitution'");
}

class PyModelDraws {
 public:
  void add_draw(std::uint32_t stream, std::size_t size, double low, double high, double neutral,
                const std::string& law) {
    draws_.push_back({stream, size, low, high, neutral, law_of(law), {}});
    width_ += size;
  }

  // Elements of a field that follow the last draw; `bases` are nominal values where environments differ in them.
  void add_target(RowArray values, std::vector<std::size_t> elements, std::vector<double> nominal,
                  std::vector<std::size_t> drawn, std::optional<RowArray> bases) {
    if (draws_.empty()) throw nb::value_error("there is no draw yet");
    if (elements.size() != nominal.size() || elements.size() != drawn.size())
      throw nb::value_error("elements, nominal and drawn must have the same length");
    for (const std::size_t element : elements)
      if (element >= values.shape(1)) throw nb::index_error("elements name no column");
    for (const std::size_t index : drawn)
      if (index >= draws_.back().size) throw nb::index_error("drawn names no number of the draw");
    const Rows rows(values, values.shape(1), "values");
    if (!kept_.empty() && rows.count() != kept_.front().count())
      throw nb::value_error("values must have a row for each environment");
    rl::Target target{rows[0], rows.step(), std::move(elements), std::move(nominal), std::move(drawn)};
    kept_.push_back(rows);
    if (bases) {
      const Rows own(*bases, values.shape(1), "bases");
      if (own.count() != rows.count()) throw nb::value_error("bases must have a row for each environment");
      target.bases = own[0];
      target.base_step = own.step();
      kept_.push_back(own);
    }
    draws_.back().targets.push_back(std::move(target));
  }

  void begin(Array<const std::int64_t, 1> ids, Array<const std::uint64_t, 1> seeds,
             Array<const std::uint32_t, 1> episodes, std::optional<Array<const double, 1>> levels,
             Array<double, 2> out) const {
    const std::size_t environments = kept_.empty() ? seeds.shape(0) : kept_.front().count();
    const std::size_t n = checked_count(ids, environments);
    if (seeds.shape(0) != environments || episodes.shape(0) != environments || out.shape(0) != environments)
      throw nb::value_error("seeds, episodes and out must be of all environments");
    if (levels && levels->shape(0) != n) throw nb::value_error("levels must have a number for each of ids");
    if (out.shape(1) < width_) throw nb::value_error("out must have a column for each number");
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t env = static_cast<std::size_t>(ids.data()[k]);
      rl::begin_episode(draws_, env, seeds.data()[env], episodes.data()[env], levels ? levels->data()[k] : 1.0,
                        out.data() + env * out.shape(1));
    }
  }

 private:
  std::vector<rl::ModelDraw> draws_;
  std::vector<Rows> kept_;
  std::size_t width_ = 0;
};

class PyMassConstants {
 public:
  PyMassConstants(rl::MassTree tree, RowArray mass, RowArray inertia, RowArray offset, RowArray armature,
                  RowArray subtree_mass, RowArray body_invweight, RowArray dof_inertia, RowArray dof_invweight)
      : bodies_(tree.bodies),
        dofs_(tree.dofs),
        solver_(std::move(tree)),
        mass_(std::move(mass), bodies_, "mass"),
        inertia_(std::move(inertia), 3 * bodies_, "inertia"),
        offset_(std::move(offset), 3 * bodies_, "offset"),
        armature_(std::move(armature), dofs_, "armature"),
        subtree_mass_(std::move(subtree_mass), bodies_, "subtree_mass"),
        body_invweight_(std::move(body_invweight), 2 * bodies_, "body_invweight"),
        dof_inertia_(std::move(dof_inertia), dofs_, "dof_inertia"),
        dof_invweight_(std::move(dof_invweight), dofs_, "dof_invweight") {
    for (const Rows* rows : {&inertia_, &offset_, &armature_, &subtree_mass_, &body_invweight_, &dof_inertia_,
                             &dof_invweight_})
      if (rows->count() != mass_.count()) throw nb::value_error("arrays must have a row for each environment");
  }

  // The first environment whose inertia is not positive definite, or -1.
  std::int64_t update(Array<const std::int64_t, 1> ids) {
    const std::size_t n = checked_count(ids, mass_.count());
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t env = static_cast<std::size_t>(ids.data()[k]);
      if (!solver_.solve({mass_[env], inertia_[env], offset_[env], armature_[env]},
                         {subtree_mass_[env], body_invweight_[env], dof_inertia_[env], dof_invweight_[env]}))
        return ids.data()[k];
    }
    return -1;
  }

 private:
  std::size_t bodies_, dofs_;
  rl::MassSolver solver_;
  Rows mass_, inertia_, offset_, armature_, subtree_mass_, body_invweight_, dof_inertia_, dof_invweight_;
};

using Integers = std::vector<int>;
using Numbers = std::vector<double>;

PyMassConstants* make_constants(Integers parent, Numbers position, Numbers rotation, Numbers inertial,
                                Integers dof_body, Integers dof_slides, Numbers dof_axis, Numbers dof_anchor,
                                Integers dof_group, RowArray mass, RowArray inertia, RowArray offset, RowArray armature,
                                RowArray subtree_mass, RowArray body_invweight, RowArray dof_inertia,
                                RowArray dof_invweight) {
  rl::MassTree tree;
  const std::size_t bodies = tree.bodies = parent.size();
  const std::size_t dofs = tree.dofs = dof_body.size();
  if (position.size() != 3 * bodies || rotation.size() != 9 * bodies || inertial.size() != 9 * bodies ||
      dof_slides.size() != dofs || dof_axis.size() != 3 * dofs ||
      dof_anchor.size() != 3 * dofs || dof_group.size() != dofs)
    throw nb::value_error("arrays of bodies and degrees of freedom must be of the same ones");
  for (std::size_t k = 0; k < bodies; ++k)
    if (parent[k] < 0 || (k > 0 && parent[k] >= static_cast<int>(k))) throw nb::value_error("parents must come first");
  for (std::size_t k = 0; k < dofs; ++k) {
    if (dof_body[k] <= 0 || dof_body[k] >= static_cast<int>(bodies)) throw nb::index_error("dof_body names no body");
    if (dof_group[k] != static_cast<int>(k) && (k == 0 || dof_group[k] != dof_group[k - 1]))
      throw nb::value_error("dof_group must name the first of neighbours");
  }
  tree.parent = std::move(parent);
  tree.position = std::move(position);
  tree.rotation = std::move(rotation);
  tree.inertial = std::move(inertial);
  tree.dof_body = std::move(dof_body);
  tree.dof_slides = std::move(dof_slides);
  tree.dof_axis = std::move(dof_axis);
  tree.dof_anchor = std::move(dof_anchor);
  tree.dof_group = std::move(dof_group);
  return new PyMassConstants(std::move(tree), std::move(mass), std::move(inertia), std::move(offset),
                             std::move(armature), std::move(subtree_mass), std::move(body_invweight),
                             std::move(dof_inertia), std::move(dof_invweight));
}

}  // namespace

void bind_rl_model(nb::module_& m) {
  using nb::arg;
  nb::class_<PyModelDraws>(m, "RlModelDraws")
      .def(nb::init<>())
      .def("add_draw", &PyModelDraws::add_draw, arg("stream"), arg("size"), arg("low"), arg("high"), arg("neutral"),
           arg("law"))
      .def("add_target", &PyModelDraws::add_target, arg("values").noconvert(), arg("elements"), arg("nominal"),
           arg("drawn"), arg("bases").noconvert() = nb::none())
      .def("begin", &PyModelDraws::begin, arg("ids").noconvert(), arg("seeds").noconvert(), arg("episodes").noconvert(),
           arg("levels").noconvert().none(), arg("out").noconvert());
  nb::class_<PyMassConstants>(m, "RlMassConstants")
      .def(nb::new_(&make_constants), nb::kw_only(), arg("parent"), arg("position"), arg("rotation"), arg("inertial"),
           arg("dof_body"), arg("dof_slides"), arg("dof_axis"), arg("dof_anchor"), arg("dof_group"),
           arg("mass").noconvert(), arg("inertia").noconvert(), arg("offset").noconvert(), arg("armature").noconvert(),
           arg("subtree_mass").noconvert(), arg("body_invweight").noconvert(), arg("dof_inertia").noconvert(),
           arg("dof_invweight").noconvert())
      .def("update", &PyMassConstants::update, arg("ids").noconvert());
}

}  // namespace horus::bindings
