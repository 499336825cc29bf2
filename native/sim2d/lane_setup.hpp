// Fills packs from contacts, and corrects the overlap of their bodies; all inlined into contact_lanes.cpp.
#pragma once

#include "sim2d/lane_kernels.hpp"

namespace horus::sim2d {

// By the number of contacts in a pack.
inline constexpr Lane kUsed[kLanes + 1] = {
    {0.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}, {1.0, 1.0, 1.0, 0.0}, {1.0, 1.0, 1.0, 1.0}};

// What the points of a pack have in common while it is filled.
struct LaneSetup {
  Lane restitution;
  Lane inv_mass;
  // Empty lanes get infinite masses.
  Lane is_used;
  Lane separation_1;
  Lane separation_2;
  LocalLanes v;
  Lane fall;
};

HORUS_LANES_INLINE void set_head(const LaneInput& input, const PackPlaces& places, PackHead& head, LaneSetup& setup) {
  const World& world = input.world;
  const Contact* contacts[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    contacts[k] = &world.contacts[places.contact[k]];
    head.a[k] = contacts[k]->a;
    head.b[k] = contacts[k]->b;
  }
  setup.is_used = kUsed[places.count];
  load_columns(&contacts[0]->normal.x, &contacts[1]->normal.x, &contacts[2]->normal.x, &contacts[3]->normal.x,
               head.normal_x, head.normal_y, setup.separation_1, setup.separation_2);
  const BodyParams* const params = world.params.data();
  Lane friction_a, friction_b, restitution_a, restitution_b;
  load_columns(&params[head.a[0]].inv_mass, &params[head.a[1]].inv_mass, &params[head.a[2]].inv_mass,
               &params[head.a[3]].inv_mass, head.inv_mass_a, head.inv_inertia_a, friction_a, restitution_a);
  load_columns(&params[head.b[0]].inv_mass, &params[head.b[1]].inv_mass, &params[head.b[2]].inv_mass,
               &params[head.b[3]].inv_mass, head.inv_mass_b, head.inv_inertia_b, friction_b, restitution_b);
  head.friction = 0.5 * (friction_a + friction_b);
  setup.restitution = greater(restitution_a, restitution_b);
  setup.inv_mass = head.inv_mass_a + head.inv_mass_b;
  const Lane zero = spread(0.0);
  const Lane one = spread(1.0);
  const Lane falls = (head.inv_mass_b > zero ? one : zero) - (head.inv_mass_a > zero ? one : zero);
  const Vec2 gravity = world.model().gravity;
  setup.fall = input.dt * (head.normal_x * gravity.x + head.normal_y * gravity.y) * falls;
  Velocities a, b;
  begin(head, world.bodies.data(), a, b, setup.v);
}

// Returns the response of the normal speed. The arms are those of point `k` of the contacts.
HORUS_LANES_INLINE Lane set_point(const LaneInput& input, const PackPlaces& places, int k, const PackHead& head,
                                  const LaneSetup& setup, const Lane& separation, LanePoint& point) {
  const SolverConfig& config = input.world.model().solver;
  const int* const at = places.contact;
  Lane ax, ay, bx, by;
  load_columns(&input.arms[at[0]].points[k].a.x, &input.arms[at[1]].points[k].a.x, &input.arms[at[2]].points[k].a.x,
               &input.arms[at[3]].points[k].a.x, ax, ay, bx, by);
  point.normal_arm_a = ax * head.normal_y - ay * head.normal_x;
  point.normal_arm_b = bx * head.normal_y - by * head.normal_x;
  point.tangent_arm_a = ax * head.normal_x + ay * head.normal_y;
  point.tangent_arm_b = bx * head.normal_x + by * head.normal_y;
  const Lane response = setup.inv_mass + head.inv_inertia_a * point.normal_arm_a * point.normal_arm_a +
                        head.inv_inertia_b * point.normal_arm_b * point.normal_arm_b;
  point.normal_mass = setup.is_used / response;
  point.tangent_mass = setup.is_used / (setup.inv_mass + head.inv_inertia_a * point.tangent_arm_a * point.tangent_arm_a +
                                        head.inv_inertia_b * point.tangent_arm_b * point.tangent_arm_b);
  const Lane zero = spread(0.0);
  const Lane speed = normal_at(setup.v, point);
  const Lane approach = speed - setup.fall;
  const Lane size = magnitude(approach);
  const LaneMask meets = separation + speed * input.dt <= spread(config.contact_margin);
  const LaneMask bounces = (setup.restitution > zero) & (size > spread(config.restitution_threshold));
  const Lane later = -greater(separation, zero) / input.dt - (bounces ? setup.restitution * size : zero);
  const LaneMask turns_back = bounces & (approach < zero) & meets;
  const Lane one = spread(1.0);
  const Lane way = turns_back ? smaller(greater(separation, zero) / (-input.dt * speed), one) : zero;
  const Lane high = -setup.restitution * (approach + (0.5 + way) * setup.fall);
  const Lane back = high > -setup.fall ? high + (0.5 - way) * setup.fall : -setup.restitution * approach;
  point.delay = way * input.dt;
  point.target = turns_back ? back : later;
  return response;
}

HORUS_LANES_INLINE void set_tolerance(const LaneInput& input, const LaneMask& bounces, PackHead& head) {
  const Model& model = input.world.model();
  head.tolerance = bounces ? spread(model.solver.velocity_tolerance) : spread(resting_tolerance(model));
}

// Impulses that begin a step; empty lanes have none and move nothing.
HORUS_LANES_INLINE void finish_head(const LaneSetup& setup, PackHead& head) {
  head.inv_mass_a *= setup.is_used;
  head.inv_mass_b *= setup.is_used;
  head.inv_inertia_a *= setup.is_used;
  head.inv_inertia_b *= setup.is_used;
}

HORUS_LANES_INLINE void load_impulses(const LaneInput& input, const PackPlaces& places, const LaneSetup& setup,
                                      LanePoint& one, LanePoint& two) {
  const std::vector<Contact>& contacts = input.world.contacts;
  const int* const at = places.contact;
  load_columns(contacts[at[0]].impulses, contacts[at[1]].impulses, contacts[at[2]].impulses, contacts[at[3]].impulses,
               one.normal_impulse, one.tangent_impulse, two.normal_impulse, two.tangent_impulse);
  one.normal_impulse *= setup.is_used;
  one.tangent_impulse *= setup.is_used;
  two.normal_impulse *= setup.is_used;
  two.tangent_impulse *= setup.is_used;
}

HORUS_LANES_INLINE void set_pack(const LaneInput& input, const PackPlaces& places, OnePointPack& pack) {
  LaneSetup setup;
  set_head(input, places, pack.head, setup);
  set_point(input, places, 0, pack.head, setup, setup.separation_1, pack.point);
  pack.separation = setup.separation_1;
  set_tolerance(input, pack.point.target > spread(kClearBounce), pack.head);
  LanePoint absent;
  load_impulses(input, places, setup, pack.point, absent);
  finish_head(setup, pack.head);
}

HORUS_LANES_INLINE void set_pack(const LaneInput& input, const PackPlaces& places, TwoPointPack& pack) {
  LaneSetup setup;
  PackHead& head = pack.head;
  set_head(input, places, head, setup);
  pack.response_1 = set_point(input, places, 0, head, setup, setup.separation_1, pack.one);
  pack.response_2 = set_point(input, places, 1, head, setup, setup.separation_2, pack.two);
  pack.separation_1 = setup.separation_1;
  pack.separation_2 = setup.separation_2;
  const Lane clear = spread(kClearBounce);
  set_tolerance(input, (pack.one.target > clear) | (pack.two.target > clear), head);
  const Lane coupling = setup.inv_mass + head.inv_inertia_a * pack.one.normal_arm_a * pack.two.normal_arm_a +
                        head.inv_inertia_b * pack.one.normal_arm_b * pack.two.normal_arm_b;
  const Lane product = pack.response_1 * pack.response_2;
  const Lane determinant = product - coupling * coupling;
  const LaneMask apart = determinant > kClosePoints * product;
  pack.coupling = apart ? coupling : spread(0.0);
  pack.inverse_determinant = apart ? setup.is_used / determinant : spread(0.0);
  load_impulses(input, places, setup, pack.one, pack.two);
  finish_head(setup, head);
}

struct Places {
  Lane x;
  Lane y;
  Lane angle;
  Lane cosine;
};

// How far the bodies of a pack are pushed apart at a point, given the gap between them at the end of the step.
HORUS_LANES_INLINE Lane push_at(const SolverConfig& config, const LanePoint& point, const Lane& gap) {
  const Lane overlap = greater(-gap - config.correction_slop, spread(0.0));
  return point.normal_mass * smaller(config.correction_percent * overlap, spread(config.max_correction));
}

// How far they are moved together where they turned back before they touched: along the normal and turned.
struct Together {
  Lane push;
  Lane turn_a;
  Lane turn_b;
};

// The share of it that a point has room for.
HORUS_LANES_INLINE Lane share_of(const PackHead& head, const LanePoint& point, const Together& together, const Lane& gap) {
  const Lane zero = spread(0.0);
  const Lane way = (head.inv_mass_a + head.inv_mass_b) * together.push +
                   head.inv_inertia_a * point.normal_arm_a * together.turn_a +
                   head.inv_inertia_b * point.normal_arm_b * together.turn_b;
  return way > zero ? greater(gap, zero) / (way > zero ? way : spread(1.0)) : spread(1.0);
}

HORUS_LANES_INLINE void move_apart(const PackHead& head, const Lane& push, const Lane& turn_a, const Lane& turn_b,
                                   Body* bodies, std::uint8_t* corrected) {
  const int* const a = head.a;
  const int* const b = head.b;
  Places pa, pb;
  load_columns(&bodies[a[0]].x, &bodies[a[1]].x, &bodies[a[2]].x, &bodies[a[3]].x, pa.x, pa.y, pa.angle, pa.cosine);
  load_columns(&bodies[b[0]].x, &bodies[b[1]].x, &bodies[b[2]].x, &bodies[b[3]].x, pb.x, pb.y, pb.angle, pb.cosine);
  pa.x -= head.inv_mass_a * push * head.normal_x;
  pa.y -= head.inv_mass_a * push * head.normal_y;
  pa.angle -= head.inv_inertia_a * turn_a;
  pb.x += head.inv_mass_b * push * head.normal_x;
  pb.y += head.inv_mass_b * push * head.normal_y;
  pb.angle += head.inv_inertia_b * turn_b;
  store_columns(pa.x, pa.y, pa.angle, pa.cosine, &bodies[a[0]].x, &bodies[a[1]].x, &bodies[a[2]].x, &bodies[a[3]].x);
  store_columns(pb.x, pb.y, pb.angle, pb.cosine, &bodies[b[0]].x, &bodies[b[1]].x, &bodies[b[2]].x, &bodies[b[3]].x);
  for (int k = 0; k < kLanes; ++k) {
    if (push[k] == 0.0) continue;
    corrected[a[k]] |= kCorrected;
    corrected[b[k]] |= kCorrected;
  }
}

HORUS_LANES_INLINE void correct_pack(const SolverConfig& config, double dt, const OnePointPack& pack, Body* bodies,
                                     std::uint8_t* corrected) {
  Velocities a, b;
  LocalLanes v;
  begin(pack.head, bodies, a, b, v);
  const LanePoint& point = pack.point;
  const Lane gap = pack.separation + dt * normal_at(v, point);
  const Lane apart = push_at(config, point, gap);
  Together together;
  together.push = point.delay * point.normal_impulse;
  if (!any((apart != spread(0.0)) | (together.push != spread(0.0)))) return;
  together.turn_a = point.normal_arm_a * together.push;
  together.turn_b = point.normal_arm_b * together.push;
  const Lane share = smaller(share_of(pack.head, point, together, gap), spread(1.0));
  move_apart(pack.head, apart - share * together.push, apart * point.normal_arm_a - share * together.turn_a,
             apart * point.normal_arm_b - share * together.turn_b, bodies, corrected);
}

HORUS_LANES_INLINE void correct_pack(const SolverConfig& config, double dt, const TwoPointPack& pack, Body* bodies,
                                     std::uint8_t* corrected) {
  Velocities a, b;
  LocalLanes v;
  begin(pack.head, bodies, a, b, v);
  const LanePoint& one = pack.one;
  const LanePoint& two = pack.two;
  const Lane gap_1 = pack.separation_1 + dt * normal_at(v, one);
  const Lane gap_2 = pack.separation_2 + dt * normal_at(v, two);
  const Lane apart_1 = push_at(config, one, gap_1);
  const Lane apart_2 = push_at(config, two, gap_2);
  const Lane delay_1 = one.delay * one.normal_impulse;
  const Lane delay_2 = two.delay * two.normal_impulse;
  Together together;
  together.push = delay_1 + delay_2;
  const Lane apart = apart_1 + apart_2;
  if (!any((apart != spread(0.0)) | (together.push != spread(0.0)))) return;
  together.turn_a = one.normal_arm_a * delay_1 + two.normal_arm_a * delay_2;
  together.turn_b = one.normal_arm_b * delay_1 + two.normal_arm_b * delay_2;
  const Lane share = smaller(smaller(share_of(pack.head, one, together, gap_1), share_of(pack.head, two, together, gap_2)),
                             spread(1.0));
  move_apart(pack.head, apart - share * together.push,
             apart_1 * one.normal_arm_a + apart_2 * two.normal_arm_a - share * together.turn_a,
             apart_1 * one.normal_arm_b + apart_2 * two.normal_arm_b - share * together.turn_b, bodies, corrected);
}

}  // namespace horus::sim2d
