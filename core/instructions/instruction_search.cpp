// Finding an instruction by what people type: parts of names, shapes, types, architectures.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/instructions/instructions.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope::model {
namespace {

std::vector<std::string> words_of(std::string_view query) {
  std::vector<std::string> words;
  std::string word;
  for (char c : lower_case(query) + " ") {
    const bool between = c == ' ' || c == ',' || c == '\t' || c == ';';
    if (!between) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

/// What one instruction is found by: the parts of its name, then everything else as one text.
struct Found {
  std::vector<std::string> parts;
  std::string text;
};

std::string architecture_names(int min_sm) {
  struct Row {
    int sm;
    const char* names;
  };
  constexpr Row kRows[] = {{70, "sm_70 volta"},
                           {75, "sm_75 turing"},
                           {80, "sm_80 ampere"},
                           {89, "sm_89 ada"},
                           {90, "sm_90 hopper"}};
  for (const Row& row : kRows) {
    if (row.sm == min_sm) return row.names;
  }
  return fmt::format("sm_{}", min_sm);
}

Found describe(const Instruction& i) {
  Found found;
  std::string part;
  for (char c : i.name + ".") {
    if (c != '.') {
      part += c;
    } else {
      found.parts.push_back(std::exchange(part, {}));
    }
  }
  found.text =
      lower_case(i.name) + " " + lower_case(i.cute_name) + " " + architecture_names(i.min_sm);
  if (i.kind == Instruction::Kind::mma) {
    const MmaAtom& m = i.mma;
    found.parts.push_back(fmt::format("{}x{}x{}", m.m, m.n, m.k));
    found.parts.push_back(fmt::format("{}x{}", m.m, m.n));
    found.parts.push_back(fmt::format("m{}", m.m));
    found.parts.push_back(fmt::format("n{}", m.n));
    found.parts.push_back(fmt::format("k{}", m.k));
    found.parts.push_back(name_of(m.kind));
    found.text += fmt::format(" {}x{}x{} {}×{}×{}", m.m, m.n, m.k, m.m, m.n, m.k);
    if (m.type_a == ElementType::e4m3 || m.type_a == ElementType::e5m2) found.text += " fp8";
    if (m.type_a == ElementType::f16) found.text += " half fp16";
    if (m.type_a == ElementType::s8 || m.type_a == ElementType::u8) found.text += " int8";
    if (m.type_a == ElementType::s4 || m.type_a == ElementType::u4) found.text += " int4";
    if (m.kind == MmaKind::wmma) found.text += " f16";
  }
  return found;
}

const std::vector<Found>& descriptions() {
  static const std::vector<Found> all = [] {
    std::vector<Found> made;
    for (const Instruction& i : instructions()) made.push_back(describe(i));
    return made;
  }();
  return all;
}

/// Points for one word: 0 does not match at all; more where it is a whole part of the name, and
/// where it is one several times ("f16" of f16 → f16).
int points(const Found& found, const std::string& word) {
  const auto same = std::count(found.parts.begin(), found.parts.end(), word);
  if (same > 0) return 4 + static_cast<int>(std::min<std::ptrdiff_t>(same, 2));
  for (const std::string& part : found.parts) {
    if (part.starts_with(word)) return 3;
  }
  return found.text.find(word) != std::string::npos ? 2 : 0;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const int above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<const Instruction*> search_instructions(std::string_view query) {
  const std::vector<std::string> words = words_of(query);
  std::vector<std::pair<int, const Instruction*>> found;
  for (size_t i = 0; i < instructions().size(); ++i) {
    int sum = 0;
    bool all = true;
    for (const std::string& word : words) {
      const int p = points(descriptions()[i], word);
      all &= p > 0;
      sum += p;
    }
    if (all) found.emplace_back(sum, &instructions()[i]);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  std::vector<const Instruction*> result;
  for (const auto& [sum, instruction] : found) result.push_back(instruction);
  return result;
}

const Instruction* find_instruction(std::string_view name) {
  for (const Instruction& i : instructions()) {
    if (i.name == name || (!i.cute_name.empty() && i.cute_name == name)) return &i;
  }
  // CuTe names some atoms by a later architecture than the first that has the instruction, and a
  // few twice: SM75_8x8x16_… is SM80_8x8x16_….
  const auto without_sm = [](std::string_view cute) {
    return cute.starts_with("SM") ? cute.substr(std::min(cute.find('_'), cute.size()))
                                  : std::string_view();
  };
  if (without_sm(name).empty()) return nullptr;
  for (const Instruction& i : instructions()) {
    if (without_sm(i.cute_name) == without_sm(name)) return &i;
  }
  return nullptr;
}

std::vector<std::string> nearest_instructions(std::string_view name, size_t count) {
  // Each word that was typed, or part of a name, is held against the parts of every name; names
  // that lack nothing come first.
  std::string spaced(name);
  std::replace(spaced.begin(), spaced.end(), '.', ' ');
  const std::vector<std::string> words = words_of(spaced);
  std::vector<std::pair<int, size_t>> scored;
  for (size_t i = 0; i < instructions().size(); ++i) {
    int distance = 0;
    for (const std::string& word : words) {
      int best = static_cast<int>(word.size());
      for (const std::string& part : descriptions()[i].parts)
        best = std::min(best, edit_distance(word, part));
      const std::string& cute = instructions()[i].cute_name;
      if (word.size() > 6 && !cute.empty())
        best = std::min(best, edit_distance(word, lower_case(cute)));
      distance += best;
    }
    scored.emplace_back(distance, i);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> names;
  for (const Instruction* i : search_instructions(name)) {
    if (names.size() < count) names.push_back(i->name);
  }
  for (const auto& [distance, at] : scored) {
    if (names.size() >= count) break;
    const std::string& one = instructions()[at].name;
    if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  }
  return names;
}

}  // namespace tilescope::model
