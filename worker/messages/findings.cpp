#include "worker/messages/findings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/language/language.h"

namespace tilescope::worker {

const CodeFinding* first_error(const std::vector<CodeFinding>& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const CodeFinding& f) { return !f.remark; });
  return found == findings.end() ? nullptr : &*found;
}

bool ends_a_launch(const std::string& kind) {
  constexpr const char* kKinds[] = {"out_of_bounds", "misaligned",  "deadlock", "partial_warp",
                                    "trap",          "unsupported", "cta_left"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

std::string finding_word(const std::string& kind) {
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"race", "racy"},
      {"copy_pending", "racy"},  // with its own cp.async
      {"proxy", "not fenced for the asynchronous proxy"},
      {"product_pending", "a sum used before its products are waited for"},
      {"phase_twice", "waiting twice for one phase"},
      {"cta_conflict", "racy between CTAs"},
      {"cta_left", "leaving while its cluster still uses it"},
      {"lane_conflict", "racy between lanes"},
      {"unwritten", "reads what was never written"},
      {"out_of_bounds", "out of bounds"},
      {"misaligned", "misaligned"},
      {"read_only", "writes what is only read"},
      {"deadlock", "stuck at a barrier"},
      {"wrong_index", "wrong index"},
      {"partial_warp", "partial warp"},
      {"trap", "trap"},
      {"limit", "limit"},
      {"unsupported", "unsupported"},
      {"bank_conflict", "bank conflict"},
      {"uncoalesced", "uncoalesced"},
      {"equal_stores", "equal stores"},
  };
  for (const auto& [name, word] : kWords) {
    if (kind == name) return tr(word);
  }
  std::string word = kind;
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::string finding_label(const CodeFinding& f, const std::string& file) {
  const std::string word = finding_word(f.kind);
  if (f.line > 0) {
    return file.empty() ? wording("{}: line {}", word, f.line)
                        : wording("{}: line {} of {}", word, f.line, file);
  }
  return f.ptx_line > 0 ? wording("{}: PTX line {}", word, f.ptx_line) : word;
}

}  // namespace tilescope::worker
