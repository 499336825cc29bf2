#include "sim2d/collide.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace horus::sim2d {
namespace {

constexpr double kNever = 2.0;
// Prefer the first body's face when both are as good, so that the manifold does not alternate.
constexpr double kPreference = 1e-5;

// When a point that moves by `motion` enters the circle of `radius` about the origin, as a share of the step.
double time_of_entry(Vec2 from, Vec2 motion, double radius) {
  const double approach = dot(from, motion);
  if (approach >= 0.0) return kNever;
  const double squared = dot(motion, motion);
  const double discriminant = approach * approach - squared * (dot(from, from) - radius * radius);
  if (discriminant < 0.0) return kNever;
  return (-approach - std::sqrt(discriminant)) / squared;
}

bool collide_circles(const Hull& a, const Hull& b, Vec2 motion, double margin, bool swept, Manifold& manifold) {
  const Vec2 offset = b.center - a.center;
  const double reach = a.radius + b.radius;
  const double squared = dot(offset, offset);
  manifold.count = 1;
  ManifoldPoint& point = manifold.points[0];
  point.id = 1;
  if (squared <= (reach + margin) * (reach + margin)) {
    const double distance = std::sqrt(squared);
    manifold.normal = distance > 0.0 ? (1.0 / distance) * offset : Vec2{1.0, 0.0};
    point.separation = distance - reach;
  } else {
    if (!swept) return false;
    const double t = time_of_entry(offset, motion, reach);
    if (t > 1.0) return false;
    manifold.normal = (1.0 / reach) * (offset + t * motion);
    point.separation = -t * dot(motion, manifold.normal);
  }
  point.ra = a.radius * manifold.normal;
  point.rb = -b.radius * manifold.normal;
  return true;
}

// The first moment at which the circle, moving by `motion`, touches the polygon.
bool sweep_circle(const Hull& polygon, const Hull& circle, Vec2 motion, Manifold& manifold) {
  double first = kNever;
  for (int i = 0; i < polygon.count; ++i) {
    const Vec2 v = polygon.vertices[i];
    const Vec2 n = polygon.normals[i];
    const double separation = dot(n, circle.center - v) - circle.radius;
    const double rate = dot(n, motion);
    if (rate < 0.0 && separation >= 0.0) {
      const double t = -separation / rate;
      const Vec2 edge = polygon.vertices[i + 1 < polygon.count ? i + 1 : 0] - v;
      const double along = dot(circle.center + t * motion - v, edge);
      if (t < first && along >= 0.0 && along <= dot(edge, edge)) {
        first = t;
        manifold.normal = n;
      }
    }
    const double t = time_of_entry(circle.center - v, motion, circle.radius);
    if (t >= 0.0 && t < first) {
      first = t;
      manifold.normal = (1.0 / circle.radius) * (circle.center + t * motion - v);
    }
  }
  if (first > 1.0) return false;
  ManifoldPoint& point = manifold.points[0];
  point.separation = -first * dot(motion, manifold.normal);
  point.rb = -circle.radius * manifold.normal;
  point.ra = circle.center + first * motion + point.rb - polygon.center;
  return true;
}

bool collide_polygon_circle(const Hull& a, const Hull& b, Vec2 motion, double margin, bool swept, Manifold& manifold) {
  manifold.count = 1;
  ManifoldPoint& point = manifold.points[0];
  point.id = 1;
  int face = 0;
  double separation = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < a.count; ++i) {
    const double s = dot(a.normals[i], b.center - a.vertices[i]);
    if (s > separation) {
      separation = s;
      face = i;
    }
  }
  const double reach = b.radius + margin;
  if (separation > reach) {
    // What does not come near this face does not come near the polygon.
    const bool comes_near = swept && separation + dot(a.normals[face], motion) <= reach;
    return comes_near && sweep_circle(a, b, motion, manifold);
  }
  const Vec2 v1 = a.vertices[face];
  const Vec2 v2 = a.vertices[face + 1 < a.count ? face + 1 : 0];
  const bool before = separation > 0.0 && dot(b.center - v1, v2 - v1) < 0.0;
  const bool behind = separation > 0.0 && dot(b.center - v2, v1 - v2) < 0.0;
  if (before || behind) {
    const Vec2 offset = b.center - (before ? v1 : v2);
    const double distance = length(offset);
    if (distance > reach) {
      const bool comes_near = swept && distance * (distance - reach) <= -dot(offset, motion);
      return comes_near && sweep_circle(a, b, motion, manifold);
    }
    manifold.normal = distance > 0.0 ? (1.0 / distance) * offset : a.normals[face];
    separation = distance;
  } else {
    manifold.normal = a.normals[face];
  }
  point.separation = separation - b.radius;
  point.rb = -b.radius * manifold.normal;
  point.ra = b.center + point.rb - a.center;
  return true;
}

struct Axis {
  double separation = -std::numeric_limits<double>::infinity();
  int face = 0;
};

// Searches the face of a along which b, moved by `offset`, is farthest away. False as soon as one shows that the two
// neither touch nor meet; otherwise `entry` is when, as far as these faces know, they meet.
// kCountA and kCountB are the numbers of vertices, or 0 where the hulls say them: loops over boxes are unrolled.
template <int kCountA, int kCountB>
bool search_axes(const Hull& a, const Hull& b, Vec2 offset, Vec2 motion, double margin, bool swept, Axis& best,
                 double& entry) {
  const int count_a = kCountA > 0 ? kCountA : a.count;
  const int count_b = kCountB > 0 ? kCountB : b.count;
  for (int i = 0; i < count_a; ++i) {
    const Vec2 n = a.normals[i];
    double nearest = dot(n, b.vertices[0]);
    for (int j = 1; j < count_b; ++j) nearest = std::min(nearest, dot(n, b.vertices[j]));
    const double separation = nearest + dot(n, offset - a.vertices[i]);
    if (separation > margin) {
      if (!swept) return false;
      const double rate = dot(n, motion);
      if (separation + rate > margin) return false;
      entry = std::max(entry, std::min(1.0, -separation / rate));
    }
    if (separation > best.separation) {
      best.separation = separation;
      best.face = i;
    }
  }
  return true;
}

// Fills the points where the incident polygon lies behind the face of the reference polygon.
void clip(const Hull& reference, const Hull& incident, int face, Vec2 incident_offset, double margin, std::uint32_t id,
          Manifold& manifold) {
  const Vec2 n = reference.normals[face];
  const Vec2 v1 = reference.vertices[face];
  const Vec2 v2 = reference.vertices[face + 1 < reference.count ? face + 1 : 0];
  int opposite = 0;
  double least = dot(n, incident.normals[0]);
  for (int j = 1; j < incident.count; ++j) {
    const double d = dot(n, incident.normals[j]);
    if (d < least) {
      least = d;
      opposite = j;
    }
  }
  // The incident edge runs against the reference edge.
  Vec2 p1 = incident.vertices[opposite + 1 < incident.count ? opposite + 1 : 0] + incident_offset;
  Vec2 p2 = incident.vertices[opposite] + incident_offset;
  const Vec2 along = left_of(n);
  const double low = dot(along, v1);
  const double high = dot(along, v2);
  const double s1 = dot(along, p1);
  const double s2 = dot(along, p2);
  manifold.count = 0;
  if (s2 < low || s1 > high) return;
  const Vec2 edge = p2 - p1;
  const double span = s2 - s1;
  const Vec2 start = p1;
  if (s1 < low && span > 0.0) p1 = start + ((low - s1) / span) * edge;
  if (s2 > high && span > 0.0) p2 = start + ((high - s1) / span) * edge;
  const Vec2 ends[2] = {p1, p2};
  for (int k = 0; k < 2; ++k) {
    const double separation = dot(n, ends[k] - v1);
    if (separation > margin) continue;
    ManifoldPoint& point = manifold.points[manifold.count++];
    const Vec2 middle = ends[k] - (0.5 * separation) * n;
    point.ra = middle - reference.center;
    point.rb = middle - incident.center - incident_offset;
    point.separation = separation;
    point.id = id | static_cast<std::uint32_t>(face) << 13 | static_cast<std::uint32_t>(opposite) << 1 |
               static_cast<std::uint32_t>(k);
  }
}

template <int kCountA, int kCountB>
bool collide_polygons(const Hull& a, const Hull& b, Vec2 motion, double margin, double reach, bool swept,
                      Manifold& manifold) {
  Axis of_a;
  Axis of_b;
  double entry = 0.0;
  Vec2 offset;
  if (!search_axes<kCountA, kCountB>(a, b, {}, motion, margin, swept, of_a, entry)) return false;
  if (!search_axes<kCountB, kCountA>(b, a, {}, -motion, margin, swept, of_b, entry)) return false;
  if (entry > 0.0) {
    // Each is moved to where it is at that moment, b as seen from a.
    offset = entry * motion;
    of_a = {};
    of_b = {};
    if (!search_axes<kCountA, kCountB>(a, b, offset, motion, margin, false, of_a, entry)) return false;
    if (!search_axes<kCountB, kCountA>(b, a, -offset, motion, margin, false, of_b, entry)) return false;
  }
  if (of_b.separation > of_a.separation + kPreference) {
    clip(b, a, of_b.face, -offset, margin + reach, kFaceOfB, manifold);
    manifold.normal = -b.normals[of_b.face];
    for (int k = 0; k < manifold.count; ++k) std::swap(manifold.points[k].ra, manifold.points[k].rb);
  } else {
    clip(a, b, of_a.face, offset, margin + reach, 0, manifold);
    manifold.normal = a.normals[of_a.face];
  }
  const double travelled = dot(offset, manifold.normal);
  for (int k = 0; k < manifold.count; ++k) manifold.points[k].separation -= travelled;
  return manifold.count > 0;
}

}  // namespace

bool collide(const Hull& a, const Hull& b, Vec2 motion, double margin, double reach, bool swept, Manifold& manifold) {
  if (a.count == 4 && b.count == 4) return collide_polygons<4, 4>(a, b, motion, margin, reach, swept, manifold);
  if (a.count > 0 && b.count > 0) return collide_polygons<0, 0>(a, b, motion, margin, reach, swept, manifold);
  if (a.count > 0) return collide_polygon_circle(a, b, motion, margin, swept, manifold);
  if (b.count == 0) return collide_circles(a, b, motion, margin, swept, manifold);
  if (!collide_polygon_circle(b, a, -motion, margin, swept, manifold)) return false;
  manifold.normal = -manifold.normal;
  std::swap(manifold.points[0].ra, manifold.points[0].rb);
  return true;
}

}  // namespace horus::sim2d
