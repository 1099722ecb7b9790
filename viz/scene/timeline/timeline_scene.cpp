#include "viz/scene/timeline/timeline_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/timeline/timeline_parts.h"

namespace tilescope::viz {
namespace {

constexpr float kOverview = 18, kAxisStrip = 20, kLegendStrip = 20;
constexpr float kMinRow = 11, kMaxRow = 24;

bool waits(EventKind kind) { return kind == EventKind::wait || kind == EventKind::barrier; }

const char* short_name(const TimelineEvent& e) {
  switch (e.kind) {
    case EventKind::copy:
      return "cp";
    case EventKind::wait:
      return "wait";
    case EventKind::barrier:
      return "bar";
    case EventKind::load:
      return e.shared ? "ld" : "ldg";
    case EventKind::mma:
      return "mma";
    case EventKind::fma:
      return "fma";
    case EventKind::store:
    default:
      return e.shared ? "st" : "stg";
  }
}

/// Draws the rows; holds what all events share.
class Rows {
 public:
  Rows(SceneBuilder& b, const TimelineState& s, const TimelineView& v)
      : b_(b), s_(s), v_(v), playhead_(playhead_of(s)) {
    for (const char* word : {"cp", "ld", "ldg", "mma", "fma", "st", "stg"}) {
      shortest_ = std::min(shortest_, b.width(word, kSize));
    }
    lit_.resize(static_cast<size_t>(std::max(1, s.index->warps())));
    const auto& events = s.index->events();
    for (const int id : s.lit) {
      if (id < 0 || static_cast<size_t>(id) >= events.size()) continue;
      const auto warp = static_cast<size_t>(events[static_cast<size_t>(id)].warp);
      if (warp < lit_.size()) lit_[warp].push_back(id);
    }
  }

  void draw_row(int warp, float y) {
    const auto& epochs = s_.index->epochs();
    free_from_ = v_.first;
    for (size_t i = s_.index->epoch_at(v_.first); i < epochs.size(); ++i) {
      const TimelineIndex::Epoch& epoch = epochs[i];
      if (epoch.start > v_.first + v_.visible) break;
      draw_epoch(epoch, warp, y);
    }
    if (!s_.brushed.empty()) draw_brush(warp, y);
    draw_lit(warp, y);
  }

 private:
  static constexpr float kSize = 10;

  void draw_epoch(const TimelineIndex::Epoch& epoch, int warp, float y) {
    const auto& events = s_.index->events();
    const uint32_t begin = epoch.first[static_cast<size_t>(warp)];
    const uint32_t end = epoch.first[static_cast<size_t>(warp) + 1];
    const double from = free_from_ - epoch.start, to = v_.first - epoch.start + v_.visible;
    const auto starts_after = [&](double position) {
      return static_cast<uint32_t>(
          std::upper_bound(events.begin() + begin, events.begin() + end, position,
                           [](double p, const TimelineEvent& e) { return p < e.index; }) -
          events.begin());
    };
    uint32_t i = starts_after(from);
    if (i > begin && events[i - 1].index + events[i - 1].count > from) --i;
    const double pixel = v_.visible / static_cast<double>(v_.plot.w);
    for (; i < end && events[i].index < to;) {
      const TimelineEvent& e = events[i];
      draw_event(epoch, e, static_cast<int>(i), y);
      // Events under a pixel wide: one of them stands for all that share its pixel.
      const double next = std::max<double>(e.index + e.count, e.index + pixel);
      free_from_ = epoch.start + next;
      i = e.count >= pixel ? i + 1 : std::max(i + 1, starts_after(next - 1e-9));
    }
  }

  /// No width: outside of the view.
  Box event_box(double start, int count, float y) const {
    const float x0 = std::max(v_.x(start), v_.plot.x);
    float x1 = std::min(v_.x(start + count), v_.plot.right());
    const float gap = x1 - x0 >= 3 ? 1.0f : 0.0f;
    x1 = std::max(x1 - gap, x0 + std::min(1.0f, v_.plot.right() - x0));
    const float margin = v_.row_height >= 12 ? 2.0f : 1.0f;
    return {x0, y + margin, std::max(0.0f, x1 - x0), v_.row_height - 2 * margin};
  }

  /// What is not brushed steps back.
  void draw_brush(int warp, float y) {
    const Palette& p = b_.palette();
    const auto at = static_cast<size_t>(warp);
    const TimelineColumns c = at < s_.brushed.size() ? s_.brushed[at] : TimelineColumns{};
    const auto x_of = [&](int column) {
      return std::round(std::clamp(v_.x(column), v_.plot.x, v_.plot.right()));
    };
    const float from = c.empty() ? v_.plot.right() : x_of(c.from);
    const float to = c.empty() ? v_.plot.right() : x_of(c.to);
    const Color veil = fade(p.panel, 0.66f);
    if (from > v_.plot.x) b_.rect({v_.plot.x, y, from - v_.plot.x, v_.row_height}, veil);
    if (to < v_.plot.right()) b_.rect({to, y, v_.plot.right() - to, v_.row_height}, veil);
    if (c.empty()) return;
    for (const int column : {c.from, c.to}) {
      const float x = v_.x(column);
      if (x < v_.plot.x - 1 || x > v_.plot.right() + 1) continue;
      b_.rect({std::round(x) - 1, y, 2, v_.row_height}, p.accent);
    }
  }

  /// Rings round what belongs to the thing under the pointer elsewhere; of many in few pixels one
  /// bar.
  void draw_lit(int warp, float y) {
    float drawn = v_.plot.x - 1;
    for (const int id : lit_[static_cast<size_t>(warp)]) {
      const double start = s_.index->position(static_cast<size_t>(id));
      const int count = s_.index->events()[static_cast<size_t>(id)].count;
      if (start + count <= v_.first || start >= v_.first + v_.visible) continue;
      const Box box = event_box(start, count, y);
      if (box.right() <= drawn + 0.5f) continue;
      drawn = box.right();
      if (box.w >= 4) {
        b_.hover_ring(box);
      } else {
        b_.rect({box.x, box.y, std::max(2.0f, box.w), box.h}, b_.palette().select);
      }
    }
  }

  void draw_event(const TimelineIndex::Epoch& epoch, const TimelineEvent& e, int id, float y) {
    const Palette& p = b_.palette();
    const double start = epoch.start + e.index;
    const Box box = event_box(start, e.count, y);
    if (box.w <= 0) return;
    const float x0 = box.x, x1 = box.right();
    Pick pick;
    pick.kind = Pick::Kind::event, pick.event = id, pick.warp = e.warp;
    pick.k_slice = e.k_slice, pick.stage = e.stage;
    if (e.line > 0) pick.line = e.line;
    if (waits(e.kind)) {
      b_.hatch(box, p.frame_strong, p.wait, 3);
      b_.pickable(pick);
    } else {
      // What has happened is full, what will happen faded; the playhead splits the present event.
      const float split = std::clamp(v_.x(playhead_), x0, x1);
      const Color past = mix(event_color(p, e.kind), p.panel, 0.12f);
      const Color future = mix(event_color(p, e.kind), p.panel, 0.60f);
      if (split > x0) part({x0, box.y, split - x0, box.h}, past, pick);
      if (x1 > split) part({split, box.y, x1 - split, box.h}, future, pick);
      const bool late = split - x0 > x1 - split;  // the label stands in the longer part
      label(e, late ? Box{x0, box.y, split - x0, box.h} : Box{split, box.y, x1 - split, box.h},
            late ? ink_on(past) : p.text);
    }
    if (s_.hover && s_.hover->kind == Pick::Kind::event && s_.hover->event == id)
      b_.hover_ring(box);
  }

  void part(const Box& box, Color fill, const Pick& pick) {
    b_.rect(box, fill, {}, box.w >= 4 ? 1.0f : 0.0f);
    b_.pickable(pick);
  }

  void label(const TimelineEvent& e, const Box& box, Color ink) {
    if (box.w < shortest_ + 4 || box.h < 9) return;
    const std::string name = short_name(e);
    const std::string whole = e.count > 1 ? name + " ×" + grouped(e.count) : name;
    const TextStyle style{ink, box.h < 11 ? 9.0f : kSize, Weight::regular, Align::center};
    for (const std::string& choice : {whole, name}) {
      if (b_.width(choice, kSize) + 4 > box.w) continue;
      b_.text(box.x + box.w / 2, box.y + box.h / 2, choice, style);
      return;
    }
  }

  SceneBuilder& b_;
  const TimelineState& s_;
  const TimelineView& v_;
  const double playhead_;
  double free_from_ = 0;  // of the axis: what starts before is drawn already
  float shortest_ = 1e9f;
  std::vector<std::vector<int>> lit_;  // events, by warp
};

void draw_overview(SceneBuilder& b, const TimelineState& s, const TimelineView& v) {
  const Palette& p = b.palette();
  const Box& o = v.overview;
  b.text(kPad, o.y + o.h / 2, s.slice_word == "k slice" ? tr("all k") : tr("loop"), {p.dim, 11});
  b.rect(o, p.frame, {}, 2);
  const int n = std::max(1, s.k_slices);
  // Events of the tile before may be of slices that this one does not have.
  const int k_begin = std::clamp(s.k_begin, 0, n - 1), k_end = std::clamp(s.k_end, 0, n);
  const float cell = o.w / static_cast<float>(n), gap = cell >= 4 ? 1.0f : 0.0f;
  const auto from = [&](double k) { return o.x + static_cast<float>(k) * cell; };
  if (cell >= 3) {
    for (int k = 0; k < n; ++k) {
      b.rect({std::round(from(k)), o.y + 2, std::round(from(k + 1)) - std::round(from(k)) - gap,
              o.h - 4},
             fade(p.mma, k >= k_begin && k < k_end ? 0.16f : 0.05f));
    }
  } else if (k_end - k_begin < n) {  // others compute the rest
    b.rect({from(k_begin), o.y + 2, from(k_end) - from(k_begin), o.h - 4}, fade(p.mma, 0.12f));
  }
  for (int k : s.recorded_k_slices) {  // the others were counted, not recorded
    if (k < 0 || k >= n) continue;
    b.rect({std::round(from(k)), o.y + 2,
            std::max(2.0f, std::round(from(k + 1)) - std::round(from(k)) - gap), o.h - 4},
           fade(p.mma, 0.55f));
  }
  const auto slice_at = [&](double at) { return std::min(s.index->k_slice_at(at), n - 1); };
  const int now = slice_at(playhead_of(s));
  if (now >= 0) {
    const float begin = from(k_begin);
    b.rect({begin, o.y, std::min(o.right(), from(now + 1)) - begin, o.h}, fade(p.accent, 0.22f), {},
           2);
  }
  const int first = std::max(0, slice_at(v.first));
  const int last = std::max(first, slice_at(v.first + v.visible));
  const float x0 = std::max(o.x, from(first)),
              x1 = std::min(o.right(), std::max(from(last + 1), x0 + 6));
  b.rect({x0, o.y - 2, x1 - x0, o.h + 4}, fade(p.accent, 0.25f), p.accent, 2);
  CellGrid picks;
  picks.box = o.grown(2);
  picks.columns = n, picks.rows = 1;
  picks.pick_mode = CellPick::k_slice;
  picks.pick.kind = Pick::Kind::k_slice, picks.pick.k_slice = 0;
  b.add(std::move(picks));
}

void draw_legend(SceneBuilder& b, Size size) {
  const Palette& p = b.palette();
  float x = size.w - kPad;
  for (EventKind kind :
       {EventKind::store, EventKind::mma, EventKind::load, EventKind::wait, EventKind::copy}) {
    const std::string label = event_kind_label(kind);
    const float width = b.width(label, 11);
    if (x - width - 14 < kPad) break;
    b.text(x, 10, label, {p.dim, 11, Weight::regular, Align::right});
    x -= width + 14;
    if (waits(kind)) {
      b.hatch({x, 6, 9, 9}, p.frame_strong, p.wait, 3);
    } else {
      b.rect({x, 6, 9, 9}, event_color(p, kind), {}, 1);
    }
    x -= 12;
  }
}

}  // namespace

const char* event_kind_name(EventKind kind) {
  static constexpr const char* kNames[] = {"copy", "wait", "barrier", "load",
                                           "mma",  "fma",  "store"};
  return kNames[static_cast<int>(kind)];
}

const char* event_kind_label(EventKind kind) {
  static constexpr const char* kLabels[] = {
      "copy global→shared", "wait, barrier", "wait, barrier", "load, ldmatrix",
      "mma, FMA",           "mma, FMA",      "store"};
  return kLabels[static_cast<int>(kind)];
}

Color event_color(const Palette& p, EventKind kind) {
  switch (kind) {
    case EventKind::copy:
      return p.copy;
    case EventKind::load:
      return p.load;
    case EventKind::mma:
    case EventKind::fma:
      return p.mma;
    case EventKind::store:
      return p.store;
    default:
      return p.wait;
  }
}

TimelineView timeline_view(const TimelineState& s, Size size) {
  TimelineView v;
  const float top = s.legend ? kLegendStrip : 4;
  v.overview = {kPad + kLabels, top + 3, size.w - 2 * kPad - kLabels, 9};
  v.plot = {v.overview.x, top + kOverview + 4, v.overview.w, 1};
  const float room = size.h - v.plot.y - kAxisStrip;
  const int warps = s.index != nullptr ? std::max(1, s.index->warps()) : 1;
  v.row_height = std::floor(std::clamp(room / static_cast<float>(warps), kMinRow, kMaxRow));
  v.rows = std::clamp(static_cast<int>(room / v.row_height), 1, warps);
  v.plot.h = v.row_height * static_cast<float>(v.rows);
  v.first_warp = s.first_warp >= 0
                     ? s.first_warp
                     : std::max(0, std::min(s.selected_warp - v.rows / 2, warps - v.rows));
  v.first_warp = std::clamp(v.first_warp, 0, warps - v.rows);
  if (s.index == nullptr || s.index->empty()) return v;
  const bool as_beside = s.beside && s.beside->of_end > s.beside->of_begin;
  const double length = std::max(1.0, as_beside ? s.beside->of_length : s.index->length());
  const double playhead = as_beside ? s.beside->of_playhead : playhead_of(s);
  v.visible = s.visible > 0 && !as_beside ? s.visible : static_cast<double>(v.plot.w) / 1.9;
  v.visible = std::clamp(v.visible, 4.0, std::max(4.0, length * 1.02));
  v.first = s.first >= 0 && !as_beside ? s.first : playhead - v.visible * 0.45;
  v.first = std::clamp(v.first, 0.0, std::max(0.0, length * 1.02 - v.visible));
  if (as_beside) {
    const double scale =
        (s.beside->end - s.beside->begin) / (s.beside->of_end - s.beside->of_begin);
    v.first = s.beside->begin - (s.beside->of_begin - v.first) * scale;
    v.visible *= scale;
  }
  return v;
}

Scene build_timeline(const TimelineState& s, const Palette& palette, const TextMeasure& measure,
                     Size size) {
  SceneBuilder b(size, palette, measure);
  constexpr float kLeastPlot = 20;  // narrower or lower there is no axis to draw
  if (size.w < 2 * kPad + kLabels + kLeastPlot || size.h < kOverview + kAxisStrip + kLeastPlot) {
    return b.finish();
  }
  const Palette& p = b.palette();
  if (s.index == nullptr || s.index->empty()) {
    b.text(size.w / 2, size.h / 2 - 26, "No events to show",
           {p.text, 13, Weight::semibold, Align::center, size.w - 16});
    b.text(size.w / 2, size.h / 2 - 8, s.empty_reason,
           {p.dim, 12, Weight::regular, Align::center, size.w - 16});
    return b.finish();
  }
  const TimelineView v = timeline_view(s, size);
  if (!s.stale.empty()) {
    b.set_opacity(0.35f);
    b.set_texts(false);
  }
  if (s.legend) draw_legend(b, size);
  draw_overview(b, s, v);
  Rows rows(b, s, v);
  for (int i = 0; i < v.rows; ++i) {
    const int warp = v.first_warp + i;
    const float y = v.plot.y + static_cast<float>(i) * v.row_height;
    const bool selected = warp == s.selected_warp;
    Pick pick;
    pick.kind = Pick::Kind::warp, pick.level = Level::cta, pick.warp = warp;
    b.rect({kPad - 4, y, size.w - 2 * kPad + 8, v.row_height},
           selected ? fade(p.accent_ground, 0.55f) : fade(p.accent_ground, 0));
    b.pickable(pick);
    b.text(kPad, y + v.row_height / 2, wording("warp {}", warp),
           {selected ? p.text : p.dim, v.row_height >= 15 ? 12.0f : 11.0f,
            selected ? Weight::semibold : Weight::regular, Align::left, kLabels - 4});
    rows.draw_row(warp, y);
  }
  if (s.stale.empty()) sign_picked(b, s.marks);
  draw_axis(b, s, v);
  if (v.rows < s.index->warps()) {
    const std::string more =
        wording("{}–{} of {}", v.first_warp, v.first_warp + v.rows - 1, s.index->warps());
    b.text(kPad, v.plot.bottom() + 11, more, {p.dim, 10, Weight::regular, Align::left, kLabels});
  }
  if (!s.stale.empty()) {
    b.set_opacity(1);
    b.set_texts(true);
    const float w = b.width(s.stale, 12, Weight::semibold) + 16, y = v.plot.y + v.plot.h / 2;
    b.rect({v.plot.x + (v.plot.w - w) / 2, y - 11, w, 22}, p.frame, p.border, 3);
    b.text(v.plot.x + v.plot.w / 2, y, s.stale,
           {p.text, 12, Weight::semibold, Align::center, v.plot.w});
  }
  return b.finish();
}

}  // namespace tilescope::viz
