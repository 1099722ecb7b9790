#include "worker/messages/motion.h"

#include <charconv>
#include <optional>
#include <stdexcept>

namespace tilescope::worker {
namespace {

using emulator::EventKind;
using emulator::StopCondition;
using Kind = StopCondition::Kind;

/// What stands behind a word's colon, read from its beginning on.
class Argument {
 public:
  Argument(std::string_view whole, std::string_view rest) : whole_(whole), rest_(rest) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view until(std::string_view ends) {
    const std::string_view text = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(text.size());
    return text;
  }
  uint64_t number(uint64_t most, const char* what) {
    const int base = rest_.starts_with("0x") ? 16 : 10;
    if (base == 16) rest_.remove_prefix(2);
    uint64_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (read.ec != std::errc() || value > most) {
      wrong(std::string(what) + " must be a number from 0 to " + std::to_string(most));
    }
    rest_.remove_prefix(static_cast<size_t>(read.ptr - rest_.data()));
    return value;
  }
  void end() const {
    if (!rest_.empty()) wrong("nothing may stand behind it, but '" + std::string(rest_) + "' does");
  }
  [[noreturn]] void wrong(const std::string& why) const {
    throw std::invalid_argument("The motion '" + std::string(whole_.substr(0, 200)) +
                                "' is not one: " + why + ".");
  }

 private:
  std::string_view whole_, rest_;
};

constexpr uint64_t kMostLine = 100'000'000, kMostBytes = 1ull << 40;

constexpr std::pair<const char*, EventKind> kEventWords[] = {
    {"copy", EventKind::copy},
    {"wait", EventKind::wait},
    {"barrier", EventKind::barrier},
    {"load_global", EventKind::load_global},
    {"load_shared", EventKind::load_shared},
    {"store_shared", EventKind::store_shared},
    {"store_global", EventKind::store_global},
    {"fma", EventKind::fma},
    {"mma", EventKind::mma},
    {"atomic", EventKind::other}};

void read_line(Argument& in, StepStop& stop) {
  if (in.empty()) {
    stop.condition.kind = Kind::new_line;
    stop.here = true;
    return;
  }
  stop.condition.kind = Kind::source_line;
  const std::string_view all = in.rest();
  if (const size_t colon = all.rfind(':'); colon != all.npos) {
    stop.condition.file = all.substr(0, colon);
    while (in.rest().size() > all.size() - colon - 1) in.take(in.rest().front());
  }
  stop.condition.line = static_cast<int>(in.number(kMostLine, "a line"));
}

void read_event(Argument& in, StepStop& stop) {
  stop.condition.kind = Kind::event;
  if (in.empty()) return;
  const std::string_view name = in.until("");
  std::string known;
  for (const auto& [word, kind] : kEventWords) {
    if (name == word) stop.condition.event = kind;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  if (!stop.condition.event) in.wrong("the events are " + known);
}

// BUFFER+OFFSET[:BYTES], s+OFFSET[:BYTES], C[ROW,COLUMN]
void read_target(Argument& in, StepStop& stop) {
  StopCondition& c = stop.condition;
  c.kind = Kind::access;
  stop.buffer = in.until("+[");
  if (stop.buffer.empty()) {
    in.wrong("it needs a place: BUFFER+OFFSET:BYTES, s+OFFSET:BYTES or C[ROW,COLUMN]");
  }
  if (in.take('[')) {
    const auto row = static_cast<int>(in.number(kMostLine, "a row"));
    if (!in.take(',')) in.wrong("a row and a column are separated by a comma");
    stop.element = Coord{row, static_cast<int>(in.number(kMostLine, "a column"))};
    if (!in.take(']')) in.wrong("a ']' is missing");
    return;
  }
  if (!in.take('+')) in.wrong("a '+' and an offset in bytes must follow the buffer");
  c.shared = stop.buffer == "s";
  if (c.shared) stop.buffer.clear();
  c.address = in.number(kMostBytes, "an offset");
  if (in.take(':')) c.bytes = in.number(kMostBytes, "a number of bytes");
}

void read_register(Argument& in, StepStop& stop) {
  stop.condition.kind = Kind::writes_register;
  stop.here = true;
  stop.condition.name = in.until(".");
  if (stop.condition.name.empty()) in.wrong("it needs a register, as register:%r12");
  if (in.take('.')) stop.condition.lane = static_cast<uint32_t>(in.number(31, "a lane"));
}

struct Word {
  const char* name;
  MotionWord words;
  void (*read)(Argument&, StepStop&);
  bool count = false;  // a number behind it is how often
};
constexpr Word kWords[] = {
    {"step",
     {"step[:N]", "the next instruction of the same warp, or the Nth"},
     [](Argument&, StepStop& s) { s.here = true; },
     true},
    {"any", {"any[:N]", "the next instruction of any warp"}, [](Argument&, StepStop&) {}, true},
    {"line", {"line", "the next source line of the same warp"}, read_line},
    {nullptr, {"line:N, line:FILE:N", "an instruction of a source line"}, nullptr},
    {"ptx",
     {"ptx:N", "a PTX line"},
     [](Argument& in, StepStop& s) {
       s.condition.kind = Kind::ptx_line;
       s.condition.line = static_cast<int>(in.number(kMostLine, "a PTX line"));
     }},
    {"event",
     {"event[:KIND]",
      "an event: copy, wait, barrier, load_global, load_shared, store_shared, store_global, fma, "
      "mma, atomic"},
     read_event},
    {"barrier",
     {"barrier", "a barrier"},
     [](Argument&, StepStop& s) {
       s.condition.kind = Kind::event;
       s.condition.event = EventKind::barrier;
     }},
    {"k",
     {"k[:I]", "the next iteration of the outermost loop of the same warp, or its iteration I"},
     [](Argument& in, StepStop& s) {
       s.condition.kind = Kind::k_step;
       s.here = true;
       if (!in.empty()) {
         s.condition.iteration = static_cast<uint32_t>(in.number(0xffffffffu, "an iteration"));
       }
     }},
    {"at",
     {"at:WARP.STEP", "a moment, as events of a trace and questions after origins name it"},
     [](Argument& in, StepStop& s) {
       s.condition.kind = Kind::moment;
       s.condition.warp = static_cast<uint32_t>(in.number(31, "a warp"));
       if (!in.take('.')) in.wrong("a '.' and a step must follow the warp");
       s.condition.step = in.number(~0ull, "a step");
     }},
    {"written",
     {"written:PLACE",
      "an instruction that writes BUFFER+OFFSET[:BYTES] (a buffer's name or number), "
      "s+OFFSET[:BYTES] "
      "(shared memory) or C[ROW,COLUMN] (of a kernel of the ladder)"},
     [](Argument& in, StepStop& s) {
       read_target(in, s);
       s.condition.reads = false;
     }},
    {"read",
     {"read:PLACE", "one that reads it"},
     [](Argument& in, StepStop& s) {
       read_target(in, s);
       s.condition.writes = false;
     }},
    {"touched", {"touched:PLACE", "one that reads or writes it"}, read_target},
    {"register",
     {"register:NAME[.LANE]", "an instruction of the same warp that writes a register"},
     read_register},
    {"cta_end",
     {"cta_end", "the last instruction of a CTA"},
     [](Argument&, StepStop& s) { s.condition.kind = Kind::cta_end; }},
};
constexpr MotionWord kEnd = {"end", "the end of the run; back:end is its beginning"};

uint32_t read_times(std::string_view text, std::string_view& motion) {
  const size_t star = text.rfind('*');
  if (star == text.npos) return 1;
  Argument in(text, text.substr(star + 1));
  const uint64_t times = in.number(1'000'000, "how often");
  in.end();
  motion = text.substr(0, star);
  return static_cast<uint32_t>(times);
}

}  // namespace

std::span<const MotionWord> motion_words() {
  static const std::vector<MotionWord> all = [] {
    std::vector<MotionWord> words;
    for (const Word& w : kWords) words.push_back(w.words);
    words.push_back(kEnd);
    return words;
  }();
  return all;
}

StepMotion parse_motion(std::string_view text) {
  StepMotion motion;
  std::string_view rest = text;
  motion.times = read_times(text, rest);
  if (rest.starts_with("back:")) {
    motion.back = true;
    rest.remove_prefix(5);
  }
  if (rest == "end") return motion;
  for (bool more = true; more;) {
    const size_t bar = rest.find('|');
    std::string_view one = rest.substr(0, bar);
    more = bar != rest.npos;
    if (more) rest.remove_prefix(bar + 1);
    const size_t colon = one.find(':');
    const std::string_view name = one.substr(0, colon);
    Argument in(text, colon == one.npos ? std::string_view() : one.substr(colon + 1));
    const Word* word = nullptr;
    std::string known;
    for (const Word& w : kWords) {
      if (!w.name) continue;
      if (name == w.name) word = &w;
      known += std::string(w.name) + ", ";
    }
    if (!word) in.wrong("the words are " + known + "end");
    word->read(in, motion.stops.emplace_back());
    if (word->count && !in.empty()) {
      motion.times *= static_cast<uint32_t>(in.number(1'000'000, "how often"));
    }
    in.end();
  }
  return motion;
}

}  // namespace tilescope::worker
