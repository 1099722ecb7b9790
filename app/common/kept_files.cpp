#include "app/common/kept_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/common/config_folder.h"
#include "core/files/whole_file.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using State = KeptFile::State;

constexpr KeptKind kNamedStates = {.what = "state",
                                   .folder = "states",
                                   .begins = "",
                                   .version_key = kKeptSession.version_key,
                                   .version = kKeptSession.version,
                                   .limits = kKeptSession.limits};
constexpr const KeptKind* kKinds[] = {&kKeptSession, &kKeptSettings, &kKeptCards, &kNamedStates};

constexpr auto kBeingWritten = std::chrono::hours(1);  // what is younger may still be

/// By name; none where the folder cannot be read.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->is_regular_file(gone)) all.push_back(at->path());
  }
  std::ranges::sort(all);
  return all;
}

KeptFile judged(const KeptKind& kind, const fs::path& path) {
  KeptFile kept{kind.what, path.string(), State::whole, {}};
  const auto is = [&](State state, std::string why) {
    kept.state = state, kept.why = std::move(why);
    return kept;
  };
  std::string why;
  const auto text = files::read_file(kept.file, kind.limits.bytes, &why);
  if (!text) return is(State::unreadable, why);
  const auto json = files::parse_json(*text, kind.limits.depth);
  if (!json) return is(State::damaged, "It is no valid JSON, or is nested too deep.");
  if (*kind.version_key == '\0') {
    return json->is_array() ? kept : is(State::damaged, "It is no list.");
  }
  if (!json->is_object()) return is(State::damaged, "It is no object.");
  const auto version = json->find(kind.version_key);
  if (version == json->end() || !version->is_number()) {
    if (!kind.has_version) return kept;
    return is(State::damaged, fmt::format("It has no \"{}\".", kind.version_key));
  }
  if (version->get<double>() > kind.version) {
    return is(State::newer, "It was written by a newer Tilescope, and is left alone.");
  }
  return kept;
}

bool is_of(const KeptKind& kind, const fs::path& path) {
  return path.extension() == ".json" && path.filename().string().starts_with(kind.begins);
}

/// Of any file of the folder: what replace_file() writes beside it, and was not renamed.
bool is_unfinished(const fs::path& path) {
  std::error_code error;
  return path.filename().string().find(files::kUnfinished) != std::string::npos &&
         fs::file_time_type::clock::now() - fs::last_write_time(path, error) > kBeingWritten &&
         !error;
}

}  // namespace

std::vector<KeptFile> kept_files(const std::string& folder) {
  std::vector<KeptFile> all;
  if (folder.empty()) return all;
  for (const KeptKind* kind : kKinds) {
    for (const fs::path& path : files_in(fs::path(folder) / kind->folder)) {
      if (is_of(*kind, path)) all.push_back(judged(*kind, path));
    }
  }
  for (const char* part : {"", kNamedStates.folder, "results"}) {
    for (const fs::path& path : files_in(fs::path(folder) / part)) {
      if (is_unfinished(path)) {
        all.push_back({"unfinished file", path.string(), State::unfinished,
                       "Whoever wrote it was ended before it was whole."});
      }
    }
  }
  for (const fs::path& path : files_in(folder)) {
    if (!path.filename().string().starts_with(kCrashReport)) continue;
    all.push_back({"crash report", path.string(), State::report,
                   "The window has ended by a fault. Please report it with this file, which holds "
                   "what was looked at, and delete it."});
  }
  return all;
}

std::string repair(const KeptFile& file) {
  if (file.state == State::unfinished) {
    std::error_code error;
    fs::remove(file.file, error);
    return error ? fmt::format("It cannot be removed ({}).", error.message()) : "It is removed.";
  }
  if (file.state != State::damaged) return {};
  const std::string aside = files::set_aside(file.file, "corrupt");
  if (aside.empty()) return "It cannot be renamed; its folder must be one that you may write.";
  return fmt::format("It is set aside as {}; a new one is made when it is needed.",
                     fs::path(aside).filename().string());
}

}  // namespace tilescope
