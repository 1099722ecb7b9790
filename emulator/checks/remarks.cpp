#include "emulator/checks/remarks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <utility>

#include "emulator/checks/check_findings.h"

namespace tilescope::emulator {
namespace {

struct Remark {
  uint64_t cost = 0, ideal = 0;  // wavefronts or sectors
  uint64_t most = 0;             // too many of them, by the instruction that is told of
  std::string what, cure;        // before and behind the figures
  Finding finding;
};

std::string lane_list(uint32_t lanes) {
  std::string text;
  int shown = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    if (shown++ == 8) return text + ", …";
    text += (text.empty() ? "" : ", ") + std::to_string(std::countr_zero(m));
  }
  return text;
}

std::array<uint64_t, 32> addresses_of(const Pattern& p) {
  std::array<uint64_t, 32> a{};
  for (size_t i = 0; i < 32; ++i) a[i] = p.first + p.difference[i];
  return a;
}

/// What lanes do there.
const char* verb_of(RowKind kind) {
  switch (kind) {
    case RowKind::store_global:
    case RowKind::store_generic:
      return "write";
    case RowKind::atomic:
      return "update";
    case RowKind::copy:
      return "copy from";
    default:
      return "read";
  }
}

/// The bank that most different words fall on, in one group of lanes, and a lane for each word.
struct Crowd {
  uint32_t bank = 0, words = 0, lanes = 0;
};
Crowd worst_bank(const Pattern& p, int bytes) {
  const auto address = addresses_of(p);
  const uint32_t words = bytes > 4 ? static_cast<uint32_t>(bytes) / 4 : 1, group = 32 / words;
  Crowd worst;
  for (uint32_t first = 0; first < 32; first += group) {
    std::array<std::map<uint64_t, uint32_t>, 32> banks;  // word → its first lane
    for (uint32_t lane = first; lane < first + group; ++lane) {
      if (!((p.mask >> lane) & 1u)) continue;
      for (uint32_t w = 0; w < words; ++w) {
        const uint64_t word = (address[lane] >> 2) + w;
        banks[word & 31].try_emplace(word, lane);
      }
    }
    for (uint32_t bank = 0; bank < 32; ++bank) {
      if (banks[bank].size() <= worst.words) continue;
      worst = {bank, static_cast<uint32_t>(banks[bank].size()), 0};
      for (const auto& [word, lane] : banks[bank]) worst.lanes |= 1u << lane;
    }
  }
  return worst;
}

void merge_site(Site& to, const Site& from) {
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.bytes += from.bytes;
  to.shared_requests += from.shared_requests;
  to.wavefronts += from.wavefronts;
  to.ideal += from.ideal;
  to.shared_bytes += from.shared_bytes;
}

class Remarker {
 public:
  Remarker(const RunState& state, const std::vector<std::unique_ptr<Counters>>& counters)
      : state_(state), counters_(counters) {}

  std::vector<Remark> all() {
    const Code& code = state_.entry->code;
    for (uint32_t i = 0; i < code.instructions.size(); ++i) {
      const Inst& in = code.instructions[i];
      if (in.site == 0) continue;
      const Row& row = *state_.rows.rows[in.row];
      const bool copies = row.kind == RowKind::copy;
      Site sum = site(in.site);
      if (sum.requests > 0) uncoalesced(i, row, sum, in.site);
      // cp.async keeps its shared side's patterns at a site of their own.
      if (sum.shared_requests > 0) conflicts(i, row, sum, in.site + (copies ? 1 : 0));
    }
    return std::move(remarks_);
  }

 private:
  Site site(uint32_t index) const {
    Site sum;
    for (const auto& c : counters_) merge_site(sum, c->sites[index]);
    return sum;
  }
  /// Whichever thread has met it.
  const Pattern* worst_pattern(uint32_t index) const {
    const Pattern* worst = nullptr;
    for (const auto& c : counters_) {
      for (const Pattern& p : c->sites[index].patterns) {
        if (p.count != 0 && (!worst || is_worse(p, *worst))) worst = &p;
      }
    }
    return worst;
  }

  void conflicts(uint32_t inst, const Row& row, const Site& sum, uint32_t patterns) {
    if (sum.wavefronts <= sum.ideal) return;
    const Pattern* p = worst_pattern(patterns);
    if (!p || p->count <= p->ideal) return;
    const Crowd crowd = worst_bank(*p, row.bytes);
    const std::string cure = row.bytes >= 16
                                 ? "XOR the 16-byte chunk with the row, or pad each row by 16 bytes"
                                 : "XOR the chunk with the row, or pad each row by one word";
    Remark r;
    r.cost = sum.wavefronts, r.ideal = sum.ideal, r.cure = cure;
    r.what = "Lanes " + lane_list(crowd.lanes) + " hit bank " + std::to_string(crowd.bank) +
             " with different words: " + std::to_string(p->count) + " wavefronts where " +
             std::to_string(p->ideal) + " would do";
    add(inst, Fault::Kind::bank_conflict, *p, sum.shared_requests, std::move(r));
  }

  void uncoalesced(uint32_t inst, const Row& row, const Site& sum, uint32_t patterns) {
    const uint64_t ideal = (sum.bytes + 31) / 32;
    if (2 * sum.sectors <= 3 * std::max(ideal, sum.requests)) return;
    const Pattern* p = worst_pattern(patterns);
    if (!p) return;
    const uint64_t asked = uint64_t{row.bytes} * static_cast<uint64_t>(std::popcount(p->mask));
    const uint64_t best = (asked + 31) / 32;
    if (p->count <= best) return;
    const uint64_t step = p->difference[1] ? p->difference[1] : p->difference[2];
    Remark r;
    r.cost = sum.sectors, r.ideal = ideal;
    r.what = "Lanes " + lane_list(p->mask) + " touch " + std::to_string(p->count) +
             " sectors for " + std::to_string(asked) + " bytes, where " + std::to_string(best) +
             " would hold them";
    r.cure = std::string("let neighbouring lanes ") + verb_of(row.kind) +
             " neighbouring addresses" +
             (static_cast<int64_t>(step) > row.bytes
                  ? ": they are " + std::to_string(step) + " bytes apart"
                  : "");
    add(inst, Fault::Kind::uncoalesced, *p, sum.requests, std::move(r));
  }

  /// Of the instructions of one source line the costliest is told of, with the figures of all.
  void add(uint32_t inst, Fault::Kind kind, const Pattern& p, uint64_t requests, Remark&& r) {
    Finding& f = r.finding;
    f.remark = true;
    f.count = requests;
    f.fault.kind = kind;
    f.fault.lane = static_cast<uint32_t>(std::countr_zero(p.mask));
    f.fault.address = p.first;
    f.fault.ptx_line = state_.entry->code.info[inst].ptx_line;
    f.fault.source = state_.program->source_line(f.fault.ptx_line);
    f.fault.message = line_words(state_, inst);
    f.ptx_lines = {f.fault.ptx_line};
    r.most = r.cost - r.ideal;
    const auto [at, is_new] =
        places_.try_emplace({kind, place_words(state_, inst)}, remarks_.size());
    if (is_new) return remarks_.push_back(std::move(r));
    Remark& known = remarks_[at->second];
    known.cost += r.cost, known.ideal += r.ideal;
    known.finding.count += requests;
    known.finding.ptx_lines.push_back(f.fault.ptx_line);
    if (r.most <= known.most) return;
    known.most = r.most;
    known.what = std::move(r.what), known.cure = std::move(r.cure);
    known.finding.fault = std::move(f.fault);
  }

  const RunState& state_;
  const std::vector<std::unique_ptr<Counters>>& counters_;
  std::vector<Remark> remarks_;
  std::map<std::pair<Fault::Kind, std::string>, size_t> places_;
};

/// 2,097,152
std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace

void add_remarks(const RunState& state, const std::vector<std::unique_ptr<Counters>>& counters,
                 std::vector<Finding>& findings) {
  std::vector<Remark> remarks = Remarker(state, counters).all();
  std::stable_sort(remarks.begin(), remarks.end(), [](const Remark& a, const Remark& b) {
    return a.cost - a.ideal > b.cost - b.ideal;
  });
  for (Remark& r : remarks) {
    std::string& message = r.finding.fault.message;  // where it is
    message = r.what + " (" + grouped(r.cost) + " where " + grouped(r.ideal) + " in all); " +
              r.cure + "," + message + ".";
    r.finding.cost = r.cost, r.finding.ideal = r.ideal;
    findings.push_back(std::move(r.finding));
  }
}

}  // namespace tilescope::emulator
