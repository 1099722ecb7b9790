#include "app/cli/sweep_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/cli/bench_run.h"
#include "app/cli/cli_error.h"
#include "core/files/json_file.h"
#include "core/files/whole_file.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_in(const std::string& file) {
  const auto text = files::read_file(file);
  if (!text) return {};
  const auto lines = files::lines_of(*text);
  return {lines.begin(), lines.end()};
}

/// "rank1of3" behind the dot.
bool is_rank_name(const std::string& text) {
  if (!text.starts_with("rank")) return false;
  const size_t of = text.find("of", 4);
  const auto digits = [](const std::string& number) {
    return !number.empty() && number.find_first_not_of("0123456789") == number.npos;
  };
  return of != text.npos && digits(text.substr(4, of - 4)) && digits(text.substr(of + 2));
}

struct Placed {
  size_t place;
  std::string line;
};

}  // namespace

Json parsed_line(const std::string& line) {
  // Values are copied and freed recursively.
  if (files::is_deeper(line, files::kMostDepth)) return Json::value_t::discarded;
  return Json::parse(line, nullptr, false);
}

std::string one_line(const Json& result) {
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::map<std::string, Json> read_results(const std::string& file, const std::string& card) {
  std::map<std::string, Json> results;
  for (const std::string& line : lines_in(file)) {
    Json entry = parsed_line(line);
    if (!entry.is_object()) continue;
    if (!card.empty()) {
      // Not by the key that was saved: in older files it names no card but its place, "cuda:0".
      if (entry.contains("kernel") && entry.value("device", Json()) == card) {
        results[bench_key(entry)] = entry;
      }
    } else if (entry.contains("sweep_key") && entry["sweep_key"].is_string()) {
      results[entry["sweep_key"].get<std::string>()] = entry;
    }
  }
  return results;
}

std::string rank_file(const std::string& out, int rank, int size) {
  return fmt::format("{}.rank{}of{}", out, rank, size);
}

std::string ranks_file(const std::string& out) { return out + ".ranks"; }

std::vector<std::string> rank_files(const std::string& out) {
  const fs::path folder = fs::path(out).parent_path();
  const std::string name = fs::path(out).filename().string() + ".";
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (file.starts_with(name) && is_rank_name(file.substr(name.size()))) {
      files.push_back((folder / file).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void merge_results(const std::string& out, const std::vector<std::string>& parts,
                   const Place& place) {
  files::remove_unfinished(out);  // of a rank that was killed here
  std::vector<std::string> lines = lines_in(out);
  const std::set<std::string> there(lines.begin(), lines.end());
  std::vector<size_t> slots;
  std::vector<Placed> placed;
  std::vector<std::string> behind;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Json entry = parsed_line(lines[i]);
    const auto at = entry.is_object() ? place(entry) : std::nullopt;
    if (!at) continue;
    slots.push_back(i);
    placed.push_back({*at, lines[i]});
  }
  size_t added = 0;
  for (const std::string& part : parts) {
    for (const std::string& line : lines_in(part)) {
      const Json entry = parsed_line(line);
      // Cut short by a kill, or put in by one who was killed before the part was removed.
      if (!entry.is_object() || there.contains(line)) continue;
      ++added;
      if (const auto at = place(entry)) {
        placed.push_back({*at, line});
      } else {
        behind.push_back(line);
      }
    }
  }
  if (added > 0) {
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.place < b.place; });
    for (size_t i = 0; i < placed.size(); ++i) {
      if (i < slots.size()) {
        lines[slots[i]] = placed[i].line;
      } else {
        lines.push_back(placed[i].line);
      }
    }
    lines.insert(lines.end(), behind.begin(), behind.end());
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    if (const std::string why_not = files::replace_file(out, text); !why_not.empty()) {
      throw CliError(kFailed, fmt::format("results could not be put together: {}; they are kept "
                                          "beside it, and the same command goes on with them",
                                          clause(why_not)));
    }
  }
  for (const std::string& part : parts) ::unlink(part.c_str());
}

std::optional<LockedFile> open_out(const std::string& path, LockedFile::Lock lock) {
  std::string why_not;
  auto file = LockedFile::open(path, lock, &why_not);
  if (!why_not.empty()) throw CliError(kBadUsage, "--out: " + clause(why_not));
  return file;
}

void append_result(LockedFile& file, const Json& line) {
  const std::string why_not = file.append_line(one_line(line));
  if (why_not.empty()) return;
  throw CliError(kFailed, fmt::format("a result could not be saved in {} ({}); make room there, "
                                      "then the same command goes on",
                                      file.path(), why_not));
}

LockedFile open_alone(const std::string& out) {
  using Lock = LockedFile::Lock;
  while (true) {
    if (!rank_files(out).empty()) {
      const auto ranks = open_out(ranks_file(out), Lock::alone);
      for (const std::string& file : rank_files(out)) {
        if (!files::is_held(file)) continue;
        throw CliError(kBadUsage, fmt::format("--out: a sweep with --launch is still writing {}; "
                                              "wait for it, or choose another file",
                                              file));
      }
      const auto alone = open_out(out, Lock::alone_or_none);
      if (!alone) {
        throw CliError(kBadUsage, fmt::format("--out: another sweep is writing {}; wait for it, "
                                              "or choose another file",
                                              out));
      }
      merge_results(out, rank_files(out), [](const Json&) { return std::nullopt; });
      ::unlink(ranks_file(out).c_str());
    }
    // Several sweeps may append to it; ranks, who replace it, may not come to it meanwhile.
    auto file = open_out(out, Lock::shared);
    if (!file) {
      throw CliError(kBadUsage, fmt::format("--out: the ranks of a sweep are writing {}; wait for "
                                            "them, or choose another file",
                                            out));
    }
    if (rank_files(out).empty()) return std::move(*file);
  }
}

}  // namespace tilescope::cli
