// Contacts: manifolds of the near pairs, impulses with restitution and Coulomb friction, and the correction of overlap.
#include <algorithm>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

inline Vec2 relative_velocity(const Body& a, const Body& b, const ContactPoint& point) {
  return {b.vx - b.w * point.rb.y - a.vx + a.w * point.ra.y, b.vy + b.w * point.rb.x - a.vy - a.w * point.ra.x};
}

inline void apply_impulse(Body& a, Body& b, const BodyParams& pa, const BodyParams& pb, const ContactPoint& point,
                          Vec2 impulse) {
  a.vx -= pa.inv_mass * impulse.x;
  a.vy -= pa.inv_mass * impulse.y;
  a.w -= pa.inv_inertia * cross(point.ra, impulse);
  b.vx += pb.inv_mass * impulse.x;
  b.vy += pb.inv_mass * impulse.y;
  b.w += pb.inv_inertia * cross(point.rb, impulse);
}

// The two points of a manifold at once, by the cases of which of them push. False when nothing changed.
bool solve_both(Contact& contact, Body& a, Body& b, const BodyParams& pa, const BodyParams& pb, double tolerance) {
  ContactPoint& one = contact.points[0];
  ContactPoint& two = contact.points[1];
  const Vec2 n = contact.normal;
  const double k11 = 1.0 / one.normal_mass;
  const double k22 = 1.0 / two.normal_mass;
  const double k12 = contact.coupling;
  // What the speeds above target would be without any impulse.
  const double free_1 = dot(n, relative_velocity(a, b, one)) - one.target - k11 * one.normal_impulse - k12 * two.normal_impulse;
  const double free_2 = dot(n, relative_velocity(a, b, two)) - two.target - k12 * one.normal_impulse - k22 * two.normal_impulse;
  double p1 = -contact.inverse_determinant * (k22 * free_1 - k12 * free_2);
  double p2 = -contact.inverse_determinant * (k11 * free_2 - k12 * free_1);
  if (p1 < 0.0 || p2 < 0.0) {
    p1 = -one.normal_mass * free_1;
    p2 = 0.0;
    if (p1 < 0.0 || k12 * p1 + free_2 < 0.0) {
      p1 = 0.0;
      p2 = -two.normal_mass * free_2;
      if (p2 < 0.0 || k12 * p2 + free_1 < 0.0) {
        p2 = 0.0;
        // Rounding can leave no case; then the impulses stay.
        if (free_1 < 0.0 || free_2 < 0.0) return false;
      }
    }
  }
  const double change_1 = p1 - one.normal_impulse;
  const double change_2 = p2 - two.normal_impulse;
  one.normal_impulse = p1;
  two.normal_impulse = p2;
  const Vec2 impulse_1 = change_1 * n;
  const Vec2 impulse_2 = change_2 * n;
  const Vec2 sum = impulse_1 + impulse_2;
  a.vx -= pa.inv_mass * sum.x;
  a.vy -= pa.inv_mass * sum.y;
  a.w -= pa.inv_inertia * (cross(one.ra, impulse_1) + cross(two.ra, impulse_2));
  b.vx += pb.inv_mass * sum.x;
  b.vy += pb.inv_mass * sum.y;
  b.w += pb.inv_inertia * (cross(one.rb, impulse_1) + cross(two.rb, impulse_2));
  return std::abs(change_1) > tolerance * one.normal_mass || std::abs(change_2) > tolerance * two.normal_mass;
}

}  // namespace

void World::make_hull(int body, Hull& hull) {
  const Body& b = bodies[body];
  const Shape& shape = model_->bodies[body].shape;
  hull.center = {b.x, b.y};
  if (shape.is_circle) {
    hull.count = 0;
    hull.radius = shape.radius;
    return;
  }
  hull.vertices = &hull_vertices_[shape.first];
  hull.normals = &hull_normals_[shape.first];
  hull.count = shape.count;
  if (hull_valid_[body]) return;
  hull_valid_[body] = 1;
  for (int i = shape.first; i < shape.first + shape.count; ++i) {
    hull_vertices_[i] = rotate(b.c, b.s, model_->vertices[i]) + hull.center;
    hull_normals_[i] = rotate(b.c, b.s, model_->normals[i]);
  }
}

void StepContext::find_contacts() {
  std::vector<Contact>& next = scratch.next_contacts;
  next.clear();
  std::size_t earlier = 0;
  const std::vector<Contact>& old = world.contacts;
  for (const std::uint64_t pair : scratch.pairs) {
    while (earlier < old.size() && pair_key(old[earlier].a, old[earlier].b) < pair) ++earlier;
    const bool known = earlier < old.size() && pair_key(old[earlier].a, old[earlier].b) == pair;
    next.emplace_back();
    const int a = static_cast<int>(pair >> 32);
    const int b = static_cast<int>(pair & 0xFFFFFFFFu);
    if (!make_contact(a, b, known ? &old[earlier] : nullptr, next.back())) next.pop_back();
  }
  world.contacts.swap(next);
}

bool StepContext::make_contact(int a, int b, const Contact* earlier, Contact& contact) {
  Hull hull_a;
  Hull hull_b;
  world.make_hull(a, hull_a);
  world.make_hull(b, hull_b);
  const Body& body_a = world.bodies[a];
  const Body& body_b = world.bodies[b];
  const Vec2 motion = {dt * (body_b.vx - body_a.vx), dt * (body_b.vy - body_a.vy)};
  Manifold manifold;
  if (!collide(hull_a, hull_b, motion, config.contact_margin, config.swept_contacts, manifold)) return false;
  const BodyParams& pa = world.params[a];
  const BodyParams& pb = world.params[b];
  const Vec2 n = manifold.normal;
  const Vec2 t = left_of(n);
  contact.a = a;
  contact.b = b;
  contact.count = manifold.count;
  contact.normal = n;
  contact.friction = 0.5 * (pa.friction + pb.friction);
  const double restitution = std::max(pa.restitution, pb.restitution);
  // Gravity of this step is no approach: a body at rest does not bounce.
  const double fall = dt * dot(n, model.gravity) * ((pb.inv_mass > 0.0) - (pa.inv_mass > 0.0));
  for (int k = 0; k < manifold.count; ++k) {
    const ManifoldPoint& found = manifold.points[k];
    ContactPoint& point = contact.points[k];
    point.ra = found.ra;
    point.rb = found.rb;
    point.separation = found.separation;
    point.id = found.id;
    const double inv_mass = pa.inv_mass + pb.inv_mass;
    const double an = cross(point.ra, n);
    const double bn = cross(point.rb, n);
    const double at = cross(point.ra, t);
    const double bt = cross(point.rb, t);
    point.normal_mass = 1.0 / (inv_mass + pa.inv_inertia * an * an + pb.inv_inertia * bn * bn);
    point.tangent_mass = 1.0 / (inv_mass + pa.inv_inertia * at * at + pb.inv_inertia * bt * bt);
    const double speed = dot(n, relative_velocity(body_a, body_b, point));
    const double approach = speed - fall;
    const bool meets = point.separation + speed * dt <= config.contact_margin;
    const bool bounces = restitution > 0.0 && std::abs(approach) > config.restitution_threshold;
    if (bounces && approach < 0.0 && meets) {
      point.target = -restitution * approach;
    } else {
      // One that does not meet now, but that its neighbour's hit sends against the other body, bounces in the next step.
      point.target = -std::max(point.separation, 0.0) / dt - (bounces ? restitution * std::abs(approach) : 0.0);
    }
    point.normal_impulse = 0.0;
    point.tangent_impulse = 0.0;
    if (earlier == nullptr || !config.warm_starting) continue;
    for (int m = 0; m < earlier->count; ++m) {
      if (earlier->points[m].id != point.id) continue;
      point.normal_impulse = earlier->points[m].normal_impulse;
      point.tangent_impulse = earlier->points[m].tangent_impulse;
    }
  }
  contact.coupling = 0.0;
  if (contact.count == 2) {
    const ContactPoint& one = contact.points[0];
    const ContactPoint& two = contact.points[1];
    const double coupling = pa.inv_mass + pb.inv_mass + pa.inv_inertia * cross(one.ra, n) * cross(two.ra, n) +
                            pb.inv_inertia * cross(one.rb, n) * cross(two.rb, n);
    const double product = 1.0 / (one.normal_mass * two.normal_mass);
    const double determinant = product - coupling * coupling;
    // Points too close together are solved one after the other.
    if (determinant > 1e-3 * product) {
      contact.coupling = coupling;
      contact.inverse_determinant = 1.0 / determinant;
    }
  }
  return true;
}

void StepContext::warm_start_contacts() {
  for (const Contact& contact : world.contacts) {
    for (int k = 0; k < contact.count; ++k) {
      const ContactPoint& point = contact.points[k];
      if (point.normal_impulse == 0.0 && point.tangent_impulse == 0.0) continue;
      apply_impulse(world.bodies[contact.a], world.bodies[contact.b], world.params[contact.a], world.params[contact.b],
                    point, point.normal_impulse * contact.normal + point.tangent_impulse * left_of(contact.normal));
    }
  }
}

bool StepContext::solve_contacts() {
  bool changed = false;
  const double tolerance = config.velocity_tolerance;
  for (Contact& contact : world.contacts) {
    Body& a = world.bodies[contact.a];
    Body& b = world.bodies[contact.b];
    const BodyParams& pa = world.params[contact.a];
    const BodyParams& pb = world.params[contact.b];
    const Vec2 n = contact.normal;
    const Vec2 t = left_of(n);
    for (int k = 0; k < contact.count; ++k) {
      ContactPoint& point = contact.points[k];
      const double slip = dot(t, relative_velocity(a, b, point));
      const double most = contact.friction * point.normal_impulse;
      const double impulse = std::clamp(point.tangent_impulse - point.tangent_mass * slip, -most, most);
      const double change = impulse - point.tangent_impulse;
      point.tangent_impulse = impulse;
      apply_impulse(a, b, pa, pb, point, change * t);
      changed |= std::abs(change) > tolerance * point.tangent_mass;
    }
    if (contact.coupling != 0.0) {
      changed |= solve_both(contact, a, b, pa, pb, tolerance);
      continue;
    }
    for (int k = 0; k < contact.count; ++k) {
      ContactPoint& point = contact.points[k];
      const double speed = dot(n, relative_velocity(a, b, point));
      const double impulse = std::max(point.normal_impulse - point.normal_mass * (speed - point.target), 0.0);
      const double change = impulse - point.normal_impulse;
      point.normal_impulse = impulse;
      apply_impulse(a, b, pa, pb, point, change * n);
      changed |= std::abs(change) > tolerance * point.normal_mass;
    }
  }
  return changed;
}

// Moves overlapping bodies apart by a share of the overlap, without giving them velocity.
void StepContext::correct_contacts() {
  for (const Contact& contact : world.contacts) {
    Body& a = world.bodies[contact.a];
    Body& b = world.bodies[contact.b];
    const BodyParams& pa = world.params[contact.a];
    const BodyParams& pb = world.params[contact.b];
    for (int k = 0; k < contact.count; ++k) {
      const ContactPoint& point = contact.points[k];
      const double separation = point.separation + dt * dot(contact.normal, relative_velocity(a, b, point));
      const double overlap = -separation - config.correction_slop;
      if (!(overlap > 0.0)) continue;
      const double size = std::min(config.correction_percent * overlap, config.max_correction);
      const Vec2 push = (size * point.normal_mass) * contact.normal;
      a.x -= pa.inv_mass * push.x;
      a.y -= pa.inv_mass * push.y;
      a.angle -= pa.inv_inertia * cross(point.ra, push);
      b.x += pb.inv_mass * push.x;
      b.y += pb.inv_mass * push.y;
      b.angle += pb.inv_inertia * cross(point.rb, push);
      scratch.corrected[contact.a] = 1;
      scratch.corrected[contact.b] = 1;
    }
  }
}

}  // namespace horus::sim2d
