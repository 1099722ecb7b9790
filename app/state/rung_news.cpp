#include "app/state/rung_news.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "core/files/whole_file.h"

namespace tilescope {
namespace {

struct CodeLine {
  int number = 0;
  std::string code;  // without comments and blanks
};

/// Lines that say something of the kernel.
std::vector<CodeLine> code_lines(std::string_view text) {
  std::vector<CodeLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    line = line.substr(0, line.find("//"));
    CodeLine kept{number, {}};
    std::copy_if(line.begin(), line.end(), std::back_inserter(kept.code),
                 [](unsigned char c) { return !std::isspace(c); });
    const bool says = std::any_of(kept.code.begin(), kept.code.end(),
                                  [](unsigned char c) { return std::isalnum(c) != 0; });
    if (!says || kept.code.starts_with("#include") || kept.code.starts_with("#pragma")) continue;
    lines.push_back(std::move(kept));
  }
  return lines;
}

/// Of each line of `text`, whether a longest common subsequence with `below` has it.
std::vector<bool> in_common(const std::vector<CodeLine>& text, const std::vector<CodeLine>& below) {
  const size_t n = text.size(), m = below.size();
  // length[i][j]: of what lines i… and j… have in common.
  std::vector<std::vector<int>> length(n + 1, std::vector<int>(m + 1, 0));
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      length[i][j] = text[i].code == below[j].code ? length[i + 1][j + 1] + 1
                                                   : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  std::vector<bool> common(n, false);
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (text[i].code == below[j].code) {
      common[i++] = true;
      ++j;
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

}  // namespace

std::vector<LineBlock> new_blocks(std::string_view text, std::string_view below) {
  const std::vector<CodeLine> lines = code_lines(text);
  const std::vector<bool> common = in_common(lines, code_lines(below));
  std::vector<LineBlock> blocks;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (common[i]) continue;
    const bool goes_on = i > 0 && !common[i - 1];
    if (goes_on) {
      blocks.back().last = lines[i].number;
    } else {
      blocks.push_back({lines[i].number, lines[i].number});
    }
  }
  return blocks;
}

const KernelEntry* rung_below(const KernelEntry& kernel) {
  const KernelEntry* below = nullptr;
  for (const KernelEntry& entry : kernel_table()) {
    if (&entry == &kernel) return below;
    below = &entry;
  }
  return nullptr;
}

std::string kernel_text(const std::string& kernel_dir, const std::string& file) {
  if (!kernel_dir.empty()) {
    constexpr uint64_t kMostText = 8u << 20;  // bytes: what Source could show
    if (auto text = files::read_regular_file(kernel_dir + "/" + file, kMostText)) {
      return *std::move(text);
    }
  }
  for (const KernelSource& source : kernel_sources()) {
    if (source.name == "kernels/" + file) return source.text;
  }
  return {};
}

}  // namespace tilescope
