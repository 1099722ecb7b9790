#include "emulator/machine/raw_counts.h"

#include <algorithm>

namespace tilescope::emulator {
namespace {

void add(GlobalCounts& to, const Site& s) {
  to.requests += s.requests;
  to.sectors += s.sectors;
  to.bytes += s.bytes;
}
void add(SharedCounts& to, const Site& s) {
  to.requests += s.shared_requests;
  to.wavefronts += s.wavefronts;
  to.ideal += s.ideal;
  to.bytes += s.shared_bytes;
}

void add_site(Counts& counts, RowKind kind, const Site& s) {
  switch (kind) {
    case RowKind::load_global:
    case RowKind::load_shared:
    case RowKind::load_generic:
      add(counts.global_load, s);
      add(counts.shared_load, s);
      break;
    case RowKind::store_global:
    case RowKind::store_shared:
    case RowKind::store_generic:
      add(counts.global_store, s);
      add(counts.shared_store, s);
      break;
    case RowKind::copy:
      add(counts.global_load, s);
      add(counts.shared_copy, s);
      break;
    case RowKind::bulk_load:
      add(counts.bulk_load, s);
      add(counts.shared_copy, s);
      break;
    case RowKind::warpgroup_product:
      add(counts.shared_product, s);
      break;
    case RowKind::bulk_store:
      add(counts.bulk_store, s);
      add(counts.shared_product, s);
      break;
    default:  // atomics: counters of their own on the hardware; seen in their line only
      break;
  }
}

}  // namespace

void Counters::keep(Figures& to) const {
  to.blocks = blocks;
  to.guarded_off = guarded_off;
  to.barriers = barriers;
  to.sites.clear();
  for (const Site& s : sites) {
    to.sites.push_back(
        {s.requests, s.sectors, s.bytes, s.shared_requests, s.wavefronts, s.ideal, s.shared_bytes});
  }
}

void Counters::go_back(const Figures& to) {
  blocks = to.blocks;
  guarded_off = to.guarded_off;
  barriers = to.barriers;
  for (size_t i = 0; i < sites.size(); ++i) {
    Site& s = sites[i];
    const auto& n = to.sites[i];
    s.requests = n[0], s.sectors = n[1], s.bytes = n[2], s.shared_requests = n[3];
    s.wavefronts = n[4], s.ideal = n[5], s.shared_bytes = n[6];
  }
}

uint64_t Counters::warp_instructions(const Code& code) const {
  uint64_t n = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    n += blocks[b].warps * (block.end - block.begin + (block.end_inst != 0xffffffffu ? 1 : 0));
  }
  return n;
}

Counts make_counts(const Code& code, const RowTable& rows,
                   const std::vector<std::unique_ptr<Counters>>& all) {
  Counts counts;
  std::vector<uint64_t> by_opcode(code.opcodes.size(), 0);
  std::map<int, LineCounts> lines;
  auto instruction = [&](uint32_t i, const BlockCount& block, uint64_t off) {
    const InstInfo& info = code.info[i];
    if (info.opcode == kSynthetic || block.warps == 0) return;
    by_opcode[info.opcode] += block.warps;
    counts.warp_instructions += block.warps;
    counts.lane_instructions += block.lanes - off;
    const RowKind kind = rows.rows[code.instructions[i].row]->kind;
    if (kind == RowKind::mma || kind == RowKind::warpgroup_product) counts.mma += block.warps;
    LineCounts& line = lines[info.ptx_line];
    line.warp_instructions += block.warps;
    line.lane_instructions += block.lanes - off;
  };
  for (const auto& c : all) {
    counts.ctas += c->ctas;
    counts.barriers += c->barriers;
    counts.polls += c->polls;
    counts.poll_instructions += c->poll_instructions;
    for (size_t b = 0; b < code.blocks.size(); ++b) {
      const Block& block = code.blocks[b];
      for (uint32_t i = block.begin; i < block.end; ++i) {
        instruction(i, c->blocks[b], c->guarded_off[i]);
      }
      if (block.end_inst != 0xffffffffu) instruction(block.end_inst, c->blocks[b], 0);
    }
    for (size_t i = 0; i < code.instructions.size(); ++i) {
      const Inst& in = code.instructions[i];
      if (in.site == 0) continue;
      const Site& s = c->sites[in.site];
      if (s.requests == 0 && s.shared_requests == 0) continue;
      add_site(counts, rows.rows[in.row]->kind, s);
      LineCounts& line = lines[code.info[i].ptx_line];
      line.sectors += s.sectors;
      line.wavefronts += s.wavefronts;
      line.ideal_wavefronts += s.ideal;
    }
  }
  for (size_t i = 0; i < by_opcode.size(); ++i) {
    if (by_opcode[i]) counts.by_opcode[code.opcodes[i]] += by_opcode[i];
  }
  for (auto& [number, line] : lines) {
    line.ptx_line = number;
    counts.lines.push_back(line);
  }
  return counts;
}

Counts& Counts::operator+=(const Counts& o) {
  ctas += o.ctas;
  warp_instructions += o.warp_instructions;
  lane_instructions += o.lane_instructions;
  mma += o.mma;
  barriers += o.barriers;
  polls += o.polls;
  poll_instructions += o.poll_instructions;
  for (const auto& [name, n] : o.by_opcode) by_opcode[name] += n;
  auto global = [](GlobalCounts& a, const GlobalCounts& b) {
    a.requests += b.requests;
    a.sectors += b.sectors;
    a.bytes += b.bytes;
  };
  auto shared = [](SharedCounts& a, const SharedCounts& b) {
    a.requests += b.requests;
    a.wavefronts += b.wavefronts;
    a.ideal += b.ideal;
    a.bytes += b.bytes;
  };
  global(global_load, o.global_load);
  global(bulk_load, o.bulk_load);
  global(bulk_store, o.bulk_store);
  global(global_store, o.global_store);
  shared(shared_load, o.shared_load);
  shared(shared_store, o.shared_store);
  shared(shared_copy, o.shared_copy);
  shared(shared_product, o.shared_product);
  std::vector<LineCounts> merged;
  size_t i = 0, j = 0;
  while (i < lines.size() || j < o.lines.size()) {
    if (j == o.lines.size() || (i < lines.size() && lines[i].ptx_line < o.lines[j].ptx_line)) {
      merged.push_back(lines[i++]);
    } else if (i == lines.size() || o.lines[j].ptx_line < lines[i].ptx_line) {
      merged.push_back(o.lines[j++]);
    } else {
      LineCounts l = lines[i++];
      const LineCounts& m = o.lines[j++];
      l.warp_instructions += m.warp_instructions;
      l.lane_instructions += m.lane_instructions;
      l.sectors += m.sectors;
      l.wavefronts += m.wavefronts;
      l.ideal_wavefronts += m.ideal_wavefronts;
      merged.push_back(l);
    }
  }
  lines = std::move(merged);
  return *this;
}

Counts Counts::scaled(uint64_t times) const {
  Counts r = *this;
  for (uint64_t* v : {&r.ctas, &r.warp_instructions, &r.lane_instructions, &r.mma, &r.barriers,
                      &r.polls, &r.poll_instructions}) {
    *v *= times;
  }
  for (GlobalCounts* g : {&r.global_load, &r.global_store, &r.bulk_load, &r.bulk_store}) {
    g->requests *= times;
    g->sectors *= times;
    g->bytes *= times;
  }
  for (SharedCounts* s : {&r.shared_load, &r.shared_store, &r.shared_copy, &r.shared_product}) {
    s->requests *= times;
    s->wavefronts *= times;
    s->ideal *= times;
    s->bytes *= times;
  }
  for (auto& [name, n] : r.by_opcode) n *= times;
  for (LineCounts& l : r.lines) {
    l.warp_instructions *= times;
    l.lane_instructions *= times;
    l.sectors *= times;
    l.wavefronts *= times;
    l.ideal_wavefronts *= times;
  }
  return r;
}

}  // namespace tilescope::emulator
