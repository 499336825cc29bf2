#include "rl/constants.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace horus::rl {
namespace {

double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

MassSolver::MassSolver(MassTree tree) : tree_(std::move(tree)), chain_(tree_.bodies) {
  for (std::size_t body = 1; body < tree_.bodies; ++body) {
    chain_[body] = chain_[tree_.parent[body]];
    for (std::size_t dof = 0; dof < tree_.dofs; ++dof) {
      if (tree_.dof_body[dof] == static_cast<int>(body)) chain_[body].push_back(dof);
    }
  }
  const std::size_t n = tree_.dofs;
  for (auto* square : {&matrix_, &inverse_, &factor_}) square->resize(n * n);
  for (auto* jacobian : {&linear_, &angular_}) jacobian->resize(tree_.bodies * n * 3);
}

// Jacobians of a body's centre of mass.
void MassSolver::move(std::size_t body, const double* offset) {
  double centre[3];
  for (std::size_t i = 0; i < 3; ++i) {
    centre[i] = tree_.position[3 * body + i] + dot(&tree_.rotation[9 * body + 3 * i], offset);
  }
  for (const std::size_t dof : chain_[body]) {
    const double* axis = &tree_.dof_axis[3 * dof];
    double* linear = &linear_[3 * (body * tree_.dofs + dof)];
    double* angular = &angular_[3 * (body * tree_.dofs + dof)];
    if (tree_.dof_slides[dof]) {
      std::copy_n(axis, 3, linear);
      std::fill_n(angular, 3, 0.0);
      continue;
    }
    const double* anchor = &tree_.dof_anchor[3 * dof];
    const double arm[3] = {centre[0] - anchor[0], centre[1] - anchor[1], centre[2] - anchor[2]};
    linear[0] = axis[1] * arm[2] - axis[2] * arm[1];
    linear[1] = axis[2] * arm[0] - axis[0] * arm[2];
    linear[2] = axis[0] * arm[1] - axis[1] * arm[0];
    std::copy_n(axis, 3, angular);
  }
}

// By Cholesky's factors: M = L L^T, then column by column.
bool MassSolver::invert() {
  const std::size_t n = tree_.dofs;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix_[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n + k] * factor_[j * n + k];
      if (i != j) {
        factor_[i * n + j] = sum / factor_[j * n + j];
        continue;
      }
      if (!(sum > 0.0)) return false;
      factor_[i * n + i] = std::sqrt(sum);
    }
  }
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t i = column; i < n; ++i) {
      double sum = i == column ? 1.0 : 0.0;
      for (std::size_t k = column; k < i; ++k) sum -= factor_[i * n + k] * inverse_[k * n + column];
      inverse_[i * n + column] = sum / factor_[i * n + i];
    }
    for (std::size_t i = n; i-- > column;) {
      double sum = inverse_[i * n + column];
      for (std::size_t k = i + 1; k < n; ++k) sum -= factor_[k * n + i] * inverse_[k * n + column];
      inverse_[i * n + column] = inverse_[column * n + i] = sum / factor_[i * n + i];
    }
  }
  return true;
}

bool MassSolver::solve(const Masses& masses, const MassConstants& out) {
  const std::size_t n = tree_.dofs;
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (std::size_t body = 1; body < tree_.bodies; ++body) {
    if (chain_[body].empty()) continue;
    move(body, masses.offset + 3 * body);
    const double* axes = &tree_.inertial[9 * body];
    for (const std::size_t i : chain_[body]) {
      const double* linear = &linear_[3 * (body * n + i)];
      const double* angular = &angular_[3 * (body * n + i)];
      double momentum[3] = {0.0, 0.0, 0.0};
      for (std::size_t k = 0; k < 3; ++k) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        const double part = masses.inertia[3 * body + k] * dot(axis, angular);
        for (std::size_t m = 0; m < 3; ++m) momentum[m] += part * axis[m];
      }
      for (const std::size_t j : chain_[body]) {
        if (j > i) break;
        matrix_[i * n + j] += masses.mass[body] * dot(linear, &linear_[3 * (body * n + j)]) +
                              dot(momentum, &angular_[3 * (body * n + j)]);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) matrix_[i * n + i] += masses.armature[i];
  if (!invert()) return false;

  std::copy_n(masses.mass, tree_.bodies, out.subtree_mass);
  for (std::size_t body = tree_.bodies; --body > 0;) out.subtree_mass[tree_.parent[body]] += out.subtree_mass[body];
  for (std::size_t body = 0; body < tree_.bodies; ++body) {
    double traces[2] = {0.0, 0.0};
    for (const std::size_t i : chain_[body]) {
      for (const std::size_t j : chain_[body]) {
        traces[0] += inverse_[i * n + j] * dot(&linear_[3 * (body * n + i)], &linear_[3 * (body * n + j)]);
        traces[1] += inverse_[i * n + j] * dot(&angular_[3 * (body * n + i)], &angular_[3 * (body * n + j)]);
      }
    }
    out.body_invweight[2 * body] = traces[0] / 3.0;
    out.body_invweight[2 * body + 1] = traces[1] / 3.0;
  }
  for (std::size_t first = 0; first < n;) {
    std::size_t end = first;
    double sum = 0.0;
    for (; end < n && tree_.dof_group[end] == static_cast<int>(first); ++end) sum += inverse_[end * n + end];
    for (std::size_t i = first; i < end; ++i) {
      out.dof_inertia[i] = matrix_[i * n + i];
      out.dof_invweight[i] = sum / static_cast<double>(end - first);
    }
    first = end;
  }
  return true;
}

}  // namespace horus::rl
