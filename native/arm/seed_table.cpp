#include "arm/seed_table.hpp"

#include <algorithm>
#include <numbers>

#include "arm/random.hpp"
#include "math/arc_tangent.hpp"

namespace horus::arm {
namespace {

constexpr std::uint64_t kTableSeed = 20240229;

// The range that is sampled: whole turns repeat themselves, and a joint without bounds needs some.
void sampled_range(const Joint& joint, double reach, double& low, double& high) {
  if (joint.wraps) {
    low = -std::numbers::pi, high = std::numbers::pi;
  } else {
    low = std::isfinite(joint.lower) ? joint.lower : -reach;
    high = std::isfinite(joint.upper) ? joint.upper : reach;
  }
}

}  // namespace

double reach_bound(const Chain& chain) {
  double reach = norm(chain.tool.frame.p);
  for (const Joint& joint : chain.joints) {
    reach += norm(joint.after.frame.p) + (&joint == chain.joints.data() ? 0.0 : norm(joint.before.frame.p));
    double slide = std::abs(joint.distance);
    if (joint.is_prismatic) {
      slide = std::max(std::abs(joint.distance + joint.lower), std::abs(joint.distance + joint.upper));
    }
    reach += slide;
  }
  return reach;
}

SeedTable::SeedTable(const Chain& chain, bool is_pose, double rotation_weight, int samples)
    : is_pose_(is_pose), weight_(rotation_weight) {
  const int n = chain.dof();
  const Joint &first = chain.joints.front(), &last = chain.joints.back();
  spins_first_ = !first.is_prismatic;
  spins_last_ = is_pose && n > 1 && !last.is_prismatic;
  dimensions_ = (spins_first_ ? 2 : 3) + (!is_pose ? 0 : spins_last_ ? 3 : 6);
  T_first_base_ = inverse(times(chain.base, first.before));
  const Frame unmoved{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, last.distance}};
  T_tool_wrist_ = inverse(times(times(unmoved, last.after), chain.tool));

  const double reach = std::min(reach_bound(chain), 1e3);
  Random random(kTableSeed);
  std::vector<float> keys;
  keys.reserve(static_cast<std::size_t>(samples) * dimensions_);
  configurations_.reserve(static_cast<std::size_t>(samples) * n);
  double q[kMaxDof];
  for (int k = 0; k < samples; ++k) {
    for (int i = 0; i < n; ++i) {
      double low, high;
      sampled_range(chain.joints[i], reach, low, high);
      q[i] = low + (high - low) * random.unit();
    }
    if (spins_first_) q[0] = 0.0;
    if (spins_last_) q[n - 1] = 0.0;
    const Key key = key_of(forward(chain, q));
    keys.insert(keys.end(), key.values, key.values + dimensions_);
    azimuths_.push_back(static_cast<float>(key.azimuth));
    for (int i = 0; i < n; ++i) configurations_.push_back(static_cast<float>(q[i]));
  }
  tree_ = KdTree(dimensions_, keys);
}

SeedTable::Key SeedTable::key_of(const Frame& T_base_tool) const {
  Frame T = compose(T_first_base_, spins_last_ ? compose(T_base_tool, T_tool_wrist_) : T_base_tool);
  Key key{};
  int d = 0;
  const auto add = [&](double value) { key.values[d++] = static_cast<float>(value); };
  double cosine = 1.0, sine = 0.0;
  if (spins_first_) {
    const double radius = std::sqrt(T.p.x * T.p.x + T.p.y * T.p.y);
    if (radius > 0.0) cosine = T.p.x / radius, sine = T.p.y / radius;
    key.azimuth = math::arc_tangent(sine, cosine);
    add(radius);
    add(T.p.z);
  } else {
    add(T.p.x), add(T.p.y), add(T.p.z);
  }
  if (!is_pose_) return key;
  const auto add_direction = [&](const Vec3& u) {
    add(weight_ * (cosine * u.x + sine * u.y));
    add(weight_ * (cosine * u.y - sine * u.x));
    add(weight_ * u.z);
  };
  add_direction(T.z);
  if (!spins_last_) add_direction(T.x);
  return key;
}

bool SeedTable::turn_first(const Chain& chain, double azimuth, double* q) const {
  const Joint& joint = chain.joints.front();
  constexpr double kTurn = 2.0 * std::numbers::pi;
  q[0] = azimuth - kTurn * std::round(azimuth / kTurn);
  if (joint.wraps) return true;
  const double middle = 0.5 * (joint.lower + joint.upper);
  q[0] -= kTurn * std::round((q[0] - middle) / kTurn);
  return q[0] >= joint.lower && q[0] <= joint.upper;
}

int SeedTable::starts(const Chain& chain, const Task& task, int wanted, double* starts) const {
  const int n = chain.dof();
  const Key key = key_of(task.target);
  Neighbour near[kMostStarts];
  constexpr int kLeaves = 12;
  const int found = tree_.nearest(key.values, std::span(near, std::min(wanted, kMostStarts)), kLeaves);
  int written = 0;
  for (int k = 0; k < found; ++k) {
    double* const q = starts + written * n;
    const float* const sample = configurations_.data() + static_cast<std::size_t>(near[k].index) * n;
    for (int i = 0; i < n; ++i) q[i] = std::clamp<double>(sample[i], chain.joints[i].lower, chain.joints[i].upper);
    if (spins_first_ && !turn_first(chain, key.azimuth - azimuths_[near[k].index], q)) continue;
    if (spins_last_) align_last(chain, task, q);
    ++written;
  }
  return written;
}

void align_last(const Chain& chain, const Task& task, double* q) {
  const int last = chain.dof() - 1;
  const Joint& joint = chain.joints[last];
  if (joint.is_prismatic) return;
  Vec3 z;
  q[last] = 0.0;
  const Frame T = walk(
      chain, q, [&](int, const Frame& at) { z = at.z; }, [](int, const Frame&) {});
  const Frame& G = task.target;
  const Vec3 twice_sine = cross(T.x, G.x) + cross(T.y, G.y) + cross(T.z, G.z);
  const double cosine = dot(T.x, G.x) + dot(T.y, G.y) + dot(T.z, G.z) -
                        (dot(z, T.x) * dot(z, G.x) + dot(z, T.y) * dot(z, G.y) + dot(z, T.z) * dot(z, G.z));
  constexpr double kTurn = 2.0 * std::numbers::pi;
  q[last] = math::arc_tangent(dot(z, twice_sine), cosine);
  if (joint.wraps) return;
  const double middle = 0.5 * (joint.lower + joint.upper);
  q[last] -= kTurn * std::round((q[last] - middle) / kTurn);
  q[last] = std::clamp(q[last], joint.lower, joint.upper);
}

}  // namespace horus::arm
