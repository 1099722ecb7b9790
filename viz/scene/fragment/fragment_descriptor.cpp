// The shared memory tab of wgmma: the lines of 128 bytes in which an operand lies, which chunks of
// 16 bytes the instruction reads, and the descriptor that tells it.
#include "viz/scene/fragment/fragment_descriptor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/layout/warp_access.h"
#include "core/model/names.h"

namespace tilescope::viz {
namespace {

constexpr int kChunksInLine = kLineBytes / kCoreLineBytes;
constexpr float kLabelWidth = 54, kCellWidth = 92;

std::string hexadecimal(unsigned long long value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", value);
  return text;
}

/// As model::swizzle_words, which the command line has in English.
std::string swizzle_text(Swizzle mode) {
  return mode == Swizzle::none ? tr("no swizzle") : wording("{} swizzle", model::name_of(mode));
}

struct Chunk {
  int outer = 0, k = 0;
};

/// What the chunk holds: "n 3, k 0–7".
std::string chunk_words(const DescribedOperand& d, const Chunk& c, bool brief) {
  const std::string axis = d.operand == Operand::a ? "m" : "n";
  const int side = d.chunk() * d.elements_per_byte;
  const int outer = d.first_outer + c.outer, k = (d.first_k + c.k) * d.elements_per_byte;
  const bool along = d.tile.k_contiguous;
  if (brief) return axis + std::to_string(outer) + " k" + std::to_string(k);
  return axis + " " + (along ? std::to_string(outer) : range_text(outer, outer + side - 1)) +
         ", k " + (along ? range_text(k, k + side - 1) : std::to_string(k));
}

/// The descriptor's fields, one a line: name, bits, what stands there.
void fields(SceneBuilder& b, const DescribedOperand& d, Box box) {
  const Palette& p = b.palette();
  const unsigned long long bits = wgmma_descriptor(d.tile);
  const bool swizzled = d.tile.swizzle != Swizzle::none, along = d.tile.k_contiguous;
  struct Row {
    const char *bits, *name;
    std::string value;
  };
  // What each stride leads to (PTX ISA, "Strides").
  const char* chunk = "the next 16 B of k";
  const char* lines = along ? "the next 8 lines" : "the next 8 of k";
  const char* panel = along ? "of no use: one line holds its k" : "the next panel of lines";
  const char* across = "the next 8 across";
  const std::string leading = tr(swizzled ? panel : along ? chunk : lines);
  const std::string stride = tr(swizzled || along ? lines : across);
  const Row rows[] = {
      {"13–0", "start", wording("(address + {}) / 16", d.start())},
      {"29–16", "leading offset", grouped(wgmma_leading_bytes(bits)) + " B: " + leading},
      {"45–32", "stride offset", grouped(wgmma_stride_bytes(bits)) + " B: " + stride},
      {"51–49", "base offset", "0: the tile begins where the swizzle does"},
      {"63–62", "swizzle", std::to_string(bits >> 62) + ": " + swizzle_text(d.tile.swizzle)},
      // Of the instruction, where it has one.
      {"", "imm-trans",
       d.tile.bytes_per_element != 2 ? "none: always K-major"
       : along                       ? "0: K-major"
                                     : "1: MN-major"}};
  float y = box.y;
  b.text(box.x, y, wording("{} | start", hexadecimal(bits)),
         {p.text, 12, Weight::mono_semibold, Align::left, box.w});
  y += 20;
  const float name_x = box.x + 44, value_x = name_x + 98;
  for (const Row& r : rows) {
    if (y > box.bottom() - 8) return;
    b.text(box.x, y, r.bits, {p.dim, 11, Weight::mono});
    b.text(name_x, y, r.name, {p.dim, 11});
    b.text(value_x, y, r.value, {p.text, 11, Weight::regular, Align::left, box.right() - value_x});
    y += 17;
  }
}

/// The lines of 128 bytes, as many as there is room for, those with the chosen column or row among
/// them.
void memory(SceneBuilder& b, const DescribedOperand& d, const LevelAxes& axes, int chosen,
            Box box) {
  const Palette& p = b.palette();
  std::map<int, Chunk> read;
  int first_chosen = 0;
  bool has_chosen = false;
  const auto is_chosen = [&](const Chunk& c) {
    return d.tile.k_contiguous ? c.outer == chosen : c.outer / d.chunk() == chosen / d.chunk();
  };
  d.each_chunk([&](int outer, int k, int byte) {
    read[byte] = {outer, k};
    if (!has_chosen && is_chosen({outer, k})) {
      first_chosen = byte / kLineBytes, has_chosen = true;
    }
  });
  const int first = read.begin()->first / kLineBytes;
  const int lines = read.rbegin()->first / kLineBytes - first + 1;
  const float label = kLabelWidth,
              cell_h =
                  std::clamp(std::floor((box.h - 34) / static_cast<float>(lines)), 13.0f, 22.0f);
  const int fit = std::max(1, static_cast<int>((box.h - 34) / cell_h)),
            shown = std::min(lines, fit);
  const int begin = std::clamp(first_chosen - shown / 2, first, first + lines - shown);
  const float cell_w = std::min(kCellWidth, std::floor((box.w - label) / kChunksInLine));
  bool brief = false;  // where one does not fit, none is written in full
  for (const auto& [byte, chunk] : read) {
    brief = brief || b.width(chunk_words(d, chunk, false), 10) > cell_w - 5;
  }
  b.text(box.x, box.y + 5, tr("bank"), {p.dim, 10});
  for (int c = 0; c < kChunksInLine; ++c) {
    const float x = box.x + label + (static_cast<float>(c) + 0.5f) * cell_w;
    b.text(x, box.y + 5, std::to_string(4 * c), {p.dim, 10, Weight::regular, Align::center});
  }
  for (int i = 0; i < shown; ++i) {
    const float y = box.y + 14 + static_cast<float>(i) * cell_h;
    const int line = begin + i;
    b.text(box.x + label - 8, y + cell_h / 2, "+" + grouped(1ll * line * kLineBytes),
           {p.dim, 10, Weight::regular, Align::right, label - 10});
    for (int c = 0; c < kChunksInLine; ++c) {
      const int byte = line * kLineBytes + c * kCoreLineBytes;
      const Box cell{box.x + label + static_cast<float>(c) * cell_w, y, cell_w - 1, cell_h - 1};
      const auto at = read.find(byte);
      const Color fill = at == read.end() ? p.frame : bank_color(byte);
      b.rect(cell, fill);
      if (at == read.end()) continue;
      Pick pick;
      pick.kind = Pick::Kind::element, pick.level = Level::atom;
      pick.matrix = static_cast<int8_t>(d.operand);
      // In the matrix, as every panel has it.
      const int k = axes.k.first + at->second.k * d.elements_per_byte;
      pick.row = d.operand == Operand::a ? axes.m.first + at->second.outer : k;
      pick.col = d.operand == Operand::a ? k : axes.n.first + at->second.outer;
      b.pickable(pick);
      if (is_chosen(at->second)) b.rect(cell, {}, p.select, 0, 1.5f);
      if (cell.h < 11) continue;
      const std::string words = chunk_words(d, at->second, brief);
      if (b.width(words, 10) > cell.w - 2) continue;
      b.text(cell.x + cell.w / 2, cell.y + cell.h / 2, words,
             {ink_on(fill), 10, Weight::regular, Align::center});
    }
  }
  const float end = box.y + 14 + static_cast<float>(shown) * cell_h + 9;
  const auto told = [&](const char* cells) -> std::string {
    if (shown == lines) return tr(cells);
    return wording("lines {} of {}; {}", range_text(begin - first, begin - first + shown - 1),
                   lines, cells);
  };
  b.text_that_fits(
      box.x, end,
      {told("cell: 16 B, colored by its banks, m, n and k within the tile; grey: not read here"),
       told("cell: 16 B, m, n, k within the tile; grey: not read"), told("grey: not read")},
      {p.dim, 11, Weight::regular, Align::left, box.w});
}

}  // namespace

DescribedOperand described(const FragmentContext& f, Operand operand) {
  const MmaAtom& atom = f.plan.atom;
  const bool is_a = operand == Operand::a;
  const ElementType type = is_a ? atom.type_a : atom.type_b;
  const int bits = element_bits(type);
  DescribedOperand d;
  d.operand = operand;
  d.outer = is_a ? atom.m : atom.n;
  d.elements_per_byte = bits < 8 ? 8 / bits : 1;
  d.k = atom.k / d.elements_per_byte;
  if (f.state.instruction) {
    const WgmmaLayout& layout = f.state.descriptor;
    const WgmmaLayout taken{layout.swizzle, layout.k_major || !wgmma_takes(layout, type)};
    d.tile = wgmma_tile(taken, d.outer, type);
    d.first_k =
        wgmma_step_bytes(f.state.descriptor_step % taken.steps()) / d.tile.bytes_per_element;
    return d;
  }
  d.tile = shared_of(f.plan, operand);
  const LevelAxes cta = cta_axes(f.plan, f.selection, f.moment);
  d.first_outer = is_a ? f.axes.m.first - cta.m.first : f.axes.n.first - cta.n.first;
  d.first_k = f.moment.k_step * d.k;
  return d;
}

Color bank_color(int byte) {
  const int group = byte / kCoreLineBytes % kChunksInLine;
  return viridis(0.08f + 0.88f * static_cast<float>(group) / (kChunksInLine - 1));
}

void draw_descriptor_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const Palette& p = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const Operand o = f.state.operand;
  const float pad = 8, w = size.w - 2 * pad;
  const bool is_a = o == Operand::a;
  if (is_a && !f.state.instruction && !atom.a_in_shared) {
    b.text(size.w / 2, size.h / 2, "This kernel gives the instruction A in registers",
           {p.dim, 12, Weight::regular, Align::center, size.w - 16});
    return;
  }
  const DescribedOperand d = described(f, o);
  const int line = wgmma_line_bytes(d.tile.swizzle);
  const char* name = kOperandNames[static_cast<int>(o)];
  const WgmmaLayout layout = d.layout();
  const std::string swizzle = swizzle_text(layout.swizzle);
  const std::string heading = layout.k_major ? wording("{}, K-major, {}", name, swizzle)
                                             : wording("{}, MN-major, {}", name, swizzle);
  b.runs(pad, 12,
         {{heading, p.text, Weight::semibold},
          {"   " + wording("lines of {} B along {}", line,
                           d.tile.k_contiguous ? "k"
                           : is_a              ? "m"
                                               : "n"),
           p.dim}},
         12, w);
  const Coord at = fragment_coord(atom.d, f.fragment_thread(), f.selection.output);
  const int chosen = is_a ? at.row : at.col;
  constexpr float kFields = 330, kFieldsHeight = 126;
  const bool beside = w >= 760;
  const float most = kLabelWidth + kChunksInLine * kCellWidth;
  const float fields_x = std::min(size.w - pad - kFields, pad + most + 24);
  const Box right =
      beside ? Box{fields_x, 34, kFields, size.h - 40} : Box{pad, 34, w, kFieldsHeight};
  const Box left = beside ? Box{pad, 28, w - kFields - 20, size.h - 34}
                          : Box{pad, 34 + kFieldsHeight, w, size.h - 40 - kFieldsHeight};
  fields(b, d, right);
  if (left.h > 60) memory(b, d, f.axes, chosen, left);
}

}  // namespace tilescope::viz
