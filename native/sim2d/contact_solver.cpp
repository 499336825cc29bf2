// Contacts: manifolds of the near pairs, impulses with restitution and Coulomb friction, and the correction of overlap.
#include <algorithm>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Impacts that part slower than this are solved no more exactly than resting contacts [m/s].
constexpr double kClearBounce = 0.05;
// From this many on they are solved four at a time.
constexpr std::size_t kManyContacts = 24;

// Velocities of a contact in its own frame: b relative to a along the normal and the tangent, and both rates of turn.
// Impulses change these four numbers; the bodies are written once, at the end.
struct LocalVelocity {
  double normal;
  double tangent;
  double wa;
  double wb;

  double normal_at(const ContactPoint& point) const {
    return normal + point.normal_arm_b * wb - point.normal_arm_a * wa;
  }
  double tangent_at(const ContactPoint& point) const {
    return tangent + point.tangent_arm_b * wb - point.tangent_arm_a * wa;
  }
};

inline LocalVelocity local_velocity(const Contact& contact, const Body& a, const Body& b) {
  const double dx = b.vx - a.vx;
  const double dy = b.vy - a.vy;
  const Vec2 n = contact.normal;
  return {n.x * dx + n.y * dy, n.x * dy - n.y * dx, a.w, b.w};
}

// Sums of the impulses along normal and tangent.
inline void apply_impulses(const Contact& contact, Body& a, Body& b, double along_n, double along_t) {
  const Vec2 n = contact.normal;
  const double px = along_n * n.x - along_t * n.y;
  const double py = along_n * n.y + along_t * n.x;
  a.vx -= contact.inv_mass_a * px;
  a.vy -= contact.inv_mass_a * py;
  b.vx += contact.inv_mass_b * px;
  b.vy += contact.inv_mass_b * py;
}

inline void push_normal(const Contact& contact, const ContactPoint& point, double change, LocalVelocity& v) {
  v.normal += (contact.inv_mass_a + contact.inv_mass_b) * change;
  v.wa -= contact.inv_inertia_a * point.normal_arm_a * change;
  v.wb += contact.inv_inertia_b * point.normal_arm_b * change;
}

inline void push_tangent(const Contact& contact, const ContactPoint& point, double change, LocalVelocity& v) {
  v.tangent += (contact.inv_mass_a + contact.inv_mass_b) * change;
  v.wa -= contact.inv_inertia_a * point.tangent_arm_a * change;
  v.wb += contact.inv_inertia_b * point.tangent_arm_b * change;
}

// What the friction impulse of a point changes by; it is noted, but not applied.
inline double friction_change(const Contact& contact, ContactPoint& point, const LocalVelocity& v) {
  const double most = contact.friction * point.normal_impulse;
  const double wanted = point.tangent_impulse - point.tangent_mass * v.tangent_at(point);
  const double impulse = std::max(-most, std::min(wanted, most));
  const double change = impulse - point.tangent_impulse;
  point.tangent_impulse = impulse;
  return change;
}

inline double normal_change(ContactPoint& point, const LocalVelocity& v) {
  const double wanted = point.normal_impulse - point.normal_mass * (v.normal_at(point) - point.target);
  const double impulse = std::max(wanted, 0.0);
  const double change = impulse - point.normal_impulse;
  point.normal_impulse = impulse;
  return change;
}

// The impulses of the two points of a manifold at once, by the cases of which of them push. False when none applies.
inline bool solve_both(const Contact& contact, const LocalVelocity& v, double& p1, double& p2) {
  const ContactPoint& one = contact.points[0];
  const ContactPoint& two = contact.points[1];
  const double coupling = contact.coupling;
  // What the speeds above target would be without any impulse.
  const double old_1 = one.normal_impulse;
  const double old_2 = two.normal_impulse;
  const double free_1 = v.normal_at(one) - one.target - one.response * old_1 - coupling * old_2;
  const double free_2 = v.normal_at(two) - two.target - coupling * old_1 - two.response * old_2;
  p1 = contact.inverse_determinant * (coupling * free_2 - two.response * free_1);
  p2 = contact.inverse_determinant * (coupling * free_1 - one.response * free_2);
  if (p1 >= 0.0 && p2 >= 0.0) return true;
  p1 = -one.normal_mass * free_1;
  p2 = 0.0;
  if (p1 >= 0.0 && coupling * p1 + free_2 >= 0.0) return true;
  p1 = 0.0;
  p2 = -two.normal_mass * free_2;
  if (p2 >= 0.0 && coupling * p2 + free_1 >= 0.0) return true;
  p2 = 0.0;
  return free_1 >= 0.0 && free_2 >= 0.0;
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
  scratch.one_point.clear();
  scratch.two_points.clear();
  std::size_t used = 0;
  std::size_t earlier = 0;
  const std::vector<Contact>& old = world.contacts;
  for (const std::uint64_t pair : scratch.pairs) {
    while (earlier < old.size() && pair_key(old[earlier].a, old[earlier].b) < pair) ++earlier;
    const bool known = earlier < old.size() && pair_key(old[earlier].a, old[earlier].b) == pair;
    if (used == next.size()) next.emplace_back();
    const int a = static_cast<int>(pair >> 32);
    const int b = static_cast<int>(pair & 0xFFFFFFFFu);
    if (!make_contact(a, b, known ? &old[earlier] : nullptr, next[used])) continue;
    (next[used].count == 2 ? scratch.two_points : scratch.one_point).push_back(static_cast<int>(used));
    ++used;
  }
  next.resize(used);
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
  contact.a = a;
  contact.b = b;
  contact.count = manifold.count;
  contact.normal = n;
  contact.friction = 0.5 * (pa.friction + pb.friction);
  contact.inv_mass_a = pa.inv_mass;
  contact.inv_mass_b = pb.inv_mass;
  contact.inv_inertia_a = pa.inv_inertia;
  contact.inv_inertia_b = pb.inv_inertia;
  const double inv_mass = pa.inv_mass + pb.inv_mass;
  const LocalVelocity v = local_velocity(contact, body_a, body_b);
  const double restitution = std::max(pa.restitution, pb.restitution);
  // Gravity of this step is no approach: a body at rest does not bounce.
  const double fall = dt * dot(n, model.gravity) * ((pb.inv_mass > 0.0) - (pa.inv_mass > 0.0));
  for (int k = 0; k < manifold.count; ++k) {
    const ManifoldPoint& found = manifold.points[k];
    ContactPoint& point = contact.points[k];
    point.id = found.id;
    point.separation = found.separation;
    const double an = cross(found.ra, n);
    const double bn = cross(found.rb, n);
    const double at = dot(found.ra, n);
    const double bt = dot(found.rb, n);
    point.normal_arm_a = an;
    point.normal_arm_b = bn;
    point.tangent_arm_a = at;
    point.tangent_arm_b = bt;
    point.response = inv_mass + pa.inv_inertia * an * an + pb.inv_inertia * bn * bn;
    point.normal_mass = 1.0 / point.response;
    point.tangent_mass = 1.0 / (inv_mass + pa.inv_inertia * at * at + pb.inv_inertia * bt * bt);
    const double speed = v.normal_at(point);
    const double approach = speed - fall;
    const bool meets = point.separation + speed * dt <= config.contact_margin;
    const bool bounces = restitution > 0.0 && std::abs(approach) > config.restitution_threshold;
    if (bounces && approach < 0.0 && meets) {
      point.target = -restitution * approach;
    } else {
      // One that does not meet now, but that its neighbour's hit sends back, bounces in the next step.
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
  contact.inverse_determinant = 0.0;
  // Equal states have equal bytes, whatever the memory held before.
  if (contact.count < 2) contact.points[1] = {};
  const bool bounces = contact.points[0].target > kClearBounce || contact.points[1].target > kClearBounce;
  contact.tolerance = bounces ? config.velocity_tolerance : config.resting_tolerance;
  if (contact.count == 2) {
    const ContactPoint& one = contact.points[0];
    const ContactPoint& two = contact.points[1];
    const double coupling = inv_mass + pa.inv_inertia * one.normal_arm_a * two.normal_arm_a +
                            pb.inv_inertia * one.normal_arm_b * two.normal_arm_b;
    const double product = one.response * two.response;
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
    Body& a = world.bodies[contact.a];
    Body& b = world.bodies[contact.b];
    double along_n = 0.0;
    double along_t = 0.0;
    LocalVelocity v{0.0, 0.0, a.w, b.w};
    for (int k = 0; k < contact.count; ++k) {
      const ContactPoint& point = contact.points[k];
      along_n += point.normal_impulse;
      along_t += point.tangent_impulse;
      push_normal(contact, point, point.normal_impulse, v);
      push_tangent(contact, point, point.tangent_impulse, v);
    }
    apply_impulses(contact, a, b, along_n, along_t);
    a.w = v.wa;
    b.w = v.wb;
  }
}

void StepContext::pack_contacts() {
  wide_ = world.contacts.size() >= kManyContacts;
  if (wide_) scratch.lanes.pack(world);
}

bool StepContext::solve_contact(Contact& contact) {
  return contact.count == 2 ? solve_two_points(contact) : solve_one_point(contact);
}

bool StepContext::solve_contacts() {
  bool changed = false;
  if (wide_) {
    changed = scratch.lanes.solve(world.bodies.data());
    for (const int i : scratch.lanes.left_over()) changed |= solve_contact(world.contacts[i]);
    return changed;
  }
  for (const int i : scratch.two_points) changed |= solve_two_points(world.contacts[i]);
  for (const int i : scratch.one_point) changed |= solve_one_point(world.contacts[i]);
  return changed;
}

inline bool StepContext::solve_one_point(Contact& contact) {
  Body& a = world.bodies[contact.a];
  Body& b = world.bodies[contact.b];
  ContactPoint& point = contact.points[0];
  LocalVelocity v = local_velocity(contact, a, b);
  const double along_t = friction_change(contact, point, v);
  push_tangent(contact, point, along_t, v);
  const double along_n = normal_change(point, v);
  push_normal(contact, point, along_n, v);
  apply_impulses(contact, a, b, along_n, along_t);
  a.w = v.wa;
  b.w = v.wb;
  return (std::abs(along_n) > contact.tolerance * point.normal_mass) |
         (std::abs(along_t) > contact.tolerance * point.tangent_mass);
}

inline bool StepContext::solve_two_points(Contact& contact) {
  Body& a = world.bodies[contact.a];
  Body& b = world.bodies[contact.b];
  ContactPoint& one = contact.points[0];
  ContactPoint& two = contact.points[1];
  LocalVelocity v = local_velocity(contact, a, b);
  const double slide_1 = friction_change(contact, one, v);
  push_tangent(contact, one, slide_1, v);
  const double slide_2 = friction_change(contact, two, v);
  push_tangent(contact, two, slide_2, v);
  double change_1 = 0.0;
  double change_2 = 0.0;
  double p1 = 0.0;
  double p2 = 0.0;
  if (contact.coupling != 0.0 && solve_both(contact, v, p1, p2)) {
    change_1 = p1 - one.normal_impulse;
    change_2 = p2 - two.normal_impulse;
    one.normal_impulse = p1;
    two.normal_impulse = p2;
    push_normal(contact, one, change_1, v);
    push_normal(contact, two, change_2, v);
  } else {
    change_1 = normal_change(one, v);
    push_normal(contact, one, change_1, v);
    change_2 = normal_change(two, v);
    push_normal(contact, two, change_2, v);
  }
  apply_impulses(contact, a, b, change_1 + change_2, slide_1 + slide_2);
  a.w = v.wa;
  b.w = v.wb;
  const double tolerance = contact.tolerance;
  return (std::abs(change_1) > tolerance * one.normal_mass) | (std::abs(change_2) > tolerance * two.normal_mass) |
         (std::abs(slide_1) > tolerance * one.tangent_mass) | (std::abs(slide_2) > tolerance * two.tangent_mass);
}

// Moves overlapping bodies apart by a share of the overlap, without giving them velocity.
void StepContext::correct_contacts() {
  for (const Contact& contact : world.contacts) {
    Body& a = world.bodies[contact.a];
    Body& b = world.bodies[contact.b];
    const LocalVelocity v = local_velocity(contact, a, b);
    for (int k = 0; k < contact.count; ++k) {
      const ContactPoint& point = contact.points[k];
      const double overlap = -point.separation - dt * v.normal_at(point) - config.correction_slop;
      if (!(overlap > 0.0)) continue;
      const double push = point.normal_mass * std::min(config.correction_percent * overlap, config.max_correction);
      a.x -= contact.inv_mass_a * push * contact.normal.x;
      a.y -= contact.inv_mass_a * push * contact.normal.y;
      a.angle -= contact.inv_inertia_a * point.normal_arm_a * push;
      b.x += contact.inv_mass_b * push * contact.normal.x;
      b.y += contact.inv_mass_b * push * contact.normal.y;
      b.angle += contact.inv_inertia_b * point.normal_arm_b * push;
      scratch.corrected[contact.a] = 1;
      scratch.corrected[contact.b] = 1;
    }
  }
}

}  // namespace horus::sim2d
