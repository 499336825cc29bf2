// Damped Gauss-Newton steps (Levenberg-Marquardt) within joint limits.
#pragma once

#include "arm/task.hpp"

namespace horus::arm {

struct DescentOptions {
  int max_iterations = 40;
  // Where a start makes no headway, another start is the better use of time.
  int patience = 4;
  // Most that a joint moves in a step [rad, m]; 0 for any. Near a singularity a step without such a bound may leap to
  // another branch of solutions.
  double longest_step = 0.0;
};

// Moves `state` downhill until it meets the task, makes no headway, or the iterations are used up. `state` must be
// evaluated and within limits, and stays so. Returns the number of iterations.
int descend(const Chain& chain, const Task& task, const DescentOptions& options, State& state);

// The damped least-squares step J^T (J J^T + damping I)^-1 e within limits: a joint that would leave its range stops at
// the bound, is dropped from the Jacobian, and the others make up for it.
void bounded_step(const Chain& chain, const Task& task, const State& state, double damping, double* q_next);

}  // namespace horus::arm
