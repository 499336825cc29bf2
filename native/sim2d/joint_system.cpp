// The linear equations of the joints: J M^-1 J^T impulses = -errors, with the sparse pattern that the model knows.
#include <algorithm>
#include <cmath>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// A pivot that is a smaller share of its first value belongs to a row that repeats others: it gets no impulse.
constexpr double kDependent = 1e-10;
// Share of its own response by which every row gives way, so that rows that almost repeat others do not ask for impulses
// without bound; passes bring the rest. Distances hold together nets, which fold.
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
    const double scale = 1.0 + softness_of(model.joints[i], scratch.joint_rows[i]);
    for (int k = 0; k < groups.row_count[i]; ++k) pivots[groups.first_row[i] + k] *= scale;
  }
  const int* target = groups.eliminated.data();
  for (int column = 0; column < total; ++column) {
    const int begin = groups.column_start[column];
    const int end = groups.column_start[column + 1];
    const double inverse = pivots[column] > kDependent * first[column] ? 1.0 / pivots[column] : 0.0;
    pivots[column] = inverse;
    for (int p = begin; p < end; ++p) {
      const double value = entries[p];
      const double share = value * inverse;
      pivots[groups.rows[p]] -= share * value;
      for (int q = p + 1; q < end; ++q) entries[*target++] -= share * entries[q];
      entries[p] = share;
    }
  }
}

// Replaces the right-hand side by the solution; false when it is not finite.
bool StepContext::solve_group(const JointGroup& group) {
  const JointGroups& groups = model.joint_groups;
  double* const values = scratch.joint_values.data();
  const double* const entries = scratch.joint_entries.data();
  for (int column = group.first_row; column < group.end_row; ++column) {
    const double value = values[column];
    for (int p = groups.column_start[column]; p < groups.column_start[column + 1]; ++p) {
      values[groups.rows[p]] -= entries[p] * value;
    }
  }
  double sum = 0.0;
  for (int column = group.end_row - 1; column >= group.first_row; --column) {
    double value = values[column] * scratch.joint_pivots[column];
    for (int p = groups.column_start[column]; p < groups.column_start[column + 1]; ++p) {
      value -= entries[p] * values[groups.rows[p]];
    }
    values[column] = value;
    sum += value;
  }
  return std::isfinite(sum);
}

}  // namespace horus::sim2d
