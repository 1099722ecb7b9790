#include "worker/engine/emulate/emulated_gemm.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <string>

#include "kernels/common/pack_args.h"
#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/launch_tensor_maps.h"
#include "worker/engine/emulate/memory_limit.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

/// Fills A or B, and its packed copy as the pass would.
void fill_tiles(EmulatedGemm& gemm, const GemmFill& fill, const Problem& given, Operand operand) {
  if (fill.skip) return;
  const bool is_a = operand == Operand::a;
  const std::span<std::byte> from = gemm.memory.bytes(is_a ? gemm.given_a : gemm.given_b);
  const std::span<std::byte> to = gemm.memory.bytes(is_a ? gemm.a : gemm.b);
  const bool packed = packs(gemm.plan.spec, operand);
  // What the pass leaves out shows, the zeros behind the lines too.
  if (packed && fill.unpacked && fill.tiles.empty()) std::memset(to.data(), 0xff, to.size());
  for (const Rect& rect : needed_rects(gemm, fill, operand)) {
    fill_operand(given, operand, fill.data, rect, from, fill.threads);
    if (packed && !fill.unpacked) copy_elements(given, from, gemm.problem, to, operand, rect);
  }
}

/// The launch of the pass, ready to be run on all or some of its CTAs.
void set_pass(EmulatedGemm& gemm, const Problem& given) {
  gemm.pass.emplace();
  const Launch launch = pack_launch(gemm.plan, given);
  const PackArgs args = make_pack_args(gemm.plan, given, {.a = gemm.given_a, .b = gemm.given_b},
                                       {.a = gemm.a, .b = gemm.b});
  gemm.pass->parameters.resize(sizeof args);
  std::memcpy(gemm.pass->parameters.data(), &args, sizeof args);
  gemm.pass->grid = dim3({launch.grid_x, launch.grid_y, launch.grid_z});
  gemm.pass->block = {static_cast<uint32_t>(launch.threads), 1, 1};
}

/// An element never written shows. Where no tile runs, C is left as it is and costs no memory.
void poison(const EmulatedGemm& gemm, const std::vector<Coord>& tiles, std::span<std::byte> c) {
  if (tiles.empty()) fill_untouched(gemm.problem.type_c, c);
  const Problem& p = gemm.problem;
  const auto bytes = static_cast<size_t>(element_bytes(p.type_c));
  for (const Coord tile : tiles) {
    const Rect rect = tile_rect(gemm.plan, p, tile);
    const bool by_rows = p.order_c == Order::row_major;
    const int lines = by_rows ? rect.rows : rect.cols, along = by_rows ? rect.cols : rect.rows;
    for (int line = 0; line < lines; ++line) {
      const Coord at{rect.row + (by_rows ? line : 0), rect.col + (by_rows ? 0 : line)};
      const auto first = static_cast<size_t>(global_offset(p, Operand::c, at));
      fill_untouched(p.type_c, c.subspan(first, static_cast<size_t>(along) * bytes));
    }
  }
}

/// The sentence with `file`'s lines behind "PTX line 12", where it names the entry's, into which
/// all was inlined.
std::string with_lines(std::string_view message, const emulator::Program& program,
                       const std::string& file) {
  constexpr std::string_view kBefore = "PTX line ";
  std::string text;
  for (size_t at = 0;;) {
    const size_t word = message.find(kBefore, at);
    if (word == message.npos) return text.append(message.substr(at));
    size_t end = word + kBefore.size();
    int ptx_line = 0;
    const auto number = std::from_chars(&message[end], message.data() + message.size(), ptx_line);
    end = static_cast<size_t>(number.ptr - message.data());
    text.append(message.substr(at, end - at));
    at = end;
    const int line = kernel_line(program, ptx_line, file);
    if (line == 0) continue;
    text += " (" + file + ":" + std::to_string(line) + ")";
    if (message.substr(at, 2) == " (") at = std::min(message.find(')', at), message.size() - 1) + 1;
  }
}

/// Where the parts of the parameter block begin: the kernel's own behind GemmArgs, then tensor
/// maps.
struct ParameterPlaces {
  size_t more = 0, maps = 0, all = 0;
};
ParameterPlaces places_of(const KernelPlan& plan, const MoreArgs& more) {
  ParameterPlaces at;
  at.more = static_cast<size_t>(args_bytes(plan.spec));
  at.maps = at.all = at.more + static_cast<size_t>(more.bytes);
  if (!has_tensor_maps(plan)) return at;
  at.maps = tensor_maps_at(at.maps);
  at.all = at.maps + sizeof(TensorMaps);
  return at;
}

void check_entries(const EmulatedGemm& gemm, const KernelEntry& kernel,
                   const ParameterPlaces& places) {
  const emulator::EntryInfo* entry = gemm.program->find(kEntryName);
  if (!entry || entry->parameter_bytes != places.all) {
    fail(kFailed, std::string("The PTX has no kernel ") + kEntryName + "(" +
                      args_type(gemm.plan.spec) +
                      (kernel.more_args ? std::string(", ") + kernel.type + "::Parameters" : "") +
                      (has_tensor_maps(gemm.plan) ? ", TensorMaps" : "") + ").");
  }
  if (packs_any(gemm.plan.spec) && !gemm.program->find(kPackEntryName)) {
    fail(kFailed, std::string("The PTX has no pass ") + kPackEntryName +
                      ", which packs the operands of this problem.");
  }
}

/// `k`: what the kernel is told, 0: all.
void set_parameters(EmulatedGemm& gemm, const Problem& stated, int k, const BiasedArgs& args,
                    const MoreArgs& more, const ParameterPlaces& places) {
  std::vector<std::byte>& block = gemm.launch.parameters;
  block.resize(places.all);
  std::memcpy(block.data(), &args, places.more);
  std::memcpy(block.data() + places.more, more.data, static_cast<size_t>(more.bytes));
  if (!has_tensor_maps(gemm.plan)) return;
  const TensorMaps maps = make_tensor_maps(gemm.plan, stated, args, encode_for_emulator, k);
  std::memcpy(block.data() + places.maps, &maps, sizeof maps);
}

}  // namespace

KernelPlan plan_told(const KernelRequest& request, const KernelEntry& kernel, int k) {
  KernelRequest told = request;
  Problem& p = told.problem;
  p.lda = leading_dimension(p, Operand::a), p.ldb = leading_dimension(p, Operand::b);
  if (k > 0) p.k = k;
  return plan_of(told, kernel);
}

EmulatedGemm prepare_gemm(const KernelRequest& request, const KernelEntry& kernel,
                          std::string_view ptx, const GemmFill& fill) {
  EmulatedGemm gemm;
  gemm.sums_of = request.sums_of;
  const Problem& given = request.problem;
  gemm.plan = plan_told(request, kernel, fill.k);
  const Specialization& spec = gemm.plan.spec;
  const Problem& p = gemm.problem = problem_read(gemm.plan, given);
  gemm.program = parse_program(ptx, fill.registers);
  gemm.entry = kEntryName;
  Problem told = p;
  if (fill.k > 0) told.k = fill.k;
  const MoreArgs more = kernel.more_args ? kernel.more_args(gemm.plan, told) : MoreArgs();
  const ParameterPlaces places = places_of(gemm.plan, more);
  check_entries(gemm, kernel, places);

  const auto size = [&](Operand o) {
    return static_cast<uint64_t>(packs(spec, o) ? packing_of(gemm.plan, given, o).bytes()
                                                : operand_buffer_bytes(p, o));
  };
  const auto given_size = [&](Operand o) {
    return static_cast<uint64_t>(packs(spec, o) ? operand_buffer_bytes(given, o) : 0);
  };
  const Launch launch = launch_of(gemm.plan);
  uint64_t bytes = static_cast<uint64_t>(launch.workspace_bytes);
  if (p.beta != 0) bytes += 2 * size(Operand::c);
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) bytes += size(o) + given_size(o);
  if (fill.skip || !fill.tiles.empty()) {  // pages that nobody touches cost nothing
    require_host_memory(bytes, "A, B and C", "a smaller problem");
    set_aside(bytes);
  } else {
    require_memory(bytes, "A, B and C", "a smaller problem");
  }
  const auto allocate = [&](const char* name, Operand o) {
    return gemm.memory.allocate(name, size(o), o != Operand::c && !packs(spec, o));
  };
  const auto allocate_given = [&](const char* name, Operand o, uint64_t otherwise) {
    return packs(spec, o) ? gemm.memory.allocate(name, given_size(o), true) : otherwise;
  };
  gemm.a = allocate("A", Operand::a), gemm.b = allocate("B", Operand::b);
  gemm.c = allocate("C", Operand::c);
  if (launch.workspace_bytes > 0) {
    gemm.workspace =
        gemm.memory.allocate("workspace", static_cast<uint64_t>(launch.workspace_bytes));
  }
  // Behind those that the kernel reads: an origin's buffer is its operand's number.
  gemm.given_a = allocate_given("A as given", Operand::a, gemm.a);
  gemm.given_b = allocate_given("B as given", Operand::b, gemm.b);
  if (p.bias) gemm.bias = gemm.memory.allocate("bias", static_cast<uint64_t>(bias_bytes(p)), true);
  if (p.bias && !fill.skip) fill_bias(p, fill.data, gemm.memory.bytes(gemm.bias));
  if (packs_any(spec)) set_pass(gemm, given);
  if (p.beta == 0) gemm.memory.expect_written_first(gemm.c);
  fill_tiles(gemm, fill, given, Operand::a);
  fill_tiles(gemm, fill, given, Operand::b);
  const std::span<std::byte> c = gemm.memory.bytes(gemm.c);
  if (p.beta != 0 && !fill.skip) {
    // With another k nothing is verified.
    if (fill.k == 0) gemm.c_before = gemm.memory.allocate("C as given", size(Operand::c), true);
    std::vector<Rect> rects;
    for (const Coord tile : fill.tiles) rects.push_back(tile_rect(gemm.plan, p, tile));
    if (rects.empty()) rects.push_back(whole_of(p, Operand::c));
    for (const Rect& rect : rects) {
      fill_operand(p, Operand::c, fill.data, rect, c, fill.threads);
      if (gemm.c_before == 0) continue;
      fill_operand(p, Operand::c, fill.data, rect, gemm.memory.bytes(gemm.c_before), fill.threads);
    }
  } else if (!fill.skip) {
    poison(gemm, fill.tiles, c);
  }

  BiasedArgs args = make_args(
      p, {.a = gemm.a, .b = gemm.b, .c = gemm.c, .workspace = gemm.workspace, .bias = gemm.bias});
  if (fill.k > 0) args.k = fill.k;
  set_parameters(gemm, given, fill.k, args, more, places);
  gemm.launch.grid = dim3({launch.grid_x, launch.grid_y, launch.grid_z});
  gemm.launch.block = {static_cast<uint32_t>(launch.threads), 1, 1};
  gemm.launch.dynamic_shared_bytes = static_cast<uint32_t>(launch.shared_bytes);
  if (stays(gemm.plan.work)) gemm.resident = static_cast<uint64_t>(gemm.plan.work.ctas);
  return gemm;
}

ReferenceInput reference_input(EmulatedGemm& gemm, const Problem& given) {
  return {&given, gemm.data(gemm.given_a), gemm.data(gemm.given_b),
          gemm.c_before ? gemm.data(gemm.c_before) : nullptr,
          given.bias ? gemm.data(gemm.bias) : nullptr};
}

std::vector<Rect> needed_rects(const EmulatedGemm& gemm, const GemmFill& fill, Operand operand) {
  const Problem& p = gemm.problem;
  if (fill.tiles.empty()) return {whole_of(p, operand)};
  const int depth = fill.k > 0 ? fill.k : p.k;
  std::set<int> lines;  // first rows of A or columns of B, each once
  for (const Coord tile : fill.tiles) {
    const Rect rect = tile_rect(gemm.plan, p, tile);
    if (operand == Operand::a ? rect.rows == 0 : rect.cols == 0) continue;  // beyond the matrix
    lines.insert(operand == Operand::a ? rect.row : rect.col);
  }
  std::vector<Rect> rects;
  for (const int first : lines) {
    rects.push_back(operand == Operand::a
                        ? Rect{first, 0, min_of(gemm.plan.block_m, p.m - first), depth}
                        : Rect{0, first, depth, min_of(gemm.plan.block_n, p.n - first)});
  }
  return rects;
}

CodeFinding code_finding(const emulator::Finding& finding, const emulator::Program& program,
                         const std::string& file) {
  const emulator::Fault& fault = finding.fault;
  CodeFinding f{emulator::kind_name(fault.kind),
                finding.remark,
                finding.count,
                kernel_line(program, fault.ptx_line, file),
                fault.ptx_line,
                fault.message,
                {fault.cta.x, fault.cta.y, fault.cta.z},
                fault.warp,
                fault.lane,
                finding.cost,
                finding.ideal};
  f.message = with_lines(f.message, program, file);
  return f;
}

std::vector<CodeFinding> code_findings(const std::vector<emulator::Finding>& findings,
                                       const emulator::Program& program, const std::string& file) {
  std::vector<CodeFinding> all;
  for (const emulator::Finding& finding : findings) {
    CodeFinding f = code_finding(finding, program, file);
    const auto same = std::find_if(all.begin(), all.end(), [&](const CodeFinding& other) {
      return !f.remark && !other.remark && f.line > 0 && other.line == f.line &&
             other.kind == f.kind;
    });
    if (same == all.end()) {
      all.push_back(std::move(f));
    } else {
      same->count += f.count;
    }
  }
  return all;
}

void fail_with(const emulator::Fault& fault, const emulator::Program& program,
               const std::string& file, const std::vector<emulator::Finding>& findings) {
  if (fault.kind == emulator::Fault::Kind::cancelled) fail_cancelled();
  if (fault.kind == emulator::Fault::Kind::limit) {
    fail(kFailed,
         "The kernel had not ended after as many instructions as a run in the emulator may take; "
         "look for a loop that never ends, choose a smaller problem, or allow more with "
         "--max-instructions (of lanes; 0: as many as it takes).",
         {{"fault", emulator::kind_name(fault.kind)}});
  }
  emulator::SourceLine source = fault.source;
  if (const int line = kernel_line(program, fault.ptx_line, file)) source = {file, line};
  fail(kFailed, with_lines(fault.message, program, file),
       {{"fault", emulator::kind_name(fault.kind)},
        {"cta", {fault.cta.x, fault.cta.y, fault.cta.z}},
        {"warp", fault.warp},
        {"lane", fault.lane},
        {"address", fault.address},
        {"ptx_line", fault.ptx_line},
        {"file", source.file},
        {"line", source.line},
        {"findings", code_findings(findings, program, file)}});
}

}  // namespace tilescope::worker
