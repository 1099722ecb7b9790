// What stands across the rows of the Timeline, and the line of names below them.
#include <algorithm>
#include <cmath>

#include "viz/scene/timeline/timeline_parts.h"

namespace tilescope::viz {
namespace {

std::string event_name(const TimelineState& s) {
  if (!s.event_name.empty()) return s.event_name;
  const auto& events = s.index->events();
  const TimelineEvent& e =
      events[std::min(static_cast<size_t>(std::max(0, s.event)), events.size() - 1)];
  if (e.count <= 1) return tr(event_kind_name(e.kind));
  return wording("{}: {} of {}", event_kind_name(e.kind),
                 grouped(std::min(s.within, e.count - 1) + 1), grouped(e.count));
}

/// Up to a colon, which a language may have its own of.
std::string before_colon(const std::string& name) {
  return name.substr(0, std::min(name.find(':'), name.find("：")));
}

std::string left_out_words(const TimelineState& s, int slices) {
  const char* many = slices == 1 ? "" : "s";
  return s.slice_word == "k slice" ? wording("{} k slice{} left out", grouped(slices), many)
                                   : wording("{} iteration{} left out", grouped(slices), many);
}

/// The line of names below the rows: each takes its place, later ones only what is left.
class Names {
 public:
  Names(SceneBuilder& b, const TimelineView& v, float bottom) : b_(b), v_(v), y_(bottom + 11) {}

  /// The first of the choices that fits beside what stands there already.
  bool put(float x, std::initializer_list<std::string> choices, const TextStyle& style) {
    for (const std::string& name : choices) {
      const float width = b_.width(name, style.size, style.weight);
      const float left = style.align == Align::center  ? x - width / 2
                         : style.align == Align::right ? x - width
                                                       : x;
      if (left < kPad || left + width > v_.plot.right()) continue;
      if (!is_free(left, width)) continue;
      b_.text(x, y_, name, style);
      taken_.push_back({left, 0, width, 1});
      return true;
    }
    return false;
  }
  void take(const Box& box) { taken_.push_back(box); }

 private:
  bool is_free(float left, float width) const {
    constexpr float kApart = 8;
    return std::none_of(taken_.begin(), taken_.end(), [&](const Box& box) {
      return left < box.right() + kApart && left + width + kApart > box.x;
    });
  }

  SceneBuilder& b_;
  const TimelineView& v_;
  float y_;
  std::vector<Box> taken_;
};

/// A torn edge where epochs were left out of the recording, and how many k slices went with them.
void draw_gaps(SceneBuilder& b, const TimelineState& s, const TimelineView& v, float bottom,
               Names& names) {
  const auto& epochs = s.index->epochs();
  for (size_t i = std::max<size_t>(1, s.index->epoch_at(v.first)); i < epochs.size(); ++i) {
    const TimelineIndex::Epoch& epoch = epochs[i];
    if (epoch.start > v.first + v.visible) break;
    if (!epoch.after_gap) continue;
    const TimelineIndex::Epoch& before = epochs[i - 1];
    const float x = std::round(v.x((before.start + before.width + epoch.start) / 2));
    if (x < v.plot.x + 4 || x > v.plot.right() - 4) continue;
    b.line({x, v.plot.y - 2}, {x, bottom + 2}, b.palette().dim, 1, {2, 3});
    const int left_out = slices_left_out(*s.index, epoch.start);
    if (left_out <= 0) continue;
    const std::string count = grouped(left_out);
    names.put(x, {left_out_words(s, left_out), wording("{} left out", count), "… " + count + " …"},
              {b.palette().dim, 11, Weight::regular, Align::center});
  }
}

void draw_playhead(SceneBuilder& b, const TimelineState& s, const TimelineView& v, float bottom,
                   Names& names) {
  const Palette& p = b.palette();
  const float x = std::round(v.x(playhead_of(s)));
  if (x < v.plot.x - 1 || x > v.plot.right() + 1) return;
  const float top = v.overview.bottom() + 3;
  b.line({x, top}, {x, bottom + 3}, fade(p.halo, 0.8f), 4);
  b.line({x, top}, {x, bottom + 3}, p.select, 2);
  b.polygon({{x - 5, top}, {x + 5, top}, {x, top + 7}}, p.select, p.halo);
  const std::string name = event_name(s), kind = before_colon(name);
  TextStyle style{p.text, 11, Weight::semibold, Align::right};
  if (names.put(x - 6, {name}, style)) return;
  style.align = Align::left;
  if (names.put(x + 6, {name, kind}, style)) return;
  style.align = Align::right;
  names.put(x - 6, {kind}, style);
}

/// Where the work on each k slice begins.
void draw_marks(SceneBuilder& b, const TimelineState& s, const TimelineView& v, float bottom,
                Names& names) {
  const Palette& p = b.palette();
  for (const TimelineIndex::Mark& mark : s.index->marks()) {
    const float at = std::round(v.x(mark.at));
    if (at < v.plot.x || at > v.plot.right()) continue;
    b.line({at, v.plot.y - 4}, {at, bottom + 3}, fade(p.text, 0.35f));
    names.put(at + 4,
              {s.slice_word == "k slice" ? wording("k slice {}", grouped(mark.k_slice))
                                         : wording("iteration {}", grouped(mark.k_slice))},
              {p.dim, 11});
  }
}

}  // namespace

double playhead_of(const TimelineState& s) {
  return s.index->position(static_cast<size_t>(std::max(0, s.event))) + s.within;
}

void draw_axis(SceneBuilder& b, const TimelineState& s, const TimelineView& v) {
  const float bottom = v.plot.bottom();
  Names names(b, v, bottom);
  if (v.rows < s.index->warps()) names.take({kPad, 0, kLabels, 1});
  draw_gaps(b, s, v, bottom, names);
  draw_playhead(b, s, v, bottom, names);
  const std::string note = "order, not time";
  names.put(v.plot.right(), {note}, {b.palette().dim, 11, Weight::regular, Align::right});
  draw_marks(b, s, v, bottom, names);
}

}  // namespace tilescope::viz
