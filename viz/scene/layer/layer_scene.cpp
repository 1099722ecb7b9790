#include "viz/scene/layer/layer_scene.h"

#include <algorithm>

#include "core/model/format.h"
#include "viz/scene/builder.h"
#include "viz/scene/layer/formula.h"
#include "viz/scene/layer/layer_flow.h"
#include "viz/scene/layer/layer_words.h"
#include "viz/scene/layer/rank_fill.h"

namespace tilescope::viz {
namespace {

using workload::Matrix;
using workload::Pass;
using workload::Slice;
using workload::Split;
using workload::Step;
using workload::Workload;

constexpr float kSceneMargin = 6;
constexpr float kFacts = 116;      // the column of figures at the right
constexpr float kFactsFrom = 620;  // from this width on
constexpr float kFactLine = 32;    // caption and figure
constexpr float kSceneLegend = 20;
constexpr int kMostTicks = 64;

TitleWidth title_width(const TextMeasure& measure) {
  return [&measure](const Step& step) {
    return is_collective(step) ? 0
                               : formula_width(measure, name_words(step.name), 12, Weight::mono);
  };
}

float room_width(float width) {
  return width - 2 * kSceneMargin - (width >= kFactsFrom ? kFacts + 10 : 0);
}

class Picture {
 public:
  Picture(SceneBuilder& b, const LayerState& s, const Workload& w) : b_(b), s_(s), w_(w) {}

  void draw(Size size) {
    const float top = kSceneMargin + (s_.legend ? kSceneLegend : 0);
    const LayerFlow flow =
        flow_of(w_, {room_width(size.w), size.h - top - kSceneMargin}, title_width(b_.measure()));
    if (s_.legend) legend(size.w);
    b_.set_opacity(s_.stale.empty() ? 1 : 0.45f);
    for (const LayerPass& pass : flow.passes) draw_pass(pass, size.w, top);
  }

 private:
  void legend(float width) {
    float x = kSceneMargin;
    const float y = kSceneMargin + kSceneLegend / 2 - 2;
    const auto key = [&](const auto& fill, const std::string& words) {
      if (x + 22 + b_.width(words, 11) > width - kSceneMargin) return;
      fill(Box{x, y - 5, 16, 11});
      x += 22 + b_.text(x + 22, y, words, {b_.palette().dim, 11}) + 16;
    };
    const int ranks = w_.layer.ranks;
    for (int rank = 0; rank < std::min(ranks, 8); ++rank) {
      key([&](Box box) { rank_rect(b_, box, rank); }, wording("rank {}", rank));
    }
    if (ranks > 1) key([&](Box box) { shared_rect(b_, box, ranks); }, "whole on every rank");
  }

  void draw_pass(const LayerPass& pass, float width, float top) {
    const Palette& p = b_.palette();
    const float x = kSceneMargin, y = pass.box.y + top;
    if (pass.pass != Pass::forward) {
      b_.line({x, y - 7}, {width - kSceneMargin, y - 7}, p.border);
    }
    const char* name = pass.pass == Pass::forward ? tr("Forward") : tr("Backward");
    const float named = b_.text(x, y + 8, name, {p.text, 12, Weight::semibold});
    float from = x + std::max(70.0f, named + 12);
    const float right = width >= kFactsFrom ? width - kFacts - kSceneMargin : width - kSceneMargin;
    if (pass.title_in_heading) {
      const Step& step = w_.steps[static_cast<size_t>(pass.cells.front().step)];
      from += 16 + formula(b_, from, y + 8, name_words(step.name),
                           {p.text, 12, Weight::mono, Align::left, right - from});
    }
    const std::string said = s_.stale.empty() ? pass_sentence(w_, pass.pass) : s_.stale;
    if (right - from > 60) {
      b_.text(from, y + 8, said, {p.dim, 12, Weight::regular, Align::left, right - from});
    }
    if (width >= kFactsFrom) facts(pass, width - kSceneMargin - kFacts, y + 8);
    for (LayerCell cell : pass.cells) {
      shift(cell, x, top);
      draw_cell(cell, !pass.title_in_heading);
    }
  }

  void facts(const LayerPass& pass, float x, float y) {
    const Palette& p = b_.palette();
    const float bottom = y + pass.box.h - 8;
    float at = y;
    for (const LayerFact& fact : pass_facts(w_, pass.pass)) {
      if (at + 15 + 6 > bottom) return;
      b_.text(x, at, fact.caption, {p.dim, 11, Weight::regular, Align::left, kFacts});
      b_.text(x, at + 15, fact.value, {p.text, 12, Weight::mono, Align::left, kFacts});
      at += kFactLine + 2;
    }
  }

  static void shift(LayerCell& cell, float x, float y) {
    const auto by = [&](Box& box) { box.x += x, box.y += y; };
    by(cell.box);
    for (DrawnMatrix& d : cell.drawn) {
      by(d.box);
      for (Box& box : d.more) by(box);
    }
  }

  void draw_cell(const LayerCell& cell, bool titled) {
    const Step& step = w_.steps[static_cast<size_t>(cell.step)];
    const bool moves = is_collective(step);
    if (!moves && titled) title(cell, step);
    for (const DrawnMatrix& d : cell.drawn) {
      draw_matrix(d);
      const bool named = cell.with_operands && d.matrix != step.bias;
      if (named || moves) name_above(d, cell);
      if (d.matrix == step.bias) bias_note(d, cell);
      if (d.result) {
        chunk_ticks(d, step);
        if (s_.chosen == cell.step) b_.ring(whole_of(d));
        if (s_.hovered == cell.step)
          b_.hover_ring(whole_of(d).grown(s_.chosen == cell.step ? 3 : 0));
      }
    }
    if (moves) arrow(cell, step);
    b_.rect(cell.box, Color{0, 0, 0, 0});
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = cell.step;
    b_.pickable(pick);
  }

  void title(const LayerCell& cell, const Step& step) {
    const Palette& p = b_.palette();
    const float y = cell.box.y + 7;
    const float drawn = formula(b_, cell.box.x, y, name_words(step.name),
                                {p.text, 12, Weight::mono, Align::left, cell.box.w});
    const DrawnMatrix& d = cell.drawn.front();
    if (cell.with_operands || !d.turned) return;
    // Its name alone would not say so.
    const std::string words = wording("as {}ᵀ", w_.matrices[static_cast<size_t>(d.matrix)].name);
    const float room = cell.box.w - drawn - 8;
    if (formula_width(b_.measure(), words, 11, Weight::regular) <= room) {
      formula(b_, cell.box.x + drawn + 8, y, words, {p.dim, 11});
    }
  }

  static Box whole_of(const DrawnMatrix& d) {
    Box all = d.box;
    if (!d.more.empty()) all.w = d.more.back().right() - all.x;
    return all;
  }

  void name_above(const DrawnMatrix& d, const LayerCell& cell) {
    const Palette& p = b_.palette();
    const Matrix& m = w_.matrices[static_cast<size_t>(d.matrix)];
    const std::string name = name_words(m.name) + (d.turned ? "ᵀ" : "");
    // What stands at the left ends where its right neighbour begins.
    float right = cell.box.right();
    for (const DrawnMatrix& other : cell.drawn) {
      if (other.box.y == d.box.y && other.box.x > d.box.x) right = std::min(right, other.box.x - 4);
    }
    const float y = d.box.y - 8, room = right - d.box.x;
    const float drawn =
        formula(b_, d.box.x, y, name, {p.text, 11, Weight::semibold, Align::left, room});
    const std::string extent = extent_words(m, d.turned);
    if (drawn + 8 + b_.width(extent, 11) <= room)
      b_.text(d.box.x + drawn + 8, y, extent, {p.dim, 11});
  }

  void bias_note(const DrawnMatrix& d, const LayerCell& cell) {
    const Step& step = w_.steps[static_cast<size_t>(cell.step)];
    const std::string name = w_.matrices[static_cast<size_t>(d.matrix)].name;
    const std::string note = step.bias_on_first && w_.layer.ranks > 1
                                 ? wording("{}, added on rank 0", name)
                                 : wording("{}, added in the epilogue", name);
    const float room = d.box.x - 6 - cell.box.x;
    for (const std::string& words : {note, name}) {
      if (b_.width(words, 10) > room) continue;
      b_.text(d.box.x - 6, d.box.y + d.box.h / 2, words,
              {b_.palette().dim, 10, Weight::regular, Align::right});
      return;
    }
  }

  void draw_matrix(const DrawnMatrix& d) {
    const Matrix& m = w_.matrices[static_cast<size_t>(d.matrix)];
    const int ranks = w_.layer.ranks;
    if (m.split == Split::whole) {
      shared_rect(b_, d.box, ranks);
      const SliceWords words = slice_words(w_, d.matrix, 0, d.turned);
      plate(b_, d.box, {words.full, words.middle, words.brief});
      return;
    }
    std::vector<Part> parts;
    if (m.split == Split::parts) {
      parts = summands(d);
    } else {
      for (int rank = 0; rank < ranks; ++rank) parts.push_back({rank, slice_box(d, rank)});
    }
    for (const Part& part : parts) rank_rect(b_, part.box, part.rank);
    if (labels(d, parts)) return;
    const std::string many = wording("{} ranks", ranks);
    const SliceWords first = slice_words(w_, d.matrix, 0, d.turned);
    if (!first.extent.empty()) {
      plate(b_, d.box, {wording("{} ranks, at most {} each", ranks, first.extent), many});
    }
  }

  struct Part {
    int rank;
    Box box;
  };

  /// All parts say as much as fits into each of them; false: not even their numbers do.
  bool labels(const DrawnMatrix& d, const std::vector<Part>& parts) {
    constexpr std::string SliceWords::*kChoices[] = {&SliceWords::full, &SliceWords::middle,
                                                     &SliceWords::brief, &SliceWords::number};
    for (const auto choice : kChoices) {
      const auto text = [&](const Part& part) {
        return slice_words(w_, d.matrix, part.rank, d.turned).*choice;
      };
      const bool fit = std::ranges::all_of(
          parts, [&](const Part& part) { return plate_fits(b_, part.box, text(part)); });
      if (!fit) continue;
      for (const Part& part : parts) plate(b_, part.box, {text(part)});
      return true;
    }
    return false;
  }

  /// The first, the second and the last rank's summand, with what stands between them.
  std::vector<Part> summands(const DrawnMatrix& d) {
    std::vector<Part> parts{{0, d.box}};
    float left = d.box.right();
    for (size_t i = 0; i < d.more.size(); ++i) {
      const Box& box = d.more[i];
      const int rank = i == 0 ? 1 : w_.layer.ranks - 1;
      const bool left_out = rank > 2;
      b_.text((left + box.x) / 2, box.y + box.h / 2, left_out ? "+ … +" : "+",
              {b_.palette().text, left_out ? 11.0f : 14.0f, Weight::semibold, Align::center});
      left = box.right();
      parts.push_back({rank, box});
    }
    return parts;
  }

  /// A rank's part of a drawn matrix, to scale within it.
  Box slice_box(const DrawnMatrix& d, int rank) const {
    const Matrix& m = w_.matrices[static_cast<size_t>(d.matrix)];
    const Slice s = slice_of(w_, d.matrix, rank);
    const workload::Range across = d.turned ? s.rows : s.cols, down = d.turned ? s.cols : s.rows;
    const float cols = static_cast<float>(d.turned ? m.rows : m.cols);
    const float rows = static_cast<float>(d.turned ? m.cols : m.rows);
    const auto at = [](int place, float all, float length) {
      return static_cast<float>(place) / all * length;
    };
    const float x = at(across.first, cols, d.box.w), y = at(down.first, rows, d.box.h);
    return {d.box.x + x, d.box.y + y, at(across.end(), cols, d.box.w) - x,
            at(down.end(), rows, d.box.h) - y};
  }

  /// Where the chunks of a step's result meet: marks at its edges.
  void chunk_ticks(const DrawnMatrix& d, const Step& step) {
    if (step.chunks < 2 || step.chunks > kMostTicks) return;
    const int rows = slice_of(w_, step.c, 0).rows.count;
    const float along = d.turned ? d.box.w : d.box.h;
    if (along < 4.0f * static_cast<float>(step.chunks)) return;
    std::vector<Box> boxes = d.more;
    boxes.push_back(d.box);
    for (int chunk = 1; chunk < step.chunks; ++chunk) {
      const float at = static_cast<float>(chunk_rows(w_, step, 0, chunk).first) /
                       static_cast<float>(rows) * along;
      for (const Box& box : boxes) {
        const Point from = d.turned ? Point{box.x + at, box.y - 5} : Point{box.x - 5, box.y + at};
        const Point to = d.turned ? Point{box.x + at, box.y + 1} : Point{box.x + 1, box.y + at};
        b_.line(from, to, b_.palette().text);
      }
    }
  }

  void arrow(const LayerCell& cell, const Step& step) {
    const Palette& p = b_.palette();
    const Box& to = cell.drawn.front().box;
    const float y = std::max(to.y + to.h / 2, cell.box.y + 22);
    const float left = cell.box.x + 2, right = cell.box.x + cell.arrow - 4;
    b_.line({left, y}, {right - 6, y}, p.text, 2);
    b_.triangle({right - 4, y}, 9, Way::right, p.text);
    const std::string what =
        step.chunks > 1 ? wording("{}, {} chunks", words_of(step.kind), grouped(step.chunks))
                        : tr(words_of(step.kind));
    const float middle = (left + right) / 2, room = right - left;
    b_.text(middle, y - 12, what, {p.text, 11, Weight::semibold, Align::center, room});
    b_.text(middle, y + 13,
            wording("{} each way", model::bytes_text(bytes_between_ranks(w_, step))),
            {p.dim, 11, Weight::regular, Align::center, room});
  }

  SceneBuilder& b_;
  const LayerState& s_;
  const Workload& w_;
};

}  // namespace

Scene build_layer(const LayerState& s, const Palette& palette, const TextMeasure& measure,
                  Size size) {
  SceneBuilder b(size, palette, measure);
  const Workload w = make_workload(s.layer);
  Picture(b, s, w).draw(size);
  return b.finish();
}

float layer_height(const LayerState& s, const TextMeasure& measure, float width) {
  const Workload w = make_workload(s.layer);
  // No room at all: the least that the flow takes.
  const LayerFlow flow = flow_of(w, {room_width(width), 0}, title_width(measure));
  return flow.height + 2 * kSceneMargin + (s.legend ? kSceneLegend : 0);
}

}  // namespace tilescope::viz
