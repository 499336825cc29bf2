// A frame and the link to its parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tf/history.hpp"
#include "tf/seqlock.hpp"

namespace horus::tf {

struct Frame;

enum class LinkKind : std::uint8_t { kNone, kStatic, kMoving };

// From start_ns on, until the next run, the link's parent is this one.
struct ParentRun {
  std::int64_t start_ns;
  Frame* parent;
};

// How a request outside the history of a link is answered.
struct Reach {
  std::int64_t tolerance_ns = 0;
  bool predict = false;
};

enum class LinkStatus : std::uint8_t { kOk, kPast, kFuture, kCannotPredict, kNoLink };

struct StampRange {
  std::uint32_t samples;
  std::int64_t oldest_ns, newest_ns;
};

struct LinkDiagnosis {
  LinkStatus status;
  StampRange stamps;
};

// Frames live as long as their tree, at a fixed address; a removed one is merely not present.
struct Frame {
  explicit Frame(std::string frame_name) : name(std::move(frame_name)) {}

  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  const std::string name;
  SeqLock lock;
  Shared<LinkKind> kind;
  Shared<bool> present;
  // The parent at every time, or null with has_runs set when it changes over time.
  Shared<Frame*> only_parent;
  Shared<bool> has_runs;
  SharedTransform fixed;
  History history;

  // The parent at a time; before the first and after the last sample the nearest one counts. kForever: the newest.
  Frame* parent_at(std::int64_t time_ns) const;
  // The link at a time, read consistently against a writer.
  LinkStatus link_at(std::int64_t time_ns, const Reach& reach, Transform& T_parent_child) const {
    return lock.read([&] { return read_link(time_ns, reach, T_parent_child); });
  }
  // The status of the link at a time together with the stamps that explain it.
  LinkDiagnosis diagnose(std::int64_t time_ns, const Reach& reach) const {
    return lock.read([&] {
      Transform ignored;
      return LinkDiagnosis{read_link(time_ns, reach, ignored), read_stamps()};
    });
  }
  // Lowers common_ns to the newest sample of a moving link; false for any other link.
  bool limit_to_newest(std::int64_t& common_ns) const {
    const Newest newest = lock.read([&] { return Newest{kind == LinkKind::kMoving, history.newest_ns()}; });
    if (newest.moving && newest.stamp_ns < common_ns) common_ns = newest.stamp_ns;
    return newest.moving;
  }
  StampRange stamps() const {
    return lock.read([&] { return read_stamps(); });
  }

  // Stamp of the first sample of the newest stay with one parent.
  std::int64_t newest_run_start_ns() const;

  // Of a link that has_runs; writer, or inside a SeqLock read.
  bool changes_parent_between(std::int64_t before_ns, std::int64_t after_ns) const;
  // Writer only.
  std::vector<ParentRun> runs() const;
  void set_runs(const std::vector<ParentRun>& runs);
  std::size_t run_bytes() const;

 private:
  struct SharedRun {
    Shared<std::int64_t> start_ns;
    Shared<Frame*> parent;
  };
  struct Runs {
    explicit Runs(std::uint32_t capacity) : capacity(capacity), entries(std::make_unique<SharedRun[]>(capacity)) {}
    const std::uint32_t capacity;
    Shared<std::uint32_t> count;
    const std::unique_ptr<SharedRun[]> entries;
  };

  struct Newest {
    bool moving;
    std::int64_t stamp_ns;
  };

  StampRange read_stamps() const { return {history.size(), history.oldest_ns(), history.newest_ns()}; }
  // Index of the run that holds at a time.
  static std::uint32_t run_at(const Runs& runs, std::int64_t time_ns);
  LinkStatus read_link(std::int64_t time_ns, const Reach& reach, Transform& out) const;
  LinkStatus read_link_outside(std::int64_t time_ns, const Reach& reach, Transform& out) const;

  Shared<const Runs*> runs_;
  // Outgrown ones stay readable; doubling bounds them.
  std::vector<std::unique_ptr<Runs>> all_runs_;
};

inline LinkStatus Frame::read_link(std::int64_t time_ns, const Reach& reach, Transform& out) const {
  if (kind != LinkKind::kMoving) {
    out = fixed.load();
    return kind == LinkKind::kStatic ? LinkStatus::kOk : LinkStatus::kNoLink;
  }
  if (time_ns < history.oldest_ns() || time_ns > history.newest_ns()) return read_link_outside(time_ns, reach, out);
  const Bracket around = history.bracket(time_ns);
  out = around.before->load();
  if (around.before_ns == time_ns || around.before_ns >= around.after_ns) return LinkStatus::kOk;
  if (has_runs && changes_parent_between(around.before_ns, around.after_ns)) return LinkStatus::kOk;
  const auto elapsed = static_cast<std::int64_t>(elapsed_ns(around.before_ns, time_ns));
  const auto span = static_cast<std::int64_t>(elapsed_ns(around.before_ns, around.after_ns));
  out = interpolate(out, around.after->load(), static_cast<double>(elapsed) / static_cast<double>(span));
  return LinkStatus::kOk;
}

}  // namespace horus::tf
