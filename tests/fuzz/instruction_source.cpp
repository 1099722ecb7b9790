#include "instruction_source.h"

#include <algorithm>
#include <set>

#include "emulator/compile/row_index.h"

namespace tilescope::emulator::fuzz {
namespace {

uint32_t below(Random& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }
std::string number(uint32_t n) { return std::to_string(n); }
template <size_t N>
std::string one_of(Random& random, const char* const (&choices)[N]) {
  return choices[below(random, N)];
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (at <= text.size()) {
    size_t end = text.find(separator, at);
    if (end == text.npos) end = text.size();
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string address(const std::string& opcode, Random& random) {
  static constexpr const char* kGlobal[] = {"%rd2", "%rd3", "%rd4", "%rd5",    "%rd0+64",
                                            "%rd1", "g+8",  "g",    "%rd3+16", "%rd5+4092"};
  static constexpr const char* kShared[] = {"%r4",   "%r5",      "%r5+16", "%r2",
                                            "s",     "dynamic",  "s+1024", "%rd8",
                                            "%r5+2", "%r4+4000", "%r38",   "%r38+64"};
  static constexpr const char* kLocal[] = {"%rd6", "d", "d+16", "%rd6+60", "%rd6+64"};
  static constexpr const char* kAny[] = {"%rd2", "%rd3", "%rd5", "%rd7", "%rd9", "%rd9+32", "%rd0"};
  static constexpr const char* kConstant[] = {"c", "c+8", "c+16", "c+32"};
  static constexpr const char* kParameter[] = {"in", "out", "n", "in+4", "out+8"};
  auto has = [&](const char* word) { return opcode.find(word) != opcode.npos; };
  if (below(random, 24) == 0) return "[%rd" + number(below(random, 20)) + "]";
  std::string text;
  if (has(".shared") || has("mbarrier") || has("matrix")) {
    text = one_of(random, kShared);
  } else if (has(".local")) {
    text = one_of(random, kLocal);
  } else if (has(".const")) {
    text = one_of(random, kConstant);
  } else if (has(".param")) {
    text = one_of(random, kParameter);
  } else {
    text = has(".global") ? one_of(random, kGlobal) : one_of(random, kAny);
  }
  return "[" + text + "]";
}

std::string integer(Random& random) {
  static constexpr const char* kNumbers[] = {
      "0",  "1",  "2",  "3",  "4",   "7",          "8",          "15",
      "16", "31", "32", "33", "64",  "-1",         "0x7fffffff", "0x80000000",
      "5",  "24", "63", "96", "128", "0xffffffff", "0xffff0000", "0x5410"};
  return one_of(random, kNumbers);
}

std::string real(bool wide, Random& random) {
  static constexpr const char* kSingle[] = {"0f3F800000", "0f00000000", "0f7FC00000", "0fFF800000",
                                            "0f00000001", "0f4B000000", "0f7F7FFFFF"};
  static constexpr const char* kDouble[] = {"0d3FF0000000000000", "0d7FF0000000000000",
                                            "0d0000000000000001", "0dC3E0000000000000"};
  return wide ? one_of(random, kDouble) : one_of(random, kSingle);
}

/// `written`: low registers hold addresses and stay what they are.
std::string register_of(char letter, bool written, Random& random) {
  const uint32_t n = below(random, 6);
  switch (letter) {
    case 'P':
    case 'B':
      return "%p" + number(below(random, 8));
    case 'H':
      return "%h" + number(below(random, 12));
    case 'F':
      return "%f" + number(below(random, 12));
    case 'D':
      return "%fd" + number(below(random, 8));
    case 'L':
    case 'Y':
      return "%rd" + number(written ? 10 + n : below(random, 16));
    case 'U':  // wider than the type more often than not
    case 'V':
      return register_of(below(random, 3) ? 'L' : letter == 'U' ? 'Z' : 'R', written, random);
    case 'Z':
      return below(random, 2) ? "%h" + number(n) : "%r" + number(8 + n);
    default:
      return "%r" + number(written ? 8 + below(random, 12) : below(random, 20));
  }
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string scalar(const OperandPattern& p, const std::string& opcode, Random& random) {
  const bool written = p.written();
  switch (p.letter) {
    case 'A':
      return address(opcode, random);
    case 'Q':
      return register_of('R', true, random) + "|" + register_of('P', true, random);
    case 'i':
      return integer(random);
    case 'T':
      return "L" + number(below(random, 6));
    case 'N':
      return "LIST";
    case 'C':
      return below(random, 2) ? "%clock" : "%clock64";
    case '=':
      return std::to_string(p.value);
    case '_':
      return any_operand(random);
    case 'K':
    case 'k':
      return {};
    default:
      break;
  }
  if (!written && p.letter != 'p' && below(random, 6) == 0) {
    const char c = upper(p.letter);
    if (c == 'F' || c == 'D') return real(c == 'D', random);
    return integer(random);
  }
  std::string text = register_of(upper(p.letter), written, random);
  if (p.letter == 'B') text += "|" + register_of('P', true, random);
  if (p.letter == 'p' && below(random, 5) == 0) text = "!" + text;
  return text;
}

}  // namespace

std::string mnemonic(const Row& row, Random& random) {
  std::string text;
  for (std::string word : split(row.pattern, ' ')) {
    if (word == "$cache" || word == "$order") {
      static constexpr const char* kHints[] = {"", "", "", ".ca", ".cg", ".L1::no_allocate"};
      static constexpr const char* kOrders[] = {
          "", "", "", ".volatile", ".relaxed.gpu", ".acquire.cta"};
      text += word == "$cache" ? one_of(random, kHints) : one_of(random, kOrders);
      continue;
    }
    if (word.back() == '?') {
      word.pop_back();
      if (below(random, 2)) continue;
    }
    const auto choices = split(word, '|');
    if (choices.empty()) continue;
    if (!text.empty()) text += '.';
    text += choices[below(random, static_cast<uint32_t>(choices.size()))];
  }
  return text;
}

std::string any_operand(Random& random) {
  static constexpr const char* kKinds[] = {"R", "L", "F", "D", "H", "P"};
  switch (below(random, 5)) {
    case 0:
      return integer(random);
    case 1:
      return address("ld.shared", random);
    default:
      return register_of(one_of(random, kKinds)[0], false, random);
  }
}

std::string instruction(uint32_t row, Random& random) {
  const Row& r = *active_rows().rows[row];
  const std::string opcode = mnemonic(r, random);
  std::string text;
  if (below(random, 8) == 0) {
    text = (below(random, 2) ? "@%p" : "@!%p") + number(below(random, 8)) + " ";
  }
  if (opcode[0] == '$') return "call " + opcode.substr(1) + ", (%rd4);";
  text += opcode;
  char before = ' ';
  std::string list;
  for (const OperandPattern& p : RowIndex::get().operands(static_cast<uint16_t>(row))) {
    if (p.letter == '&') continue;
    if (p.optional && below(random, 2)) break;
    std::string one;
    if (p.letter == 'M') {
      one = "[" + std::string(below(random, 8) ? "%rd0" : "%rd" + number(below(random, 20)));
      for (uint32_t i = 0; i < p.count; ++i) {
        const OperandPattern coordinate{'r', 0, false, false, 0};
        one += (i ? ", " : ", {") +
               (below(random, 4) ? number(below(random, 44)) : scalar(coordinate, opcode, random));
      }
      one += "}]";
    } else if (p.count > 0) {
      one = "{";
      for (uint32_t i = 0; i < p.count; ++i) {
        one += (i ? ", " : "") + scalar({p.letter, 0, false, false, 0}, opcode, random);
      }
      one += "}";
    } else {
      one = scalar(p, opcode, random);
    }
    if (one.empty()) continue;
    if (one == "LIST") {
      const std::string name = "T" + number(below(random, 1000));
      list = name + ": .branchtargets L0, L1, L2;\n";
      one = name;
    }
    text += before;
    text += (before == ',' ? " " : "") + one;
    before = ',';
  }
  return list + text + ";";
}

std::string snippet(Random& random) {
  const std::string n = number(below(random, 6)), r = "%r" + number(20 + below(random, 4)),
                    p = "%p" + number(below(random, 8)), lane = number(below(random, 33)),
                    loop = "M" + number(below(random, 10000));
  const std::string count =
                        "mov.u32 " + r + ", 0;\n" + loop + ":\nadd.u32 " + r + ", " + r + ", 1;\n",
                    again = "setp.lt.u32 " + p + ", " + r + ", " + number(1 + below(random, 5)) +
                            ";\n@" + p + " bra " + loop + ";";
  switch (below(random, 14)) {
    case 0:
      return count + instruction(below(random, active_rows().count), random) + "\n" + again;
    case 1:
      return "setp.lt.u32 " + p + ", %r0, " + lane + ";\n@" + p + " bra L" + n + ";";
    case 2:
      return "L" + n + ":";
    case 3:
      return "st.shared.u32 [%r4], %r0;\nbar.sync " + n + ";\nld.shared.u32 %r8, [%r5];";
    case 4:
      return "cp.async.ca.shared.global [%r5], [%rd4], 16;\ncp.async.commit_group;\n"
             "cp.async.wait_group " +
             n + ";";
    case 5:
      return "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0;\ncall (r), twice, (a);\n"
             "ld.param.b32 %r9, [r]; }";
    case 6:
      return "ld.global.f32 %f1, [%rd2];\nfma.rn.f32 %f2, %f1, %f1, %f2;\nst.global.f32 [%rd3], "
             "%f2;";
    case 7:
      return "mbarrier.init.shared.b64 [s], 32;\nmbarrier.arrive.shared.b64 %rd10, [s];\n"
             "mbarrier.test_wait.shared.b64 %p1, [s], %rd10;";
    case 8:
      return count + "bar.sync " + n + ";\n" + again;
    case 9:
      return "bar.arrive " + n + ", 64;";
    case 10:
      return "atom.global.add.u32 %r9, [%rd1+" + number(4 * below(random, 9)) + "], 1;";
    case 11:
      return "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r5];\n"
             "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r8, %r9, "
             "%r10, %r11}, {%r8, %r9}, {%f0, %f1, %f2, %f3};";
    case 12:
      return "@" + p + " exit;";
    default:
      return "atom.cas.b32 %r10, [%rd1], 0, 1;\nsetp.ne.u32 %p3, %r10, 0;\n@%p3 bra L" + n + ";";
  }
}

std::vector<std::string> words() {
  std::set<std::string> all = {".version",
                               ".target",
                               ".entry",
                               ".func",
                               ".visible",
                               ".weak",
                               ".extern",
                               ".reg",
                               ".pred",
                               ".b8",
                               ".b16",
                               ".b32",
                               ".b64",
                               ".f32",
                               ".f64",
                               ".shared",
                               ".local",
                               ".global",
                               ".const",
                               ".param",
                               ".align",
                               ".maxntid",
                               ".branchtargets",
                               ".callprototype",
                               ".alias",
                               ".loc",
                               ".file",
                               ".section",
                               ".calltargets",
                               "inlined_at",
                               "generic(",
                               "%tid.x",
                               "%laneid",
                               "%clock",
                               "WARP_SZ",
                               "function_name",
                               ".ptr",
                               ".minnctapersm",
                               ".pragma",
                               "mask(",
                               "/*",
                               "*/",
                               "@!%p1",
                               "{",
                               "}",
                               "0f3F800000",
                               "0x",
                               "%p<8>"};
  const RowTable& table = active_rows();
  for (uint32_t i = 0; i < table.count; ++i) {
    for (std::string word : split(table.rows[i]->pattern, ' ')) {
      if (word.back() == '?') word.pop_back();
      if (word[0] == '$') continue;
      for (const std::string& w : split(word, '|')) all.insert(w);
    }
  }
  return {all.begin(), all.end()};
}

}  // namespace tilescope::emulator::fuzz
