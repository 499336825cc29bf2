// A question to `Arm.ik` as its caller wrote it, read without a detour through Python.
#pragma once

#include <optional>

#include "arm/solver.hpp"
#include "python.hpp"

namespace horus::bindings {

struct Question {
  arm::Task task;
  bool has_start = false;
  double start[arm::kMaxDof];
  arm::SolveOptions options;
};

// The arguments of `Arm.ik` where nothing about them is in doubt: floats, tuples and lists of them, arrays of float64,
// transforms. Nothing for all others, without an error set: `horus_sim.arm.checks` then converts what can be converted
// and says what is wrong, so this may be stricter than it, never laxer.
std::optional<Question> read_question(const arm::Solver& solver, PyObject* target, PyObject* start, PyObject* mode,
                                      PyObject* position_tolerance, PyObject* rotation_tolerance,
                                      PyObject* rotation_weight, PyObject* seed, PyObject* max_starts);

}  // namespace horus::bindings
