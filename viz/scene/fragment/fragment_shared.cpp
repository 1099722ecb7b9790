// The shared memory tab: the 128-byte lines that one phase of a load touches, which bank serves
// what, and how often it has to: without a swizzle and with it.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/layout/atom_plan.h"
#include "core/layout/warp_access.h"
#include "core/model/names.h"
#include "viz/scene/fragment/fragment_parts.h"
#include "viz/scene/shared_access.h"

namespace tilescope::viz {
namespace {

constexpr int kLine = kLineBytes, kChunk = kMatrixRowBytes;

/// The lanes of one phase: which words each bank is asked for, in lane order.
struct PhaseLoad {
  std::array<std::vector<int64_t>, kBanks> words;
  std::map<int64_t, int> wave_of_word;  // the wavefront that serves a word
  std::map<int64_t, int> lane_of_word;  // the first that reads it

  void add(int lane, int64_t address, int bytes) {
    for (int64_t word = address / kBankBytes; word < (address + bytes) / kBankBytes; ++word) {
      auto& list = words[static_cast<size_t>(word % kBanks)];
      lane_of_word.emplace(word, lane);
      if (wave_of_word.emplace(word, static_cast<int>(list.size())).second) list.push_back(word);
    }
  }
};

struct BankView {
  Box box;
  float label_w = 34, cell_w = 0, cell_h = 0, load_h = 0;
};

std::string line_name(const SharedAccess& access, int64_t line) {
  // A line that is one row of the tile carries its number; others their place in the stage.
  const Coord at = shared_element(access.tile, static_cast<int>(line * kLine));
  if (access.tile.k_contiguous && access.tile.pitch == kLine && at.row >= 0)
    return std::to_string(at.row);
  return "+" + std::to_string(line * kLine);
}

std::string chunk_name(const SharedAccess& access, int64_t offset) {
  const Coord at = shared_element(access.tile, static_cast<int>(offset));
  if (at.row < 0) return "–";  // padding
  if (!access.tile.k_contiguous) return std::to_string(at.row);
  const std::string chunk = std::to_string(at.col * access.tile.bytes_per_element / kChunk);
  return access.tile.pitch == kLine ? chunk : std::to_string(at.row) + "·" + chunk;
}

Color wave_color(int wave, int waves) {
  return viridis(0.12f +
                 0.8f * static_cast<float>(wave) / static_cast<float>(std::max(7, waves - 1)));
}

void draw_lines(SceneBuilder& b, const SharedAccess& access, const PhaseLoad& load,
                const std::vector<int64_t>& lines, const BankView& v, int most) {
  const Palette& p = b.palette();
  const float x0 = v.box.x + v.label_w;
  b.text(v.box.x, v.box.y + 5, tr("bank"), {p.dim, 10});
  for (int c = 0; c < 8; ++c) {
    b.text(x0 + (static_cast<float>(c) + 0.5f) * v.cell_w, v.box.y + 5, std::to_string(c * 4),
           {p.dim, 10, Weight::regular, Align::center});
  }
  float y = v.box.y + 14;
  for (int64_t line : lines) {
    b.text(x0 - 6, y + v.cell_h / 2, line_name(access, line),
           {p.dim, 10, Weight::regular, Align::right, v.label_w - 6});
    for (int c = 0; c < 8; ++c) {
      const float x = std::round(x0 + static_cast<float>(c) * v.cell_w);
      const Box cell{x, y, std::round(x0 + static_cast<float>(c + 1) * v.cell_w) - x - 1,
                     v.cell_h - 1};
      const int64_t offset = line * kLine + c * kChunk;
      const Coord at = shared_element(access.tile, static_cast<int>(offset));
      // A lane may read less than a chunk: the first word that is read tells the wavefront.
      int wave = -1;
      for (int w = 0; w < 4 && wave < 0; ++w) {
        const auto it = load.wave_of_word.find(offset / kBankBytes + w);
        if (it != load.wave_of_word.end()) wave = it->second;
      }
      const Color fill = wave >= 0 ? wave_color(wave, most) : p.frame;
      b.rect(cell, fill);
      Pick pick;
      pick.kind = Pick::Kind::chunk, pick.level = Level::atom;
      pick.row = at.row, pick.col = at.col, pick.value = static_cast<int>(offset);
      for (int w = 0; w < 4 && pick.lane < 0; ++w) {
        const auto lane = load.lane_of_word.find(offset / kBankBytes + w);
        if (lane != load.lane_of_word.end()) pick.lane = lane->second;
      }
      b.pickable(pick);
      const std::string name = wave >= 0 ? "w" + std::to_string(wave) : chunk_name(access, offset);
      if (wave >= 0) b.rect(cell, {}, p.select, 0, 1);
      if (b.width(name, 10) <= cell.w && cell.h >= 10) {
        b.text(cell.x + cell.w / 2, cell.y + cell.h / 2, name,
               {wave >= 0 ? ink_on(fill) : p.dim, 10,
                wave >= 0 ? Weight::semibold : Weight::regular, Align::center});
      }
    }
    y += v.cell_h;
  }
  // How many words each bank has to give.
  y += 6;
  for (int bank = 0; bank < kBanks; ++bank) {
    const float x = std::round(x0 + static_cast<float>(bank) * v.cell_w / 4);
    const float w =
        std::max(2.0f, std::round(x0 + static_cast<float>(bank + 1) * v.cell_w / 4) - x - 1);
    const float block = v.load_h / static_cast<float>(std::max(8, most));
    b.rect({x, y + v.load_h - 1, w, 1}, p.faint);
    const int words = static_cast<int>(load.words[static_cast<size_t>(bank)].size());
    for (int i = 0; i < words; ++i) {
      b.rect({x, y + v.load_h - static_cast<float>(i + 1) * block, w, std::max(1.0f, block - 1)},
             wave_color(i, most));
    }
  }
  b.text(v.box.x, y + v.load_h - 5, "load", {p.dim, 10});
  const float highest = v.load_h * static_cast<float>(most) / static_cast<float>(std::max(8, most));
  if (most > 1 && highest >= 20) {
    b.text(x0 - 6, y + v.load_h - highest + 4, std::to_string(most),
           {p.dim, 10, Weight::regular, Align::right});
  }
}

void verdict(SceneBuilder& b, float x, float y, float width, int waves) {
  const Palette& p = b.palette();
  const bool bad = waves > 1;
  const float w = b.text(x, y, wording("{} wavefront{}", waves, bad ? "s" : ""),
                         {bad ? p.warning : p.text, 15, Weight::semibold, Align::left, width});
  if (width - w < 90) return;
  if (bad) {
    const std::string s = wording("{} conflict{}", waves - 1, waves == 2 ? "" : "s");
    b.text(x + w + 10, y, s, {p.warning, 12});
  } else {
    b.tick({x + w + 15, y}, 4.5f, p.ok, 2);
    b.text(x + w + 25, y, "no conflict", {p.ok, 12});
  }
}

void bank_picture(SceneBuilder& b, const SharedAccess& access, int phase, Box box,
                  std::string_view title, std::string_view rule) {
  const Palette& p = b.palette();
  PhaseLoad load;
  std::set<int64_t> touched;
  const int first = phase * access.lanes_per_phase;
  for (int l = first;
       l < first + access.lanes_per_phase && l < static_cast<int>(access.address.size()); ++l) {
    const int64_t address = access.address[static_cast<size_t>(l)];
    load.add(l, address, access.bytes);
    touched.insert(address / kLine);
  }
  // Of a tile whose lines run along the rows or columns, the whole line of this k.
  if (!access.tile.k_contiguous && !access.element.empty()) {
    const int k = access.element.front().col;
    const int last = shared_offset(access.tile, access.tile.outer - 1, k) / kLine;
    const int begin = shared_offset(access.tile, 0, k) / kLine;
    if (last - begin < 10)
      for (int line = begin; line <= last; ++line) touched.insert(line);
  }
  const std::vector<int64_t> lines(touched.begin(), touched.end());
  const int most = phase < static_cast<int>(access.per_phase.size())
                       ? access.per_phase[static_cast<size_t>(phase)]
                       : 0;
  const float titled =
      b.text(box.x, box.y + 8, title, {p.text, 13, Weight::semibold, Align::left, box.w});
  if (box.w - titled > b.width(rule, 11) + 10) {
    b.text(box.right(), box.y + 8, rule, {p.dim, 11, Weight::regular, Align::right});
  }
  BankView v;
  v.box = {box.x, box.y + 22, box.w, box.h - 22};
  for (int64_t line : lines)
    v.label_w = std::max(v.label_w, b.width(line_name(access, line), 10) + 10);
  v.cell_w = std::min((box.w - v.label_w) / 8, 64.0f);
  const float n = static_cast<float>(std::max<size_t>(1, lines.size()));
  const float room = v.box.h - 14 - 6 - 28;
  v.load_h = std::clamp(room * 0.24f, 16.0f, 60.0f);
  v.cell_h = std::floor(std::clamp((room - v.load_h) / n, 9.0f, 26.0f));
  draw_lines(b, access, load, lines, v, most);
  verdict(b, v.box.x + v.label_w, v.box.y + 14 + n * v.cell_h + 6 + v.load_h + 16,
          box.w - v.label_w, most);
}

std::string element_word(const FragmentContext& f, int bytes) {
  if (f.plan.math() == Math::simt) return tr("floats");
  const MmaAtom& atom = f.plan.atom;
  if (bytes == 1 && element_bits(atom.type_a) < 8)
    return wording("bytes of {}", model::name_of(atom.type_a));
  return atom.type_a == ElementType::f16 ? tr("halves") : model::name_of(atom.type_a);
}

}  // namespace

void draw_shared_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const Palette& p = b.palette();
  const Operand o = f.state.operand;
  const SharedAccess own = shared_access(f.plan, f.selection, f.moment, o);
  const int phase = std::clamp(f.state.phase, 0, own.phases - 1);
  const bool mma = f.plan.math() == Math::mma;
  const float pad = 8, w = size.w - 2 * pad;
  const SharedTile& tile = own.tile;
  const int line_elements = tile.panel;
  const std::string elements = element_word(f, tile.bytes_per_element);
  const std::string line =
      tile.pitch > line_elements * tile.bytes_per_element
          ? wording("line = {} {} = {} B with padding", line_elements, elements, tile.pitch)
          : wording("line = {} {} = {} B", line_elements, elements, tile.pitch);
  const std::string lanes =
      range_text(phase * own.lanes_per_phase, (phase + 1) * own.lanes_per_phase - 1);
  const std::string what =
      own.by_ldmatrix || !mma
          ? wording("{}; phase {}: lanes {}, {} B each", line, phase, lanes, own.bytes)
          : wording("{}; phase {}: lanes {}, {} B each by ld.shared", line, phase, lanes,
                    own.bytes);
  b.runs(pad, 12,
         {{wording("{}, k step {}", kOperandNames[static_cast<int>(o)], f.moment.k_step), p.text,
           Weight::semibold},
          {"   " + what, p.dim}},
         12, w);
  const Box area{pad, 28, w, size.h - 28 - 24};
  if (!mma) {
    const Box one{area.x, area.y, std::min(area.w, 560.0f), std::min(area.h, 330.0f)};
    bank_picture(b, own, phase, one, "as laid out", "number: first row or column of the chunk");
  } else {
    const Swizzle xor_mode = swizzle_for_rows(tile.pitch);
    const SharedAccess none = shared_access(f.plan, f.selection, f.moment, o, Swizzle::none);
    KernelPlan padded = f.plan;  // each row moved on by one chunk
    padded.shared[0].tile.pitch += kChunk, padded.shared[1].tile.pitch += kChunk;
    const SharedAccess cured = f.state.pad
                                   ? shared_access(padded, f.selection, f.moment, o, Swizzle::none)
                                   : shared_access(f.plan, f.selection, f.moment, o, xor_mode);
    const bool beside = area.w >= 470;
    const float gap = beside ? 22 : 10;
    const Box half{area.x, area.y, beside ? (area.w - gap) / 2 : area.w,
                   std::min(beside ? area.h : (area.h - gap) / 2, 420.0f)};
    const Box second = beside ? Box{half.right() + gap, half.y, half.w, half.h}
                              : Box{half.x, half.bottom() + gap, half.w, half.h};
    bank_picture(b, none, phase, half,
                 tile.swizzle == Swizzle::none ? "swizzle none (this tile)" : "swizzle none",
                 tr("chunk = k chunk"));
    bank_picture(b, cured, phase, second,
                 f.state.pad                     ? tr("padding 16 B")
                 : tile.swizzle == Swizzle::none ? "swizzle XOR"
                                                 : "swizzle XOR (this tile)",
                 f.state.pad ? wording("rows {} B apart", tile.pitch + kChunk)
                             : tr("chunk = k chunk XOR row"));
    if (beside) {
      const float x = std::round(half.right() + gap / 2);
      b.line({x, area.y}, {x, half.bottom()}, p.border);
    } else {
      const float y = std::round(half.bottom() + gap / 2) - 2;
      b.line({area.x, y}, {area.right(), y}, p.border);
    }
  }
  b.text(pad, size.h - 11,
         "cell: 16 B = 4 banks; number: its k chunk or row; w: the wavefront that serves it",
         {p.dim, 11, Weight::regular, Align::left, w});
}

}  // namespace tilescope::viz
