#include <nanobind/stl/string.h>

#include <string>
#include <type_traits>

#include "sim2d_bindings.hpp"
#include "sim2d_values.hpp"

namespace horus::bindings {
namespace {

using namespace sim2d;

// FIELDS names the attributes, for those who copy what a description calls alike.
template <class Definition>
void bind_definition(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Definition> type(m, name, doc);
  type.def(nb::init<>());
  nb::list names;
  Definition::fields([&]<class Value>(const char* field, Value Definition::*member) {
    names.append(field);
    if constexpr (std::is_enum_v<Value>) {
      type.def_prop_rw(
          field, [member](const Definition& self) { return names_of(Value{}).name_of(self.*member); },
          [member](Definition& self, const std::string& name) { self.*member = names_of(Value{}).kind_of(name); });
    } else {
      type.def_rw(field, member);
    }
  });
  type.attr("FIELDS") = nb::tuple(names);
}

}  // namespace

void bind_sim2d_definitions(nb::module_& m) {
  bind_definition<SolverConfig>(m, "Sim2dSolver", "Knobs of the 2D solver.");
  bind_definition<BodyDef>(m, "Sim2dBody", "A body of a 2D model, but for its shape.");
  bind_definition<JointDef>(m, "Sim2dJoint", "A joint of a 2D model.");
  bind_definition<WheelDef>(m, "Sim2dWheel", "A wheel of a 2D model and its motor.");
  bind_definition<SensorDef>(m, "Sim2dSensor", "A sensor of a 2D model.");
}

}  // namespace horus::bindings
