#include "worker/engine/compile/included_headers.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/files/whole_file.h"
#include "core/model/format.h"
#include "worker/engine/compile/include_limits.h"
#include "worker/engine/compile/include_names.h"
#include "worker/engine/compile/plain_name.h"
#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view kKernels = "kernels/";
constexpr size_t kLongestIncludeName =
    1000;  // of an #include: what a file system takes at most is 4,096

/// A kernel's file without the mistakes that tests plant in it, as kernels/embed.cmake embeds it: a
/// copy of the folder has the same sources.
std::string without_mistakes(std::string text) {
  const size_t begin = text.find("\n/* Mistakes that tests plant");
  if (begin == text.npos) return text;
  constexpr std::string_view kEnd = "*/\n";
  const size_t end = text.find(kEnd, begin);
  // What somebody has written behind them counts.
  return text.erase(begin, end == text.npos ? text.npos : end + kEnd.size() - begin);
}

class HeaderReader {
 public:
  explicit HeaderReader(const std::string& folder) : folder_(folder) {
    std::error_code error;
    if (!folder.empty()) whole_folder_ = fs::canonical(folder, error);
  }

  std::vector<SourceFile> headers_of(std::string_view text) {
    visit({kEntryFile, {}}, include_names(text), 0);
    return std::move(headers_);
  }

 private:
  using Form = NamedInclude::Form;

  /// A file that includes others.
  struct From {
    std::string name, path;
    const std::string& called() const { return path.empty() ? name : path; }
  };
  /// Where an #include leads to.
  struct Found {
    std::string text, path;
    std::string whole;  // without links and `..`; empty of what is built in
  };

  void visit(const From& from, const std::vector<NamedInclude>& includes, size_t depth) {
    if (depth > kDeepestInclude) {
      fail(kFailed, from.called() + ": #include is nested deeper than " +
                        std::to_string(kDeepestInclude) + " files; include less.");
    }
    includes_ += includes.size();
    if (includes_ > kMostIncludes) {
      fail(kFailed, from.called() + ": a kernel's source has more than " +
                        model::grouped(kMostIncludes) +
                        " lines that include something; include less.");
    }
    const std::string folder = fs::path(from.path).parent_path().string();
    for (const NamedInclude& include : includes) {
      const bool is_new = seen_
                              .insert(static_cast<char>('0' + static_cast<int>(include.form)) +
                                      folder + '\0' + include.name)
                              .second;
      if (!is_new) continue;
      if (auto found = resolve(include, from)) take(include.name, std::move(*found), depth);
    }
  }

  void take(const std::string& name, Found found, size_t depth) {
    const auto [known, is_new] = places_.try_emplace(name, headers_.size());
    if (is_new) {
      const auto includes = include_names(found.text);
      wholes_.push_back(std::move(found.whole));
      headers_.push_back({name, std::move(found.text), found.path});
      visit({name, std::move(found.path)}, includes, depth + 1);
      return;
    }
    const SourceFile& same = headers_[known->second];
    if (wholes_[known->second] != found.whole && same.text != found.text) {
      // The compiler knows headers by their names alone.
      fail(kFailed, "Two files are included as \"" + name + "\", " + same.path + " and " +
                        found.path + "; give them different names.");
    }
  }

  /// `why` and the way out of it.
  [[noreturn]] static void refuse(const NamedInclude& include, const From& from,
                                  const std::string& why) {
    const bool angled = include.form == Form::angled;
    fail(kFailed, from.called() + " includes " + (angled ? '<' : '"') + shown_name(include.name) +
                      (angled ? '>' : '"') + ", " + why);
  }
  [[noreturn]] void refuse_place(const NamedInclude& include, const From& from) const {
    refuse(
        include, from,
        folder_.empty()
            ? "which is none of the sources in this program: put it into a folder, and give that "
              "with --kernel-dir."
            : "which is not in " + folder_ + ": put it into " + folder_ +
                  ", and include it by its place there.");
  }
  std::string the_folder() const { return folder_.empty() ? "the kernels' folder" : folder_; }

  /// Nothing: it is the toolkit's, or not there.
  std::optional<Found> resolve(const NamedInclude& include, const From& from) {
    const std::string& name = include.name;
    if (include.form == Form::computed) {
      refuse(include, from,
             "which a macro may make the name of any file: write the name itself, and put the file "
             "into " +
                 the_folder() + ".");
    }
    if (!is_plain_name(name) || name.size() > kLongestIncludeName) {
      refuse(
          include, from,
          "which is no name that a header can have: put it into " + the_folder() + " by another.");
    }
    const fs::path path(name);
    if (path.is_absolute()) refuse_place(include, from);
    const bool climbs = std::ranges::find(path, fs::path("..")) != path.end();
    if (include.form == Form::angled) {
      // NVRTC looks for it in the toolkit's folders; out of them it must not climb either.
      if (climbs) refuse_place(include, from);
      return std::nullopt;
    }
    if (auto found = find(include, from)) return found;
    // What is not handed to NVRTC it looks for beside the including file, by the name that this is
    // called by, below the folder that the process runs in; then among the toolkit's.
    const bool opened = is_of_working_folder((fs::path(from.name).parent_path() / name).string());
    // Who has it in that folder itself is told, too, that it is not taken from there.
    if (climbs || opened || (is_of_working_folder(name) && !is_of_toolkit(name))) {
      refuse_place(include, from);
    }
    return std::nullopt;
  }

  std::optional<Found> find(const NamedInclude& include, const From& from) {
    const std::string& name = include.name;
    if (!folder_.empty() && name.starts_with(kKernels)) {
      auto own = read(include, from, fs::path(folder_) / name.substr(kKernels.size()));
      if (own) {
        own->text = without_mistakes(std::move(own->text));
        return own;
      }
    }
    for (const KernelSource& source : kernel_sources()) {
      if (name == source.name) return Found{source.text, {}, {}};
    }
    if (folder_.empty()) return std::nullopt;
    if (!from.path.empty()) {
      auto beside = read(include, from, fs::path(from.path).parent_path() / name);
      if (beside) return beside;
    }
    return read(include, from, fs::path(folder_) / name);
  }

  /// A file of the folder. Nothing: there is none.
  std::optional<Found> read(const NamedInclude& include, const From& from, const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::canonical(path, error);
    if (error) return std::nullopt;
    const fs::path below = whole.lexically_relative(whole_folder_);
    if (below.empty() || *below.begin() == "..") refuse_place(include, from);
    switch (files::file_there(whole.string())) {
      case files::FileThere::nothing:
      case files::FileThere::folder:
        return std::nullopt;
      case files::FileThere::other:
        refuse(include, from,
               "which is a pipe, a socket or a device: put a regular file into " + folder_ + ".");
      case files::FileThere::regular:
        break;
    }
    return Found{text_of(whole.string()), path.string(), whole.string()};
  }

  const std::string& text_of(const std::string& whole) {
    if (const auto known = texts_.find(whole); known != texts_.end()) return known->second;
    if (texts_.size() >= kMostSourceFiles) {
      fail(kFailed, "A kernel of " + folder_ + " includes more than " +
                        std::to_string(kMostSourceFiles) + " files; include less.");
    }
    std::string why_not;
    auto text = files::read_regular_file(whole, kMostSourceBytes, &why_not);
    if (!text) fail(kFailed, why_not);
    bytes_ += text->size();
    if (bytes_ > kMostSourceBytes) {
      fail(kFailed, "A kernel of " + folder_ + " and what it includes have more than " +
                        model::grouped(kMostSourceBytes) + " bytes; include less.");
    }
    // NVRTC takes a text up to its first zero byte, and 255, which no UTF-8 has, for the end of a
    // line: it would see other directives than are looked for here.
    if (text->find('\0') != text->npos || text->find('\xff') != text->npos) {
      fail(kFailed, whole + " is no text: there is a byte of 0 or 255 in it.");
    }
    return texts_[whole] = std::move(*text);
  }

  bool is_of_toolkit(const std::string& name) {
    if (!toolkit_) toolkit_ = cuda_include_folders();
    return std::ranges::any_of(*toolkit_, [&](const std::string& folder) {
      return files::file_there(folder + "/" + name) == files::FileThere::regular;
    });
  }

  static bool is_of_working_folder(const std::string& name) {
    const files::FileThere there = files::file_there(name);
    return there == files::FileThere::regular || there == files::FileThere::other;
  }

  const std::string folder_;
  fs::path whole_folder_;
  std::vector<SourceFile> headers_;
  std::vector<std::string> wholes_;                     // of each of them
  std::unordered_map<std::string, size_t> places_;      // in headers_, by name
  std::unordered_set<std::string> seen_;                // form, folder and name of an #include
  std::unordered_map<std::string, std::string> texts_;  // by path
  std::optional<std::vector<std::string>> toolkit_;
  uint64_t bytes_ = 0;
  size_t includes_ = 0;
};

}  // namespace

std::vector<SourceFile> included_headers(std::string_view text, const std::string& kernel_dir) {
  return HeaderReader(kernel_dir).headers_of(text);
}

}  // namespace tilescope::worker
