// What is done with a pack of contacts, all inlined into contact_lanes.cpp.
#pragma once

#include "sim2d/lanes.hpp"

namespace horus::sim2d {

struct Velocities {
  Lane x;
  Lane y;
  Lane w;
  Lane sine;
};

HORUS_LANES_INLINE void load(const Body* bodies, const int* index, Velocities& v) {
  load_columns(&bodies[index[0]].vx, &bodies[index[1]].vx, &bodies[index[2]].vx, &bodies[index[3]].vx, v.x, v.y, v.w,
               v.sine);
}

HORUS_LANES_INLINE void store(const Velocities& v, Body* bodies, const int* index) {
  store_columns(v.x, v.y, v.w, v.sine, &bodies[index[0]].vx, &bodies[index[1]].vx, &bodies[index[2]].vx,
                &bodies[index[3]].vx);
}

// Of b relative to a along normal and tangent, and both rates of turn, as the solver of single contacts has it.
struct LocalLanes {
  Lane normal;
  Lane tangent;
  Lane wa;
  Lane wb;
};

HORUS_LANES_INLINE Lane normal_at(const LocalLanes& v, const LanePoint& point) {
  return v.normal + point.normal_arm_b * v.wb - point.normal_arm_a * v.wa;
}

HORUS_LANES_INLINE Lane tangent_at(const LocalLanes& v, const LanePoint& point) {
  return v.tangent + point.tangent_arm_b * v.wb - point.tangent_arm_a * v.wa;
}

HORUS_LANES_INLINE void push_normal(const PackHead& head, const LanePoint& point, const Lane& change, LocalLanes& v) {
  v.normal += (head.inv_mass_a + head.inv_mass_b) * change;
  v.wa -= head.inv_inertia_a * point.normal_arm_a * change;
  v.wb += head.inv_inertia_b * point.normal_arm_b * change;
}

HORUS_LANES_INLINE void push_tangent(const PackHead& head, const LanePoint& point, const Lane& change, LocalLanes& v) {
  v.tangent += (head.inv_mass_a + head.inv_mass_b) * change;
  v.wa -= head.inv_inertia_a * point.tangent_arm_a * change;
  v.wb += head.inv_inertia_b * point.tangent_arm_b * change;
}

HORUS_LANES_INLINE Lane solve_friction(const PackHead& head, LanePoint& point, LocalLanes& v) {
  const Lane most = head.friction * point.normal_impulse;
  const Lane wanted = point.tangent_impulse - point.tangent_mass * tangent_at(v, point);
  const Lane impulse = greater(-most, smaller(wanted, most));
  const Lane change = impulse - point.tangent_impulse;
  point.tangent_impulse = impulse;
  push_tangent(head, point, change, v);
  return change;
}

HORUS_LANES_INLINE Lane normal_impulse(const LanePoint& point, const LocalLanes& v) {
  return greater(point.normal_impulse - point.normal_mass * (normal_at(v, point) - point.target), spread(0.0));
}

HORUS_LANES_INLINE LaneMask is_change(const PackHead& head, const Lane& change, const Lane& mass) {
  return magnitude(change) > head.tolerance * mass;
}

HORUS_LANES_INLINE void begin(const PackHead& head, const Body* bodies, Velocities& a, Velocities& b, LocalLanes& v) {
  load(bodies, head.a, a);
  load(bodies, head.b, b);
  const Lane dx = b.x - a.x;
  const Lane dy = b.y - a.y;
  v.normal = head.normal_x * dx + head.normal_y * dy;
  v.tangent = head.normal_x * dy - head.normal_y * dx;
  v.wa = a.w;
  v.wb = b.w;
}

HORUS_LANES_INLINE void end(const PackHead& head, Body* bodies, const Lane& along_n, const Lane& along_t,
                            const LocalLanes& v, Velocities& a, Velocities& b) {
  const Lane px = along_n * head.normal_x - along_t * head.normal_y;
  const Lane py = along_n * head.normal_y + along_t * head.normal_x;
  a.x -= head.inv_mass_a * px;
  a.y -= head.inv_mass_a * py;
  b.x += head.inv_mass_b * px;
  b.y += head.inv_mass_b * py;
  a.w = v.wa;
  b.w = v.wb;
  store(a, bodies, head.a);
  store(b, bodies, head.b);
}

HORUS_LANES_INLINE LaneMask solve_pack(OnePointPack& pack, Body* bodies) {
  const PackHead& head = pack.head;
  LanePoint& point = pack.point;
  Velocities a, b;
  LocalLanes v;
  begin(head, bodies, a, b, v);
  const Lane slide = solve_friction(head, point, v);
  const Lane impulse = normal_impulse(point, v);
  const Lane change = impulse - point.normal_impulse;
  point.normal_impulse = impulse;
  push_normal(head, point, change, v);
  end(head, bodies, change, slide, v, a, b);
  return is_change(head, change, point.normal_mass) | is_change(head, slide, point.tangent_mass);
}

// The impulses of both points at once, by the cases of which of them push, and one after the other where none applies.
HORUS_LANES_INLINE void solve_both(const TwoPointPack& pack, const LocalLanes& v, Lane& p1, Lane& p2) {
  const LanePoint& one = pack.one;
  const LanePoint& two = pack.two;
  const Lane zero = spread(0.0);
  const Lane& coupling = pack.coupling;
  const Lane free_1 =
      normal_at(v, one) - one.target - pack.response_1 * one.normal_impulse - coupling * two.normal_impulse;
  const Lane free_2 =
      normal_at(v, two) - two.target - coupling * one.normal_impulse - pack.response_2 * two.normal_impulse;
  const Lane both_1 = pack.inverse_determinant * (coupling * free_2 - pack.response_2 * free_1);
  const Lane both_2 = pack.inverse_determinant * (coupling * free_1 - pack.response_1 * free_2);
  const Lane only_1 = -one.normal_mass * free_1;
  const Lane only_2 = -two.normal_mass * free_2;
  const LaneMask is_both = (both_1 >= zero) & (both_2 >= zero);
  const LaneMask is_first = (only_1 >= zero) & (coupling * only_1 + free_2 >= zero);
  const LaneMask is_second = (only_2 >= zero) & (coupling * only_2 + free_1 >= zero);
  const LaneMask is_none = (free_1 >= zero) & (free_2 >= zero);
  p1 = is_both ? both_1 : (is_first ? only_1 : zero);
  p2 = is_both ? both_2 : (is_first ? zero : (is_second ? only_2 : zero));
  const LaneMask is_open = ~(is_both | is_first | is_second | is_none) | (coupling == zero);
  if (!any(is_open)) return;
  LocalLanes rest = v;
  const Lane first = normal_impulse(one, rest);
  push_normal(pack.head, one, first - one.normal_impulse, rest);
  p1 = is_open ? first : p1;
  p2 = is_open ? normal_impulse(two, rest) : p2;
}

HORUS_LANES_INLINE LaneMask solve_pack(TwoPointPack& pack, Body* bodies) {
  const PackHead& head = pack.head;
  LanePoint& one = pack.one;
  LanePoint& two = pack.two;
  Velocities a, b;
  LocalLanes v;
  begin(head, bodies, a, b, v);
  const Lane slide_1 = solve_friction(head, one, v);
  const Lane slide_2 = solve_friction(head, two, v);
  Lane p1, p2;
  solve_both(pack, v, p1, p2);
  const Lane change_1 = p1 - one.normal_impulse;
  const Lane change_2 = p2 - two.normal_impulse;
  one.normal_impulse = p1;
  two.normal_impulse = p2;
  push_normal(head, one, change_1, v);
  push_normal(head, two, change_2, v);
  end(head, bodies, change_1 + change_2, slide_1 + slide_2, v, a, b);
  return is_change(head, change_1, one.normal_mass) | is_change(head, change_2, two.normal_mass) |
         is_change(head, slide_1, one.tangent_mass) | is_change(head, slide_2, two.tangent_mass);
}

HORUS_LANES_INLINE void warm_start_pack(const OnePointPack& pack, Body* bodies) {
  const LanePoint& point = pack.point;
  Velocities a, b;
  LocalLanes v;
  begin(pack.head, bodies, a, b, v);
  push_normal(pack.head, point, point.normal_impulse, v);
  push_tangent(pack.head, point, point.tangent_impulse, v);
  end(pack.head, bodies, point.normal_impulse, point.tangent_impulse, v, a, b);
}

HORUS_LANES_INLINE void warm_start_pack(const TwoPointPack& pack, Body* bodies) {
  const LanePoint& one = pack.one;
  const LanePoint& two = pack.two;
  Velocities a, b;
  LocalLanes v;
  begin(pack.head, bodies, a, b, v);
  push_normal(pack.head, one, one.normal_impulse, v);
  push_tangent(pack.head, one, one.tangent_impulse, v);
  push_normal(pack.head, two, two.normal_impulse, v);
  push_tangent(pack.head, two, two.tangent_impulse, v);
  end(pack.head, bodies, one.normal_impulse + two.normal_impulse, one.tangent_impulse + two.tangent_impulse, v, a, b);
}

}  // namespace horus::sim2d
