#include "app/shell/palette_rows.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "app/state/match.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

constexpr size_t kMostRecentShown = 8;
constexpr int kLessByOtherName = 60;
constexpr int kUsedLast = 60, kUsedBefore = 3;  // for the last one, and less for each before it

/// A place of a menu that nothing stands in now.
bool is_vacant(const Command& command) { return command.label && command.label().empty(); }

int score_of(const Command& command, std::string_view typed) {
  if (is_vacant(command)) return 0;
  const std::string said = said_title(command.title);
  const int by_title = std::max(match_score(typed, command.title),
                                said == command.title ? 0 : match_score(typed, said));
  if (by_title == kExact) return by_title;
  const std::string now = command.label ? " " + command.label() : "";
  const int by_all =
      match_score(typed, command.title + " " + command.also + " " + command.menu + now);
  return std::max(by_title, by_all > kScattered ? by_all - kLessByOtherName : 0);
}

void add_recent(const std::vector<Command>& commands, const AppState* state,
                const std::vector<std::string>& recent, std::vector<PaletteRow>* rows) {
  for (const std::string& title : recent) {
    if (rows->size() == kMostRecentShown) return;
    const auto command = std::ranges::find(commands, title, &Command::title);
    if (command != commands.end()) {
      rows->push_back({&*command, {.title = command->title}});
      continue;
    }
    if (!state) continue;
    for (Answer& answer : answers_of_features(*state, title)) {
      if (answer.title != title) continue;
      rows->push_back({nullptr, std::move(answer)});
      break;
    }
  }
}

std::vector<PaletteRow> all_rows(const std::vector<Command>& commands, const AppState* state,
                                 const std::vector<std::string>& recent) {
  std::vector<PaletteRow> rows;
  add_recent(commands, state, recent, &rows);
  const size_t used = rows.size();
  for (const Command& command : commands) {
    const bool there = std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(used),
                                   [&](const PaletteRow& r) { return r.command == &command; });
    if (!there && !is_vacant(command)) rows.push_back({&command, {.title = command.title}});
  }
  return rows;
}

}  // namespace

std::vector<PaletteRow> palette_rows(const std::vector<Command>& commands, const AppState* state,
                                     const std::vector<std::string>& recent,
                                     std::string_view typed) {
  if (words_in(typed).empty()) return all_rows(commands, state, recent);
  std::vector<PaletteRow> rows;
  for (const Command& command : commands) {
    const int score = score_of(command, typed);
    if (score > 0) rows.push_back({&command, {.title = command.title, .score = score}});
  }
  if (state) {
    for (Answer& answer : answers_of_features(*state, typed)) {
      if (answer.score > 0) rows.push_back({nullptr, std::move(answer)});
    }
  }
  for (PaletteRow& row : rows) {
    const auto used = std::ranges::find(recent, row.answer.title);
    if (used == recent.end() || row.answer.score <= kScattered) continue;
    row.answer.score +=
        std::max(0, kUsedLast - kUsedBefore * static_cast<int>(used - recent.begin()));
  }
  std::ranges::stable_sort(rows, std::greater{},
                           [](const PaletteRow& row) { return row.answer.score; });
  // Letters here and there name nothing where words do.
  const bool words = !rows.empty() && rows.front().answer.score > kScattered;
  if (words) std::erase_if(rows, [](const PaletteRow& r) { return r.answer.score <= kScattered; });
  return rows;
}

std::string said_title(const std::string& title) {
  // Titles in which a name stands behind words of ours.
  static constexpr const char* kNamed[] = {
      "Layout: {}", "Panel: {}",       "Language: {}", "Scale: {}",       "Lesson: {}",
      "lesson {}",  "Planted bug: {}", "Workload: {}", "compare with {}", "what is {}"};
  const std::string_view whole = translated(title);
  if (whole != title) return std::string(whole);
  for (const std::string_view message : kNamed) {
    const size_t begin = message.find('{');
    if (!title.starts_with(message.substr(0, begin))) continue;
    return wording(fmt::runtime(message), title.c_str() + begin);
  }
  return title;
}

std::string title_id(const std::string& title) {
  const std::string said = said_title(title);
  return said == title ? title : said + "###" + title;
}

void use_row(std::vector<std::string>* recent, const std::string& title) {
  std::erase(*recent, title);
  recent->insert(recent->begin(), title);
  if (recent->size() > kMostRecentRows) recent->resize(kMostRecentRows);
}

}  // namespace tilescope
