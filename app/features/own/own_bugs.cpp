#include "app/features/own/own_bugs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/files/whole_file.h"
#include "core/language/language.h"
#include "gallery_text.h"  // generated: kGalleryText, kGalleryTranslations

namespace tilescope {
namespace {

using BugJson = nlohmann::json;

/// What stands behind "As in:" in the kernel's first comment.
std::string source_of_bug(std::string_view text) {
  constexpr std::string_view begin = "// As in: ";
  for (const std::string_view line : files::lines_of(text)) {
    if (line.starts_with(begin)) return std::string(line.substr(begin.size()));
  }
  return {};
}

PlantedBug bug_of_row(const OwnExample& example, const BugJson& row) {
  PatchedText cure = patched_text(example.text, example.cure);
  PlantedBug bug{.example = &example,
                 .kind = row.at("kind").get<std::string>(),
                 .see = row.at("see").get<std::string>(),
                 .hints = row.at("hints").get<std::vector<std::string>>(),
                 .source = source_of_bug(example.text),
                 .addresses = {},
                 .cure = std::move(cure.text),
                 .lines = std::move(cure.lines)};
  bug.addresses = addresses_of(bug.source);
  return bug;
}

/// Titles and hints of the gallery in another language, each under the English one.
void teach_gallery(const BugJson& listed, const GalleryTranslation& translation) {
  const auto text = [](const BugJson& of) { return of.get<std::string>(); };
  std::map<std::string, std::string> messages;
  const BugJson translated_list = BugJson::parse(translation.text);
  for (const BugJson& to : translated_list) {
    for (const BugJson& from : listed) {
      if (from.at("id") != to.at("id")) continue;
      messages[text(from.at("title"))] = text(to.at("title"));
      const BugJson &hints = from.at("hints"), &said = to.at("hints");
      for (size_t i = 0; i < std::min(hints.size(), said.size()); ++i) {
        messages[text(hints[i])] = text(said[i]);
      }
    }
  }
  teach_language(translation.language, messages);
}

std::vector<PlantedBug> read_gallery() {
  const BugJson listed = BugJson::parse(kGalleryText);
  for (const GalleryTranslation& translation : kGalleryTranslations) {
    teach_gallery(listed, translation);
  }
  std::vector<PlantedBug> all;
  for (const BugJson& row : listed) {
    const std::string id = row.at("id").get<std::string>();
    for (const OwnExample& example : own_examples()) {
      if (example.is_planted_bug && example.id == id) all.push_back(bug_of_row(example, row));
    }
  }
  return all;
}

}  // namespace

std::span<const PlantedBug> planted_bugs() {
  static const std::vector<PlantedBug> kAll = read_gallery();
  return kAll;
}

const PlantedBug* find_bug(std::string_view id) {
  const std::span<const PlantedBug> all = planted_bugs();
  const auto at = std::ranges::find_if(
      all, [id](const PlantedBug& bug) { return std::string_view(bug.example->id) == id; });
  return at == all.end() ? nullptr : &*at;
}

const PlantedBug* bug_of(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  if (!own || state.store.empty()) return nullptr;
  const std::filesystem::path file = own->file;
  const PlantedBug* bug = find_bug(file.stem().string());
  return bug && file == example_file(state, *bug->example) ? bug : nullptr;
}

PatchedText patched_text(std::string_view text, std::string_view diff) {
  const std::vector<std::string_view> lines = files::lines_of(text);
  PatchedText made;
  size_t at = 0;  // the line that comes next
  const auto add = [&made](std::string_view line) {
    made.text += line;
    made.text += '\n';
  };
  const auto changed = [&made](size_t line) {
    const int number = static_cast<int>(std::max<size_t>(line, 1));
    if (made.lines.empty() || made.lines.back() != number) made.lines.push_back(number);
  };
  for (const std::string_view line : files::lines_of(diff)) {
    if (line.empty() || line.starts_with("--- ") || line.starts_with("+++ ")) continue;
    if (line.starts_with("@@ -")) {
      const std::string_view from = line.substr(4);
      size_t begin = 1;
      std::from_chars(from.data(), from.data() + from.size(), begin);
      for (; at + 1 < begin && at < lines.size(); ++at) add(lines[at]);
    } else if (line.front() == '+') {
      changed(at);
      add(line.substr(1));
    } else if (at < lines.size()) {
      if (line.front() == '-') {
        changed(at + 1);
      } else {
        add(lines[at]);
      }
      ++at;
    }
  }
  for (; at < lines.size(); ++at) add(lines[at]);
  return made;
}

std::vector<std::string> addresses_of(std::string_view source) {
  constexpr std::string_view site = "https://github.com/";
  std::vector<std::string> all;
  std::string repository;
  bool told = true;  // of the present repository there is an address
  const auto tell_repository = [&] {
    if (!told) all.push_back(std::string(site) + repository);
    told = true;
  };
  for (size_t begin = 0; begin < source.size();) {
    const size_t end = std::min(source.find(' ', begin), source.size());
    const std::string_view word = source.substr(begin, end - begin);
    begin = end + 1;
    const std::string name(word.substr(0, word.find_last_not_of(",;:.)") + 1));
    if (name.starts_with('#')) {
      // A pull request's number leads there from the issues, too.
      all.push_back(std::string(site) + repository + "/issues/" + name.substr(1));
      told = true;
    } else if (std::count(name.begin(), name.end(), '/') == 1) {
      tell_repository();
      repository = name;
      told = false;
    }
  }
  tell_repository();
  return all;
}

}  // namespace tilescope
