// The sentence about CTAs of which none can go on: who waits for what, and who could bring it.
#include <algorithm>
#include <cstring>

#include "emulator/run/turns.h"
#include "emulator/run/writers.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMostNamed = 4;  // CTAs in a sentence

std::string value_words(const Poll& poll) {
  uint64_t value = 0;
  std::memcpy(&value, poll.value.data(), std::min<size_t>(poll.bytes, 8));
  return value < 1u << 20 ? std::to_string(value) : hex(value);
}

}  // namespace

// Of one that waits for global memory; empty if it waits for none.
std::string Turns::memory_words(const Resident& r, Fault* first) const {
  const std::vector<Poll> polls = r.runner->polls();
  // The flag, if there is more that it reads.
  const auto flag =
      std::find_if(polls.begin(), polls.end(), [](const Poll& p) { return p.looks_again; });
  const Poll* poll = flag != polls.end() ? &*flag : polls.empty() ? nullptr : &polls.front();
  if (!poll) return {};
  if (first) {
    first->warp = poll->warp;
    first->lane = poll->lane;
    first->address = poll->address;
    first->ptx_line = work_.state.entry->code.info[poll->inst].ptx_line;
  }
  return ", warp " + std::to_string(poll->warp) + ", lane " + std::to_string(poll->lane) +
         " waits for " + hex(poll->address) + buffer_words(work_.state, poll->address) +
         line_words(work_.state, poll->inst) + ", which holds " + value_words(*poll) + " and " +
         writer_words(poll->address);
}

// Of one of a cluster that waits at barriers or for mbarriers; empty if it does not.
std::string Turns::waiting_words(const Resident& r, Fault* first) const {
  const CtaRunner::Waiting waiting = r.runner->waiting();
  if (waiting.words.empty()) return {};
  if (first) {
    first->warp = waiting.warp;
    first->lane = waiting.lane;
    first->address = waiting.address;
    first->ptx_line = work_.state.entry->code.info[waiting.inst].ptx_line;
  }
  return ": " + waiting.words;
}

void Turns::deadlock() {
  if (order_.cut_short || residents_.empty()) return;  // they wait for a CTA that was not let go on
  Fault f;
  f.kind = Fault::Kind::deadlock;
  f.cta = residents_.front().runner->cta();
  std::string text;
  size_t named = 0;
  for (const Resident& r : residents_) {
    if (++named > kMostNamed) break;
    Fault* const first = named == 1 ? &f : nullptr;
    std::string words = memory_words(r, first);
    if (words.empty() && cluster_ctas_ > 1) words = waiting_words(r, first);
    text += (text.empty() ? "" : "; ") + cta_words(r.runner->cta()) +
            (words.empty() ? " goes round in a loop that reads nothing which anybody could change"
                           : words);
  }
  f.source = work_.state.program->source_line(f.ptx_line);
  if (residents_.size() > kMostNamed) {
    text += "; " + std::to_string(residents_.size() - kMostNamed) + " more CTAs wait";
  }
  const bool all_begun = order_.next >= std::min(work_.planned, order_.end);
  if (!all_begun && work_.state.waits) {
    text += "; " + std::to_string(work_.count - order_.next) + " of " +
            std::to_string(work_.count) + " CTAs have not begun, since only " +
            std::to_string(options_.resident) +
            " are resident at a time: launch no more than that, or let none wait for a later one";
  } else {
    text += "; let somebody set what is waited for";
  }
  f.message = "No CTA can go on (deadlock): " + text + ".";
  const std::lock_guard lock(work_.mutex);
  stop_by(std::move(f));
}

std::string Turns::writer_words(uint64_t address) const {
  const uint64_t writer = work_.state.writers->at(address);
  return writer == 0 ? "which no CTA that ran has written"
                     : "was last written by " + cta_words(work_.at(writer - 1));
}

}  // namespace tilescope::emulator
