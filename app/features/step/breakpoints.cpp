#include "app/features/step/breakpoints.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "app/features/step/step_view.h"
#include "app/state/edit.h"
#include "app/state/json_take.h"
#include "app/state/present.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

constexpr size_t kMostBreakpoints = 200;

std::string_view trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") + 1 - from);
}

template <class Visit>
void each_line(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    visit(number, text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
}

/// Numbers of a directive, in order: of ".loc 1 12 3, function_name $L__info, inlined_at 1 45 9"
/// those of the place, then those behind inlined_at.
struct Loc {
  std::array<int, 3> place{}, at{};
  bool inlined = false;
};
std::optional<std::array<int, 3>> three_numbers(std::string_view text) {
  std::array<int, 3> numbers{};
  for (int& n : numbers) {
    text = trimmed(text);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  }
  return numbers;
}
std::optional<Loc> read_loc(std::string_view line) {
  if (!line.starts_with(".loc")) return std::nullopt;
  const auto place = three_numbers(line.substr(4));
  if (!place) return std::nullopt;
  Loc loc{*place};
  constexpr std::string_view kAt = "inlined_at";
  if (const size_t at = line.find(kAt); at != line.npos) {
    const auto outer = three_numbers(line.substr(at + kAt.size()));
    if (outer) loc.at = *outer, loc.inlined = true;
  }
  return loc;
}

/// The number that `.file` gives a file, by the last part of its path; nothing: it has none.
std::set<int> numbers_of_file(std::string_view ptx, std::string_view file) {
  std::set<int> numbers;
  each_line(ptx, [&](int, std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with(".file")) return;
    const std::string_view rest = trimmed(line.substr(5));
    int number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const size_t from = rest.find('"'), to = rest.rfind('"');
    if (read.ec != std::errc() || from == rest.npos || to <= from) return;
    const std::string_view path = rest.substr(from + 1, to - from - 1);
    if (path.substr(path.find_last_of("/\\") + 1) == file) numbers.insert(number);
  });
  return numbers;
}

std::string kernel_file(const AppState& state) {
  if (const OwnKernel* own = state.edit.own()) return name_of(*own);
  return state.derived.kernel ? state.derived.kernel->file : "";
}

/// Lines of a text that can be stopped at.
std::vector<int> stoppable(const AppState& state, CodeText text) {
  const Results& r = present_results(state);
  if (!r.compile) return {};
  if (!shows_ptx(state, text)) return lines_with_code(r.compile->ptx, kernel_file(state));
  std::vector<int> lines;
  each_line(r.compile->ptx, [&](int number, std::string_view line) {
    if (is_ptx_instruction(line)) lines.push_back(number);
  });
  return lines;
}

std::string revision_of(const AppState& state) {
  const Results& r = present_results(state);
  return r.compile ? r.compile->revision : std::string();
}

/// Adds one, or removes the same; true: it is there now.
bool toggle(StepView& view, const Breakpoint& wanted) {
  const auto same = std::ranges::find_if(view.breakpoints, [&](const Breakpoint& b) {
    return std::tie(b.of, b.where, b.line, b.revision, b.warp) ==
           std::tie(wanted.of, wanted.where, wanted.line, wanted.revision, wanted.warp);
  });
  if (same != view.breakpoints.end()) {
    view.breakpoints.erase(same);
    return false;
  }
  if (view.breakpoints.size() < kMostBreakpoints) view.breakpoints.push_back(wanted);
  return true;
}

Breakpoint of_finding(const AppState& state, const worker::CodeFinding& finding) {
  return {.of = breakpoint_subject(state),
          .where = Breakpoint::Where::finding,
          .line = finding.ptx_line,
          .revision = revision_of(state),
          .warp = static_cast<int>(finding.warp),
          .text = finding.kind};
}

}  // namespace

bool shows_ptx(const AppState& state, CodeText text) {
  const OwnKernel* own = state.edit.own();
  const bool own_ptx = own && std::filesystem::path(own->file).extension() == ".ptx";
  return text == CodeText::ptx || (text == CodeText::kernel && own_ptx);
}

std::string breakpoint_subject(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  return own ? own->file : state.edit.rung().kernel;
}

bool applies(const AppState& state, const Breakpoint& b) {
  if (b.of != breakpoint_subject(state)) return false;
  return b.where == Breakpoint::Where::source || b.revision == revision_of(state);
}

bool is_ptx_instruction(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.starts_with("//") || line.back() != ';') return false;
  if (line.front() == '{') line = trimmed(line.substr(1));
  // A label may stand before it.
  const size_t colon = line.find(':');
  if (colon != line.npos && line.substr(0, colon).find_first_of(" \t.[{(,\"") == line.npos) {
    line = trimmed(line.substr(colon + 1));
  }
  return !line.empty() &&
         (std::isalpha(static_cast<unsigned char>(line.front())) != 0 || line.front() == '@');
}

std::vector<int> lines_with_code(std::string_view ptx, std::string_view file) {
  const std::set<int> own = numbers_of_file(ptx, file);
  if (own.empty()) return {};
  std::map<std::array<int, 3>, Loc> known;  // by place: what it was inlined into
  std::set<int> found;
  int line_now = 0;
  each_line(ptx, [&](int, std::string_view text) {
    text = trimmed(text);
    if (const auto loc = read_loc(text)) {
      known[loc->place] = *loc;
      line_now = 0;
      Loc at = *loc;
      for (int depth = 0; depth < 64; ++depth) {
        if (own.contains(at.place[0])) {
          line_now = at.place[1];
          break;
        }
        if (!at.inlined) break;
        const auto outer = known.find(at.at);
        at = outer == known.end() ? Loc{at.at} : outer->second;
      }
    } else if (line_now > 0 && is_ptx_instruction(text)) {
      found.insert(line_now);
    }
  });
  return {found.begin(), found.end()};
}

void toggle_breakpoint(AppState& state, CodeText text, int line) {
  if (text == CodeText::sass) return say(state, "Stepping runs the PTX: stop at one of its lines.");
  StepView& view = state.of<StepView>();
  const bool ptx = shows_ptx(state, text);
  const std::vector<int> lines = stoppable(state, text);
  Breakpoint wanted{.of = breakpoint_subject(state),
                    .where = ptx ? Breakpoint::Where::ptx : Breakpoint::Where::source,
                    .line = line,
                    .revision = ptx ? revision_of(state) : std::string()};
  if (lines.empty()) {
    return say(state, ptx || !present_results(state).compile
                          ? "Lines to stop at are known once the kernel is compiled."
                          : "The PTX names no lines of this file: stop at lines of the PTX.");
  }
  const auto at = std::ranges::lower_bound(lines, line);
  if (at == lines.end()) {
    return say(state, wording("No line from {} on has an instruction; the last is {}.", line,
                              lines.back()));
  }
  wanted.line = *at;
  const bool there = toggle(view, wanted);
  const char* const what = ptx ? "PTX line" : "line";
  if (!there) return say(state, wording("{} {} does not stop any more.", what, *at));
  say(state, *at == line ? wording("Stops at {} {}.", what, *at)
                         : wording("{} {} has no instruction: stops at {}, the next that has.",
                                   what, line, *at));
}

void toggle_finding(AppState& state, const worker::CodeFinding& finding) {
  toggle(state.of<StepView>(), of_finding(state, finding));
}

bool has_breakpoint(const AppState& state, const worker::CodeFinding& finding) {
  const Breakpoint wanted = of_finding(state, finding);
  return std::ranges::any_of(state.of<StepView>().breakpoints, [&](const Breakpoint& b) {
    return b.where == wanted.where && b.of == wanted.of && b.line == wanted.line &&
           b.warp == wanted.warp && b.revision == wanted.revision;
  });
}

std::vector<worker::StepStop> stops_of(const AppState& state, const StepView& view) {
  std::vector<worker::StepStop> stops;
  for (const Breakpoint& b : view.breakpoints) {
    if (!b.on || !applies(state, b)) continue;
    worker::StepStop& stop = stops.emplace_back();
    const bool source = b.where == Breakpoint::Where::source;
    stop.condition.kind = source ? emulator::StopCondition::Kind::source_line
                                 : emulator::StopCondition::Kind::ptx_line;
    stop.condition.line = b.line;
    if (b.warp >= 0) stop.condition.warp = static_cast<uint32_t>(b.warp);
  }
  return stops;
}

nlohmann::json breakpoints_json(const std::vector<Breakpoint>& all) {
  nlohmann::json list = nlohmann::json::array();
  for (const Breakpoint& b : all) {
    list.push_back({{"of", b.of},
                    {"where", static_cast<int>(b.where)},
                    {"line", b.line},
                    {"revision", b.revision},
                    {"warp", b.warp},
                    {"text", b.text},
                    {"on", b.on}});
  }
  return list;
}

std::vector<Breakpoint> breakpoints_from(const nlohmann::json& list) {
  std::vector<Breakpoint> all;
  if (!list.is_array()) return all;
  for (const nlohmann::json& one : list) {
    if (!one.is_object() || all.size() >= kMostBreakpoints) continue;
    Breakpoint b;
    int where = -1;
    take_choice(one, "where", 3, where);
    take(one, "of", b.of), take(one, "line", b.line), take(one, "revision", b.revision);
    take(one, "warp", b.warp), take(one, "text", b.text), take(one, "on", b.on);
    if (where < 0 || b.of.empty() || b.line <= 0 || b.warp < -1 || b.warp > 31) continue;
    b.where = static_cast<Breakpoint::Where>(where);
    all.push_back(std::move(b));
  }
  return all;
}

}  // namespace tilescope
