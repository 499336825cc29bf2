// The angle of a direction, the same bits on every machine.
#pragma once

namespace horus::math {

// As std::atan2, signs of zeros and all, within 1 ulp.
double arc_tangent(double y, double x);

}  // namespace horus::math
