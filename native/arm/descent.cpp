#include "arm/descent.hpp"

#include <algorithm>
#include <utility>

namespace horus::arm {
namespace {

// Row-major symmetric positive definite A of size N: solves A x = b by LDL^T in place, lower triangle only.
template <int N>
void solve_in_place(double (&A)[N][N], double (&x)[N]) {
  double inverse_pivot[N];
  for (int j = 0; j < N; ++j) {
    double pivot = A[j][j];
    for (int k = 0; k < j; ++k) pivot -= A[j][k] * A[j][k] * A[k][k];
    A[j][j] = pivot;
    inverse_pivot[j] = 1.0 / pivot;
    for (int i = j + 1; i < N; ++i) {
      double sum = A[i][j];
      for (int k = 0; k < j; ++k) sum -= A[i][k] * A[j][k] * A[k][k];
      A[i][j] = sum * inverse_pivot[j];
    }
  }
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= A[i][k] * x[k];
  }
  for (int i = 0; i < N; ++i) x[i] *= inverse_pivot[i];
  for (int i = N - 1; i >= 0; --i) {
    for (int k = i + 1; k < N; ++k) x[i] -= A[k][i] * x[k];
  }
}

template <int N>
void step(const Chain& chain, const Task& task, const State& state, double damping, double* q_next) {
  const int n = chain.dof();
  double J[kMaxDof][N], error[N];
  const double weight = task.rotation_weight;
  for (int i = 0; i < n; ++i) {
    const Vec3 linear = linear_column(chain, state, i);
    J[i][0] = linear.x, J[i][1] = linear.y, J[i][2] = linear.z;
    if constexpr (N == 6) {
      const Vec3 angular = chain.joints[i].is_prismatic ? Vec3{} : weight * state.axis[i];
      J[i][3] = angular.x, J[i][4] = angular.y, J[i][5] = angular.z;
    }
  }
  error[0] = state.position_error.x, error[1] = state.position_error.y, error[2] = state.position_error.z;
  if constexpr (N == 6) {
    const Vec3 rotation = weight * state.rotation_error;
    error[3] = rotation.x, error[4] = rotation.y, error[5] = rotation.z;
  }
  bool is_free[kMaxDof];
  std::fill_n(is_free, n, true);
  for (int free = n; free > 0;) {
    double A[N][N] = {}, y[N];
    for (int r = 0; r < N; ++r) A[r][r] = damping;
    for (int i = 0; i < n; ++i) {
      if (!is_free[i]) continue;
      for (int r = 0; r < N; ++r) {
        for (int c = 0; c <= r; ++c) A[r][c] += J[i][r] * J[i][c];
      }
    }
    std::copy_n(error, N, y);
    solve_in_place(A, y);
    const int before = free;
    double left[N];
    std::copy_n(error, N, left);
    for (int i = 0; i < n; ++i) {
      if (!is_free[i]) continue;
      double move = 0.0;
      for (int r = 0; r < N; ++r) move += J[i][r] * y[r];
      q_next[i] = state.q[i] + move;
      const Joint& joint = chain.joints[i];
      if (joint.wraps || (q_next[i] >= joint.lower && q_next[i] <= joint.upper)) continue;
      q_next[i] = q_next[i] < joint.lower ? joint.lower : joint.upper;
      is_free[i] = false;
      --free;
      for (int r = 0; r < N; ++r) left[r] -= J[i][r] * (q_next[i] - state.q[i]);
    }
    if (free == before) return;
    std::copy_n(left, N, error);
  }
}

}  // namespace

void bounded_step(const Chain& chain, const Task& task, const State& state, double damping, double* q_next) {
  if (task.is_pose) {
    step<6>(chain, task, state, damping, q_next);
  } else {
    step<3>(chain, task, state, damping, q_next);
  }
}

namespace {

// Damps a step until no joint moves farther than `longest`.
void short_step(const Chain& chain, const Task& task, const State& state, double damping, double longest,
                double* q_next) {
  constexpr int kTries = 16;
  for (int k = 0; k < kTries; ++k, damping *= 8.0) {
    bounded_step(chain, task, state, damping, q_next);
    double most = 0.0;
    for (int i = 0; i < chain.dof(); ++i) most = std::max(most, std::abs(q_next[i] - state.q[i]));
    if (most <= longest) return;
  }
}

}  // namespace

int descend(const Chain& chain, const Task& task, const DescentOptions& options, State& state) {
  // The damping is a multiple of the cost: it fades as the target comes close, and convergence becomes quadratic.
  constexpr double kFirst = 0.03, kLeast = 1e-5, kMost = 1e3, kFloor = 1e-13;
  double factor = kFirst;
  int stalled = 0;
  State trial;
  int iteration = 0;
  for (; iteration < options.max_iterations && !state.meets(task); ++iteration) {
    const double damping = factor * state.cost + kFloor;
    if (options.longest_step > 0.0) {
      short_step(chain, task, state, damping, options.longest_step, trial.q);
    } else {
      bounded_step(chain, task, state, damping, trial.q);
    }
    evaluate(chain, task, trial);
    if (trial.cost < state.cost) {
      stalled = trial.cost > 0.8 * state.cost ? stalled + 1 : 0;
      factor = std::max(kLeast, trial.cost < 0.25 * state.cost ? 0.2 * factor : factor);
      state = trial;
    } else {
      factor *= 8.0;
      ++stalled;
    }
    if (stalled >= options.patience || factor > kMost) return iteration + 1;
  }
  return iteration;
}

}  // namespace horus::arm
