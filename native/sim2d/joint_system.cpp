// The linear equations of the joints: J M^-1 J^T impulses = -errors, with the sparse pattern that the model knows.
#include <algorithm>
#include <cmath>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// A pivot that is a smaller share of its first value belongs to a row that repeats others: it gets no impulse.
constexpr double kDependent = 1e-10;
// Share of its own response by which every row gives way, so that rows that almost repeat others do not ask for impulses
// without bound; passes bring the rest. That of a point without its levers: with them, a light body would give way along them
// as it does across. Distances hold together nets, which fold.
constexpr double kDistanceSoftness = 1e-2;
constexpr double kHingeSoftness = 1e-3;

double softness_of(const JointDef& joint, const JointRow& row) {
  if (row.gamma > 0.0) return 0.0;
  if (joint.kind == JointKind::kDistance) return kDistanceSoftness;
  return joint.kind == JointKind::kRigid || row.limit != 0 ? kAngleSoftness : kHingeSoftness;
}

}  // namespace

void StepContext::factorize_joints() {
  const JointGroups& groups = model.joint_groups;
  const int total = groups.row_total();
  std::vector<double>& pivots = scratch.joint_pivots;
  std::vector<double>& entries = scratch.joint_entries;
  pivots.resize(static_cast<std::size_t>(total));
  entries.assign(groups.rows.size(), 0.0);
  scratch.joint_values.resize(static_cast<std::size_t>(total));
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const BodyParams& pa = world.params[model.joints[i].a];
    const BodyParams& pb = world.params[model.joints[i].b];
    const JointRow& row = scratch.joint_rows[i];
    const int* inner = &groups.inner[3 * i];
    for (int m = 0; m < groups.row_count[i]; ++m) {
      const JointLine& line = row.lines[m];
      // The angle of a rigid joint is never soft.
      const double softness = m < 2 ? row.gamma : 0.0;
      pivots[groups.first_row[i] + m] = response(pa, line.a, line.a) + response(pb, line.b, line.b) + softness;
      for (int k = 0; k < m; ++k, ++inner) {
        entries[*inner] = response(pa, line.a, row.lines[k].a) + response(pb, line.b, row.lines[k].b);
      }
    }
  }
  for (const JointCoupling& coupling : groups.couplings) {
    const BodyParams& params = world.params[coupling.body];
    const JointRow& later = scratch.joint_rows[coupling.later];
    const JointRow& earlier = scratch.joint_rows[coupling.earlier];
    for (int m = 0; m < groups.row_count[coupling.later]; ++m) {
      const double* const one = coupling.later_is_b ? later.lines[m].b : later.lines[m].a;
      for (int k = 0; k < groups.row_count[coupling.earlier]; ++k) {
        const double* const other = coupling.earlier_is_b ? earlier.lines[k].b : earlier.lines[k].a;
        entries[coupling.at[m][k]] += response(params, one, other);
      }
    }
  }
  // Values until a column is eliminated keep what its pivot was at first.
  std::vector<double>& first = scratch.joint_values;
  std::copy(pivots.begin(), pivots.end(), first.begin());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDef& joint = model.joints[i];
    const double softness = softness_of(joint, scratch.joint_rows[i]);
    const double without_levers = world.params[joint.a].inv_mass + world.params[joint.b].inv_mass;
    for (int k = 0; k < groups.row_count[i]; ++k) {
      double& pivot = pivots[groups.first_row[i] + k];
      pivot += softness * (k < 2 ? std::min(pivot, without_levers) : pivot);
    }
  }
  for (std::size_t begin = 0; begin < groups.groups.size(); begin += kGroupsAtOnce) eliminate_groups(begin);
}

// The columns of a few groups in turn: a group waits for each of its divisions, during which others go on.
void StepContext::eliminate_groups(std::size_t begin) {
  const JointGroups& groups = model.joint_groups;
  double* const pivots = scratch.joint_pivots.data();
  double* const entries = scratch.joint_entries.data();
  const double* const first = scratch.joint_values.data();
  const std::size_t count = std::min<std::size_t>(kGroupsAtOnce, groups.groups.size() - begin);
  const JointGroup* const chosen = &groups.groups[begin];
  const int* targets[kGroupsAtOnce];
  int longest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    targets[k] = groups.eliminated.data() + chosen[k].first_eliminated;
    longest = std::max(longest, chosen[k].end_row - chosen[k].first_row);
  }
  for (int step = 0; step < longest; ++step) {
    for (std::size_t k = 0; k < count; ++k) {
      const int column = chosen[k].first_row + step;
      if (column >= chosen[k].end_row) continue;
      const int start = groups.column_start[column];
      const int end = groups.column_start[column + 1];
      const double inverse = pivots[column] > kDependent * first[column] ? 1.0 / pivots[column] : 0.0;
      pivots[column] = inverse;
      const int* target = targets[k];
      for (int p = start; p < end; ++p) {
        const double value = entries[p];
        const double share = value * inverse;
        pivots[groups.rows[p]] -= share * value;
        for (int q = p + 1; q < end; ++q) entries[*target++] -= share * entries[q];
        entries[p] = share;
      }
      targets[k] = target;
    }
  }
}

// Replaces right-hand sides by solutions. Groups that share no body are solved side by side: each number waits for the one
// before it, but only in its own group.
void StepContext::solve_equations(GroupSolution* solutions, int count) {
  const JointGroups& groups = model.joint_groups;
  double* const values = scratch.joint_values.data();
  const double* const entries = scratch.joint_entries.data();
  const double* const pivots = scratch.joint_pivots.data();
  const int* const rows = groups.rows.data();
  const int* const starts = groups.column_start.data();
  int longest = 0;
  for (int k = 0; k < count; ++k) longest = std::max(longest, solutions[k].group->end_row - solutions[k].group->first_row);
  for (int step = 0; step < longest; ++step) {
    for (int k = 0; k < count; ++k) {
      const int column = solutions[k].group->first_row + step;
      if (column >= solutions[k].group->end_row) continue;
      const double value = values[column];
      for (int p = starts[column]; p < starts[column + 1]; ++p) values[rows[p]] -= entries[p] * value;
    }
  }
  for (int step = 1; step <= longest; ++step) {
    for (int k = 0; k < count; ++k) {
      const int column = solutions[k].group->end_row - step;
      if (column < solutions[k].group->first_row) continue;
      double value = values[column] * pivots[column];
      for (int p = starts[column]; p < starts[column + 1]; ++p) value -= entries[p] * values[rows[p]];
      values[column] = value;
      solutions[k].sum += value;
    }
  }
}

}  // namespace horus::sim2d
