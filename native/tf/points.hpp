// One transform applied to many points.
#pragma once

#include <cstddef>

#include "tf/transform.hpp"

namespace horus::tf {

// in and out hold n points as x, y, z and may be the same array. The sums are done in double precision.
void transform_points(const Transform& T, const double* in, double* out, std::size_t n);
void transform_points(const Transform& T, const float* in, float* out, std::size_t n);

}  // namespace horus::tf
