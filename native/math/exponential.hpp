// Exponential and natural logarithm, the same bits on every machine.
#pragma once

namespace horus::math {

// As std::exp, within 1 ulp.
double exponential(double x);

// As std::log, within 1 ulp.
double logarithm(double x);

}  // namespace horus::math
