#include "app/state/code_link.h"

#include <algorithm>
#include <set>

#include "core/language/language.h"
#include "core/model/format.h"
#include "worker/messages/messages_launch.h"

namespace tilescope {
namespace {

/// (line, PTX line) pairs that are known: of the machine code, and of the events before it is
/// there.
std::set<std::pair<int, int>> known_pairs(const AppState& state) {
  std::set<std::pair<int, int>> pairs;
  const auto add = [&](int line, int ptx_line) {
    if (line > 0 && ptx_line > 0) pairs.emplace(line, ptx_line);
  };
  if (state.disassembly.listing) {
    for (const worker::SassLine& l : state.disassembly.listing->lines) add(l.line, l.ptx_line);
  }
  if (state.results.trace) {
    for (const worker::TraceEvent& e : state.results.trace->events) add(e.line, e.ptx_line);
  }
  return pairs;
}

const worker::SassLine* sass_line(const AppState& state, int line) {
  const auto& listing = state.disassembly.listing;
  if (!listing || line < 1 || static_cast<size_t>(line) > listing->lines.size()) return nullptr;
  return &listing->lines[static_cast<size_t>(line - 1)];
}

}  // namespace

CodeLink link_at(const AppState& state, CodeText text, int line) {
  if (text == CodeText::kernel) return {line, 0};
  if (text == CodeText::sass) {
    const worker::SassLine* found = sass_line(state, line);
    return found ? CodeLink{found->line, found->ptx_line} : CodeLink{};
  }
  for (const auto& [source, ptx] : known_pairs(state)) {
    if (ptx == line) return {source, ptx};
  }
  return {0, line};
}

std::vector<int> linked_lines(const AppState& state, CodeText text, const CodeLink& link) {
  std::vector<int> lines;
  if (!link.any()) return lines;
  if (text == CodeText::kernel) {
    if (link.line > 0) lines.push_back(link.line);
    return lines;
  }
  if (text == CodeText::ptx) {
    if (link.ptx_line > 0) return {link.ptx_line};
    std::set<int> found;
    for (const auto& [source, ptx] : known_pairs(state)) {
      if (source == link.line) found.insert(ptx);
    }
    return {found.begin(), found.end()};
  }
  const auto& listing = state.disassembly.listing;
  for (size_t i = 0; listing && i < listing->lines.size(); ++i) {
    const worker::SassLine& l = listing->lines[i];
    if (link.ptx_line > 0 ? l.ptx_line == link.ptx_line : l.line == link.line) {
      lines.push_back(static_cast<int>(i) + 1);
    }
  }
  return lines;
}

std::vector<int> lines_linked_with(const AppState& state, CodeText text,
                                   const std::vector<int>& kernel_lines) {
  const std::set<int> of(kernel_lines.begin(), kernel_lines.end());
  std::set<int> found;
  if (of.empty()) return {};
  if (text == CodeText::kernel) {
    found = of;
  } else if (text == CodeText::ptx) {
    for (const auto& [source, ptx] : known_pairs(state)) {
      if (of.contains(source)) found.insert(ptx);
    }
  } else if (const auto& listing = state.disassembly.listing) {
    for (size_t i = 0; i < listing->lines.size(); ++i) {
      if (of.contains(listing->lines[i].line)) found.insert(static_cast<int>(i) + 1);
    }
  }
  return {found.begin(), found.end()};
}

std::string file_shown(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  if (!own) return state.derived.kernel ? state.derived.kernel->file : "";
  const std::string other = other_file_shown(state);
  return other.empty() ? name_of(*own) : other;
}

std::string other_file_shown(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  if (!own || !state.own_launch || state.own_launch->source.empty()) return {};
  const std::string name = name_of(OwnKernel{state.own_launch->source, {}});
  return name == name_of(*own) ? "" : name;
}

std::string place_words(const AppState& state, const CodeLink& place) {
  if (place.line > 0) {
    const std::string file = other_file_shown(state);
    return file.empty() ? wording("line {}", place.line)
                        : wording("line {} of {}", place.line, file);
  }
  return place.ptx_line > 0 ? wording("PTX line {}", place.ptx_line) : "";
}

void link_code(AppState& state, CodeText text, int line) {
  link_place(state, link_at(state, text, line));
}

void link_place(AppState& state, const CodeLink& place) {
  state.code_link = place;
  state.access_row.clear();
  state.code_link_serial = state.edit_serial;
}

CodeLink linked_code(const AppState& state) {
  return state.code_link_serial == state.edit_serial ? state.code_link : CodeLink{};
}

std::string sass_text(const worker::SassListing& listing) {
  std::string text;
  for (const worker::SassLine& line : listing.lines) text += line.text + "\n";
  return text;
}

std::string sass_figures(const worker::SassListing& listing) {
  const size_t spills = spill_lines(listing).size();
  std::string text = wording("{} · {} registers · {} B spilled", listing.arch, listing.registers,
                             model::grouped(listing.spill_bytes));
  if (spills > 0) text += wording(" in {} instruction{}", spills, spills == 1 ? "" : "s");
  return text +
         wording(" · {} instructions · {}", model::grouped(listing.instructions), listing.tool);
}

std::vector<int> spill_lines(const worker::SassListing& listing) {
  std::vector<int> lines;
  for (size_t i = 0; i < listing.lines.size(); ++i) {
    if (listing.lines[i].spill) lines.push_back(static_cast<int>(i) + 1);
  }
  return lines;
}

std::map<int, int> bearing_lines(const worker::SassListing& listing) {
  std::map<int, int> first, bearing;  // PTX line → line here
  for (size_t i = 0; i < listing.lines.size(); ++i) {
    const int ptx_line = listing.lines[i].ptx_line;
    if (ptx_line <= 0) continue;
    ++bearing[first.try_emplace(ptx_line, static_cast<int>(i) + 1).first->second];
  }
  return bearing;
}

int bearing_line(const worker::SassListing& listing, int line) {
  if (line < 1 || static_cast<size_t>(line) > listing.lines.size()) return 0;
  const int ptx_line = listing.lines[static_cast<size_t>(line) - 1].ptx_line;
  if (ptx_line <= 0) return 0;
  const auto first = std::ranges::find(listing.lines, ptx_line, &worker::SassLine::ptx_line);
  return static_cast<int>(first - listing.lines.begin()) + 1;
}

std::string counted_as(const worker::SassListing& listing, int line, int instructions) {
  std::string text =
      wording("PTX line {}", listing.lines.at(static_cast<size_t>(line) - 1).ptx_line);
  if (instructions > 1) {
    text += wording(", shown with the first of its {} instructions here", instructions);
  }
  return text;
}

std::string sass_origin_words(const AppState& state, int line) {
  const CodeLink link = link_at(state, CodeText::sass, line);
  if (!link.any()) return {};
  const std::string source =
      link.line > 0 ? wording("line {} of {}", link.line, file_shown(state)) : "";
  const std::string ptx = link.ptx_line > 0 ? wording("PTX line {}", link.ptx_line) : "";
  const int bears = bearing_line(*state.disassembly.listing, line);
  const std::string places = source + (source.empty() || ptx.empty() ? "" : ", ") + ptx;
  return wording("from {}; click to mark both", places) +
         (bears > 0 && bears != line
              ? wording("\nThe counts of that PTX line stand at its first instruction, line {}.",
                        bears)
              : "");
}

}  // namespace tilescope
