#include "targets.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "emulator/emulator.h"
#include "emulator/provenance.h"
#include "emulator/tensor_map.h"

namespace tilescope::emulator::fuzz {
namespace {

constexpr uint32_t kBufferBytes = 4096;

/// Nothing that a run tells may be out of range or unreadable.
void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}
void look_at(const std::string& text) {
  size_t sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  require(sum != 1, "text");
}

constexpr std::array<Dim3, 4> kClusters = {{{0, 0, 0}, {2, 1, 1}, {1, 2, 2}, {3, 1, 1}}};
constexpr std::array<uint32_t, 8> kBlocks = {32, 64, 1, 33, 96, 31, 128, 48};

struct Buffers {
  Memory memory;
  uint64_t in = 0, out = 0;
  /// A tensor map where %rd0 points to, of `out`.
  void put_map(unsigned seed) {
    TensorMap map;
    map.type = static_cast<TensorType>(seed / 4 % kTensorTypes);
    map.rank = 1 + seed / 64 % 5, map.address = out;
    const uint32_t size = tensor_type_bytes(map.type);
    map.swizzle = seed & 8u ? 32u << seed / 16 % 3 : 0;
    map.dims = {40, 3, 2, 2, 1};
    map.strides = {size * 48, size * 144, size * 288, size * 576};
    map.box = {(map.swizzle ? map.swizzle : 32) / size, 2, 3, 1, 2};
    map.element_strides[1] = 1 + seed / 128 % 2;
    const auto encoded = encode(map);
    std::copy(encoded.begin(), encoded.end(), memory.bytes(in).begin());
  }
  explicit Buffers(unsigned seed) {
    in = memory.allocate("in", kBufferBytes, true);
    out = memory.allocate("out", kBufferBytes);
    if (seed & 1u) memory.expect_written_first(out);
    auto bytes = memory.bytes(in);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>((i * 2654435761u + seed * 40503u) >> (8 + seed % 16));
    }
    if (seed & 2u) put_map(seed);
  }
};

void append(std::vector<std::byte>& block, uint64_t value, uint32_t at, uint32_t bytes) {
  if (at + bytes <= block.size() && bytes <= 8) std::memcpy(block.data() + at, &value, bytes);
}

std::vector<std::byte> parameters(const EntryInfo& entry, const Header& h, const Buffers& b) {
  std::vector<std::byte> block(entry.parameter_bytes);
  size_t pointers = 0;
  for (const Parameter& p : entry.parameters) {
    const uint64_t pointer = pointers++ % 2 == 0 ? b.in : b.out;
    const bool swapped = h.parameter & 1u;
    const uint64_t small[] = {8, 1, 33, 1000};
    if (p.bytes == 8) {
      append(block, swapped ? b.in + b.out - pointer : pointer, p.offset, 8);
    } else {
      append(block, small[h.parameter / 2 % 4], p.offset, std::min(p.bytes, 8u));
    }
  }
  return block;
}

void read_findings(const RunResult& r) {
  if (r.fault) look_at(r.fault->message);
  for (const Finding& f : r.findings) {
    look_at(f.fault.message);
    require(f.count > 0, "a finding's count");
    require(*kind_name(f.fault.kind) != 0, "a kind's name");
  }
  look_at(r.output);
  look_at(std::to_string(r.counts.scaled(2).warp_instructions));
}

void read_trace(const Trace& t, const Provenance* p) {
  for (const Event& e : t.events) {
    require(e.warp < t.warps, "an event's warp");
    for (const int32_t slot : {e.address_slot, e.address_slot2}) {
      require(slot < static_cast<int32_t>(t.addresses.size()), "an event's addresses");
    }
    if (p) p->moved(t.cta, e.warp, e.step);
  }
}

void read_provenance(const Provenance& p, const Memory& memory, const Buffers& b) {
  for (const Stored& s : p.stored()) {
    look_at(to_text(s.value, memory));
    require(s.count > 0, "a store's count");
  }
  for (const Dim3 cta : p.ctas()) {
    for (const std::string& name : p.registers()) {
      look_at(to_text(p.of_register(cta, 0, 5, name), memory));
      look_at(to_text(p.of_register(cta, 0, 31, name, 1), memory));
    }
    for (uint64_t at = 0; at < 1024; at += 52) {
      look_at(to_text(p.of_shared(cta, at, 4), memory));
      look_at(to_text(p.of_shared(cta, at + 2, 2), memory));
      look_at(to_text(p.of_global(b.out + at, 8), memory));
    }
  }
}

void run_entry(const Program& program, const EntryInfo& entry, const Header& h) {
  if (entry.parameter_bytes > 4096) return;
  Buffers buffers(h.seed);
  Launch launch;
  launch.block = {kBlocks[h.block % 8], 1, 1};
  if (h.block & 8u && launch.block.x % 2 == 0) launch.block = {launch.block.x / 2, 2, 1};
  launch.cluster = kClusters[h.block / 64 % 4];
  const Dim3 n = launch.cluster.x == 0 ? Dim3{1, 1, 1} : launch.cluster;
  launch.grid = {n.x * (1 + h.block / 16 % 2), n.y * (1 + h.block / 32 % 2), n.z};
  launch.dynamic_shared_bytes = h.shared * 16;
  launch.parameters = parameters(entry, h, buffers);
  RunOptions options;
  options.max_warp_instructions = 2000;
  options.check = h.watch & 1u;
  options.remarks = h.watch & 2u;
  if (h.watch & 4u) {
    options.trace.emplace();
    options.trace->fma = h.watch & 8u;
    options.trace->max_events = h.watch & 128u ? 16 : 4000;
    options.trace->keep_last_per_warp = h.until % 3;
    if (h.until & 128u) options.trace->ranges = TraceRanges{h.until % 2 == 0, {{0, 1}, {3, 9}}};
  }
  Provenance::Options follow;
  follow.moved = h.watch & 32u;
  follow.moved_fma = h.watch & 8u;
  follow.max_nodes = h.watch & 128u ? 24 : 1 << 14;
  if (h.until % 128 > 64) follow.until = Provenance::Moment{{0, 0, 0}, 0, h.until % 64};
  Provenance provenance(follow);
  if (h.watch & 16u) options.provenance = &provenance;
  options.threads = h.watch & 64u ? 2 : 1;
  const RunResult r = run(program, entry.name, launch, buffers.memory, options);
  read_findings(r);
  if (r.trace) read_trace(*r.trace, options.provenance);
  if (options.provenance) read_provenance(provenance, buffers.memory, buffers);
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

Header take_header(std::string_view& text) {
  Header h;
  unsigned* const fields[kHeaderFields] = {&h.watch,     &h.block, &h.shared,
                                           &h.parameter, &h.until, &h.seed};
  if (text.substr(0, 3) != "// ") return h;
  const std::string_view line = text.substr(3, text.find('\n') - 3);
  for (size_t i = 0; i < kHeaderFields && 2 * i + 1 < line.size(); ++i) {
    const int high = digit(line[2 * i]), low = digit(line[2 * i + 1]);
    if (high < 0 || low < 0) break;
    *fields[i] = static_cast<unsigned>(16 * high + low);
  }
  const size_t end = text.find('\n');
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return h;
}

std::string frame(std::string_view body) {
  std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 8 .u64 c[4] = {1, 2, g, 4};\n"
      ".global .align 16 .b8 g[256];\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n"
      "add.u32 %x, %x, %x;\nst.param.b32 [r], %x;\nret;\n}\n"
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
      ".reg .pred %p<8>;\n.reg .b16 %h<12>;\n.reg .b32 %r<40>;\n.reg .f32 %f<40>;\n"
      ".reg .b64 %rd<20>;\n.reg .f64 %fd<20>;\n.shared .align 128 .b8 s[4096];\n"
      ".local .align 16 .b8 d[64];\n"
      "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\nld.param.u32 %r3, [n];\n"
      "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %laneid;\nmov.u32 %r2, s;\n"
      "mad.lo.s32 %r4, %r0, 4, %r2;\nmad.lo.s32 %r5, %r1, 16, %r2;\n"
      "add.u32 %r38, %r4, 0x2000000;\n"  // in the CTA of rank 1, if the cluster has one
      "mad.wide.u32 %rd2, %r0, 4, %rd0;\nmad.wide.u32 %rd3, %r0, 4, %rd1;\n"
      "mad.wide.u32 %rd4, %r0, 16, %rd0;\nmad.wide.u32 %rd5, %r0, 16, %rd1;\n"
      "mov.u64 %rd6, d;\ncvta.local.u64 %rd7, %rd6;\ncvt.u64.u32 %rd8, %r4;\n"
      "cvta.shared.u64 %rd9, %rd8;\n";
  text += body;
  text += '\n';
  for (int i = 0; i < kLabels; ++i) {
    const std::string label = "L" + std::to_string(i) + ":";
    if (body.find(label) == body.npos) text += label + "\n";
  }
  return text + "ret;\n}\n";
}

void parse_input(std::string_view bytes) {
  auto parsed = Program::parse(bytes);
  if (auto* errors = std::get_if<1>(&parsed)) {
    require(!errors->empty(), "errors");
    for (const ParseError& e : *errors) look_at(e.message);
    return;
  }
  const Program& program = *std::get<0>(parsed);
  for (const EntryInfo& e : program.entries()) {
    // Of two of one name the first is found.
    require(program.find(e.name) != nullptr, "an entry");
    for (const Parameter& p : e.parameters) look_at(p.name);
  }
  for (int line = -1; line < 40; ++line) {
    look_at(program.source_line(line).file);
    look_at(program.innermost_line(line).file);
  }
}

void run_input(std::string_view bytes) {
  std::string_view text = bytes;
  const Header h = take_header(text);
  const bool whole = text.find(".version") != text.npos;
  auto parsed = whole ? Program::parse(text) : Program::parse(frame(text));
  auto* program = std::get_if<0>(&parsed);
  if (!program) return;
  int entries = 0;
  for (const EntryInfo& entry : (*program)->entries()) {
    if (++entries > 4) break;
    run_entry(**program, entry, h);
  }
}

}  // namespace tilescope::emulator::fuzz
