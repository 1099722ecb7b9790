#include <algorithm>
#include <bit>
#include <unordered_map>

#include "emulator/compile/control_flow.h"
#include "emulator/compile/draft.h"
#include "emulator/compile/program_impl.h"
#include "emulator/compile/row_index.h"
#include "emulator/ptx/parser.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kMaxFrameBytes = 64u << 20;
constexpr uint32_t kMaxPredicates = 32000;
constexpr uint32_t kMaxLocalBytes = 512u << 10;  // per lane; the hardware's limit
constexpr uint64_t kMaxModuleBytes = 1ull << 30;

EntryInfo describe(const Module& module, const Function& f) {
  EntryInfo info;
  info.name = f.name;
  info.max_threads = f.max_threads;
  info.required_block = f.required_block;
  info.most_block = f.most_block;
  info.required_cluster = f.clusters.required;
  info.most_cluster = f.clusters.max_rank;
  info.explicit_cluster = f.clusters.is_explicit;
  info.blocks_are_clusters = f.clusters.are_blocks;
  info.dynamic_shared = std::ranges::any_of(module.variables, [](const Variable& v) {
    return v.space == VariableSpace::shared && v.bytes == 0;
  });
  info.virtual_registers = static_cast<uint32_t>(f.registers.size());
  uint32_t top = 0;
  for (uint32_t index : f.parameters) {
    const Variable& v = f.variables[index];
    top = (top + v.align - 1) & ~(v.align - 1);
    info.parameters.push_back({std::string(v.name), top, static_cast<uint32_t>(v.bytes), v.align,
                               "." + std::string(v.type)});
    top += static_cast<uint32_t>(v.bytes);
  }
  info.parameter_bytes = top;
  return info;
}

bool fits(const Entry& entry, int line, std::vector<ParseError>& errors) {
  if (entry.code.local_bytes > kMaxLocalBytes) {
    errors.push_back({line, "PTX line " + std::to_string(line) + ": the entry '" + entry.info.name +
                                "' needs " + std::to_string(entry.code.local_bytes) +
                                " bytes of local memory per lane, above 524288."});
    return false;
  }
  if (entry.code.frame_bytes <= kMaxFrameBytes && entry.code.predicates <= kMaxPredicates)
    return true;
  errors.push_back(
      {line, "PTX line " + std::to_string(line) + ": the entry '" + entry.info.name +
                 "' needs too many registers at once (64 MiB per warp, 32000 predicates)."});
  return false;
}

Entry make_entry(const CallGraph& graph, uint32_t index, Registers registers,
                 KnownMnemonics& mnemonics, std::vector<ParseError>& errors) {
  const Function& f = graph.module().functions[index];
  Entry entry;
  entry.info.name = f.name;
  uint64_t parameter_bytes = 0;
  for (uint32_t p : f.parameters) parameter_bytes += f.variables[p].bytes + f.variables[p].align;
  if (parameter_bytes > 65536 * 2) {
    errors.push_back({f.line, "PTX line " + std::to_string(f.line) + ": the entry '" +
                                  std::string(f.name.substr(0, 120)) +
                                  "' has more than 64 KiB of parameters."});
    return entry;
  }
  entry.info = describe(graph.module(), f);
  const Draft draft = draft_entry(graph, index, entry.info, mnemonics, errors);
  if (!errors.empty()) return entry;
  entry.code = assemble(draft, registers);
  if (!fits(entry, f.line, errors)) return entry;
  entry.info.static_shared_bytes = entry.code.static_shared_bytes;
  entry.info.instructions = static_cast<uint32_t>(
      std::count_if(entry.code.info.begin(), entry.code.info.end(),
                    [](const InstInfo& i) { return i.opcode != kSynthetic; }));
  return entry;
}

// Addresses in initialisers: a variable's or function's may stand before its declaration.
void resolve_addresses(Module& module, std::vector<ParseError>& errors) {
  std::unordered_map<std::string_view, uint64_t> known;
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    const Function& f = module.functions[i];
    const auto [it, is_new] = known.try_emplace(f.name, kFunctionWindow + 16 * (uint64_t{i} + 1));
    if (!is_new && f.has_body) it->second = kFunctionWindow + 16 * (uint64_t{i} + 1);
  }
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    const Variable& v = module.variables[i];
    if (v.space == VariableSpace::shared) continue;
    known[v.name] = uint64_t{kModuleRegions + i} << kRegionShift;
  }
  for (Variable& v : module.variables) {
    for (const AddressInitialiser& a : v.addresses) {
      const auto it = known.find(a.symbol);
      if (it == known.end()) {
        errors.push_back({v.line, "PTX line " + std::to_string(v.line) + ": '" +
                                      std::string(a.symbol.substr(0, 120)) + "', whose address '" +
                                      std::string(v.name.substr(0, 120)) +
                                      "' holds, is not declared."});
        return;
      }
      uint64_t value = (it->second + static_cast<uint64_t>(a.add)) & a.mask;
      if (a.mask != 0) value >>= std::countr_zero(a.mask);
      for (uint32_t k = 0; k < a.bytes && a.offset + k < v.initial.size(); ++k) {
        v.initial[a.offset + k] = k < 8 ? static_cast<uint8_t>(value >> (8 * k)) : 0;
      }
    }
  }
}

using Parsed = std::variant<std::shared_ptr<const Program>, std::vector<ParseError>>;

/// `any_text`: a program even if none of its entries can be run.
Parsed build(std::string_view ptx, Registers registers, bool any_text) {
  Module module;
  std::vector<ParseError> errors = parse_module(ptx, module);
  auto impl = std::make_shared<Program::Impl>();
  uint64_t module_bytes = 0;
  for (const Variable& v : module.variables) {
    if (v.space == VariableSpace::shared) continue;
    module_bytes += v.bytes;
    if (module_bytes > kMaxModuleBytes) {
      errors.push_back({v.line, "PTX line " + std::to_string(v.line) +
                                    ": the module's variables take more than 1 GiB."});
      break;
    }
  }
  if (errors.empty()) resolve_addresses(module, errors);
  if (errors.empty()) {
    const CallGraph graph(module);
    KnownMnemonics mnemonics;
    bool any = false;
    for (uint32_t i = 0; i < module.functions.size(); ++i) {
      const Function& f = module.functions[i];
      if (!f.is_entry || !f.has_body) continue;
      std::vector<ParseError> wrong;
      impl->entries.push_back(make_entry(graph, i, registers, mnemonics, wrong));
      any = any || wrong.empty();
      errors.insert(errors.end(), wrong.begin(), wrong.end());
      std::ranges::stable_sort(wrong, {}, &ParseError::ptx_line);
      impl->entries.back().errors = std::move(wrong);
    }
    if (any || any_text) errors.clear();  // what can be run can be run; the others say why not
  }
  if (!errors.empty()) {
    std::ranges::stable_sort(errors, {}, &ParseError::ptx_line);
    return errors;
  }
  for (Variable& v : module.variables) {
    impl->data.push_back({std::string(v.name), v.space == VariableSpace::shared ? 0 : v.bytes,
                          v.space == VariableSpace::constant, std::move(v.initial)});
  }
  impl->target = module.target;
  impl->source_lines = std::move(module.source_lines);
  return std::shared_ptr<const Program>(std::make_shared<Program>(std::move(impl)));
}

}  // namespace

std::variant<std::shared_ptr<const Program>, std::vector<ParseError>> Program::parse(
    std::string_view ptx, Registers registers) {
  return build(ptx, registers, false);
}

std::variant<std::shared_ptr<const Program>, std::vector<ParseError>> Program::read(
    std::string_view ptx) {
  return build(ptx, Registers::packed, true);
}

std::vector<ParseError> Program::errors_of(std::string_view entry) const {
  for (const Entry& e : impl_->entries) {
    if (e.info.name == entry) return e.errors;
  }
  return {};
}

std::vector<EntryInfo> Program::entries() const {
  std::vector<EntryInfo> result;
  for (const Entry& e : impl_->entries) result.push_back(e.info);
  return result;
}

const EntryInfo* Program::find(std::string_view entry) const {
  for (const Entry& e : impl_->entries) {
    if (e.info.name == entry) return &e.info;
  }
  return nullptr;
}

std::vector<SourceLine> Program::source_chain(int ptx_line) const {
  return impl_->source_lines.chain(ptx_line);
}
SourceLine Program::source_line(int ptx_line) const {
  const auto chain = source_chain(ptx_line);
  return chain.empty() ? SourceLine{} : chain.back();
}
SourceLine Program::innermost_line(int ptx_line) const {
  const auto chain = source_chain(ptx_line);
  return chain.empty() ? SourceLine{} : chain.front();
}

}  // namespace tilescope::emulator
