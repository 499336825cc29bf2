#include "sim2d/world.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "math/sine.hpp"
#include "sim2d/step_context.hpp"

namespace horus::sim2d {
namespace {

// Most small worlds never have more.
constexpr std::size_t kFirstContacts = 16;
constexpr std::uint64_t kMagic = 0x3244534D49533035ull;

struct Writer {
  std::string bytes;
  template <class T>
  void raw(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <class T>
  void fixed(const std::vector<T>& values) {
    any(values);
  }
  template <class T>
  void any(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(static_cast<std::uint64_t>(values.size()));
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
};

struct Reader {
  const std::string& bytes;
  std::size_t at = 0;
  bool good = true;
  template <class T>
  void raw(T& value) {
    good = good && bytes.size() - at >= sizeof(T);
    if (!good) return;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    at += sizeof(T);
  }
  // As many as there are already.
  template <class T>
  void fixed(std::vector<T>& values) {
    const std::size_t expected = values.size();
    any(values);
    good = good && values.size() == expected;
  }
  template <class T>
  void any(std::vector<T>& values) {
    std::uint64_t count = 0;
    raw(count);
    good = good && count <= (bytes.size() - at) / sizeof(T);
    if (!good) return;
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), bytes.data() + at, count * sizeof(T));
    at += count * sizeof(T);
  }
};

}  // namespace

void ScratchDeleter::operator()(Scratch* scratch) const { delete scratch; }
ScratchPtr make_scratch() {
  // Room for the contacts of a small world; more is asked for when it is needed first.
  constexpr std::size_t kRoom = 64;
  ScratchPtr scratch(new Scratch);
  scratch->pairs.reserve(kRoom);
  scratch->one_point_rows.reserve(kRoom);
  scratch->two_point_rows.reserve(kRoom);
  scratch->movers.reserve(kRoom);
  scratch->next_contacts.resize(kRoom);
  scratch->arms.resize(kRoom);
  return scratch;
}

World::World(std::shared_ptr<const Model> model, std::uint64_t seed_) : model_(std::move(model)) {
  const std::size_t n = model_->bodies.size();
  params.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const BodyDef& body = model_->bodies[i];
    BodyParams& p = params[i];
    p.friction = body.friction;
    p.restitution = body.restitution;
    p.ground_friction = body.ground_friction;
    set_mass(static_cast<int>(i), body.mass, body.inertia);
  }
  wheel_grip.assign(model_->wheels.size(), 1.0);
  hull_vertices_.resize(model_->vertices.size());
  hull_normals_.resize(model_->vertices.size());
  reset(seed_);
}

void World::reset(std::uint64_t seed_) {
  const std::size_t n = model_->bodies.size();
  seed = seed_;
  time = 0.0;
  step_index = 0;
  sensed_step_ = -1;
  bodies.assign(n, {});
  grounds_.assign(n, {});
  wrenches_.assign(n, {});
  has_wrench_ = 0;
  active_.assign(n, 0);
  hull_valid_.assign(n, 0);
  boxes_.resize(n);
  wide_pairs_valid_ = false;
  fixed_tree_valid_ = false;
  moving_tree_valid_ = false;
  joints_.assign(model_->joints.size(), {});
  forget_energies();
  wheels.assign(model_->wheels.size(), {});
  sensors.assign(model_->sensors.size(), {});
  readings.assign(static_cast<std::size_t>(model_->reading_width), 0.0);
  contacts.clear();
  contacts.reserve(kFirstContacts);
  warnings.clear();
  for (std::size_t i = 0; i < n; ++i) set_pose(static_cast<int>(i), model_->bodies[i].pose);
  for (std::size_t i = 0; i < sensors.size(); ++i) sensors[i].random = Random::stream(seed, i);
}

void World::set_pose(int i, Pose pose) {
  Body& body = bodies[i];
  body.x = pose.x;
  body.y = pose.y;
  body.angle = pose.theta;
  math::any_sine_cosine(pose.theta, body.s, body.c);
  hull_valid_[i] = 0;
  active_[i] = params[i].inv_mass > 0.0;
  note_slip(i);
  update_box(i, 0.0);
  mark_if_left(i);
  forget_energies();
  moving_tree_valid_ = false;
  if (params[i].inv_mass == 0.0) fixed_tree_valid_ = false;
}

void World::forget_energies() {
  energies_.assign(model_->joint_groups.assemblies.size(), std::numeric_limits<double>::infinity());
}

void World::set_velocity(int i, double vx, double vy, double w) {
  if (params[i].inv_mass == 0.0) return;
  bodies[i].vx = vx;
  bodies[i].vy = vy;
  bodies[i].w = w;
  active_[i] = 1;
  forget_energies();
  note_slip(i);
}

void World::apply_force(int i, double fx, double fy, double torque) {
  if (params[i].inv_mass == 0.0) return;
  wrenches_[i].fx += fx;
  wrenches_[i].fy += fy;
  wrenches_[i].torque += torque;
  has_wrench_ = 1;
  active_[i] = 1;
  forget_energies();
}

void World::set_mass(int i, double mass, double inertia) {
  const bool moves = model_->bodies[i].can_move;
  forget_energies();
  wheel_constants_dt_ = 0.0;
  params[i].mass = mass;
  params[i].inertia = inertia;
  params[i].inv_mass = moves ? 1.0 / mass : 0.0;
  params[i].inv_inertia = moves && inertia > 0.0 ? 1.0 / inertia : 0.0;
}

void World::advance(double dt, Scratch& scratch) {
  moving_tree_valid_ = false;
  StepContext(*this, scratch, dt).run();
}

void World::step(double dt, int n, Scratch& scratch) {
  for (int k = 0; k < n; ++k) {
    if (!sensors.empty()) sense();
    advance(dt, scratch);
  }
}

void World::warn(WarningKind kind, int body) {
  for (Warning& warning : warnings) {
    if (warning.kind != kind || warning.body != body) continue;
    ++warning.count;
    return;
  }
  warnings.push_back({kind, body, step_index, 1});
}

template <class Archive>
void World::archive(Archive& a) {
  a.raw(time);
  a.raw(step_index);
  a.raw(seed);
  a.raw(sensed_step_);
  a.raw(noise_scale);
  a.raw(has_wrench_);
  a.fixed(bodies);
  a.fixed(params);
  a.fixed(wrenches_);
  a.fixed(wheels);
  a.fixed(wheel_grip);
  a.fixed(sensors);
  a.fixed(readings);
  a.fixed(joints_);
  a.fixed(energies_);
  a.fixed(grounds_);
  a.fixed(active_);
  a.any(contacts);
  a.any(warnings);
}

std::string World::save() const {
  Writer writer;
  writer.raw(kMagic);
  writer.raw(model_->fingerprint);
  const_cast<World*>(this)->archive(writer);
  return std::move(writer.bytes);
}

bool World::load(const std::string& bytes) {
  // Into a copy: bytes that turn out wrong change nothing.
  World loaded = *this;
  Reader reader{bytes};
  std::uint64_t magic = 0;
  std::uint64_t fingerprint = 0;
  reader.raw(magic);
  reader.raw(fingerprint);
  if (!reader.good || magic != kMagic || fingerprint != model_->fingerprint) return false;
  loaded.archive(reader);
  if (!reader.good || reader.at != bytes.size()) return false;
  const int n = static_cast<int>(bodies.size());
  for (const Contact& contact : loaded.contacts) {
    if (contact.a < 0 || contact.a >= n || contact.b < 0 || contact.b >= n) return false;
    if (contact.count < 0 || contact.count > 2) return false;
  }
  for (const Warning& warning : loaded.warnings) {
    if (warning.body < 0 || warning.body >= n) return false;
  }
  loaded.wheel_constants_dt_ = 0.0;
  loaded.wide_pairs_valid_ = false;
  loaded.fixed_tree_valid_ = false;
  loaded.moving_tree_valid_ = false;
  std::fill(loaded.hull_valid_.begin(), loaded.hull_valid_.end(), std::uint8_t{0});
  for (int i = 0; i < n; ++i) loaded.update_box(i, 0.0);
  *this = std::move(loaded);
  return true;
}

}  // namespace horus::sim2d
