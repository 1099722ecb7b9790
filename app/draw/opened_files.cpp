#include "app/draw/opened_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/features/lessons/lesson.h"
#include "app/state/edit.h"
#include "app/state/session.h"
#include "app/state/state_link.h"
#include "core/files/json_file.h"
#include "core/files/whole_file.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr int kSomeDoNotOpen = 1, kContradicts = 4;
constexpr uint64_t kMostText = 1u << 20;  // bytes of a link's file, and of a lesson

/// It opens, and then something is not as it must be: a fault of the program, not of the file.
struct Contradiction : std::logic_error {
  using std::logic_error::logic_error;
};

/// What is shown can be saved, and opens again.
void keep(const AppState& state) {
  AppState again = initial_state();
  std::string error;
  if (!from_json(again, to_json(state), &error)) throw Contradiction(error);
}

std::string open_as_state(const std::string& file, AppState& state) {
  std::string error;
  if (!open_state_file(state, file, &error)) return error;
  keep(state);
  return {};
}

std::string open_as_link(const std::string& file, AppState& state) {
  std::string error;
  const auto text = files::read_regular_file(file, kMostText, &error);
  if (!text || !open_link(state, *text, &error)) return error;
  keep(state);
  return {};
}

std::string open_as_sheet(const std::string& file, AppState&) {
  try {
    sheet::LaunchSheet read = sheet::read_sheet(file);
    if (!(sheet::sheet_of_text(sheet::to_text(read)) == read)) {
      throw Contradiction("the sheet that is written is another than the one that was read");
    }
    sheet::name_files_in(read, fs::path(file).parent_path().string());
    // Of which kernel is not known here: each SPEC is read, whatever is then said of their number.
    (void)sheet::faults_of({}, read);
  } catch (const sheet::SheetError& error) {
    return error.what();
  }
  return {};
}

std::string open_as_lesson(const std::string& file, AppState&) {
  std::string error;
  const auto text = files::read_regular_file(file, kMostText, &error);
  if (!text) return error;
  std::vector<LessonFault> faults;
  const std::vector<Lesson> read = {parse_lesson(fs::path(file).stem().string(), *text, &faults)};
  for (LessonFault& fault : find_faults(read)) faults.push_back(std::move(fault));
  if (faults.empty()) return {};
  return fmt::format("line {}: {}", faults.front().line, faults.front().sentence);
}

struct FileKind {
  const char* ending;
  /// Empty, or why it does not open.
  std::string (*open)(const std::string& file, AppState& state);
  bool shows = false;  // something of it is in the state then
};
constexpr FileKind kFileKinds[] = {{".link", open_as_link, true},
                                   {".sheet.json", open_as_sheet},
                                   {".md", open_as_lesson},
                                   {"", open_as_state, true}};

/// For a terminal: what a file says may not steer it.
std::string in_one_line(std::string text) {
  const auto steers = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), steers, ' ');
  return text;
}

nlohmann::json told_as_json(const std::string& file, const std::string& why, const AppState& state,
                            bool shows) {
  nlohmann::json told = {{"file", file}, {"opens", why.empty()}};
  if (!why.empty()) {
    told["why"] = why;
  } else if (shows) {
    std::string too_long;
    told["state"] = shown_json(state);
    told["link"] = link_of(state, &too_long);
  }
  return told;
}

}  // namespace

int tell_what_opens(const Options& options) {
  int code = 0;
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& file : options.opens) {
    const auto kind = std::ranges::find_if(
        kFileKinds, [&](const FileKind& one) { return file.ends_with(one.ending); });
    AppState state = initial_state();
    std::string why;
    try {
      why = kind->open(file, state);
      if (!why.empty()) code = std::max(code, kSomeDoNotOpen);
    } catch (const Contradiction& fault) {
      why = fmt::format("opens, and what would then be saved does not: {}", fault.what());
      code = kContradicts;
    }
    if (options.json) {
      all.push_back(told_as_json(file, why, state, kind->shows));
      continue;
    }
    std::printf("%s: %s\n", in_one_line(file).c_str(),
                why.empty() ? "opens" : in_one_line(why).c_str());
    std::fflush(stdout);  // whoever looks for the file that ends the program sees the one before
  }
  if (options.json) std::printf("%s\n", files::json_text(all, 1).c_str());
  return code;
}

}  // namespace tilescope
