#include "arm_solver.hpp"
#include "arrays.hpp"
#include "gil.hpp"
#include "tf/transform.hpp"
#include "tf_transform.hpp"

namespace horus::bindings {
namespace {

tf::Transform as_transform(const arm::Frame& T) {
  const tf::Matrix3 R{{{T.x.x, T.y.x, T.z.x}, {T.x.y, T.y.y, T.z.y}, {T.x.z, T.y.z, T.z.z}}};
  tf::Quat rotation = tf::from_matrix(R);
  tf::normalize(rotation);
  return {T.p, rotation};
}

nb::object forward(const arm::Solver& self, const Numbers& q) {
  return nb::steal(make_transform(as_transform(arm::forward(self.chain(), configuration(self, q)))));
}

nb::object forward_all(const arm::Solver& self, const Numbers& q) {
  const int n = self.chain().dof();
  arm::Frame frames[arm::kMaxDof + 1];
  arm::forward_all(self.chain(), configuration(self, q), frames);
  nb::object out = make_array({n + 1, 4, 4}, NPY_DOUBLE);
  for (int i = 0; i <= n; ++i) arm::write_matrix(frames[i], data<double>(out) + 16 * i);
  return out;
}

nb::object forward_batch(const arm::Solver& self, const Rows& q, bool all_frames, int threads) {
  check_columns(self, q);
  const npy_intp rows = static_cast<npy_intp>(q.shape(0)), frames = self.chain().dof() + 1;
  nb::object out = all_frames ? make_array({rows, frames, 4, 4}, NPY_DOUBLE) : make_array({rows, 4, 4}, NPY_DOUBLE);
  if (!out.is_valid()) throw nb::python_error();
  double* const matrices = data<double>(out);
  const ReleaseGil release;
  arm::forward_batch(self.chain(), q.data(), q.shape(0), all_frames, threads, matrices);
  return out;
}

nb::object jacobian(const arm::Solver& self, const Numbers& q) {
  nb::object out = make_array({6, self.chain().dof()}, NPY_DOUBLE);
  arm::jacobian(self.chain(), configuration(self, q), data<double>(out));
  return out;
}

nb::object jacobian_batch(const arm::Solver& self, const Rows& q, int threads) {
  check_columns(self, q);
  nb::object out = make_array({static_cast<npy_intp>(q.shape(0)), 6, self.chain().dof()}, NPY_DOUBLE);
  if (!out.is_valid()) throw nb::python_error();
  double* const matrices = data<double>(out);
  const ReleaseGil release;
  arm::jacobian_batch(self.chain(), q.data(), q.shape(0), threads, matrices);
  return out;
}

}  // namespace

void bind_kinematics(nb::class_<arm::Solver>& type) {
  type.def("forward", forward, nb::arg("q").noconvert())
      .def("forward_all", forward_all, nb::arg("q").noconvert())
      .def("forward_batch", forward_batch, nb::arg("q").noconvert(), nb::kw_only(), nb::arg("all_frames") = false,
           nb::arg("threads") = 0)
      .def("jacobian", jacobian, nb::arg("q").noconvert())
      .def("jacobian_batch", jacobian_batch, nb::arg("q").noconvert(), nb::kw_only(), nb::arg("threads") = 0);
}

}  // namespace horus::bindings
