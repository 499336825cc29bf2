// The Python type ArmSolver: forward and inverse kinematics of one chain.
#pragma once

#include <nanobind/ndarray.h>

#include "arm/batch.hpp"
#include "arm/solver.hpp"
#include "python.hpp"

namespace horus::bindings {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Matrices = nb::ndarray<const double, nb::shape<-1, 4, 4>, nb::c_contig, nb::device::cpu>;

void bind_arm(nb::module_& m);
// Adds the methods of forward kinematics.
void bind_kinematics(nb::class_<arm::Solver>& type);

// The numbers of one configuration or of rows of them; raises TypeError where their count is not the arm's.
const double* configuration(const arm::Solver& solver, const Numbers& q);
void check_columns(const arm::Solver& solver, const Rows& q);

arm::Frame read_frame(const double* matrix);

}  // namespace horus::bindings
