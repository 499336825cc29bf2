#include "arm/solver.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "arm/closest.hpp"
#include "arm/descent.hpp"
#include "arm/random.hpp"

namespace horus::arm {
namespace {

constexpr int kSamples[2] = {16384, 32768};
constexpr int kDefaultStarts = 96;
constexpr DescentOptions kFromGiven{24, 5};
constexpr DescentOptions kFromTable{16, 3};
constexpr DescentOptions kFromRandom{40, 5};

void random_configuration(const Chain& chain, Random& random, double* q) {
  for (int i = 0; i < chain.dof(); ++i) {
    const Joint& joint = chain.joints[i];
    const bool bounded = std::isfinite(joint.lower) && std::isfinite(joint.upper);
    const double low = joint.wraps ? -std::numbers::pi : (bounded ? joint.lower : -1.0);
    const double high = joint.wraps ? std::numbers::pi : (bounded ? joint.upper : 1.0);
    q[i] = std::clamp(low + (high - low) * random.unit(), joint.lower, joint.upper);
  }
}

}  // namespace

// The best ends of the starts so far, best first.
struct Solver::Search {
  static constexpr int kKept = 6;
  State best[kKept];
  int kept = 0;
  int iterations = 0, starts = 0;

  void keep(const State& state) {
    for (int k = 0; k < kept; ++k) {
      // Another start that ended in the same place teaches nothing.
      if (std::abs(best[k].cost - state.cost) <= 1e-6 * state.cost) return;
    }
    if (kept == kKept && best[kKept - 1].cost <= state.cost) return;
    int place = kept < kKept ? kept++ : kKept - 1;
    for (; place > 0 && best[place - 1].cost > state.cost; --place) best[place] = best[place - 1];
    best[place] = state;
  }
};

Solver::Solver(Chain chain) : chain_(std::move(chain)) {
  prepare(chain_);
  reach_ = reach_bound(chain_);
  const double length = std::isfinite(reach_) ? reach_ : 1.0;
  rotation_weight_ = std::max(1e-3, 0.25 * length);
}

const SeedTable& Solver::table(bool is_pose) const {
  std::call_once(made_[is_pose], [&] {
    tables_[is_pose] = std::make_unique<SeedTable>(chain_, is_pose, rotation_weight_, kSamples[is_pose]);
  });
  return *tables_[is_pose];
}

Solution Solver::finish(const Task& task, const State& state, const double* start, int iterations, int starts) const {
  const int n = chain_.dof();
  State settled;
  std::copy_n(state.q, n, settled.q);
  settle(chain_, start, settled.q);
  // Whole turns cost a rounding: what is reported is measured on what is returned.
  evaluate(chain_, task, settled);
  Solution solution;
  std::copy_n(settled.q, n, solution.q);
  solution.reason = settled.meets(task) ? Reason::kSolved : Reason::kNotConverged;
  solution.position_error = settled.position_distance;
  solution.rotation_error = settled.rotation_distance;
  solution.iterations = iterations;
  solution.starts = starts;
  for (int i = 0; i < n; ++i) {
    const Joint& joint = chain_.joints[i];
    if (settled.q[i] <= joint.lower || settled.q[i] >= joint.upper) solution.at_limits |= 1u << i;
  }
  return solution;
}

Solution Solver::solve(const Task& task, const double* start, const SolveOptions& options) const {
  const int n = chain_.dof();
  const int most = options.max_starts > 0 ? options.max_starts : kDefaultStarts;
  Search search;
  State state;
  const auto attempt = [&](const double* q, const DescentOptions& descent) {
    std::copy_n(q, n, state.q);
    evaluate(chain_, task, state);
    search.iterations += descend(chain_, task, descent, state);
    ++search.starts;
    if (state.meets(task)) return true;
    search.keep(state);
    return false;
  };
  const auto solved = [&] { return finish(task, state, start, search.iterations, search.starts); };

  const Frame first = times(chain_.base, chain_.joints.front().before);
  const bool too_far = norm(task.target.p - first.p) > reach_ + task.position_tolerance;
  if (start != nullptr) {
    double q[kMaxDof];
    std::copy_n(start, n, q);
    settle(chain_, start, q);
    if (attempt(q, kFromGiven)) return solved();
  }
  double from_table[SeedTable::kMostStarts * kMaxDof];
  int found = 0;
  for (int wanted = 2; wanted <= SeedTable::kMostStarts && search.starts < most; wanted = wanted == 2 ? 16 : 17) {
    const int tried = found;
    found = table(task.is_pose).starts(chain_, task, wanted, from_table);
    for (int k = tried; k < found && search.starts < most; ++k) {
      if (attempt(from_table + k * n, kFromTable)) return solved();
    }
  }
  Random random(options.seed);
  for (int budget = too_far ? search.starts + 8 : most; search.starts < std::min(budget, most);) {
    double q[kMaxDof];
    random_configuration(chain_, random, q);
    if (task.is_pose) align_last(chain_, task, q);
    if (attempt(q, kFromRandom)) return solved();
  }
  constexpr int kPolish = 60;
  for (int k = 0; k < search.kept; ++k) {
    search.iterations += settle_closest(chain_, task, kPolish, true, search.best[k]);
    if (search.best[k].meets(task)) {
      state = search.best[k];
      return solved();
    }
  }
  const State* const closest = std::min_element(
      search.best, search.best + search.kept, [](const State& a, const State& b) { return a.cost < b.cost; });
  Solution solution = finish(task, *closest, start, search.iterations, search.starts);
  explain(task, search, solution);
  return solution;
}

void Solver::explain(const Task& task, const Search& search, Solution& solution) const {
  if (solution.reason == Reason::kSolved) return;
  const State* const closest = std::min_element(
      search.best, search.best + search.kept, [](const State& a, const State& b) { return a.cost < b.cost; });
  solution.reason = Reason::kOutOfReach;
  const unsigned blocking = blocking_joints(chain_, task, *closest);
  if (blocking == 0) return;
  // Would the tool come closer without limits?
  constexpr int kPolish = 60;
  for (int k = 0; k < search.kept; ++k) {
    State free = search.best[k];
    settle_closest(chain_, task, kPolish, false, free);
    if (free.meets(task) || free.cost < 0.81 * closest->cost) {
      solution.reason = Reason::kBlockedByLimits;
      solution.blocking = blocking;
      return;
    }
  }
}

Solution Solver::solve_damped(const Task& task, const double* start, const DampedOptions& options) const {
  const int n = chain_.dof();
  State state;
  std::copy_n(start, n, state.q);
  for (int i = 0; i < n; ++i) state.q[i] = std::clamp(state.q[i], chain_.joints[i].lower, chain_.joints[i].upper);
  evaluate(chain_, task, state);
  int iteration = 0;
  Chain unbounded = chain_;
  for (Joint& joint : unbounded.joints) joint.wraps = true;
  for (; iteration < options.max_iterations && !state.meets(task); ++iteration) {
    double q[kMaxDof];
    bounded_step(unbounded, task, state, options.damping * options.damping, q);
    for (int i = 0; i < n; ++i) state.q[i] = std::clamp(q[i], chain_.joints[i].lower, chain_.joints[i].upper);
    evaluate(chain_, task, state);
  }
  return finish(task, state, start, iteration, 1);
}

}  // namespace horus::arm
