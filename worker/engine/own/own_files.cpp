#include "worker/engine/own/own_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "core/files/whole_file.h"
#include "core/model/format.h"
#include "worker/engine/compile/include_limits.h"
#include "worker/engine/compile/plain_name.h"
#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"
#include "worker/engine/own/found_launches.h"
#include "worker/engine/own/host_headers.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

struct IncludeName {
  std::string_view name;  // in the directive's text
  bool quoted = false;
};
std::optional<IncludeName> include_of(const CuToken& token) {
  if (!token.is_directive() || directive_name(token) != "include") return std::nullopt;
  const std::string_view rest = directive_rest(token);
  if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) return std::nullopt;
  const size_t end = rest.find(rest[0] == '"' ? '"' : '>', 1);
  if (end == rest.npos) return std::nullopt;
  return IncludeName{rest.substr(1, end - 1), rest[0] == '"'};
}

/// True if a second #include of this text does nothing.
bool is_guarded(const std::vector<CuToken>& tokens) {
  std::string_view macro;
  for (const CuToken& t : tokens) {
    if (!t.is_directive()) {
      if (macro.empty()) return false;
      continue;
    }
    const std::string_view name = directive_name(t), rest = directive_rest(t);
    if (name == "pragma" && rest.starts_with("once")) return true;
    if (name == "ifndef" && macro.empty()) macro = rest.substr(0, rest.find_first_of(" \t\r\n"));
    if (name == "define" && !macro.empty() && rest.starts_with(macro)) return true;
  }
  return false;
}

bool is_file(const fs::path& path) {
  return files::file_there(path.string()) == files::FileThere::regular;
}

/// Headers are called by such names in what is compiled, and PTX calls its lines by them.
void require_plain_name(const std::string& name) {
  if (is_plain_name(name)) return;
  fail(kUsage, shown_name(name) +
                   ": there is a quote, a backslash or a control character in this name, which "
                   "would end it in the text that is compiled; rename the file.");
}

class Collector {
 public:
  Collector(const std::string& file, const std::vector<std::string>& folders)
      : main_(file), folders_(folders), cuda_folders_(cuda_include_folders()) {}

  OwnFiles collect(const std::string* text) {
    require_plain_name(main_.filename().string());
    // Words that macros make device words are known only when all files have been read, so each is
    // read first and filtered then.
    load(main_, main_.filename().string(), text);
    for (const auto& key : order_) {
      Loaded& one = loaded_.at(key);
      const DeviceCode code = device_code(one.text, one.tokens, words_);
      SourceFile out{one.name, with_names(one, code.text), key};
      if (key == order_.front()) {
        all_.main = std::move(out);
      } else {
        all_.headers.push_back(std::move(out));
      }
      all_.kernels.insert(all_.kernels.end(), code.kernels.begin(), code.kernels.end());
      const auto launches = found_launches(one.tokens);
      all_.launches.insert(all_.launches.end(), launches.begin(), launches.end());
      all_.read.push_back(key);
    }
    for (const auto& [name, header] : stand_ins_) all_.headers.push_back({name, header});
    all_.headers.push_back({kBeforeName, std::string(before_text())});
    return std::move(all_);
  }

 private:
  struct Loaded {
    std::string name, text;
    std::vector<CuToken> tokens;
    std::map<size_t, std::string> names;  // offset of an #include → what it is called here
    bool guarded = false;
  };

  std::string read(const fs::path& path, const std::string* given) {
    std::string why_not;
    auto text = given ? std::optional(*given)
                      : files::read_regular_file(path.string(), kMostSourceBytes, &why_not);
    if (!text) fail(kUsage, why_not);
    bytes_ += text->size();
    if (bytes_ > kMostSourceBytes) {
      fail(kUsage, main_.string() + " and what it includes have more than " +
                       model::grouped(kMostSourceBytes) +
                       " bytes; include less, or compile it with nvcc -ptx and open the PTX.");
    }
    if (text->find('\0') != std::string::npos) {
      fail(kUsage, path.string() + " is no text: there is a zero byte in it.");
    }
    return std::move(*text);
  }

  /// The key of the file in loaded_.
  std::string load(const fs::path& path, const std::string& name, const std::string* given) {
    std::error_code error;
    fs::path whole = fs::weakly_canonical(path, error);
    if (error) whole = path;
    std::string key = whole.string();
    if (const auto found = loaded_.find(key); found != loaded_.end()) {
      if (open_.contains(key)) refuse_endless_circle(key);
      return key;
    }
    if (loaded_.size() >= kMostSourceFiles) {
      fail(kUsage, main_.string() + " includes more than " + std::to_string(kMostSourceFiles) +
                       " files of its own; include less.");
    }
    if (stack_.size() >= kDeepestInclude) {
      fail(kUsage, main_.string() + ": #include is nested deeper than " +
                       std::to_string(kDeepestInclude) + " files, down to " + name + ".");
    }
    Loaded& one = loaded_[key];
    order_.push_back(key);
    one.name = name;
    one.text = read(path, given);
    one.tokens = tokens_of(one.text);
    one.guarded = is_guarded(one.tokens);
    words_.learn(one.tokens);
    stack_.push_back(key);
    open_.insert(key);
    for (const CuToken& t : one.tokens) {
      const auto include = include_of(t);
      if (!include) continue;
      if (++includes_ > kMostIncludes) {
        fail(kUsage, main_.string() + " and what it includes have more than " +
                         model::grouped(kMostIncludes) + " #include lines; include less.");
      }
      const auto offset = static_cast<size_t>(include->name.data() - one.text.data());
      if (const auto called = resolve(path, std::string(include->name), include->quoted)) {
        one.names[offset] = *called;
      }
    }
    open_.erase(key);
    stack_.pop_back();
    return key;
  }

  /// The file is included again while it is being read: that ends if one of those on the way is
  /// read only once.
  void refuse_endless_circle(const std::string& key) const {
    std::string way;
    bool begun = false;
    for (const std::string& open : stack_) {
      begun = begun || open == key;
      if (!begun) continue;
      if (loaded_.at(open).guarded) return;
      way += loaded_.at(open).name + " includes ";
    }
    fail(kUsage,
         way + loaded_.at(key).name + " again, without end: put #pragma once into one of them.");
  }

  /// What the header is called for NVRTC, if that is not what the directive says.
  std::optional<std::string> resolve(const fs::path& from, const std::string& name, bool quoted) {
    std::vector<fs::path> folders;
    if (quoted) folders.push_back(from.parent_path());
    for (const std::string& folder : folders_) folders.emplace_back(folder);
    for (const fs::path& folder : folders) {
      const fs::path file = folder / name;
      switch (files::file_there(file.string())) {
        case files::FileThere::regular: {
          const std::string called = name_of(file);
          require_plain_name(called);
          return loaded_.at(load(file, called, nullptr)).name;
        }
        case files::FileThere::other:
          fail(kUsage, from.string() + " includes " + shown_name(name) +
                           ", which is a pipe, a socket or a device; only regular files are read.");
        case files::FileThere::nothing:
        case files::FileThere::folder:
          break;
      }
    }
    if (stand_ins_.contains(name)) return std::nullopt;
    if (const char* text = host_header(name)) {
      stand_ins_[name] = text;
      return std::nullopt;
    }
    for (const std::string& folder : cuda_folders_) {
      if (is_file(fs::path(folder) / name) || is_file(fs::path(folder) / "cccl" / name)) {
        return std::nullopt;
      }
    }
    stand_ins_[name] = "#pragma once\n";
    all_.remarks.push_back(
        stack_.back() + " includes " + name +
        ", which was not found and is taken to be empty; give its folder with -I "
        "if the kernel needs it.");
    return std::nullopt;
  }

  /// As seen from the .cu, so that two headers of one name differ.
  std::string name_of(const fs::path& file) const {
    std::error_code error;
    const fs::path main = fs::weakly_canonical(main_, error).parent_path();
    const fs::path whole = fs::weakly_canonical(file, error);
    const fs::path seen = whole.lexically_relative(main);
    const bool below = !seen.empty() && *seen.begin() != "..";
    return below ? seen.string() : whole.string();
  }

  /// The text with the #includes' names as they are called here.
  static std::string with_names(const Loaded& one, const std::string& text) {
    std::string out;
    size_t done = 0;
    for (const auto& [offset, name] : one.names) {
      const char opened = text[offset - 1];
      const size_t end = text.find(opened == '"' ? '"' : '>', offset);
      out.append(text, done, offset - 1 - done);
      out += '"' + name + '"';
      done = end + 1;
    }
    return out.append(text, done);
  }

  const fs::path main_;
  const std::vector<std::string>& folders_;
  const std::vector<std::string> cuda_folders_;
  OwnFiles all_;
  DeviceWords words_;
  uint64_t bytes_ = 0;
  size_t includes_ = 0;
  std::map<std::string, Loaded> loaded_;
  std::vector<std::string> order_, stack_;  // keys
  std::set<std::string> open_;
  std::map<std::string, std::string> stand_ins_;
};

}  // namespace

OwnFiles read_own_files(const std::string& file, const std::string* text,
                        const std::vector<std::string>& include_folders) {
  return Collector(file, include_folders).collect(text);
}

std::vector<std::string> own_include_options() {
  std::vector<std::string> options;
  for (const std::string& folder : cuda_include_folders()) {
    options.push_back("-I" + folder);
    std::error_code error;
    if (fs::is_directory(folder + "/cccl", error)) options.push_back("-I" + folder + "/cccl");
  }
  return options;
}

}  // namespace tilescope::worker
