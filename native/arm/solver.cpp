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
constexpr int kPolish = 60;
// Poses that are missed by this much of the reach at most are worth more starts: many of them are reachable.
struct Effort {
  double missed_by;
  int starts;
};
constexpr Effort kEfforts[] = {{0.08, 208}, {0.02, 320}};
// A miss this small is most often a stretched or folded arm that stopped beside a solution, or half a turn from one.
constexpr Effort kNearMiss{0.002, 2000};
constexpr double kBeside = 0.4;  // [rad, m]
constexpr DescentOptions kFromGiven{24, 5};
constexpr DescentOptions kCareful{80, 12, 0.1};
// A target that is this much of the reach away at most should not take a joint farther than this [rad, m].
constexpr double kClose = 0.1, kFarMove = 0.6;
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

// Somewhere beside `q`, or with two of its joints half a turn away.
void move_aside(const Chain& chain, Random& random, double* q) {
  const int n = chain.dof();
  if (random.bits() % 2 == 0) {
    for (int i = 0; i < n; ++i) q[i] += kBeside * (2.0 * random.unit() - 1.0);
  } else {
    const int one = static_cast<int>(random.bits() % n), other = static_cast<int>(random.bits() % n);
    for (const int i : {one, other}) {
      const Joint& joint = chain.joints[i];
      if (joint.is_prismatic) continue;
      const double middle = joint.wraps ? 0.0 : 0.5 * (joint.lower + joint.upper);
      q[i] += q[i] > middle ? -std::numbers::pi : std::numbers::pi;
    }
  }
  settle(chain, q, q);
}

double largest_move(const Chain& chain, const double* from, const double* to) {
  double most = 0.0;
  for (int i = 0; i < chain.dof(); ++i) most = std::max(most, std::abs(to[i] - from[i]));
  return most;
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
  bounded_ = chain_;
  for (Joint& joint : bounded_.joints) {
    joint.wraps = joint.wraps && !(std::isfinite(joint.lower) && std::isfinite(joint.upper));
  }
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

Solution Solver::finish(const Task& task, const State& state, const double* near, int iterations, int starts) const {
  const int n = chain_.dof();
  State settled;
  std::copy_n(state.q, n, settled.q);
  settle(chain_, near, settled.q);
  // Whole turns cost a rounding: what is reported is measured on what is returned.
  evaluate(chain_, task, settled);
  if (near != nullptr && state.meets(task) && !settled.meets(task)) {
    // So many turns that the angle has too few digits left: the first turn will do.
    std::copy_n(state.q, n, settled.q);
    settle(chain_, nullptr, settled.q);
    evaluate(chain_, task, settled);
  }
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

bool Solver::solve_near(const Task& task, const double* near, Search& search, State& state) const {
  const int n = chain_.dof();
  const auto attempt = [&](const Chain& chain, const DescentOptions& descent, State& from) {
    std::copy_n(near, n, from.q);
    evaluate(chain, task, from);
    search.iterations += descend(chain, task, descent, from);
    return from.meets(task);
  };
  ++search.starts;
  std::copy_n(near, n, state.q);
  evaluate(chain_, task, state);
  const bool is_close = state.cost < kClose * kClose * reach_ * reach_;
  const bool solved = attempt(chain_, kFromGiven, state);
  double settled[kMaxDof];
  std::copy_n(state.q, n, settled);
  settle(chain_, near, settled);
  const double moved = largest_move(chain_, near, settled);
  // Turned back into its range, a joint is elsewhere than the search thought.
  const bool turned = largest_move(chain_, state.q, settled) > 1e-9;
  const bool is_far = is_close && moved > kFarMove;
  if (solved && !turned && !is_far) return true;
  if (!turned && !is_close) return solved;
  // Within limits from the outset, and then by short steps, which do not leap to another branch; the answer that moves
  // least wins.
  bool found = solved;
  double least = moved;
  for (const DescentOptions& descent : {kFromGiven, kCareful}) {
    const bool is_careful = descent.longest_step > 0.0;
    if (is_careful && !is_close) break;
    State other;
    bool arrived = attempt(bounded_, descent, other);
    if (!arrived && is_careful) {
      // Along limits Gauss-Newton steps may stall; Newton's find out which joints can leave them.
      search.iterations += settle_closest(bounded_, task, kPolish, true, other);
      arrived = other.meets(task);
    }
    if (!arrived) continue;
    const double other_moved = largest_move(chain_, near, other.q);
    if (!found || other_moved < least) {
      state = other;
      found = true;
      least = other_moved;
    }
    if (least <= kFarMove) break;
  }
  return found;
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
  // Where the answer should be near; a start outside of the limits is moved inside.
  double inside[kMaxDof];
  const double* near = nullptr;
  const auto solved = [&] { return finish(task, state, near, search.iterations, search.starts); };

  const Frame first = times(chain_.base, chain_.joints.front().before);
  const bool too_far = norm(task.target.p - first.p) > reach_ + task.position_tolerance;
  if (start != nullptr) {
    std::copy_n(start, n, inside);
    settle(chain_, start, inside);
    near = inside;
    if (solve_near(task, near, search, state)) return solved();
    search.keep(state);
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
  const auto attempt_random = [&](int budget) {
    while (search.starts < budget) {
      double q[kMaxDof];
      random_configuration(chain_, random, q);
      if (task.is_pose) align_last(chain_, task, q);
      if (attempt(q, kFromRandom)) return true;
    }
    return false;
  };
  if (attempt_random(std::min(too_far ? search.starts + 8 : most, most))) return solved();
  // Of the best ends; they stay in order.
  const auto polish = [&] {
    for (int k = 0; k < search.kept; ++k) {
      search.iterations += settle_closest(chain_, task, kPolish, true, search.best[k]);
      if (search.best[k].meets(task)) {
        state = search.best[k];
        return true;
      }
    }
    std::stable_sort(search.best, search.best + search.kept,
                     [](const State& a, const State& b) { return a.cost < b.cost; });
    return false;
  };
  if (polish()) return solved();
  // A joint that stands at a bound may find what it needs almost a turn away, at the other one.
  const auto attempt_turned = [&] {
    const Search ended = search;
    for (int k = 0; k < ended.kept; ++k) {
      for (int i = 0; i < n; ++i) {
        const Joint& joint = chain_.joints[i];
        const double at = ended.best[k].q[i];
        if (joint.is_prismatic || joint.wraps || (at > joint.lower && at < joint.upper)) continue;
        double q[kMaxDof];
        std::copy_n(ended.best[k].q, n, q);
        q[i] = at <= joint.lower ? joint.upper : joint.lower;
        if (i != n - 1) align_last(chain_, task, q);
        if (attempt(q, kFromRandom)) return true;
        const Joint& last = chain_.joints.back();
        if (i == n - 1 || last.is_prismatic || last.wraps) continue;
        q[n - 1] = q[n - 1] > 0.5 * (last.lower + last.upper) ? last.lower : last.upper;
        if (attempt(q, kFromRandom)) return true;
      }
    }
    return false;
  };
  if (task.is_pose && !too_far && options.max_starts <= 0) {
    if (attempt_turned()) return solved();
    for (const Effort& effort : kEfforts) {
      const double most_missed = effort.missed_by * reach_;
      if (search.best[0].cost > most_missed * most_missed) break;
      if (attempt_random(effort.starts) || polish()) return solved();
    }
    const double near_miss = kNearMiss.missed_by * reach_;
    for (int k = 0; search.starts < kNearMiss.starts && search.best[0].cost < near_miss * near_miss; ++k) {
      double q[kMaxDof];
      if (k % 4 == 3) {
        random_configuration(chain_, random, q);
      } else {
        std::copy_n(search.best[k % search.kept].q, n, q);
        move_aside(chain_, random, q);
      }
      if (k % 2 == 0) align_last(chain_, task, q);
      if (attempt(q, kFromRandom)) return solved();
    }
    if (polish()) return solved();
  }
  Solution solution = finish(task, search.best[0], near, search.iterations, search.starts);
  explain(task, search, solution);
  return solution;
}

void Solver::explain(const Task& task, const Search& search, Solution& solution) const {
  if (solution.reason == Reason::kSolved) return;
  const State& closest = search.best[0];
  solution.reason = Reason::kOutOfReach;
  const unsigned blocking = blocking_joints(chain_, task, closest);
  if (blocking == 0) return;
  // Would the tool come closer without limits?
  for (int k = 0; k < search.kept; ++k) {
    State free = search.best[k];
    settle_closest(chain_, task, kPolish, false, free);
    if (free.meets(task) || free.cost < 0.81 * closest.cost) {
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
