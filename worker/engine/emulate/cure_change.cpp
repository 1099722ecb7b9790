#include "worker/engine/emulate/cure_change.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace tilescope::worker {
namespace {

using Kind = emulator::Fault::Kind;

constexpr std::string_view kWait = "cp.async.wait_group";
constexpr const char *kBarrier = "bar.sync 0;", *kBarrierName = "bar.sync 0 (__syncthreads)";
constexpr int kMostAbove = 4;  // places tried further up than the access itself

bool ends_a_block(std::string_view line) {
  return line.find("bra ") != line.npos || line.find("bra\t") != line.npos ||
         line.find("bra.uni") != line.npos;
}
bool is_label(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  const size_t colon = line.find(':');
  return colon != line.npos && first < colon && line.find_first_of(" \t", first) > colon &&
         line.substr(colon, 2) != "::";
}
bool is_outside(std::string_view line) {
  return line.find(".entry") != line.npos || line.find(".func") != line.npos;
}

/// The number behind `cp.async.wait_group`, 0 of `wait_all`; -1 if neither is there.
int wait_count(std::string_view line) {
  if (line.find("cp.async.wait_all") != line.npos) return 0;
  const size_t at = line.find(kWait);
  if (at == line.npos) return -1;
  const size_t digit = line.find_first_not_of(" \t", at + kWait.size());
  int count = -1;
  if (digit != line.npos) std::from_chars(line.data() + digit, line.data() + line.size(), count);
  return count;
}

std::string list_words(const std::vector<int>& lines) {
  constexpr size_t kMost = 8;
  std::string words;
  for (size_t i = 0; i < lines.size() && i < kMost; ++i) {
    words += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
  }
  return lines.size() > kMost ? words + ", …" : words;
}

}  // namespace

Changes::Changes(std::string_view ptx, const emulator::Program& program) : program_(program) {
  for (size_t begin = 0; begin <= ptx.size();) {
    const size_t end = std::min(ptx.find('\n', begin), ptx.size());
    lines_.push_back(ptx.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string Changes::text(const Change& change) const {
  std::string text;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const auto changed = change.lines.find(static_cast<int>(i) + 1);
    if (i > 0) text += '\n';
    text += changed == change.lines.end() ? lines_[i] : std::string_view(changed->second);
  }
  return text;
}

std::string Changes::place_words(int line) const {
  const emulator::SourceLine source = program_.source_line(line);
  std::string words = "PTX line " + std::to_string(line);
  if (source.line) words += " (" + source.file + ":" + std::to_string(source.line) + ")";
  return words;
}

// An access that not all threads come to stands in a branch: all of them come by before it, where
// the code divides, or at a loop's head.
std::vector<int> Changes::places_above(int line) const {
  std::vector<int> places;
  for (int l = line - 1; l > 0 && std::ssize(places) < kMostAbove; --l) {
    const std::string_view text = lines_[static_cast<size_t>(l) - 1];
    if (is_outside(text)) break;
    if (ends_a_block(text)) places.push_back(l);
    if (is_label(text) && l + 1 < line) places.push_back(l + 1);
  }
  return places;
}

Change Changes::inserted(const std::string& what, const std::string& name,
                         const std::vector<int>& at) const {
  Change change;
  change.words = "put " + name + " before " +
                 (at.size() == 1 ? place_words(at.front()) : "each of PTX lines " + list_words(at));
  for (const int line : at) {
    change.lines[line] = what + " " + std::string(lines_[static_cast<size_t>(line) - 1]);
  }
  return change;
}

void Changes::insert_around(const std::string& what, const std::string& name,
                            const std::vector<int>& at, std::vector<Change>& changes) const {
  if (at.empty()) return;
  changes.push_back(inserted(what, name, {at.front()}));
  for (const int line : places_above(at.front())) changes.push_back(inserted(what, name, {line}));
  if (at.size() > 1) changes.push_back(inserted(what, name, at));
}

// Those before the line come first, the nearest of them ahead.
std::vector<Changes::Waits> Changes::waits_near(int line) const {
  std::vector<Waits> all;
  std::map<std::pair<std::string, int>, size_t> known;
  for (int l = 1; l <= std::ssize(lines_); ++l) {
    const int count = wait_count(lines_[static_cast<size_t>(l) - 1]);
    if (count < 0) continue;
    std::string place;
    for (const emulator::SourceLine& source : program_.source_chain(l)) {
      place += source.file + ":" + std::to_string(source.line) + "<";
    }
    if (place.empty()) place = std::to_string(l);
    const auto [it, is_new] = known.try_emplace({place, count}, all.size());
    if (is_new) all.push_back({{}, count});
    all[it->second].lines.push_back(l);
  }
  const auto rank = [&](const Waits& w) {
    int nearest = static_cast<int>(lines_.size()) + w.lines.front();
    for (const int l : w.lines) {
      if (l < line) nearest = line - l;
    }
    return nearest;
  };
  std::ranges::stable_sort(all, {}, rank);
  return all;
}

std::string Changes::wait_words(const Waits& waits) const {
  return place_words(waits.lines.front()) + (waits.lines.size() > 1 ? " and its copies" : "");
}

Change Changes::lowered(const Waits& waits, int count) const {
  const std::string low = std::to_string(count), high = std::to_string(waits.count);
  Change change;
  change.words =
      "make it cp.async.wait_group " + low + " in place of " + high + " at " + wait_words(waits);
  for (const int l : waits.lines) {
    std::string text(lines_[static_cast<size_t>(l) - 1]);
    text.replace(text.find(high, text.find(kWait) + kWait.size()), high.size(), low);
    change.lines[l] = std::move(text);
  }
  return change;
}

Change Changes::barrier_behind(const Waits& waits) const {
  Change change;
  change.words = "put " + std::string(kBarrierName) + " behind the wait at " + wait_words(waits);
  for (const int l : waits.lines) {
    change.lines[l] = std::string(lines_[static_cast<size_t>(l) - 1]) + " " + kBarrier;
  }
  return change;
}

/// Where all threads meet behind a store.
std::vector<int> Changes::barriers_below(int line) const {
  std::vector<int> all;
  for (int l = line + 1; l <= std::ssize(lines_) && std::ssize(all) < kMostAbove; ++l) {
    const std::string_view text = lines_[static_cast<size_t>(l) - 1];
    if (is_outside(text)) break;
    const bool meets = text.find("bar.sync") != text.npos ||
                       text.find("barrier.sync") != text.npos ||
                       text.find("barrier.cluster.arrive") != text.npos;
    if (meets) all.push_back(l);
  }
  return all;
}

std::vector<Change> Changes::of(const emulator::Finding& finding, bool warps_race) const {
  const std::string wait = "cp.async.wait_all;", wait_name = "cp.async.wait_all";
  std::vector<Change> changes;
  if (finding.remark || finding.ptx_lines.empty()) return changes;
  const auto around = [&](const std::string& what, const std::string& name) {
    insert_around(what, name, finding.ptx_lines, changes);
    insert_around(what, name, finding.other_ptx_lines, changes);
  };
  if (finding.fault.kind == Kind::race) {
    if (!warps_race) around("bar.warp.sync -1;", "bar.warp.sync -1 (__syncwarp)");
    around(kBarrier, kBarrierName);
  } else if (finding.fault.kind == Kind::copy_pending) {
    for (const Waits& waits : waits_near(finding.ptx_lines.front())) {
      changes.push_back(barrier_behind(waits));
      for (int count = waits.count - 1; count >= 0; --count) {
        changes.push_back(lowered(waits, count));
      }
    }
    insert_around(wait, wait_name, finding.ptx_lines, changes);
    insert_around(wait + " " + kBarrier, wait_name + " and " + kBarrierName, finding.ptx_lines,
                  changes);
  } else if (finding.fault.kind == Kind::proxy) {
    const std::string fence = "fence.proxy.async.shared::cta";
    for (const int store : finding.other_ptx_lines) {
      for (const int l : barriers_below(store))
        changes.push_back(inserted(fence + ";", fence, {l}));
    }
    insert_around(fence + ";", fence, finding.ptx_lines, changes);
  } else if (finding.fault.kind == Kind::product_pending) {
    const std::string groups = "wgmma.wait_group.sync.aligned 0",
                      commit = "wgmma.commit_group.sync.aligned";
    insert_around(groups + ";", groups, finding.ptx_lines, changes);
    insert_around(commit + "; " + groups + ";", commit + " and " + groups, finding.ptx_lines,
                  changes);
  }
  return changes;
}

}  // namespace tilescope::worker
