// Forward kinematics of several configurations side by side, in vector registers.
#pragma once

#include "arm/chain.hpp"

namespace horus::arm {

inline constexpr int kLanes = 8;

// Tools of kLanes configurations `q` (kLanes, dof) as homogeneous matrices `out` (kLanes, 4, 4): the bits of `forward`.
void forward_lanes(const Chain& chain, const double* q, double* out);

}  // namespace horus::arm
