// Arrays over environments: one row each, which may be a part of a longer one.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <optional>
#include <string>

#include "python.hpp"

namespace horus::bindings {

template <class T, std::size_t Dimensions>
using Array = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Ids = std::optional<Array<const std::int64_t, 1>>;
using RowArray = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

// Rows of numbers that are kept alive; each row is contiguous.
class Rows {
 public:
  Rows(RowArray array, std::size_t columns, const char* what) : array_(std::move(array)) {
    if (array_.shape(1) != columns)
      throw nb::value_error((std::string(what) + " must have " + std::to_string(columns) + " columns").c_str());
    if (columns > 1 && array_.stride(1) != 1)
      throw nb::value_error((std::string(what) + " must have contiguous rows").c_str());
  }
  double* operator[](std::size_t env) const {
    return array_.data() + static_cast<std::int64_t>(env) * array_.stride(0);
  }
  std::size_t count() const { return array_.shape(0); }
  std::size_t step() const { return static_cast<std::size_t>(array_.stride(0)); }

 private:
  RowArray array_;
};

// How many environments are meant; all of them must be there.
inline std::size_t checked_count(const Ids& ids, std::size_t environments) {
  if (!ids) return environments;
  for (std::size_t k = 0; k < ids->shape(0); ++k) {
    const std::int64_t id = ids->data()[k];
    if (id < 0 || static_cast<std::size_t>(id) >= environments) throw nb::index_error("ids name no environment");
  }
  return ids->shape(0);
}

inline std::size_t chosen(const Ids& ids, std::size_t k) {
  return ids ? static_cast<std::size_t>(ids->data()[k]) : k;
}

}  // namespace horus::bindings
