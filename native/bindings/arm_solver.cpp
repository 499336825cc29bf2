#include "arm_solver.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <nanobind/stl/optional.h>

#include "arm_question.hpp"
#include "arrays.hpp"
#include "gil.hpp"

namespace horus::bindings {
namespace {

using arm::Solution;
using arm::Solver;
using arm::Task;

// What both solvers and both sizes of question share.
struct Request {
  bool is_pose = false;
  double position_tolerance = 1e-6, rotation_tolerance = 1e-6, rotation_weight = 0.0;

  Task task(const Solver& solver, const double* target) const {
    Task task;
    task.is_pose = is_pose;
    if (is_pose) {
      task.target = read_frame(target);
    } else {
      task.target.p = {target[0], target[1], target[2]};
    }
    task.position_tolerance = position_tolerance;
    task.rotation_tolerance = rotation_tolerance;
    task.rotation_weight = rotation_weight > 0.0 ? rotation_weight : solver.rotation_weight();
    return task;
  }
};

// joints: rows of (is prismatic, angle [rad], distance [m], lower, upper); before, after: (dof, 4, 4); ends: base,
// tool.
void construct(Solver* self, const Rows& joints, const Matrices& before, const Matrices& after, const Matrices& ends) {
  const std::size_t n = joints.shape(0);
  if (n < 1 || n > arm::kMaxDof) throw nb::value_error("an arm has 1 to 32 joints");
  if (joints.shape(1) != 5 || before.shape(0) != n || after.shape(0) != n || ends.shape(0) != 2) {
    throw nb::type_error("joints must be (dof, 5), before and after (dof, 4, 4), ends (2, 4, 4)");
  }
  arm::Chain chain;
  chain.base = read_frame(ends.data());
  chain.tool = arm::Constant(read_frame(ends.data() + 16));
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = joints.data() + 5 * i;
    arm::Joint joint;
    joint.is_prismatic = row[0] != 0.0;
    joint.angle = row[1];
    joint.distance = row[2];
    joint.lower = row[3];
    joint.upper = row[4];
    if (!(joint.lower <= joint.upper)) throw nb::value_error("a joint's lower bound is above its upper bound");
    joint.before = arm::Constant(read_frame(before.data() + 16 * i));
    joint.after = arm::Constant(read_frame(after.data() + 16 * i));
    chain.joints.push_back(joint);
  }
  new (self) Solver(std::move(chain));
}

nb::object as_tuple(const Solver& self, const Solution& s) {
  return nb::make_tuple(make_vector(s.q, self.chain().dof()), static_cast<int>(s.reason), s.position_error,
                        s.rotation_error, s.at_limits, s.blocking, s.iterations, s.starts);
}

void check_target(const Numbers& target, bool is_pose) {
  if (target.shape(0) != (is_pose ? 16u : 3u)) throw nb::type_error("target must hold 3 numbers, or 16 for a pose");
}

nb::object solve(const Solver& self, const Numbers& target, const std::optional<Numbers>& start, bool is_pose,
                 double position_tolerance, double rotation_tolerance, double rotation_weight, std::uint64_t seed,
                 int max_starts) {
  check_target(target, is_pose);
  const Request request{is_pose, position_tolerance, rotation_tolerance, rotation_weight};
  const double* const q = start ? configuration(self, *start) : nullptr;
  return as_tuple(self, self.solve(request.task(self, target.data()), q, {seed, max_starts}));
}

// As `solve`, with the arguments of `Arm.ik` as its caller wrote them; None where they need a closer look.
nb::object ask(const Solver& self, nb::handle target, nb::handle start, nb::handle mode, nb::handle position_tolerance,
               nb::handle rotation_tolerance, nb::handle rotation_weight, nb::handle seed, nb::handle max_starts) {
  const std::optional<Question> question =
      read_question(self, target.ptr(), start.ptr(), mode.ptr(), position_tolerance.ptr(), rotation_tolerance.ptr(),
                    rotation_weight.ptr(), seed.ptr(), max_starts.ptr());
  if (!question) return nb::none();
  return as_tuple(self, self.solve(question->task, question->has_start ? question->start : nullptr, question->options));
}

nb::object solve_damped(const Solver& self, const Numbers& target, const Numbers& start, bool is_pose,
                        double position_tolerance, double rotation_tolerance, double rotation_weight,
                        int max_iterations, double damping) {
  check_target(target, is_pose);
  const Request request{is_pose, position_tolerance, rotation_tolerance, rotation_weight};
  return as_tuple(self, self.solve_damped(request.task(self, target.data()), configuration(self, start),
                                          {max_iterations, damping}));
}

// Columns of a batch's answer.
struct Columns {
  nb::object q, reason, position_error, rotation_error, at_limits, blocking, iterations, starts;

  Columns(npy_intp n, npy_intp dof)
      : q(make_array({n, dof}, NPY_DOUBLE)), reason(make_array({n}, NPY_INT32)),
        position_error(make_array({n}, NPY_DOUBLE)), rotation_error(make_array({n}, NPY_DOUBLE)),
        at_limits(make_array({n}, NPY_UINT32)), blocking(make_array({n}, NPY_UINT32)),
        iterations(make_array({n}, NPY_INT32)), starts(make_array({n}, NPY_INT32)) {
    for (const nb::object* column : {&q, &reason, &position_error, &rotation_error, &at_limits, &blocking, &iterations,
                                     &starts}) {
      if (!column->is_valid()) throw nb::python_error();
    }
  }

  nb::object tuple() const {
    return nb::make_tuple(q, reason, position_error, rotation_error, at_limits, blocking, iterations, starts);
  }
};

nb::object solve_batch(const Solver& self, const Rows& targets, const std::optional<Rows>& starts, bool is_pose,
                       double position_tolerance, double rotation_tolerance, double rotation_weight,
                       std::uint64_t seed, int max_starts, int threads) {
  if (targets.shape(1) != (is_pose ? 16u : 3u)) throw nb::type_error("targets must be (N, 3), or (N, 16) for poses");
  if (starts) {
    check_columns(self, *starts);
    if (starts->shape(0) != targets.shape(0) && starts->shape(0) != 1) {
      throw nb::type_error("there must be one start, or one for each target");
    }
  }
  const Request request{is_pose, position_tolerance, rotation_tolerance, rotation_weight};
  const std::size_t n = targets.shape(0), width = targets.shape(1), dof = self.chain().joints.size();
  const Columns out(static_cast<npy_intp>(n), static_cast<npy_intp>(dof));
  double* const q = data<double>(out.q);
  double* const position_error = data<double>(out.position_error);
  double* const rotation_error = data<double>(out.rotation_error);
  std::int32_t* const reason = data<std::int32_t>(out.reason);
  std::int32_t* const iterations = data<std::int32_t>(out.iterations);
  std::int32_t* const used = data<std::int32_t>(out.starts);
  std::uint32_t* const at_limits = data<std::uint32_t>(out.at_limits);
  std::uint32_t* const blocking = data<std::uint32_t>(out.blocking);
  const double* const first = starts ? starts->data() : nullptr;
  const std::size_t stride = starts && starts->shape(0) > 1 ? dof : 0;
  {
    const ReleaseGil release;
    in_pieces(n, 64, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const Task task = request.task(self, targets.data() + width * k);
        const Solution s = self.solve(task, first == nullptr ? nullptr : first + stride * k, {seed, max_starts});
        std::copy_n(s.q, dof, q + dof * k);
        reason[k] = static_cast<std::int32_t>(s.reason);
        position_error[k] = s.position_error;
        rotation_error[k] = s.rotation_error;
        at_limits[k] = s.at_limits;
        blocking[k] = s.blocking;
        iterations[k] = s.iterations;
        used[k] = s.starts;
      }
    });
  }
  return out.tuple();
}

}  // namespace

const double* configuration(const Solver& solver, const Numbers& q) {
  if (q.shape(0) != solver.chain().joints.size()) throw nb::type_error("q must hold one number for each joint");
  return q.data();
}

void check_columns(const Solver& solver, const Rows& q) {
  if (q.shape(1) != solver.chain().joints.size()) throw nb::type_error("q must have one column for each joint");
}

arm::Frame read_frame(const double* m) {
  return {{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}, {m[3], m[7], m[11]}};
}

void bind_arm(nb::module_& m) {
  nb::class_<Solver> type(m, "ArmSolver");
  type.def("__init__", construct, nb::arg("joints").noconvert(), nb::arg("before").noconvert(),
           nb::arg("after").noconvert(), nb::arg("ends").noconvert())
      .def_prop_ro("rotation_weight", &Solver::rotation_weight)
      .def_prop_ro("reach", &Solver::reach)
      .def("solve", solve, nb::arg("target").noconvert(), nb::arg("start").noconvert().none(), nb::arg("is_pose"),
           nb::arg("position_tolerance"), nb::arg("rotation_tolerance"), nb::arg("rotation_weight"), nb::arg("seed"),
           nb::arg("max_starts"))
      .def("ask", ask, nb::arg("target").none(), nb::arg("start").none(), nb::arg("mode").none(),
           nb::arg("position_tolerance").none(), nb::arg("rotation_tolerance").none(), nb::arg("rotation_weight").none(),
           nb::arg("seed").none(), nb::arg("max_starts").none())
      .def("solve_damped", solve_damped, nb::arg("target").noconvert(), nb::arg("start").noconvert(),
           nb::arg("is_pose"), nb::arg("position_tolerance"), nb::arg("rotation_tolerance"),
           nb::arg("rotation_weight"), nb::arg("max_iterations"), nb::arg("damping"))
      .def("solve_batch", solve_batch, nb::arg("targets").noconvert(), nb::arg("starts").noconvert().none(),
           nb::arg("is_pose"), nb::arg("position_tolerance"), nb::arg("rotation_tolerance"),
           nb::arg("rotation_weight"), nb::arg("seed"), nb::arg("max_starts"), nb::arg("threads"));
  bind_kinematics(type);
}

}  // namespace horus::bindings
