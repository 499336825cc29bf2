#include "sim2d/contact_lanes.hpp"

#include <bit>
#include <cstddef>

#include "sim2d/lanes.hpp"

namespace horus::sim2d {
namespace {

constexpr int kColors = 32;
constexpr std::uint8_t kNoColor = 255;

void set_lane(LanePoint& lanes, int k, const ContactPoint& point) {
  lanes.normal_arm_a[k] = point.normal_arm_a;
  lanes.normal_arm_b[k] = point.normal_arm_b;
  lanes.tangent_arm_a[k] = point.tangent_arm_a;
  lanes.tangent_arm_b[k] = point.tangent_arm_b;
  lanes.normal_mass[k] = point.normal_mass;
  lanes.tangent_mass[k] = point.tangent_mass;
  lanes.target[k] = point.target;
  lanes.normal_impulse[k] = point.normal_impulse;
  lanes.tangent_impulse[k] = point.tangent_impulse;
}

void set_lane(PackHead& head, int k, int index, const Contact& contact) {
  head.a[k] = contact.a;
  head.b[k] = contact.b;
  head.contact[k] = index;
  head.normal_x[k] = contact.normal.x;
  head.normal_y[k] = contact.normal.y;
  head.friction[k] = contact.friction;
  head.tolerance[k] = contact.tolerance;
  head.inv_mass_a[k] = contact.inv_mass_a;
  head.inv_mass_b[k] = contact.inv_mass_b;
  head.inv_inertia_a[k] = contact.inv_inertia_a;
  head.inv_inertia_b[k] = contact.inv_inertia_b;
}

// Lanes without a contact read the bodies of the first lane and change nothing.
void clear_pack(PackHead& head, const Contact& first) {
  for (int k = 0; k < kLanes; ++k) {
    head.a[k] = first.a;
    head.b[k] = first.b;
    head.contact[k] = -1;
  }
}

struct Velocities {
  Lane x;
  Lane y;
  Lane w;
  Lane sine;
};

HORUS_LANES_INLINE void load_row(const Body& body, Lane& row) { std::memcpy(&row, &body.vx, sizeof(Lane)); }
HORUS_LANES_INLINE void store_row(const Lane& row, Body& body) { std::memcpy(&body.vx, &row, sizeof(Lane)); }

HORUS_LANES_INLINE void load(const Body* bodies, const int* index, Velocities& v) {
  load_row(bodies[index[0]], v.x);
  load_row(bodies[index[1]], v.y);
  load_row(bodies[index[2]], v.w);
  load_row(bodies[index[3]], v.sine);
  transpose(v.x, v.y, v.w, v.sine);
}

// From the last lane to the first: what an empty lane writes, the first one overwrites.
HORUS_LANES_INLINE void store(Velocities& v, Body* bodies, const int* index) {
  transpose(v.x, v.y, v.w, v.sine);
  store_row(v.sine, bodies[index[3]]);
  store_row(v.w, bodies[index[2]]);
  store_row(v.y, bodies[index[1]]);
  store_row(v.x, bodies[index[0]]);
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

HORUS_LANES_INLINE bool solve_packs(std::vector<TwoPointPack>& two_points, std::vector<OnePointPack>& one_point,
                                    Body* bodies) {
  LaneMask changed{};
  for (TwoPointPack& pack : two_points) changed |= solve_pack(pack, bodies);
  for (OnePointPack& pack : one_point) changed |= solve_pack(pack, bodies);
  return any(changed);
}

#if defined(__x86_64__)
// Wider registers, the same operations: without fused multiply-add the bits are equal.
__attribute__((target("avx2"))) bool solve_packs_avx2(std::vector<TwoPointPack>& two_points,
                                                      std::vector<OnePointPack>& one_point, Body* bodies) {
  return solve_packs(two_points, one_point, bodies);
}

const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#endif

}  // namespace

void ContactLanes::choose_colors(const World& world) {
  for (std::vector<std::uint32_t>& used : used_) used.assign(world.bodies.size(), 0);
  colors_.clear();
  for (const Contact& contact : world.contacts) {
    std::vector<std::uint32_t>& used = used_[contact.count - 1];
    // Bodies that cannot move may be in several lanes at once.
    const bool moves_a = contact.inv_mass_a > 0.0;
    const bool moves_b = contact.inv_mass_b > 0.0;
    const std::uint32_t taken = (moves_a ? used[contact.a] : 0u) | (moves_b ? used[contact.b] : 0u);
    const int color = std::countr_one(taken);
    colors_.push_back(color < kColors ? static_cast<std::uint8_t>(color) : kNoColor);
    if (color >= kColors) continue;
    if (moves_a) used[contact.a] |= 1u << color;
    if (moves_b) used[contact.b] |= 1u << color;
  }
}

void ContactLanes::pack(const World& world) {
  choose_colors(world);
  const std::vector<Contact>& contacts = world.contacts;
  // How many contacts of each kind and color there are, then where the next one of them goes.
  int places[2][kColors] = {};
  left_over_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (colors_[i] == kNoColor) left_over_.push_back(static_cast<int>(i));
    else ++places[contacts[i].count - 1][colors_[i]];
  }
  int packs[2] = {0, 0};
  for (int kind = 0; kind < 2; ++kind) {
    for (int& place : places[kind]) {
      const int needed = (place + kLanes - 1) / kLanes;
      place = packs[kind] * kLanes;
      packs[kind] += needed;
    }
  }
  one_point_.assign(static_cast<std::size_t>(packs[0]), OnePointPack{});
  two_points_.assign(static_cast<std::size_t>(packs[1]), TwoPointPack{});
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (colors_[i] == kNoColor) continue;
    const Contact& contact = contacts[i];
    const int place = places[contact.count - 1][colors_[i]]++;
    const int k = place % kLanes;
    PackHead& head = contact.count == 1 ? one_point_[place / kLanes].head : two_points_[place / kLanes].head;
    if (k == 0) clear_pack(head, contact);
    set_lane(head, k, static_cast<int>(i), contact);
    if (contact.count == 1) {
      set_lane(one_point_[place / kLanes].point, k, contact.points[0]);
      continue;
    }
    TwoPointPack& pack = two_points_[place / kLanes];
    set_lane(pack.one, k, contact.points[0]);
    set_lane(pack.two, k, contact.points[1]);
    pack.response_1[k] = contact.points[0].response;
    pack.response_2[k] = contact.points[1].response;
    pack.coupling[k] = contact.coupling;
    pack.inverse_determinant[k] = contact.inverse_determinant;
  }
}

bool ContactLanes::solve(Body* bodies) {
#if defined(__x86_64__)
  if (kHasAvx2) return solve_packs_avx2(two_points_, one_point_, bodies);
#endif
  return solve_packs(two_points_, one_point_, bodies);
}

void ContactLanes::unpack(std::vector<Contact>& contacts) const {
  const auto put = [&](int index, int point, const LanePoint& lanes, int k) {
    contacts[index].points[point].normal_impulse = lanes.normal_impulse[k];
    contacts[index].points[point].tangent_impulse = lanes.tangent_impulse[k];
  };
  for (const OnePointPack& pack : one_point_) {
    for (int k = 0; k < kLanes && pack.head.contact[k] >= 0; ++k) put(pack.head.contact[k], 0, pack.point, k);
  }
  for (const TwoPointPack& pack : two_points_) {
    for (int k = 0; k < kLanes && pack.head.contact[k] >= 0; ++k) {
      put(pack.head.contact[k], 0, pack.one, k);
      put(pack.head.contact[k], 1, pack.two, k);
    }
  }
}

}  // namespace horus::sim2d
