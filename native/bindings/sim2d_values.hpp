// Points and poses of the 2D engine as Python gives them: sequences of two and three numbers.
#pragma once

#include <nanobind/stl/array.h>

#include <array>

#include "python.hpp"
#include "sim2d/math.hpp"

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)

template <>
struct type_caster<horus::sim2d::Vec2> {
  NB_TYPE_CASTER(horus::sim2d::Vec2, const_name("collections.abc.Sequence[float]"))
  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::array<double, 2>> numbers;
    if (!numbers.from_python(source, flags, cleanup)) return false;
    value = {numbers.value[0], numbers.value[1]};
    return true;
  }
  static handle from_cpp(const horus::sim2d::Vec2& v, rv_policy, cleanup_list*) noexcept {
    return make_tuple(v.x, v.y).release();
  }
};

template <>
struct type_caster<horus::sim2d::Pose> {
  NB_TYPE_CASTER(horus::sim2d::Pose, const_name("collections.abc.Sequence[float]"))
  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::array<double, 3>> numbers;
    if (!numbers.from_python(source, flags, cleanup)) return false;
    value = {numbers.value[0], numbers.value[1], numbers.value[2]};
    return true;
  }
  static handle from_cpp(const horus::sim2d::Pose& p, rv_policy, cleanup_list*) noexcept {
    return make_tuple(p.x, p.y, p.theta).release();
  }
};

NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)
