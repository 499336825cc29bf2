// Inverse kinematics of a chain: many starts, the closest point where none arrives, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "arm/chain.hpp"
#include "arm/seed_table.hpp"
#include "arm/task.hpp"

namespace horus::arm {

enum class Reason : int { kSolved = 0, kOutOfReach = 1, kBlockedByLimits = 2, kNotConverged = 3 };

struct Solution {
  double q[kMaxDof];
  Reason reason = Reason::kNotConverged;
  double position_error = 0.0;  // [m]
  double rotation_error = 0.0;  // [rad]
  unsigned at_limits = 0;       // a bit for each joint that stands at a bound
  unsigned blocking = 0;        // a bit for each joint whose bound keeps the tool from coming closer
  int iterations = 0, starts = 0;
};

struct SolveOptions {
  std::uint64_t seed = 0;
  int max_starts = 0;  // starts of any kind before the closest point is settled for; 0 for the default
};

// Damped least squares with clamping, as in many textbooks: one start, a fixed damping, position only.
struct DampedOptions {
  int max_iterations = 200;
  double damping = 0.05;
};

// Immutable after construction but for tables that are made when first needed; safe to use from many threads.
class Solver {
 public:
  explicit Solver(Chain chain);

  const Chain& chain() const { return chain_; }
  double rotation_weight() const { return rotation_weight_; }
  double reach() const { return reach_; }

  // `start` may be null.
  Solution solve(const Task& task, const double* start, const SolveOptions& options) const;
  Solution solve_damped(const Task& task, const double* start, const DampedOptions& options) const;

 private:
  struct Search;

  const SeedTable& table(bool is_pose) const;
  // The solution at `state`, on the turn closest to `near`, which may be null.
  Solution finish(const Task& task, const State& state, const double* near, int iterations, int starts) const;
  // From a start within limits to a solution near it, if there is one.
  bool solve_near(const Task& task, const double* near, Search& search, State& state) const;
  void explain(const Task& task, const Search& search, Solution& solution) const;

  Chain chain_;
  Chain bounded_;           // the same, but joints that turn more than once keep to their limits during a search
  double reach_;            // [m], beyond which nothing is
  double rotation_weight_;  // [m/rad]
  mutable std::once_flag made_[2];
  mutable std::unique_ptr<SeedTable> tables_[2];
};

}  // namespace horus::arm
