#include "viz/scene/layer/layer_timeline_scene.h"

#include <algorithm>
#include <cmath>

#include "core/model/format.h"
#include "viz/scene/builder.h"
#include "viz/scene/layer/layer_words.h"
#include "viz/scene/layer/rank_fill.h"

namespace tilescope::viz {
namespace {

using workload::Bar;
using workload::Step;
using workload::Workload;

constexpr float kLaneMargin = 6, kLaneAxis = 18, kPassLine = 15, kLaneLegend = 16;
constexpr float kLaneLabels = 86;
constexpr float kLeastLane = 15, kMostLane = 72, kLaneGap = 3;
constexpr float kModelled = 0.3f;  // of a lane's height, where both accounts are drawn

/// The longest step of 1, 2, 5 that leaves at least three ticks.
double tick_step(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double step : {5.0, 2.0, 1.0, 0.5, 0.2}) {
    if (most / (step * power) >= 3) return step * power;
  }
  return power / 10;
}

class Lanes {
 public:
  Lanes(SceneBuilder& b, const LayerTimelineState& s, const Workload& w, Box box)
      : b_(b), p_(b.palette()), s_(s), w_(w), box_(box) {
    end_ = std::max({s.modelled.total_us, s.measured.total_us, 1e-3});
    // Transfers may end after the last product.
    for (const LayerAccount* account : {&s.modelled, &s.measured}) {
      for (const Bar& bar : account->bars) end_ = std::max(end_, bar.end_us);
    }
    moves_ = std::ranges::any_of(w.steps, [](const Step& step) { return is_collective(step); });
    const float room = box.h - kLaneAxis - kPassLine;
    const int lanes = w.layer.ranks + (moves_ ? 1 : 0);
    lane_ = std::clamp(room / static_cast<float>(lanes), kLeastLane, kMostLane);
    // What does not fit is said, not squashed.
    const int fit = static_cast<int>(room / lane_) - (moves_ ? 1 : 0);
    shown_ = w.layer.ranks;
    if (shown_ > fit)
      shown_ = std::max(1, static_cast<int>((room - 14) / lane_) - (moves_ ? 1 : 0));
    plot_ = {
        box.x + kLaneLabels, box.y, box.w - kLaneLabels - 8,
        lane_ * static_cast<float>(shown_ + (moves_ ? 1 : 0)) + (shown_ < w.layer.ranks ? 14 : 0)};
  }

  void draw() {
    axis();
    for (int rank = 0; rank < shown_; ++rank) {
      label_at(plot_.y + static_cast<float>(rank) * lane_, wording("rank {}", rank),
               tr("products, sums"), tr("products"));
    }
    float y = plot_.y + static_cast<float>(shown_) * lane_;
    if (shown_ < w_.layer.ranks) {
      b_.text(box_.x, y + 6, wording("and {} ranks more", grouped(w_.layer.ranks - shown_)),
              {p_.dim, 10, Weight::regular, Align::left, plot_.x - box_.x + plot_.w});
      y += 14;
    }
    transfers_ = y;
    if (moves_) label_at(y, tr("all ranks"), tr("transfers"), tr("transfers"));
    account(s_.measured, true);
    account(s_.modelled, false);
    pass_line();
  }

 private:
  float x(double us) const { return plot_.x + static_cast<float>(us / end_) * plot_.w; }

  void label_at(float y, const std::string& name, const char* what, const char* brief) {
    const bool two = lane_ >= 30;
    const float room = kLaneLabels - 8, middle = y + (lane_ - kLaneGap) / 2;
    b_.text(box_.x, two ? middle - 7 : middle, name,
            {p_.text, 12, Weight::semibold, Align::left, room});
    if (!two) return;
    b_.text_that_fits(box_.x, middle + 8, {what, brief},
                      {p_.dim, 11, Weight::regular, Align::left, room});
  }

  void axis() {
    const bool ms = end_ >= 1000;
    const double unit = ms ? 1e3 : 1, step = tick_step(end_ / unit);
    const float bottom = plot_.bottom() + kPassLine;
    float right = -1;
    for (int i = 0; i * step <= end_ / unit * 1.0001; ++i) {
      const float at = x(i * step * unit);
      b_.line({at, plot_.y}, {at, bottom}, p_.grid);
      const std::string text = figure(i * step) + (i == 0 ? (ms ? " ms" : " µs") : "");
      const float half = b_.width(text, 10, Weight::mono) / 2;
      if (at - half < right + 6 || at + half > box_.right()) continue;
      b_.text(at, bottom + 9, text, {p_.dim, 10, Weight::mono, Align::center});
      right = at + half;
    }
  }

  /// Where a bar's lane begins; below 0: it is not shown.
  float lane_of(const Bar& bar) const {
    if (is_collective(w_.steps[static_cast<size_t>(bar.step)])) return transfers_;
    return bar.rank >= shown_ || bar.rank < 0 ? -1 : plot_.y + static_cast<float>(bar.rank) * lane_;
  }

  void account(const LayerAccount& all, bool measured) {
    const bool both = !s_.measured.bars.empty() && !s_.modelled.bars.empty();
    const float high = lane_ - kLaneGap;
    for (const Bar& bar : all.bars) {
      const float lane = lane_of(bar);
      if (lane < 0) continue;
      Box box{x(bar.begin_us), lane, 0, high};
      box.w = std::max(1.5f, x(bar.end_us) - box.x - (x(bar.end_us) - box.x > 5 ? 1 : 0));
      if (both) {
        const float low = std::max(5.0f, high * kModelled);
        box.h = measured ? high - low - 2 : low;
        if (!measured) box.y = lane + high - low;
      }
      one(bar, box, measured, measured || !both);
    }
  }

  std::string name_of(const Bar& bar) const {
    const Step& step = w_.steps[static_cast<size_t>(bar.step)];
    const std::string name = name_words(w_.matrices[static_cast<size_t>(step.c)].name);
    return step.chunks > 1 ? name + " " + std::to_string(bar.chunk + 1) : name;
  }

  void one(const Bar& bar, Box box, bool measured, bool labelled) {
    const Step& step = w_.steps[static_cast<size_t>(bar.step)];
    const bool transfer = is_collective(step);
    const bool lit = s_.chosen == bar.step || s_.hovered == bar.step;
    Rect r;
    r.box = box;
    if (!measured) {
      // Modelled: an outline, dashed.
      r.stroke = lit ? p_.text : p_.dim, r.dash = {3, 2}, r.radius = 1;
      if (lit) r.fill = fade(p_.accent, 0.25f);
      // A box of zero size has no outline to dash.
      if (box.w < 3) r.stroke = {}, r.fill = p_.dim;
      b_.add(r);
    } else if (transfer) {
      r.fill = mix(p_.store, p_.panel, 0.2f), r.radius = 2;
      if (lit) r.stroke = p_.select;
      b_.add(r);
    } else {
      rank_rect(b_, box, bar.rank, step.pass == workload::Pass::forward ? 0.7f : 0.5f);
      if (lit && box.w > 3) b_.rect(box, {}, p_.select);
    }
    if (labelled) bar_label(bar, box, measured, transfer);
    b_.rect(box, Color{0, 0, 0, 0});
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = bar.step;
    pick.row = bar.chunk, pick.col = bar.rank;
    b_.pickable(pick);
  }

  void bar_label(const Bar& bar, Box box, bool measured, bool transfer) {
    const std::string name = name_of(bar), number = std::to_string(bar.chunk + 1);
    const bool cut = w_.steps[static_cast<size_t>(bar.step)].chunks > 1;
    if (measured && !transfer && box.h >= 15) {
      plate(b_, box, {name, cut ? number : name});
      return;
    }
    if (box.h < 11) return;
    const float size = box.h < 14 ? 10.0f : 11.0f;
    const Color ink = measured && transfer ? ink_on(mix(p_.store, p_.panel, 0.2f)) : p_.text;
    for (const std::string& text : {name, cut ? number : name}) {
      if (b_.width(text, size) + 6 > box.w) continue;
      b_.text(box.x + box.w / 2, box.y + box.h / 2, text,
              {ink, size, Weight::regular, Align::center});
      return;
    }
  }

  /// Where the forward pass is whole.
  void pass_line() {
    const LayerAccount& from = s_.measured.bars.empty() ? s_.modelled : s_.measured;
    if (from.bars.empty() || from.forward_us <= 0 || from.forward_us >= from.total_us) return;
    const float at = x(from.forward_us), y = plot_.bottom() + kPassLine / 2;
    b_.line({at, plot_.y}, {at, plot_.bottom() + kPassLine}, fade(p_.text, 0.5f));
    const std::string sign = s_.measured.bars.empty() ? "~" : "";
    const std::string left = wording("forward {}{}", sign, model::time_text(from.forward_us));
    const std::string right =
        wording("backward {}{}", sign, model::time_text(from.total_us - from.forward_us));
    if (b_.width(left, 11) <= at - 6 - plot_.x) {
      b_.text(at - 6, y, left, {p_.dim, 11, Weight::regular, Align::right});
    }
    const float named = b_.text(at + 6, y, right,
                                {p_.dim, 11, Weight::regular, Align::left, plot_.right() - at - 6});
    whole_words(at + 6 + named);
  }

  /// How long after the last product that it waits for a result is whole on all ranks: of the
  /// chosen transfer, else of the last one.
  void whole_words(float from) {
    const bool measured = !s_.measured.bars.empty();
    const LayerAccount& account = measured ? s_.measured : s_.modelled;
    int transfer = -1;
    for (int i = 0; i < static_cast<int>(w_.steps.size()); ++i) {
      if (is_collective(w_.steps[static_cast<size_t>(i)]) && transfer != s_.chosen) transfer = i;
    }
    if (transfer < 0) return;
    const Step& step = w_.steps[static_cast<size_t>(transfer)];
    double product = 0, whole = 0;
    for (const Bar& bar : account.bars) {
      const int result = w_.steps[static_cast<size_t>(bar.step)].c;
      if (result == step.a) product = std::max(product, bar.end_us);
      if (bar.step == transfer) whole = std::max(whole, bar.end_us);
    }
    const std::string words = wording("{} is whole {}{} after its last product",
                                      w_.matrices[static_cast<size_t>(step.c)].name,
                                      measured ? "" : "~", model::time_text(whole - product));
    if (from + 16 + b_.width(words, 11) > plot_.right()) return;
    b_.text(plot_.right(), plot_.bottom() + kPassLine / 2, words,
            {p_.dim, 11, Weight::regular, Align::right});
  }

  SceneBuilder& b_;
  const Palette& p_;
  const LayerTimelineState& s_;
  const Workload& w_;
  Box box_, plot_;
  double end_ = 1;
  bool moves_ = false;
  float lane_ = 0, transfers_ = 0;
  int shown_ = 0;
};

void legend(SceneBuilder& b, const LayerTimelineState& s, Box box) {
  const Palette& p = b.palette();
  float x = box.x;
  const float y = box.y + kLaneLegend / 2 - 2;
  if (!s.measured.bars.empty()) {
    b.rect({x, y - 5, 18, 10}, p.dim, {}, 1);
    x += 24 + b.text(x + 24, y, wording("measured{}", s.day), {p.dim, 11}) + 14;
  }
  b.dashed({x, y - 5, 18, 10}, p.dim);
  b.text(x + 24, y, "modelled", {p.dim, 11});
}

}  // namespace

bool LayerAccount::operator==(const LayerAccount& o) const {
  const auto same = [](const Bar& a, const Bar& b) {
    return a.step == b.step && a.chunk == b.chunk && a.rank == b.rank && a.begin_us == b.begin_us &&
           a.end_us == b.end_us;
  };
  return forward_us == o.forward_us && total_us == o.total_us &&
         std::equal(bars.begin(), bars.end(), o.bars.begin(), o.bars.end(), same);
}

Scene build_layer_timeline(const LayerTimelineState& s, const Palette& palette,
                           const TextMeasure& measure, Size size) {
  SceneBuilder b(size, palette, measure);
  const Workload w = make_workload(s.layer);
  Box box{kLaneMargin, kLaneMargin, size.w - 2 * kLaneMargin, size.h - 2 * kLaneMargin};
  if (s.legend) legend(b, s, box), box.y += kLaneLegend, box.h -= kLaneLegend;
  if (!s.stale.empty()) {
    b.text(box.x, box.y + 6, s.stale, {palette.dim, 11, Weight::regular, Align::left, box.w});
    box.y += 15, box.h -= 15;
    b.set_opacity(0.4f);
  }
  Lanes(b, s, w, box).draw();
  return b.finish();
}

}  // namespace tilescope::viz
