#include "worker/engine/ptx_flow.h"

#include <algorithm>

namespace tilescope::worker {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '.' || c == '%';
}

/// Splits at commas outside of braces and brackets.
std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (const std::string_view part = trim(text.substr(begin, i - begin)); !part.empty()) {
        parts.push_back(part);
      }
      begin = i + 1;
    } else if (text[i] == '{' || text[i] == '[') {
      ++depth;
    } else if (text[i] == '}' || text[i] == ']') {
      --depth;
    }
  }
  return parts;
}

}  // namespace

const std::vector<int>& PtxFlow::Instruction::operand(size_t i) const {
  static const std::vector<int> none;
  return i < operands.size() ? operands[i] : none;
}

PtxFlow::PtxFlow(std::string_view ptx, std::string_view entry) {
  enum { kBefore, kHeader, kBody, kDone } state = kBefore;
  int line = 0, depth = 0;
  while (!ptx.empty() && state != kDone) {
    const size_t end = ptx.find('\n');
    std::string_view text = ptx.substr(0, end);
    ptx = end == ptx.npos ? std::string_view() : ptx.substr(end + 1);
    ++line;
    text = trim(text.substr(0, text.find("//")));
    if (text.empty()) continue;
    if (state == kBefore) {
      if (text.find(".entry") == text.npos || text.find(entry) == text.npos) continue;
      state = kHeader;
    }
    if (state == kHeader) {
      if (text != "{") continue;
      state = kBody, depth = 1;
      continue;
    }
    if (text == "{" || text == "}") {  // scopes of inline assembly
      depth += text == "{" ? 1 : -1;
      if (depth == 0) state = kDone;
      continue;
    }
    if (text[0] == '.') continue;  // directives
    if (text.ends_with(":")) {
      const std::string_view label = text.substr(0, text.size() - 1);
      const auto [it, added] = labels_.try_emplace(label, static_cast<int>(label_at_.size()));
      if (added) label_at_.push_back(0);
      label_at_[static_cast<size_t>(it->second)] = static_cast<int>(code_.size());
      continue;
    }
    for (size_t semicolon; (semicolon = text.find(';')) != text.npos;) {
      add_statement(trim(text.substr(0, semicolon)), line);
      text = trim(text.substr(semicolon + 1));
    }
  }
  makes_event_.assign(code_.size(), false);
}

void PtxFlow::add_statement(std::string_view statement, int line) {
  if (statement.empty() || statement[0] == '{')
    statement = trim(statement.substr(!statement.empty()));
  if (statement.empty()) return;
  Instruction instruction;
  instruction.line = line;
  if (statement[0] == '@') {
    instruction.conditional = true;
    const size_t blank = statement.find_first_of(kBlank);
    if (blank == statement.npos) return;
    statement = trim(statement.substr(blank));
  }
  const size_t blank = statement.find_first_of(kBlank);
  instruction.opcode = statement.substr(0, blank);
  const std::string_view rest = blank == statement.npos ? "" : trim(statement.substr(blank));
  if (instruction.is("bra")) {
    instruction.is_branch = true;
    const auto [it, added] = labels_.try_emplace(rest, static_cast<int>(label_at_.size()));
    if (added) label_at_.push_back(0);
    instruction.target = it->second;
  } else {
    instruction.is_exit = instruction.opcode == "ret" || instruction.opcode == "exit";
    for (const std::string_view operand : split_operands(rest)) {
      instruction.operands.push_back(registers_of(operand));
    }
  }
  index_of_line_.try_emplace(line, static_cast<int>(code_.size()));
  code_.push_back(std::move(instruction));
}

std::vector<int> PtxFlow::registers_of(std::string_view operand) {
  std::vector<int> registers;
  for (size_t i = 0; i < operand.size();) {
    if (operand[i] != '%') {
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < operand.size() && is_name(operand[end])) ++end;
    const auto [it, added] =
        names_.try_emplace(operand.substr(i, end - i), static_cast<int>(names_.size()));
    registers.push_back(it->second);
    i = end;
  }
  return registers;
}

const PtxFlow::Instruction* PtxFlow::at_line(int ptx_line) const {
  const auto found = index_of_line_.find(ptx_line);
  return found == index_of_line_.end() ? nullptr : &code_[static_cast<size_t>(found->second)];
}

void PtxFlow::set_event_lines(const std::vector<int>& ptx_lines) {
  between_.clear();
  for (const int line : ptx_lines) {
    const auto found = index_of_line_.find(line);
    if (found != index_of_line_.end()) makes_event_[static_cast<size_t>(found->second)] = true;
  }
}

const std::vector<const PtxFlow::Instruction*>& PtxFlow::between(int from, int to) const {
  const auto [entry, added] = between_.try_emplace({from, to});
  if (!added) return entry->second;
  const auto first = index_of_line_.find(from), last = index_of_line_.find(to);
  if (first == index_of_line_.end() || last == index_of_line_.end()) return entry->second;

  // Breadth first over instructions without events: the shortest way is the one taken, since
  // another one through a loop would have met an event of that loop.
  const int goal = last->second, size = static_cast<int>(code_.size());
  std::vector<int> came_from(code_.size(), -2), queue;
  const auto visit = [&](int index, int parent) {
    if (index >= size || came_from[static_cast<size_t>(index)] != -2) return;
    if (index != goal && makes_event_[static_cast<size_t>(index)]) return;
    came_from[static_cast<size_t>(index)] = parent;
    queue.push_back(index);
  };
  visit(first->second + 1, -1);
  for (size_t head = 0; head < queue.size() && came_from[static_cast<size_t>(goal)] == -2; ++head) {
    const int index = queue[head];
    const Instruction& instruction = code_[static_cast<size_t>(index)];
    if (index == goal) break;
    if (!instruction.is_branch && !instruction.is_exit) visit(index + 1, index);
    if (instruction.is_branch) {
      if (instruction.conditional) visit(index + 1, index);
      visit(label_at_[static_cast<size_t>(instruction.target)], index);
    }
  }
  if (came_from[static_cast<size_t>(goal)] == -2) return entry->second;
  for (int i = came_from[static_cast<size_t>(goal)]; i >= 0;
       i = came_from[static_cast<size_t>(i)]) {
    entry->second.push_back(&code_[static_cast<size_t>(i)]);
  }
  std::reverse(entry->second.begin(), entry->second.end());
  return entry->second;
}

}  // namespace tilescope::worker
