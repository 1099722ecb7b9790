#include "app/features/access/access_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/features/access/access_hover.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "viz/scene/cells.h"

namespace tilescope {
namespace {

using worker::AccessBuffer;
using worker::AccessInstruction;

int index32(uint64_t n) { return static_cast<int>(std::min<uint64_t>(n, 0x7fffffff)); }

/// Touches of an element of a cell: of several their mean.
double mean_touches(const AccessCells& cells, uint32_t touches) {
  return static_cast<double>(touches) / static_cast<double>(cells.per_row * cells.per_col);
}

/// The value of viridis at a share of the scale.
uint32_t viridis_cell(double share) {
  return static_cast<uint32_t>(std::clamp(share, 0.0, 1.0) * viz::kCellMax);
}

/// Of a count the bits have no room for marks: what is not lit is left out of the scale's end.
viz::CellsPointer access_texels(const AccessData& data, const AccessCells& cells, AccessMode mode,
                                const AccessFilter& filter, double most, bool dims) {
  auto all = std::make_shared<std::vector<uint32_t>>(cells.cells.size());
  const auto fill = [&](auto texel_of) {
    const uint32_t other = dims ? viz::kCellDim : 0;
    for (size_t i = 0; i < cells.cells.size(); ++i) {
      const AccessCells::Cell& cell = cells.cells[i];
      (*all)[i] =
          cell.last == 0 ? viz::kCellEmpty : texel_of(cell) | (cell.lit ? viz::kCellNow : other);
    }
  };
  const auto record = [&](const AccessCells::Cell& cell) -> const worker::AccessRecord& {
    return data.answer.records[cell.last - 1];
  };
  const double begin = filter.from;
  const double extent =
      std::max(1.0, static_cast<double>(std::min(filter.to, data.answer.moments)) - begin - 1);
  using Cell = AccessCells::Cell;
  switch (mode) {
    case AccessMode::lanes:
      fill([](const Cell& cell) { return viz::pack_cell(cell.lane, 0); });
      break;
    case AccessMode::warps:
      fill([&](const Cell& cell) { return viz::pack_cell(record(cell).warp & 31, 0); });
      break;
    case AccessMode::count:
      fill([&](const Cell& cell) {
        return viridis_cell(mean_touches(cells, cell.touches) / std::max(most, 1e-9));
      });
      break;
    case AccessMode::time:
      fill([&](const Cell& cell) { return viridis_cell((record(cell).moment - begin) / extent); });
      break;
  }
  return all;
}

/// The least part that has all lit cells, in elements.
viz::AccessPart lit_part(const AccessCells& cells, const AccessWindow& window) {
  int top = cells.rows, left = cells.cols, bottom = -1, right = -1;
  for (int row = 0; row < cells.rows; ++row) {
    for (int col = 0; col < cells.cols; ++col) {
      const size_t i =
          static_cast<size_t>(row) * static_cast<size_t>(cells.cols) + static_cast<size_t>(col);
      if (!cells.cells[i].lit) continue;
      top = std::min(top, row), bottom = std::max(bottom, row);
      left = std::min(left, col), right = std::max(right, col);
    }
  }
  if (bottom < 0) return {};
  const auto per_row = static_cast<long long>(cells.per_row);
  const auto per_col = static_cast<long long>(cells.per_col);
  return {static_cast<long long>(window.row) + top * per_row,
          static_cast<long long>(window.col) + left * per_col, (bottom - top + 1) * per_row,
          (right - left + 1) * per_col};
}

/// Lit cells alone.
viz::CellsPointer lit_texels(const AccessCells& cells) {
  auto all = std::make_shared<std::vector<uint32_t>>();
  all->reserve(cells.cells.size());
  for (const AccessCells::Cell& cell : cells.cells) {
    all->push_back(cell.lit ? 0 : viz::kCellEmpty);
  }
  return all;
}

std::string access_place(const AccessInstruction& in) {
  return in.line > 0 ? wording("line {}", in.line) : wording("PTX {}", in.ptx_line);
}

std::string access_cost(double cost, double ideal, bool shared) {
  const auto number = [](double n) { return model::four_digits(n); };
  const char* const unit = shared ? "wavefront" : "sector";
  return wording("{} {}{}, ideal {}", number(cost), unit, cost == 1 ? "" : "s", number(ideal));
}

/// What the present or chosen instruction costs in a matrix; else the one that costs it most.
void find_cost(const AccessWalk& walk, viz::AccessMatrix& m) {
  const AccessData& data = *walk.key().data;
  const auto tell = [&](size_t instruction, double cost, double ideal) {
    const AccessInstruction& in = data.answer.instructions[instruction];
    m.instruction = static_cast<int>(instruction), m.line = access_place(in), m.code_line = in.line;
    m.cost = access_cost(cost, ideal, data.is_shared(walk.key().matrix));
    m.cost_short = wording("{}, ideal {}", model::four_digits(cost), model::four_digits(ideal));
    m.costly = cost > ideal;
  };
  if (walk.present() >= 0) {
    const auto& r = data.answer.records[static_cast<size_t>(walk.present())];
    return tell(r.instruction, r.cost, r.ideal);
  }
  const std::vector<InstructionFigures>& all = walk.figures();
  const auto rank = [&](size_t i) {
    const bool chosen = std::ranges::binary_search(walk.key().light.instructions, i);
    return std::tuple(chosen && all[i].accesses > 0,
                      all[i].cost - std::min(all[i].cost, all[i].ideal), all[i].cost);
  };
  size_t worst = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (rank(i) > rank(worst)) worst = i;
  }
  if (all.empty() || all[worst].accesses == 0) return;
  const auto n = static_cast<double>(all[worst].accesses);
  tell(worst, static_cast<double>(all[worst].cost) / n, static_cast<double>(all[worst].ideal) / n);
}

std::string lane_list(uint32_t lanes) {
  std::string text;
  int stretches = 0;
  for (unsigned i = 0; i < 32; ++i) {
    if ((lanes >> i & 1u) == 0) continue;
    unsigned end = i;
    while (end < 31 && (lanes >> (end + 1) & 1u)) ++end;
    if (++stretches > 4) return text + ", …";
    text += text.empty() ? "" : ", ";
    text += end == i ? fmt::format("{}", i) : fmt::format("{}–{}", i, end);
    i = end;
  }
  return text;
}

/// "warp 3 lanes 0–7; warp 5 lanes 0–7".
std::string touchers(const std::vector<std::pair<uint32_t, uint32_t>>& who) {
  constexpr size_t kMostWarps = 4;
  std::string text;
  for (size_t i = 0; i < who.size() && i < kMostWarps; ++i) {
    const bool one = (who[i].second & (who[i].second - 1)) == 0;
    text += wording("{}warp {} lane{} {}", text.empty() ? "" : "; ", who[i].first, one ? "" : "s",
                    lane_list(who[i].second));
  }
  if (who.size() > kMostWarps) text += wording("; {} more warps", who.size() - kMostWarps);
  return text;
}

std::string digits_of(uint64_t n) { return model::grouped(static_cast<long long>(n)); }

std::string times_text(uint64_t n) {
  return n == 1 ? tr("once") : wording("{} times", digits_of(n));
}

std::string touch_text(const AccessData& data, int64_t record) {
  const worker::AccessRecord& r = data.answer.records[static_cast<size_t>(record)];
  const AccessInstruction& in = data.answer.instructions[r.instruction];
  return wording("{} at {}, by warp {}, moment {}", in.opcode, access_place(in), r.warp,
                 digits_of(r.moment));
}

}  // namespace

std::string matrix_type(const AccessData& data, size_t matrix) {
  const AccessBuffer& m = data.matrices[matrix];
  if (data.is_shared(matrix)) {
    return wording("{} B, row = 128 B, column = bank", digits_of(m.bytes));
  }
  if (!m.shaped) {
    return wording("{} B, shown as rows of {} × {} B", digits_of(m.bytes), digits_of(m.line),
                   m.element_bytes);
  }
  return m.by_columns ? wording("{}[{},{}] column-major", m.type, m.rows, m.cols)
                      : fmt::format("{}[{},{}]", m.type, m.rows, m.cols);
}

std::vector<size_t> shown_matrices(const AccessView& view, const AccessData& data, viz::Size size) {
  const int all = static_cast<int>(data.touched.size());
  const int room = std::min(all, viz::access_places(all, size).count());
  const int first = std::clamp(view.first, 0, std::max(0, all - room));
  const auto begin = data.touched.begin() + first;
  return {begin, begin + room};
}

AccessPicture::Part& AccessPicture::walked(size_t place, const AccessWalkKey& key, Until until,
                                           double& done) {
  if (parts_.size() <= place) parts_.resize(place + 1);
  Part& p = parts_[place];
  if (!p.walk || !(p.walk->key() == key)) {
    AccessCells room = p.walk ? p.walk->take_cells() : AccessCells{};
    p = {}, p.walk.emplace(key, std::move(room));
  }
  if (!p.walk->is_done()) p.walk->go_on(until);
  done = std::min(done, p.walk->share_done());
  return p;
}

AccessPicture::Part& AccessPicture::part(size_t place, const AccessWalkKey& key, Until until,
                                         int mode, bool dims) {
  Part& p = walked(place, key, until, done_);
  if (p.mode == mode && p.dims == dims && p.done == p.walk->share_done()) return p;
  p.mode = mode, p.dims = dims, p.done = p.walk->share_done();
  const AccessCells& cells = p.walk->cells();
  uint32_t most = 0;
  for (const AccessCells::Cell& c : cells.cells) most = std::max(most, c.touches);
  p.most = mean_touches(cells, most);
  p.cells =
      access_texels(*key.data, cells, static_cast<AccessMode>(mode), key.filter, p.most, dims);
  return p;
}

void AccessPicture::point(size_t place, AccessWalkKey key, const AccessLight& light, Until until,
                          viz::AccessMatrix& m) {
  if (!light.any()) return;
  key.light = light, key.lit_alone = true;
  Part& p = walked(place, key, until, pointed_done_);
  if (p.done != p.walk->share_done()) p.cells = lit_texels(p.walk->cells());
  p.done = p.walk->share_done();
  m.pointed_part = lit_part(p.walk->cells(), key.window);
  if (m.pointed_part.rows > 0) m.pointed = p.cells;
}

namespace {

/// Of a matrix all that no walk has to find.
viz::AccessMatrix plain_matrix(const AccessData& data, size_t matrix, const AccessWindow& window) {
  const AccessBuffer& b = data.matrices[matrix];
  viz::AccessMatrix m;
  m.name = b.name, m.type = matrix_type(data, matrix);
  m.number = static_cast<int>(matrix);
  m.operand = b.matrix;
  m.rows = index32(b.rows), m.cols = index32(b.cols);
  m.row = index32(window.row), m.col = index32(window.col);
  m.shown_rows = index32(window.rows), m.shown_cols = index32(window.cols);
  return m;
}

/// What the pointer is on, here or in another panel, and what was clicked.
void mark_elements(const AppState& state, size_t matrix, viz::AccessMatrix& m) {
  const AccessView& view = state.of<AccessView>();
  const auto& pick = state.hover_before.pick;
  if (view.hovered && view.hovered->matrix == matrix) {
    m.hover_row = index32(view.hovered->row), m.hover_col = index32(view.hovered->col);
  } else if (!view.hovered && pick && state.derived.kernel && m.operand >= 0 &&
             pick->matrix == m.operand) {
    m.hover_row = pick->row, m.hover_col = pick->col;
  }
  if (!view.chosen || view.chosen->matrix != matrix) return;
  m.chosen_row = index32(view.chosen->row), m.chosen_col = index32(view.chosen->col);
}

}  // namespace

viz::AccessState AccessPicture::make(const AppState& state,
                                     const std::shared_ptr<const AccessData>& data, viz::Size size,
                                     Until until) {
  viz::AccessState picture;
  done_ = pointed_done_ = 1;
  const AccessView& view = state.of<AccessView>();
  picture.marks = answer_marks(state);
  if (!data) {
    picture.what =
        view.of && view.of == access_question(state) ? view.error : why_no_accesses(state);
    return picture;
  }
  const auto mode = static_cast<AccessMode>(view.mode);
  const bool counts = mode == AccessMode::count, times = mode == AccessMode::time;
  picture.color = counts || times ? viz::CellColor::viridis : viz::CellColor::lanes;
  bool dims = false;
  const AccessLight light = access_light(state, *data, &dims);
  const AccessFilter filter = access_filter(state, *data);
  const AccessLight pointed = hovered_light(state, *data);
  dims = dims && light.any();
  const std::vector<size_t> shown = shown_matrices(view, *data, size);
  double most = 0;
  for (size_t i = 0; i < shown.size(); ++i) {
    const AccessBuffer& buffer = data->matrices[shown[i]];
    AccessWalkKey key{data, shown[i], filter, light, shown_window(view, *data, shown[i])};
    const viz::Box box = viz::access_window_box(
        viz::access_box(static_cast<int>(i), static_cast<int>(shown.size()), size),
        index32(key.window.rows), index32(key.window.cols));
    key.most_rows = std::max(1, static_cast<int>(box.h));
    key.most_cols = std::max(1, static_cast<int>(box.w));
    viz::AccessMatrix m = plain_matrix(*data, shown[i], key.window);
    const AccessWindow all{0, 0, buffer.rows, buffer.cols};
    if (key.window != all) {
      AccessWalkKey whole = key;
      whole.window = all, whole.most_rows = whole.most_cols = viz::kAccessWhole;
      const Part& p = part(3 * i + 1, whole, until, view.mode, dims);
      m.whole_rows = p.walk->cells().rows, m.whole_cols = p.walk->cells().cols;
      m.whole = p.cells;
    }
    const Part& p = part(3 * i, key, until, view.mode, dims);
    m.cell_rows = p.walk->cells().rows, m.cell_cols = p.walk->cells().cols;
    m.cells = p.cells;
    most = std::max(most, p.most);
    if (light.any()) m.lit = lit_part(p.walk->cells(), key.window);
    if (p.walk->is_done()) {
      find_cost(*p.walk, m);
      if (m.cost.empty()) m.cells = nullptr, m.none = "not touched in this stretch";
    }
    mark_elements(state, shown[i], m);
    if (m.cells) point(3 * i + 2, key, pointed, until, m);
    picture.matrices.push_back(std::move(m));
  }
  switch (mode) {
    case AccessMode::lanes:
      picture.what = "lane that touched it last", picture.low = "0", picture.high = "31";
      break;
    case AccessMode::warps:
      picture.what = "warp that touched it last, modulo 32", picture.low = "0";
      picture.high = "31";
      break;
    case AccessMode::count:
      picture.what = "touches by lanes, of each matrix's most", picture.low = "0";
      picture.high = wording("up to {}", model::four_digits(most));
      break;
    case AccessMode::time: {
      const uint32_t end = std::min(filter.to, data->answer.moments);
      picture.what = "moment that it was touched last", picture.low = digits_of(filter.from);
      picture.high = digits_of(std::max(filter.from + 1, end) - 1);
      break;
    }
  }
  if (done_ < 1) picture.what = wording("drawn to {:.0f} %: {}", 100 * done_, picture.what.c_str());
  return picture;
}

std::string access_words(const AccessData& data) {
  const worker::AccessAnswer& a = data.answer;
  const std::string who = a.whole_grid ? wording("all CTAs of {} × {} × {}", digits_of(a.grid.x),
                                                 digits_of(a.grid.y), digits_of(a.grid.z))
                                       : wording("CTA {},{},{}", a.cta.x, a.cta.y, a.cta.z);
  std::string untouched;
  size_t count = 0;
  for (size_t i = 0; i < a.buffers.size(); ++i) {
    if (std::ranges::binary_search(data.touched, i)) continue;
    if (++count == 1) untouched = a.buffers[i].name;
  }
  std::string words = wording("{}, {} warp{}: {} accesses of warps", who, a.warps,
                              a.warps == 1 ? "" : "s", digits_of(a.records.size()));
  if (count == 0) return words;
  return count == 1 ? wording("{}; {} is not touched", words, untouched)
                    : wording("{}; {} and {} more are not touched", words, untouched, count - 1);
}

std::string brush_words(const AccessData& data, const AccessFilter& filter) {
  const uint32_t moments = data.answer.moments;
  if (!filter.span) return wording("all {} moments; drag to brush", digits_of(moments));
  if (filter.from >= filter.to) return "nothing is touched in what is brushed";
  return wording("moments {}–{} of {}, {} accesses", digits_of(filter.from),
                 digits_of(std::min(filter.to, moments) - 1), digits_of(moments),
                 digits_of(accesses_of(data, filter)));
}

std::string element_words(const AccessData& data, const AccessElement& e,
                          const AccessFilter& filter) {
  const AccessBuffer& m = data.matrices[e.matrix];
  const uint64_t offset = element_offset(m, e.row, e.col);
  std::string text;
  if (data.is_shared(e.matrix)) {
    text = wording("shared + {} B, bank {}", digits_of(offset), e.col);
  } else {
    text = wording("{}[{}, {}]\n+ {} B, sector {}, byte {}", m.name, e.row, e.col,
                   digits_of(offset), digits_of(offset / 32), offset % 32);
  }
  const ElementTouches t = touches_of(data, e.matrix, e.row, e.col, filter);
  if (t.first < 0) return text + tr("\nnobody touches it");
  if (data.answer.whole_grid && t.ctas > 1) text += wording("\n{} CTAs", t.ctas);
  if (t.reads > 0) {
    text += wording("\nread {} by lanes: {}", times_text(t.reads), touchers(t.readers));
  }
  if (t.writes > 0) {
    text += wording("\nwritten {} by lanes: {}", times_text(t.writes), touchers(t.writers));
  }
  text += wording("\nfirst: {}", touch_text(data, t.first));
  if (t.last != t.first) text += wording("\nlast: {}", touch_text(data, t.last));
  return text;
}

}  // namespace tilescope
