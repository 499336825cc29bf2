#include "tf_errors.hpp"

#include <cstdarg>

namespace horus::bindings {
namespace {

TfErrors errors;

}  // namespace

const TfErrors& tf_errors() { return errors; }

void import_tf_errors() {
  const nb::module_ module = nb::module_::import_("horus_sim.errors");
  const auto get = [&](const char* name) { return nb::object(module.attr(name)).release().ptr(); };
  errors = {get("InvalidTransformError"), get("UnknownFrameError"), get("DisconnectedError"),
            get("ExtrapolationError"),    get("CycleError"),        get("ReadOnlyError")};
}

std::nullptr_t raise_invalid(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(errors.invalid, format, arguments);
  va_end(arguments);
  return nullptr;
}

std::nullptr_t raise_with(PyObject* error, nb::object arguments) {
  if (arguments.is_valid()) PyErr_SetObject(error, arguments.ptr());
  return nullptr;
}

}  // namespace horus::bindings
