#include "worker/engine/sass/disassemble.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>
#include <string_view>

#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

constexpr double kSeconds = 60;  // for the largest kernels it takes one
constexpr const char* kToolFix =
    "install the wheel nvidia-cuda-nvdisasm or a CUDA toolkit, or set TILESCOPE_NVDISASM to it.";

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// `//## File "/x/kernels/01_naive.cuh", line 62 inlined at "…", line 39`: the first pair. The PTX
/// is a file of its own there.
struct Place {
  std::string_view file;
  int line = 0;
};
Place place_in(std::string_view comment) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  const size_t begin = comment.find(kFile);
  if (begin == comment.npos) return {};
  const size_t end = comment.find(kLine, begin);
  if (end == comment.npos) return {};
  Place place{comment.substr(begin + kFile.size(), end - begin - kFile.size()), 0};
  const std::string_view number = comment.substr(end + kLine.size());
  std::from_chars(number.data(), number.data() + number.size(), place.line);
  return place;
}

bool is_file(std::string_view path, std::string_view file) {
  if (!path.ends_with(file)) return false;
  return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
}

/// "@!P0 BRA `(.L_x_0) ;" → "@!P0 BRA .L_x_0"
std::string plain(std::string_view instruction) {
  std::string text;
  bool label = false;
  for (const char c : instruction) {
    if (c == '`') {
      label = true;
    } else if (label && (c == '(' || c == ')')) {
      label = c == '(';
    } else {
      text += c;
    }
  }
  if (text.ends_with(';')) text.pop_back();
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// `.section .text.sgemm,"ax",@progbits …`, of any kernel if `entry` is empty.
bool is_code_of(std::string_view section, std::string_view entry) {
  constexpr std::string_view kText = ".text.";
  const size_t at = section.find(kText);
  if (at == section.npos) return false;
  const std::string_view name = section.substr(at + kText.size());
  return entry.empty() || name.substr(0, name.find_first_of(",\" \t")) == entry;
}

bool is_spill(std::string_view instruction) {
  if (instruction.starts_with('@')) {
    instruction =
        without_blanks(instruction.substr(std::min(instruction.find(' '), instruction.size())));
  }
  for (const std::string_view local : {"LDL", "STL"}) {
    if (instruction.starts_with(local) && instruction.size() > 3 &&
        (instruction[3] == ' ' || instruction[3] == '.')) {
      return true;
    }
  }
  return false;
}

/// "13.2" of `nvdisasm --version`.
std::string version_in(const std::string& said) {
  constexpr std::string_view kRelease = "release ";
  const size_t at = said.find(kRelease);
  if (at == said.npos) return {};
  const size_t begin = at + kRelease.size();
  return said.substr(begin, said.find_first_not_of("0123456789.", begin) - begin);
}

/// A file in memory, given to the one program that reads it: nothing is left behind, however this
/// process ends.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes)
      : fd_(memfd_create("kernel.cubin", MFD_CLOEXEC)) {
    for (size_t at = 0; fd_ >= 0 && at < bytes.size();) {
      const ssize_t got = write(fd_, bytes.data() + at, bytes.size() - at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(kFailed, std::string("The cubin cannot be kept: ") + strerror(errno) + ".");
      at += static_cast<size_t>(got);
    }
    if (fd_ < 0) fail(kFailed, std::string("The cubin cannot be kept: ") + strerror(errno) + ".");
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  int descriptor() const { return fd_; }
  /// For the program that has it as the first of its open_files.
  static constexpr const char* kPath = "/proc/self/fd/3";

 private:
  int fd_;
};

}  // namespace

NeededTool nvdisasm_tool() {
  return {.search = {.name = "nvdisasm",
                     .variable = "TILESCOPE_NVDISASM",
                     .folders = cuda_tool_folders(),
                     .folders_first = true},
          .does = "shows the machine code",
          .version = version_in,
          .fix = kToolFix};
}

SassListing parse_sass(const std::string& text, const std::string& file, const std::string& entry) {
  SassListing listing;
  std::istringstream in(text);
  int line = 0, ptx_line = 0;
  bool in_code = false, in_comment = false;  // of places, which belong together
  bool named = false;                        // the innermost line in `file` has come
  for (std::string row; std::getline(in, row);) {
    const std::string_view words = without_blanks(row);
    // Not ".sectioninfo", which stands in the code of some architectures.
    if (words.starts_with(".section\t") || words.starts_with(".section ")) {
      in_code = is_code_of(words, entry);
      line = ptx_line = 0;
    } else if (!in_code || words.empty()) {
      continue;
    } else if (words.starts_with("//## ")) {
      const Place place = place_in(words);
      if (place.file == ".nv_debug_ptx_txt") {
        ptx_line = place.line;
        continue;
      }
      if (place.line == 0) continue;
      if (!in_comment) line = 0, named = false;
      in_comment = true;
      if (!named && is_file(place.file, file)) line = place.line, named = true;
    } else if (words.starts_with("/*")) {
      in_comment = false;
      const size_t end = words.find("*/");
      if (end == words.npos) continue;
      const std::string instruction = plain(without_blanks(words.substr(end + 2)));
      if (instruction.empty()) continue;  // the second half of an encoding
      const int indent = instruction.starts_with('@') ? 0 : 6;
      listing.lines.push_back(
          {fmt::format("{:>6}  {:{}}{}", words.substr(2, end - 2), "", indent, instruction), line,
           ptx_line, is_spill(instruction)});
      ++listing.instructions;
    } else if (words.ends_with(':') && !words.starts_with(".text.")) {
      in_comment = false;
      listing.lines.push_back({std::string(words), 0, 0, false});
    }
  }
  return listing;
}

SassListing disassemble(std::span<const std::byte> cubin, const std::string& file,
                        const std::atomic<bool>* cancelled, const std::string& entry) {
  const UsableTool tool = usable_tool(nvdisasm_tool(), cancelled);
  if (!tool.why_not.empty()) fail(kMissing, tool.why_not);
  const MemoryFile image(cubin);
  const ToolRun run{.argv = {tool.file, "-c", "-gi", "-gp", MemoryFile::kPath},
                    .seconds = kSeconds,
                    .max_bytes = 64u << 20,
                    .cancelled = cancelled,
                    .open_files = {image.descriptor()}};
  const ToolResult result = run_tool(run);
  if (result.end == ToolResult::End::cancelled) fail_cancelled();
  SassListing listing;
  if (result.ok()) listing = parse_sass(result.out, file, entry);
  if (listing.instructions == 0) {
    const std::string words = last_line(result.err);
    fail(result.end == ToolResult::End::exited && result.code != 0 ? kMissing : kFailed,
         fmt::format("{} {} and showed no code{}; it may be older than the compiler: {}", tool.file,
                     end_of(result, run), words.empty() ? "" : ", saying \"" + words + "\"",
                     kToolFix),
         {{"log", result.err.substr(0, 8192)}});
  }
  listing.tool = "nvdisasm " + tool.version;
  return listing;
}

}  // namespace tilescope::worker
