#include "arm/closest.hpp"

#include <algorithm>

#include "math/sine.hpp"

namespace horus::arm {
namespace {

double smooth_cost(const Task& task, const State& state) {
  const double position = dot(state.position_error, state.position_error);
  if (!task.is_pose) return position;
  const double sine = 2.0 * task.rotation_weight * math::sine(0.5 * state.rotation_distance);
  return position + sine * sine;
}

// sin(angle) times axis of the rotation that remains.
Vec3 sine_axis(const Task& task, const State& state) {
  const Frame &from = state.tool, &to = task.target;
  return 0.5 * (cross(from.x, to.x) + cross(from.y, to.y) + cross(from.z, to.z));
}

struct Derivatives {
  double gradient[kMaxDof];          // of half the smooth cost
  double hessian[kMaxDof][kMaxDof];  // lower triangle
};

void differentiate(const Chain& chain, const Task& task, const State& state, Derivatives& out) {
  const int n = chain.dof();
  const double w2 = task.is_pose ? task.rotation_weight * task.rotation_weight : 0.0;
  const Vec3 sine = task.is_pose ? sine_axis(task, state) : Vec3{};
  const Frame &R = state.tool, &G = task.target;
  const double trace = dot(R.x, G.x) + dot(R.y, G.y) + dot(R.z, G.z);
  Vec3 linear[kMaxDof], curved[kMaxDof];
  for (int j = 0; j < n; ++j) {
    const bool turns = !chain.joints[j].is_prismatic;
    const Vec3& z = state.axis[j];
    linear[j] = linear_column(chain, state, j);
    out.gradient[j] = -dot(linear[j], state.position_error) - (turns ? w2 * dot(z, sine) : 0.0);
    // half (trace 1 - R G^T) z: the derivative of sin(angle) axis along joint j, negated
    curved[j] = 0.5 * (trace * z - (dot(G.x, z) * R.x + dot(G.y, z) * R.y + dot(G.z, z) * R.z));
  }
  for (int i = 0; i < n; ++i) {
    const bool turns_i = !chain.joints[i].is_prismatic;
    for (int j = 0; j <= i; ++j) {
      // Joint j is above joint i and turns its column.
      const bool turns_j = !chain.joints[j].is_prismatic;
      double value = dot(linear[i], linear[j]);
      if (turns_j) value -= dot(cross(state.axis[j], linear[i]), state.position_error);
      if (turns_i && turns_j && task.is_pose) {
        value += w2 * (dot(state.axis[i], curved[j]) - dot(cross(state.axis[j], state.axis[i]), sine));
      }
      out.hessian[i][j] = value;
    }
  }
}

// Solves (H + damping 1) x = -g on the free joints; false where that matrix is not positive definite.
bool newton_step(const Derivatives& d, const int* free, int m, double damping, double* x) {
  double L[kMaxDof][kMaxDof];
  for (int a = 0; a < m; ++a) {
    for (int b = 0; b <= a; ++b) {
      double sum = d.hessian[free[a]][free[b]] + (a == b ? damping : 0.0);
      for (int k = 0; k < b; ++k) sum -= L[a][k] * L[b][k];
      if (a == b) {
        if (!(sum > 1e-14)) return false;
        L[a][a] = std::sqrt(sum);
      } else {
        L[a][b] = sum / L[b][b];
      }
    }
  }
  for (int a = 0; a < m; ++a) {
    double sum = -d.gradient[free[a]];
    for (int k = 0; k < a; ++k) sum -= L[a][k] * x[k];
    x[a] = sum / L[a][a];
  }
  for (int a = m - 1; a >= 0; --a) {
    for (int k = a + 1; k < m; ++k) x[a] -= L[k][a] * x[k];
    x[a] /= L[a][a];
  }
  return true;
}

bool is_blocked(const Joint& joint, double q, double gradient) {
  return !joint.wraps && ((q <= joint.lower && gradient > 0.0) || (q >= joint.upper && gradient < 0.0));
}

}  // namespace

int settle_closest(const Chain& chain, const Task& task, int max_iterations, bool with_limits, State& state) {
  const int n = chain.dof();
  constexpr double kFlat = 1e-10, kSmallMiss = 1e-3, kMostDamping = 1e4;
  double damping = 1e-6, cost = smooth_cost(task, state);
  Derivatives d;
  State trial;
  int iteration = 0;
  bool fresh = true;
  for (; iteration < max_iterations && !state.meets(task); ++iteration) {
    if (fresh) differentiate(chain, task, state, d);
    int free[kMaxDof], m = 0;
    double slope = 0.0;
    for (int i = 0; i < n; ++i) {
      if (with_limits && is_blocked(chain.joints[i], state.q[i], d.gradient[i])) continue;
      free[m++] = i;
      slope = std::max(slope, std::abs(d.gradient[i]));
    }
    // Below a millimetre the slope fades with the miss itself, fastest near singularities: what counts is their ratio.
    if (m == 0 || slope < kFlat * std::min(1.0, std::sqrt(cost) / kSmallMiss)) break;
    double x[kMaxDof];
    while (!newton_step(d, free, m, damping, x) && damping < kMostDamping) damping = std::max(1e-3, 4.0 * damping);
    if (damping >= kMostDamping) break;
    std::copy_n(state.q, n, trial.q);
    for (int a = 0; a < m; ++a) {
      const Joint& joint = chain.joints[free[a]];
      const double wanted = state.q[free[a]] + std::clamp(x[a], -1.0, 1.0);
      trial.q[free[a]] = joint.wraps || !with_limits ? wanted : std::clamp(wanted, joint.lower, joint.upper);
    }
    evaluate(chain, task, trial);
    const double trial_cost = smooth_cost(task, trial);
    fresh = trial_cost < cost;
    if (fresh) {
      const bool creeps = cost - trial_cost < 1e-13 * (cost + 1e-6);
      state = trial;
      cost = trial_cost;
      damping = std::max(1e-9, 0.1 * damping);
      if (creeps) break;
    } else {
      damping = std::max(1e-3, 8.0 * damping);
      if (damping >= kMostDamping) break;
    }
  }
  return iteration;
}

unsigned blocking_joints(const Chain& chain, const Task& task, const State& state) {
  Derivatives d;
  differentiate(chain, task, state, d);
  unsigned joints = 0;
  constexpr double kPush = 1e-7;
  for (int i = 0; i < chain.dof(); ++i) {
    if (std::abs(d.gradient[i]) > kPush && is_blocked(chain.joints[i], state.q[i], d.gradient[i])) joints |= 1u << i;
  }
  return joints;
}

}  // namespace horus::arm
