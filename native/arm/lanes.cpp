#include "arm/lanes.hpp"

namespace horus::arm {
namespace {

using Lane = double[kLanes];

// One component of the four columns of a frame, for all lanes.
struct Row {
  Lane x, y, z, p;
};

void turn_and_slide(Row& row, const Lane& cosine, const Lane& sine, const Lane& distance) {
  for (int k = 0; k < kLanes; ++k) {
    const double x = cosine[k] * row.x[k] + sine[k] * row.y[k], y = cosine[k] * row.y[k] - sine[k] * row.x[k];
    row.p[k] = row.p[k] + distance[k] * row.z[k];
    row.x[k] = x, row.y[k] = y;
  }
}

void multiply(Row& row, const Constant& c) {
  const Frame& f = c.frame;
  if (c.shape == Constant::Shape::kIdentity) return;
  if (c.shape == Constant::Shape::kScrewX) {
    const double cosine = f.y.y, sine = f.y.z, shift = f.p.x;
    for (int k = 0; k < kLanes; ++k) {
      const double y = cosine * row.y[k] + sine * row.z[k], z = cosine * row.z[k] - sine * row.y[k];
      row.p[k] = row.p[k] + shift * row.x[k];
      row.y[k] = y, row.z[k] = z;
    }
    return;
  }
  for (int k = 0; k < kLanes; ++k) {
    const double x = row.x[k], y = row.y[k], z = row.z[k];
    row.x[k] = f.x.x * x + f.x.y * y + f.x.z * z;
    row.y[k] = f.y.x * x + f.y.y * y + f.y.z * z;
    row.z[k] = f.z.x * x + f.z.y * y + f.z.z * z;
    row.p[k] = row.p[k] + (f.p.x * x + f.p.y * y + f.p.z * z);
  }
}

}  // namespace

void forward_lanes(const Chain& chain, const double* q, double* out) {
  const int n = chain.dof();
  Row rows[3];
  const double start[3][4] = {{chain.base.x.x, chain.base.y.x, chain.base.z.x, chain.base.p.x},
                              {chain.base.x.y, chain.base.y.y, chain.base.z.y, chain.base.p.y},
                              {chain.base.x.z, chain.base.y.z, chain.base.z.z, chain.base.p.z}};
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < kLanes; ++k) {
      rows[r].x[k] = start[r][0], rows[r].y[k] = start[r][1], rows[r].z[k] = start[r][2], rows[r].p[k] = start[r][3];
    }
  }
  for (int i = 0; i < n; ++i) {
    const Joint& joint = chain.joints[i];
    Lane angle, cosine, sine, distance;
    bool large = false;
    for (int k = 0; k < kLanes; ++k) {
      const double moved = q[k * n + i];
      angle[k] = joint.is_prismatic ? joint.angle : joint.angle + moved;
      distance[k] = joint.is_prismatic ? joint.distance + moved : joint.distance;
      large |= !(std::abs(angle[k]) < math::kLargeAngle);
    }
    if (large) {
      for (int k = 0; k < kLanes; ++k) math::any_sine_cosine(angle[k], sine[k], cosine[k]);
    } else {
      for (int k = 0; k < kLanes; ++k) math::sine_cosine(angle[k], sine[k], cosine[k]);
    }
    for (Row& row : rows) {
      multiply(row, joint.before);
      turn_and_slide(row, cosine, sine, distance);
      multiply(row, joint.after);
    }
  }
  for (Row& row : rows) multiply(row, chain.tool);
  for (int k = 0; k < kLanes; ++k) {
    double* const m = out + 16 * k;
    for (int r = 0; r < 3; ++r) {
      m[4 * r] = rows[r].x[k], m[4 * r + 1] = rows[r].y[k], m[4 * r + 2] = rows[r].z[k], m[4 * r + 3] = rows[r].p[k];
    }
    m[12] = 0.0, m[13] = 0.0, m[14] = 0.0, m[15] = 1.0;
  }
}

}  // namespace horus::arm
