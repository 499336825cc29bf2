#include "arm/chain.hpp"

#include <algorithm>
#include <numbers>

namespace horus::arm {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

bool is_zero(const Vec3& v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

}  // namespace

Constant::Constant(const Frame& given) : frame(given) {
  const bool keeps_x = is_zero(given.x - Vec3{1.0, 0.0, 0.0}) && given.y.x == 0.0 && given.z.x == 0.0;
  const bool along_x = given.p.y == 0.0 && given.p.z == 0.0 && given.z.y == -given.y.z && given.z.z == given.y.y;
  shape = keeps_x && along_x ? Shape::kScrewX : Shape::kGeneral;
  if (shape == Shape::kScrewX && given.p.x == 0.0 && given.y.y == 1.0 && given.y.z == 0.0) shape = Shape::kIdentity;
}

void prepare(Chain& chain) {
  for (Joint& joint : chain.joints) {
    math::any_sine_cosine(joint.angle, joint.sin_angle, joint.cos_angle);
    joint.wraps = !joint.is_prismatic && joint.upper - joint.lower >= kTurn;
  }
}

void settle(const Chain& chain, const double* near, double* q) {
  for (int i = 0; i < chain.dof(); ++i) {
    const Joint& joint = chain.joints[i];
    if (joint.wraps) {
      const bool bounded = std::isfinite(joint.lower) && std::isfinite(joint.upper);
      const double wanted = near != nullptr ? near[i] : (bounded ? 0.5 * (joint.lower + joint.upper) : 0.0);
      double turned = q[i] - kTurn * std::round((q[i] - wanted) / kTurn);
      if (turned > joint.upper) turned -= kTurn * std::ceil((turned - joint.upper) / kTurn);
      if (turned < joint.lower) turned += kTurn * std::ceil((joint.lower - turned) / kTurn);
      q[i] = turned;
    }
    q[i] = std::clamp(q[i], joint.lower, joint.upper);
  }
}

void forward_all(const Chain& chain, const double* q, Frame* frames) {
  frames[chain.dof()] =
      walk(chain, q, [](int, const Frame&) {}, [frames](int i, const Frame& T_base_link) { frames[i] = T_base_link; });
}

void jacobian(const Chain& chain, const double* q, double* out) {
  const int n = chain.dof();
  Vec3 axis[kMaxDof], origin[kMaxDof];
  const Frame tool = walk(
      chain, q,
      [&](int i, const Frame& T) {
        axis[i] = T.z;
        origin[i] = T.p;
      },
      [](int, const Frame&) {});
  for (int i = 0; i < n; ++i) {
    const bool slides = chain.joints[i].is_prismatic;
    const Vec3 linear = slides ? axis[i] : cross(axis[i], tool.p - origin[i]);
    const Vec3 angular = slides ? Vec3{} : axis[i];
    const double column[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int row = 0; row < 6; ++row) out[row * n + i] = column[row];
  }
}

}  // namespace horus::arm
