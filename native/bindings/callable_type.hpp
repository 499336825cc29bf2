// Types of the C interface that are called without a tuple of arguments being made.
#pragma once

#include "python.hpp"

namespace horus::bindings {

// A type from `spec` whose call is `call`: with arguments in an array (vectorcall) instead of in a tuple and a dict, which
// takes half of the time. Null with an error set on failure.
nb::object make_callable_type(const PyType_Spec& spec, vectorcallfunc call);

}  // namespace horus::bindings
