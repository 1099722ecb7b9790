#include "app/features/own/own_examples.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "app/state/edit.h"
#include "app/state/match.h"
#include "app/state/status.h"
#include "core/files/whole_file.h"
#include "examples_text.h"  // generated: kExampleTexts

namespace tilescope {
namespace fs = std::filesystem;

std::span<const OwnExample> own_examples() {
  static const std::vector<OwnExample> kAll = [] {
    std::vector<OwnExample> all;
    for (const ExampleText& e : kExampleTexts) {
      const std::string_view text = e.text;
      const size_t begin = text.find_first_not_of("/ "), end = text.find('\n');
      all.push_back({.id = e.name,
                     .title = std::string(text.substr(begin, end - begin)),
                     .text = e.text,
                     .sheet = e.sheet,
                     .cure = e.cure,
                     .is_planted_bug = std::string_view(e.folder) == "gallery"});
    }
    return all;
  }();
  return kAll;
}

std::string example_file(const AppState& state, const OwnExample& example) {
  return (fs::path(state.store) / "examples" / (example.id + ".cu")).string();
}

std::string open_example(AppState& state, const OwnExample& example) {
  if (state.store.empty()) {
    return "The program has no data folder to put the example into; start it without --store ''.";
  }
  const fs::path file = example_file(state, example), folder = file.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path sheet = folder / (example.id + ".sheet.json");
  // What a person has changed of it stays.
  for (const auto& [path, text] :
       {std::pair(file, example.text), std::pair(sheet, example.sheet)}) {
    if (fs::exists(path, error)) continue;
    std::string why_not = files::replace_file(path.string(), text);
    if (!why_not.empty()) return why_not;
  }
  open_own_kernel(state, {file.string(), ""});
  return {};
}

std::vector<Answer> example_answers(const AppState&, std::string_view typed) {
  std::vector<Answer> answers;
  const std::vector<std::string> words = words_in(typed);
  if (words.empty() || words[0] != "example") return answers;
  for (const OwnExample& example : own_examples()) {
    const int score = match_score(typed, "example " + example.id);
    if (score <= kScattered) continue;
    answers.push_back({.title = "example " + example.id,
                       .effect = example.title,
                       .score = score,
                       .run =
                           [&example](AppState& s) {
                             const std::string why_not = open_example(s, example);
                             if (!why_not.empty()) say(s, why_not);
                           },
                       .panel = "source"});
  }
  return answers;
}

}  // namespace tilescope
