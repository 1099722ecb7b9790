// Modifiers in every order that ptxas takes: each row's mnemonics, their words shuffled, asked of
// ptxas and of the table. Without ptxas only the named ones are tried.
#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "emulator/compile/mnemonic.h"
#include "emulator/compile/row_index.h"
#include "ptxas.h"
#include "support.h"

namespace tilescope::emulator::test::modifier_order_file {
namespace {

using Spelling = std::vector<std::string>;

std::string joined(const Spelling& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ".") + w;
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

/// A row's mnemonics: the first one, and each other choice of one word.
std::vector<Spelling> spellings(const std::string& pattern) {
  static const std::vector<Spelling> kOrders = {{},
                                                {"volatile"},
                                                {"relaxed", "gpu"},
                                                {"acquire", "cta"},
                                                {"release", "sys"},
                                                {"acq_rel", "cluster"}};
  static const std::vector<Spelling> kHints = {
      {}, {"ca"}, {"cs"}, {"wt"}, {"nc"}, {"nc", "L1::no_allocate"}, {"L1::evict_last"}};
  std::vector<std::vector<Spelling>> choices;
  for (std::string word : split(pattern, ' ')) {
    if (word == "$order" || word == "$cache") {
      choices.push_back(word == "$order" ? kOrders : kHints);
      continue;
    }
    const bool optional = word.back() == '?';
    if (optional) word.pop_back();
    std::vector<Spelling>& one = choices.emplace_back();
    for (const std::string& w : split(word, '|')) one.push_back({w});
    if (optional) one.push_back({});
  }
  std::set<Spelling> all;
  for (size_t other = 0; other <= choices.size(); ++other) {
    for (size_t k = 0; k < (other < choices.size() ? choices[other].size() : 1); ++k) {
      Spelling words;
      for (size_t i = 0; i < choices.size(); ++i) {
        const Spelling& chosen = choices[i][i == other ? k : 0];
        words.insert(words.end(), chosen.begin(), chosen.end());
      }
      all.insert(words);
    }
  }
  return {all.begin(), all.end()};
}

/// Operands on the registers of ptxas_takes(); empty where the row takes what has no operand here.
std::string operands(uint16_t row, const Spelling& words) {
  const auto has = [&](const char* w) {
    return std::find(words.begin(), words.end(), w) != words.end();
  };
  const bool real = has("f32") || has("f64") || has("f16") || has("bf16");
  std::map<std::string, int> used;
  const auto name = [&](const std::string& prefix) {
    return prefix + std::to_string(++used[prefix]);
  };
  const auto one = [&](char letter) -> std::string {
    switch (letter) {
      case 'M':
        return "[%rd50, {" + name("%r");
      case 'A':
        return has("local")                                                    ? "[d]"
               : has("param")                                                  ? "[in]"
               : has("shared") || has("shared::cta") || has("shared::cluster") ? "[%r50]"
                                                                               : "[%rd50]";
      case 'P':
      case 'p':
        return name("%p");
      case 'B':
      case 'b':
        return name("%p") + "|" + name("%p");
      case 'Q':
        return name("%r") + "|" + name("%p");
      case 'H':
      case 'h':
      case 'Z':
      case 'z':
        return name("%h");
      case 'X':
      case 'x':
        return name(real ? "%f" : "%r");
      case 'F':
      case 'f':
        return name("%f");
      case 'D':
      case 'd':
        return name("%fd");
      case 'Y':
      case 'y':
        return name(real ? "%fd" : "%rd");
      case 'L':
      case 'l':
      case 'U':  // the widest that the row takes
      case 'u':
      case 'V':
      case 'v':
        return name("%rd");
      case 'i':
      case '_':
        return "4";
      case 'T':
        return "L";
      case 'C':
        return "%clock";
      default:
        return name("%r");
    }
  };
  std::string text;
  for (const OperandPattern& p : RowIndex::get().operands(row)) {
    if (std::string_view("KkSs&N").find(p.letter) != std::string_view::npos) continue;
    std::string all = p.letter == '=' ? std::to_string(p.value) : one(p.letter);
    for (uint32_t i = 1; i < p.count; ++i) all += ", " + one(p.letter);
    if (p.letter == 'M') {  // of a box with so many coordinates
      all = one('M');
      for (uint32_t i = 1; i < p.count; ++i) all += ", " + one('r');
      all += "}]";
    } else if (p.count) {
      all = "{" + all + "}";
    }
    text += (text.empty() ? " " : ", ") + all;
  }
  return text + ";";
}

Spelling types_of(const Spelling& words) {
  Spelling types;
  std::ranges::copy_if(words, std::back_inserter(types),
                       [](const std::string& w) { return Mnemonic::is_type(w); });
  return types;
}

struct Question {
  uint16_t row;
  Spelling base, words;
  std::string operands;
};

std::vector<bool> ask(const std::vector<Question>& questions, const std::string& arch) {
  std::vector<std::string> lines;
  for (const Question& q : questions) lines.push_back(joined(q.words) + q.operands);
  return ptxas_takes(lines, arch, "modifier_order");
}

TEST(ModifierOrder, EveryOneThatPtxasTakes) {
  if (!has_ptxas()) GTEST_SKIP() << "there is no ptxas here";
  std::vector<Question> plain;
  std::set<std::string> seen;  // wgmma has a row for each n
  for (uint32_t row = 0; row < active_rows().count; ++row) {
    const Row& r = *active_rows().rows[row];
    if (r.pattern[0] == '$' || std::string_view(r.operands).find('N') != std::string_view::npos) {
      continue;  // a call of a function; a list of labels
    }
    if (std::string_view(r.pattern).starts_with("wgmma mma_async")) {
      const std::regex n("(m64n|[FR])\\d+");
      const std::string form = std::string(r.pattern) + r.operands;
      if (!seen.insert(std::regex_replace(form, n, "$1")).second) continue;
    }
    for (const Spelling& words : spellings(r.pattern)) {
      if (words.size() < 3) continue;
      const auto id = static_cast<uint16_t>(row);
      plain.push_back({id, words, words, operands(id, words)});
    }
  }
  std::mt19937 random(20261122);
  size_t known = 0, taken = 0, refused = 0;
  for (const char* arch : {"sm_90a", "sm_120a"}) {
    const std::vector<bool> is_known = ask(plain, arch);
    std::vector<Question> shuffled, rest;
    for (size_t i = 0; i < plain.size(); ++i) {
      if (!is_known[i]) {
        rest.push_back(plain[i]);
        continue;
      }
      ++known;
      for (int again = 0; again < 2; ++again) {
        Question q = plain[i];
        // wmma.load.a is one name to ptxas; it reads no further than a part of it.
        const size_t fixed = q.words[0] != "wmma" ? 1 : q.words[1] == "mma" ? 2 : 3;
        if (again == 0) {
          std::shuffle(q.words.begin() + static_cast<std::ptrdiff_t>(fixed), q.words.end(), random);
        } else {  // one word elsewhere: more of these are right
          const auto from = fixed + random() % (q.words.size() - fixed),
                     to = fixed + random() % (q.words.size() - fixed);
          const std::string word = q.words[from];
          q.words.erase(q.words.begin() + static_cast<std::ptrdiff_t>(from));
          q.words.insert(q.words.begin() + static_cast<std::ptrdiff_t>(to), word);
        }
        if (q.words != q.base) shuffled.push_back(std::move(q));
      }
    }
    const std::vector<bool> good = ask(shuffled, arch);
    int shown = 0;
    for (size_t i = 0; i < shuffled.size() && shown < 20; ++i) {
      const Question& q = shuffled[i];
      const auto rows = RowIndex::get().find(joined(q.words));
      (good[i] ? taken : refused)++;
      // With its types exchanged it is another instruction. The words of bulk copies are taken in
      // many orders, of which the table has the ISA's.
      const bool bulk = std::ranges::find(q.base, "bulk") != q.base.end();
      if (good[i] && !bulk && rows.empty() && types_of(q.words) == types_of(q.base)) {
        ADD_FAILURE() << "ptxas takes " << joined(q.words) << ", as " << joined(q.base);
        ++shown;
      }
      if (!good[i] && std::find(rows.begin(), rows.end(), q.row) != rows.end()) {
        ADD_FAILURE() << "ptxas refuses " << joined(q.words) << ", of " << joined(q.base);
        ++shown;
      }
    }
    plain = std::move(rest);
  }
  EXPECT_GT(known, 5000u);
  EXPECT_GT(taken, 8000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace tilescope::emulator::test::modifier_order_file
