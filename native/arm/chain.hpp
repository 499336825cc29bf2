// A serial chain of revolute and prismatic joints that move about or along their z axes.
#pragma once

#include <cstddef>
#include <vector>

#include "arm/geometry.hpp"
#include "math/sine.hpp"

namespace horus::arm {

inline constexpr int kMaxDof = 32;

// A constant transform; its shape tells which products with it are cheap.
struct Constant {
  enum class Shape : unsigned char { kIdentity, kScrewX, kGeneral };
  Shape shape = Shape::kIdentity;
  Frame frame;

  Constant() = default;
  explicit Constant(const Frame& frame);
};

// One joint: T_above_below(q) = before * Rz(angle) * Tz(distance) * after, where q is added to the angle of a revolute
// joint and to the distance of a prismatic one.
struct Joint {
  bool is_prismatic = false;
  double angle = 0.0;     // [rad]
  double distance = 0.0;  // [m]
  double cos_angle = 1.0, sin_angle = 0.0;
  Constant before, after;
  double lower = 0.0, upper = 0.0;  // [rad] or [m]; infinite where there is no bound
  // A revolute joint with a range of a full turn or more: any angle is within its limits after whole turns.
  bool wraps = false;
};

struct Chain {
  Frame base;
  std::vector<Joint> joints;
  Constant tool;

  int dof() const { return static_cast<int>(joints.size()); }
};

// Fills in what follows from the other fields of each joint.
void prepare(Chain& chain);

// The joint positions moved into their limits, those that wrap to the turn that is closest to `near` (or to the middle
// of their limits, 0 if there are none, where `near` is null).
void settle(const Chain& chain, const double* near, double* q);

inline Frame times(const Frame& T, const Constant& c) {
  switch (c.shape) {
    case Constant::Shape::kIdentity:
      return T;
    case Constant::Shape::kScrewX: {
      const double cosine = c.frame.y.y, sine = c.frame.y.z;
      return {T.x, cosine * T.y + sine * T.z, cosine * T.z - sine * T.y, T.p + c.frame.p.x * T.x};
    }
    default:
      return compose(T, c.frame);
  }
}

// Rz(angle) Tz(distance) applied to T on the right.
inline Frame turn_and_slide(const Frame& T, double cosine, double sine, double distance) {
  return {cosine * T.x + sine * T.y, cosine * T.y - sine * T.x, T.z, T.p + distance * T.z};
}

inline Frame moved(const Frame& T, const Joint& joint, double q) {
  if (joint.is_prismatic) return turn_and_slide(T, joint.cos_angle, joint.sin_angle, joint.distance + q);
  double sine, cosine;
  math::any_sine_cosine(joint.angle + q, sine, cosine);
  return turn_and_slide(T, cosine, sine, joint.distance);
}

// Walks from the base to the tool. `at_joint(i, T_base_joint)` is called with the frame in which joint i moves, before
// it moved; `below(i, T_base_link)` with the frame that the joint carries.
template <class AtJoint, class Below>
inline Frame walk(const Chain& chain, const double* q, AtJoint&& at_joint, Below&& below) {
  Frame T = chain.base;
  const int n = chain.dof();
  const Joint* const joints = chain.joints.data();
  for (int i = 0; i < n; ++i) {
    T = times(T, joints[i].before);
    at_joint(i, T);
    T = times(moved(T, joints[i], q[i]), joints[i].after);
    below(i, T);
  }
  return times(T, chain.tool);
}

inline Frame forward(const Chain& chain, const double* q) {
  return walk(chain, q, [](int, const Frame&) {}, [](int, const Frame&) {});
}

// Frames below each joint and then the tool: dof + 1 of them.
void forward_all(const Chain& chain, const double* q, Frame* frames);

// Geometric Jacobian of the tool in base coordinates, row-major (6, dof): linear above angular velocity.
void jacobian(const Chain& chain, const double* q, double* out);

}  // namespace horus::arm
