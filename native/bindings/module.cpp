#define HORUS_IMPORTS_NUMPY
#include "python.hpp"
#include "arm_solver.hpp"
#include "gil.hpp"
#include "hub_codec.hpp"
#include "hub_sender.hpp"
#include "math_functions.hpp"
#include "record_maker.hpp"
#include "rl_plane.hpp"
#include "rl_random.hpp"
#include "sim2d_bindings.hpp"
#include "tf_errors.hpp"
#include "tf_transform.hpp"
#include "tf_tree.hpp"

NB_MODULE(_core, m) {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
  // A tree in a global variable at exit is no leak worth a warning to users.
  nb::set_leak_warnings(false);
  m.attr("__version__") = HORUS_SIM_VERSION;
  horus::bindings::park_threads_at_exit();
  horus::bindings::import_tf_errors();
  horus::bindings::bind_math(m);
  horus::bindings::bind_transform(m);
  horus::bindings::bind_tree(m);
  horus::bindings::bind_arm(m);
  horus::bindings::bind_record_maker(m);
  horus::bindings::bind_message_codec(m);
  horus::bindings::bind_message_sender(m);
  horus::bindings::bind_rl_random(m);
  horus::bindings::bind_rl_plane(m);
  horus::bindings::bind_rl_model(m);
  horus::bindings::bind_sim2d_definitions(m);
  horus::bindings::bind_sim2d_model(m);
  horus::bindings::bind_sim2d_world(m);
  horus::bindings::bind_sim2d_batch(m);
}
