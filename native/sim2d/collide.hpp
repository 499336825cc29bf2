// Contacts of two convex shapes: touching now, or meeting during the step.
#pragma once

#include <cstdint>

#include "sim2d/math.hpp"

namespace horus::sim2d {

// A shape where it is in the world; a circle has no vertices.
struct Hull {
  Vec2 center;
  const Vec2* vertices = nullptr;
  const Vec2* normals = nullptr;
  int count = 0;
  double radius = 0.0;
};

// Of the name of a point: the other body is clipped at a face of b, not of a.
inline constexpr std::uint32_t kFaceOfB = 1u << 31;

struct ManifoldPoint {
  // From the centers of the two bodies.
  Vec2 ra;
  Vec2 rb;
  // Along the normal at the start of the step; positive for a contact that is still to come.
  double separation = 0.0;
  // Names the features that touch, so that impulses survive from step to step.
  std::uint32_t id = 0;
};

struct Manifold {
  // Unit, from a to b.
  Vec2 normal;
  int count = 0;
  ManifoldPoint points[2];
};

// `motion` is how far b moves relative to a during the step. Shapes nearer than `margin` touch. False for no contact. The
// other end of a face that touches is a point too where it comes nearer by up to `reach` during the step.
bool collide(const Hull& a, const Hull& b, Vec2 motion, double margin, double reach, bool swept, Manifold& manifold);

}  // namespace horus::sim2d
