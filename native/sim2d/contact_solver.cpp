// Contacts one by one: impulses with restitution and Coulomb friction, and the correction of overlap.
#include <algorithm>

#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Overlap is taken from two bodies as if none were more than so many times as heavy as the other.
constexpr double kMostUneven = 2.0;

// From this many contacts on they are solved four at a time.
constexpr std::size_t kManyContacts = 24;

// Velocities of a contact in its own frame: b relative to a along the normal and the tangent, and both rates of turn.
// Impulses change these four numbers; the bodies are written once, at the end.
struct LocalVelocity {
  double normal;
  double tangent;
  double wa;
  double wb;

  double normal_at(const RowPoint& point) const {
    return normal + point.normal_arm_b * wb - point.normal_arm_a * wa;
  }
  double tangent_at(const RowPoint& point) const {
    return tangent + point.tangent_arm_b * wb - point.tangent_arm_a * wa;
  }
};

inline LocalVelocity local_velocity(const ContactRow& contact, const Body& a, const Body& b) {
  const double dx = b.vx - a.vx;
  const double dy = b.vy - a.vy;
  const Vec2 n = contact.normal;
  return {n.x * dx + n.y * dy, n.x * dy - n.y * dx, a.w, b.w};
}

// Sums of the impulses along normal and tangent.
inline void apply_impulses(const ContactRow& contact, Body& a, Body& b, double along_n, double along_t) {
  const Vec2 n = contact.normal;
  const double px = along_n * n.x - along_t * n.y;
  const double py = along_n * n.y + along_t * n.x;
  a.vx -= contact.inv_mass_a * px;
  a.vy -= contact.inv_mass_a * py;
  b.vx += contact.inv_mass_b * px;
  b.vy += contact.inv_mass_b * py;
}

inline void push_normal(const ContactRow& contact, const RowPoint& point, double change, LocalVelocity& v) {
  v.normal += (contact.inv_mass_a + contact.inv_mass_b) * change;
  v.wa -= contact.inv_inertia_a * point.normal_arm_a * change;
  v.wb += contact.inv_inertia_b * point.normal_arm_b * change;
}

inline void push_tangent(const ContactRow& contact, const RowPoint& point, double change, LocalVelocity& v) {
  v.tangent += (contact.inv_mass_a + contact.inv_mass_b) * change;
  v.wa -= contact.inv_inertia_a * point.tangent_arm_a * change;
  v.wb += contact.inv_inertia_b * point.tangent_arm_b * change;
}

// What the friction impulse of a point changes by; it is noted, but not applied.
inline double friction_change(const ContactRow& contact, RowPoint& point, const LocalVelocity& v) {
  const double most = contact.friction * point.normal_impulse;
  const double wanted = point.tangent_impulse - point.tangent_mass * v.tangent_at(point);
  const double impulse = std::max(-most, std::min(wanted, most));
  const double change = impulse - point.tangent_impulse;
  point.tangent_impulse = impulse;
  return change;
}

inline double normal_change(RowPoint& point, const LocalVelocity& v) {
  const double wanted = point.normal_impulse - point.normal_mass * (v.normal_at(point) - point.target);
  const double impulse = std::max(wanted, 0.0);
  const double change = impulse - point.normal_impulse;
  point.normal_impulse = impulse;
  return change;
}

// The impulses of the two points of a manifold at once, by the cases of which of them push. False when none applies.
inline bool solve_both(const ContactRow& contact, const LocalVelocity& v, double& p1, double& p2) {
  const RowPoint& one = contact.points[0];
  const RowPoint& two = contact.points[1];
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

void StepContext::prepare_contacts() {
  const int count = static_cast<int>(world.contacts.size());
  scratch.one_point_rows.clear();
  scratch.two_point_rows.clear();
  scratch.lanes.clear();
  if (world.contacts.size() < kManyContacts) {
    for (int i = 0; i < count; ++i) prepare_row(i);
    return;
  }
  scratch.lanes.prepare({world, scratch.arms, dt});
  for (const int i : scratch.lanes.left_over()) prepare_row(i);
}

void StepContext::prepare_row(int index) {
  const Contact& contact = world.contacts[index];
  const ContactArms& arms = scratch.arms[index];
  const BodyParams& pa = world.params[contact.a];
  const BodyParams& pb = world.params[contact.b];
  const Vec2 n = contact.normal;
  ContactRow& row = (contact.count == 2 ? scratch.two_point_rows : scratch.one_point_rows).emplace_back();
  row.a = contact.a;
  row.b = contact.b;
  row.count = contact.count;
  row.contact = index;
  row.normal = n;
  row.friction = 0.5 * (pa.friction + pb.friction);
  row.inv_mass_a = pa.inv_mass;
  row.inv_mass_b = pb.inv_mass;
  row.inv_inertia_a = pa.inv_inertia;
  row.inv_inertia_b = pb.inv_inertia;
  const double inv_mass = pa.inv_mass + pb.inv_mass;
  const LocalVelocity v = local_velocity(row, world.bodies[contact.a], world.bodies[contact.b]);
  const double restitution = std::max(pa.restitution, pb.restitution);
  // Gravity of this step is no approach: a body at rest does not bounce.
  const double fall = dt * dot(n, model.gravity) * ((pb.inv_mass > 0.0) - (pa.inv_mass > 0.0));
  for (int k = 0; k < contact.count; ++k) {
    RowPoint& point = row.points[k];
    const Vec2 ra = arms.points[k].a;
    const Vec2 rb = arms.points[k].b;
    const double separation = contact.separations[k];
    const double an = cross(ra, n);
    const double bn = cross(rb, n);
    const double at = dot(ra, n);
    const double bt = dot(rb, n);
    point.normal_arm_a = an;
    point.normal_arm_b = bn;
    point.tangent_arm_a = at;
    point.tangent_arm_b = bt;
    point.response = inv_mass + pa.inv_inertia * an * an + pb.inv_inertia * bn * bn;
    point.normal_mass = 1.0 / point.response;
    point.tangent_mass = 1.0 / (inv_mass + pa.inv_inertia * at * at + pb.inv_inertia * bt * bt);
    const double speed = v.normal_at(point);
    const double approach = speed - fall;
    const bool meets = separation + speed * dt <= config.contact_margin;
    const bool bounces = restitution > 0.0 && std::abs(approach) > config.restitution_threshold;
    if (bounces && approach < 0.0 && meets) {
      const double share = std::min(std::max(separation, 0.0) / (-dt * speed), 1.0);
      point.delay = share * dt;
      // Gravity acts before the bounce and after it; velocities are those of half a step before the poses. A bounce
      // that gravity ends within the step is none.
      const double back = -restitution * (approach + (0.5 + share) * fall);
      point.target = back > -fall ? back + (0.5 - share) * fall : -restitution * approach;
    } else {
      // One that does not meet now, but that its neighbour's hit sends back, bounces in the next step.
      point.target = -std::max(separation, 0.0) / dt - (bounces ? restitution * std::abs(approach) : 0.0);
    }
    point.normal_impulse = contact.impulses[2 * k];
    point.tangent_impulse = contact.impulses[2 * k + 1];
  }
  const bool bounces = row.points[0].target > kClearBounce || row.points[1].target > kClearBounce;
  row.tolerance = bounces ? config.velocity_tolerance : resting_tolerance(model);
  if (row.count < 2) return;
  const RowPoint& one = row.points[0];
  const RowPoint& two = row.points[1];
  const double coupling = inv_mass + pa.inv_inertia * one.normal_arm_a * two.normal_arm_a +
                          pb.inv_inertia * one.normal_arm_b * two.normal_arm_b;
  const double product = one.response * two.response;
  const double determinant = product - coupling * coupling;
  // Points too close together are solved one after the other.
  if (determinant > kClosePoints * product) {
    row.coupling = coupling;
    row.inverse_determinant = 1.0 / determinant;
  }
}

void StepContext::warm_start_contacts() {
  const auto start = [&](const ContactRow& row) {
    Body& a = world.bodies[row.a];
    Body& b = world.bodies[row.b];
    double along_n = 0.0;
    double along_t = 0.0;
    LocalVelocity v{0.0, 0.0, a.w, b.w};
    for (int k = 0; k < row.count; ++k) {
      const RowPoint& point = row.points[k];
      along_n += point.normal_impulse;
      along_t += point.tangent_impulse;
      push_normal(row, point, point.normal_impulse, v);
      push_tangent(row, point, point.tangent_impulse, v);
    }
    apply_impulses(row, a, b, along_n, along_t);
    a.w = v.wa;
    b.w = v.wb;
  };
  scratch.lanes.warm_start(world.bodies.data());
  for (const ContactRow& row : scratch.two_point_rows) start(row);
  for (const ContactRow& row : scratch.one_point_rows) start(row);
}

bool StepContext::solve_contacts(bool forward) {
  bool changed = scratch.lanes.solve(world.bodies.data(), forward);
  for (ContactRow& row : scratch.two_point_rows) changed |= solve_two_points(row);
  for (ContactRow& row : scratch.one_point_rows) changed |= solve_one_point(row);
  return changed;
}

inline bool StepContext::solve_one_point(ContactRow& contact) {
  Body& a = world.bodies[contact.a];
  Body& b = world.bodies[contact.b];
  RowPoint& point = contact.points[0];
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

inline bool StepContext::solve_two_points(ContactRow& contact) {
  Body& a = world.bodies[contact.a];
  Body& b = world.bodies[contact.b];
  RowPoint& one = contact.points[0];
  RowPoint& two = contact.points[1];
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

void StepContext::keep_impulses() {
  const auto keep = [&](const ContactRow& row) {
    Contact& contact = world.contacts[row.contact];
    for (int k = 0; k < row.count; ++k) {
      contact.impulses[2 * k] = row.points[k].normal_impulse;
      contact.impulses[2 * k + 1] = row.points[k].tangent_impulse;
    }
  };
  scratch.lanes.keep_impulses(world.contacts);
  for (const ContactRow& row : scratch.two_point_rows) keep(row);
  for (const ContactRow& row : scratch.one_point_rows) keep(row);
}

// Moves overlapping bodies apart by a share of the overlap, without giving them velocity; and those that bounce to where
// they are when they turn back no sooner than they touch.
void StepContext::correct_contacts() {
  scratch.lanes.correct(world, dt, scratch.corrected.data());
  for (const ContactRow& row : scratch.two_point_rows) correct_row(row);
  for (const ContactRow& row : scratch.one_point_rows) correct_row(row);
}

void StepContext::correct_row(const ContactRow& row) {
  Body& a = world.bodies[row.a];
  Body& b = world.bodies[row.b];
  const LocalVelocity v = local_velocity(row, a, b);
  const double* const separations = world.contacts[row.contact].separations;
  // A light body between a heavy one and a wall would be moved to and fro: the heavy one gives way, too.
  double share_a = 1.0;
  double share_b = 1.0;
  if (row.inv_mass_a > 0.0 && row.inv_mass_b > 0.0) {
    share_a = std::max(row.inv_mass_b / (kMostUneven * row.inv_mass_a), 1.0);
    share_b = std::max(row.inv_mass_a / (kMostUneven * row.inv_mass_b), 1.0);
  }
  const bool is_uneven = share_a > 1.0 || share_b > 1.0;
  // Between the two at the end of the step.
  double gaps[2] = {0.0, 0.0};
  double push = 0.0, turn_a = 0.0, turn_b = 0.0;
  double delay = 0.0, delay_a = 0.0, delay_b = 0.0;
  for (int k = 0; k < row.count; ++k) {
    const RowPoint& point = row.points[k];
    gaps[k] = separations[k] + dt * v.normal_at(point);
    const double overlap = std::max(-gaps[k] - config.correction_slop, 0.0);
    const double mass =
        is_uneven ? 1.0 / (share_a * (row.inv_mass_a + row.inv_inertia_a * point.normal_arm_a * point.normal_arm_a) +
                           share_b * (row.inv_mass_b + row.inv_inertia_b * point.normal_arm_b * point.normal_arm_b))
                  : point.normal_mass;
    const double apart = mass * std::min(config.correction_percent * overlap, config.max_correction);
    const double together = point.delay * point.normal_impulse;
    push += apart;
    turn_a += point.normal_arm_a * apart;
    turn_b += point.normal_arm_b * apart;
    delay += together;
    delay_a += point.normal_arm_a * together;
    delay_b += point.normal_arm_b * together;
  }
  if (push == 0.0 && delay == 0.0) return;
  // No farther than there is room for.
  double share = 1.0;
  for (int k = 0; k < row.count; ++k) {
    const RowPoint& point = row.points[k];
    const double way = (row.inv_mass_a + row.inv_mass_b) * delay + row.inv_inertia_a * point.normal_arm_a * delay_a +
                       row.inv_inertia_b * point.normal_arm_b * delay_b;
    if (way > 0.0) share = std::min(share, std::max(gaps[k], 0.0) / way);
  }
  const double push_a = share_a * push - share * delay;
  const double push_b = share_b * push - share * delay;
  a.x -= row.inv_mass_a * push_a * row.normal.x;
  a.y -= row.inv_mass_a * push_a * row.normal.y;
  a.angle -= row.inv_inertia_a * (share_a * turn_a - share * delay_a);
  b.x += row.inv_mass_b * push_b * row.normal.x;
  b.y += row.inv_mass_b * push_b * row.normal.y;
  b.angle += row.inv_inertia_b * (share_b * turn_b - share * delay_b);
  scratch.corrected[row.a] |= kCorrected;
  scratch.corrected[row.b] |= kCorrected;
}

}  // namespace horus::sim2d
