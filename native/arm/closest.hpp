// The closest configuration within limits to a target that cannot be met.
#pragma once

#include "arm/task.hpp"

namespace horus::arm {

// Newton's method with exact second derivatives and an active set of limits, on |position error|^2 plus, for a pose,
// 4 (weight sin(angle / 2))^2. Far from a target the Gauss-Newton steps of `descend` only creep. `state` must be
// evaluated and within limits, and stays so. Returns the number of iterations.
int settle_closest(const Chain& chain, const Task& task, int max_iterations, bool with_limits, State& state);

// Joints that stand at a bound and would have to pass it to come closer, as a bit each.
unsigned blocking_joints(const Chain& chain, const Task& task, const State& state);

}  // namespace horus::arm
