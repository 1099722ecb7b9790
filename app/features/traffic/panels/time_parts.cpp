#include "app/features/traffic/panels/time_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/features/traffic/why.h"
#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

using model::Prediction;
using model::TimePart;

struct Look {
  TimePart part;
  Color Theme::*color;
  const char* tip;
};
constexpr Look kLooks[] = {
    {TimePart::work, &Theme::mma,
     "What the busiest unit of the SMs has to do, if every SM had as much of it and it never "
     "waited"},
    {TimePart::clash, &Theme::load,
     "Loads from shared memory and arithmetic take turns where a warp has nothing loaded ahead and "
     "few other warps are there to fill the gap"},
    {TimePart::latency, &Theme::copy,
     "Waiting for memory, barriers and first fragments that other warps, CTAs and stages do not "
     "hide"},
    {TimePart::idle, &Theme::faint,
     "SMs with less to do than the one with most: the last wave, and grids that do not fill the "
     "card"},
    {TimePart::sums, &Theme::store, "Prologue, storing C, and sums of tiles that CTAs share"},
    {TimePart::memory, &Theme::b,
     "More, as L2 or DRAM deliver their bytes more slowly than the SMs would take them"},
    {TimePart::launch, &Theme::dim, "What an empty kernel takes"},
    {TimePart::pass, &Theme::ok, "The pass before the kernel that packs operands"},
};
static_assert(std::size(kLooks) == model::kTimeParts);

const char* name_in(const Prediction& p, TimePart part) {
  return part == TimePart::work ? p.busiest : model::name_of(part);
}

/// Parts side by side; `whole`: µs of the full width.
void bar(const AppContext& context, const Prediction& p, double whole, float height) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  float x = at.x;
  const float mouse = ImGui::GetMousePos().x;
  ImGui::Dummy({width, height});
  const bool hovered = ImGui::IsItemHovered();
  for (const Look& look : kLooks) {
    const float part = static_cast<float>(p.part(look.part) / whole) * width;
    if (part <= 0) continue;
    draw->AddRectFilled({x, at.y}, {x + part, at.y + height}, to_imgui(context.theme->*look.color));
    if (part > 3 * context.scale) {
      draw->AddLine({x + part, at.y}, {x + part, at.y + height}, to_imgui(context.theme->panel));
    }
    if (hovered && mouse >= x && mouse < x + part) {
      tooltip(context, wording("{}: ~{}\n{}", name_in(p, look.part),
                               model::time_text(p.part(look.part)), look.tip));
    }
    x += part;
  }
}

std::string difference_text(double us) {
  if (std::abs(us) < 0.05) return "–";
  return fmt::format("{}{}", us > 0 ? "+" : "−", model::time_text(std::abs(us)));
}

void right_aligned(const AppContext& context, const std::string& text, Tone tone) {
  right_text(context, text, tone_color(context, tone));
}

/// What clocks say of the whole, below what the model says of it.
void timed_row(const AppContext& context, const WhyTime& why) {
  const std::optional<HistoryPoint> that = why.reference ? why.reference->timed : std::nullopt;
  const std::optional<HistoryPoint>& named = why.timed ? why.timed : that;
  if (!named || !named->time_us) return;
  const auto us = [](const std::optional<HistoryPoint>& p) {
    return p ? p->time_us : std::optional<double>();
  };
  const auto words = [](const char* which, const HistoryPoint& p) {
    return wording("{}: {} {}{}", which, name_of(p.standing), p.date,
                   p.older_kernel ? ", with an older kernel" : "");
  };
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool alike = !why.timed || !that || why.timed->standing == that->standing;
  elided(context, alike ? name_of(named->standing) : "measured, recorded");
  std::string tip = tr("What a clock says of all of it, with nothing of the matrices in the L2.");
  if (why.timed) tip += "\n" + words("this", *why.timed);
  if (that) tip += "\n" + words("that", *that);
  tooltip(context, tip);
  const auto figure = [&](const std::optional<double>& value) {
    ImGui::TableNextColumn();
    right_aligned(context, value ? model::time_text(*value) : "–", value ? Tone::plain : Tone::dim);
  };
  figure(us(why.timed));
  if (!why.reference) return;
  figure(us(that));
  ImGui::TableNextColumn();
  const auto here = us(why.timed), there = us(that);
  if (!here || !there) return right_aligned(context, "–", Tone::dim);
  const double more = *here - *there;
  right_aligned(context, difference_text(more),
                std::abs(more) < 0.05 ? Tone::dim
                : more > 0            ? Tone::warning
                                      : Tone::ok);
}

void table(const AppContext& context, const WhyTime& why) {
  const int columns = why.reference ? 4 : 2;
  if (!ImGui::BeginTable("time", columns,
                         ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX)) {
    return;
  }
  for (int i = 0; i < columns; ++i) ImGui::TableSetupColumn("", 0, i == 0 ? 1.7f : 1.0f);
  if (why.reference) {
    ImGui::TableNextRow();
    for (const char* head : {"", "this", "that", "difference"}) {
      ImGui::TableNextColumn();
      right_aligned(context, head, Tone::dim);
    }
  }
  for (const Look& look : kLooks) {
    const double now = why.now.part(look.part);
    const double then = why.reference ? why.reference->prediction.part(look.part) : 0;
    if (std::max(now, then) < 0.002 * why.now.us) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    swatch(context, context.theme->*look.color);
    std::string name = name_in(why.now, look.part);
    if (why.reference && look.part == TimePart::work &&
        std::string(why.reference->prediction.busiest) != why.now.busiest) {
      name = wording("{} / {}", why.now.busiest, why.reference->prediction.busiest);
    }
    elided(context, name);
    tooltip(context, look.tip);
    ImGui::TableNextColumn();
    right_aligned(context, "~" + model::time_text(now), Tone::plain);
    if (!why.reference) continue;
    ImGui::TableNextColumn();
    right_aligned(context, "~" + model::time_text(then), Tone::dim);
    ImGui::TableNextColumn();
    const double more = now - then;
    right_aligned(context, difference_text(more),
                  std::abs(more) < 0.05 ? Tone::dim
                  : more > 0            ? Tone::warning
                                        : Tone::ok);
  }
  if (why.reference) {
    ImGui::TableNextRow();
    const double then = why.reference->prediction.us;
    ImGui::TableNextColumn();
    elided(context, "all of it");
    ImGui::TableNextColumn();
    right_aligned(context, "~" + model::time_text(why.now.us), Tone::plain);
    ImGui::TableNextColumn();
    right_aligned(context, "~" + model::time_text(then), Tone::dim);
    ImGui::TableNextColumn();
    right_aligned(context, difference_text(why.now.us - then), Tone::plain);
  }
  timed_row(context, why);
  ImGui::EndTable();
}

/// What the last frame found out, kept while nothing that it follows from has changed.
struct Kept {
  uint64_t edit = 0, device = 0;
  std::string with;  // what it is compared with, and that one's tile
  std::optional<Edit> with_edit;
  double us = 0;  // of the prediction, which is refined as more is known
  std::optional<double> timed_us, with_timed_us;
  uint64_t known = 0;  // KnownResults::serial
  WhyTime why;
  std::string turning;
  bool disagree = false;  // `turning` says that model and card do
  BetterTiles better{.tiles = {}, .refuted = {}, .fastest = {}, .complete = false};

  bool is_of(const AppState& state) const {
    const ComparedTile now = compared_tile(state);
    const bool same = now.edit ? with_edit && same_request(*with_edit, *now.edit) : !with_edit;
    return edit == state.edit_serial && device == state.device_serial && with == now.name && same &&
           us == state.derived.prediction.us && known == state.known.serial &&
           timed_us == timed(state, &state.edit) && with_timed_us == timed(state, now.edit);
  }
  static std::optional<double> timed(const AppState& state, const Edit* edit) {
    const auto point = edit ? timed_point(state, *edit) : std::optional<HistoryPoint>();
    return point ? point->time_us : std::nullopt;
  }
};

const Kept& kept(const AppState& state) {
  constexpr size_t kMostTiles = 4;
  static Kept k;
  const bool same = k.is_of(state);
  if (!same) {
    const ComparedTile with = compared_tile(state);
    k = {};
    k.edit = state.edit_serial, k.device = state.device_serial;
    k.with = with.name;
    if (with.edit) k.with_edit = *with.edit;
    k.us = state.derived.prediction.us;
    k.known = state.known.serial;
    k.timed_us = Kept::timed(state, &state.edit), k.with_timed_us = Kept::timed(state, with.edit);
    k.why = why_time(state);
    k.turning = disagreement_words(k.why);
    k.disagree = !k.turning.empty();
    // Of two that the clock puts the other way round it makes no sense to ask what would turn them.
    if (!k.disagree) k.turning = turning_words(state, k.why);
  }
  if (!k.better.complete) k.better = better_tiles(state, kMostTiles);
  return k;
}

/// Buttons that set the sliders, behind a caption; as many a line as fit.
void tile_buttons(AppContext& context, const char* caption, std::span<const BetterTile> tiles) {
  if (tiles.empty()) return;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, caption, Tone::dim);
  ImGui::PopFont();
  for (const BetterTile& tile : tiles) {
    const bool timed = is_timed(tile.standing);
    const std::string text = fmt::format("{}  {}{:+.{}f} %###{}", tile.label, timed ? "" : "~",
                                         100 * tile.gain, timed ? 1 : 0, tile.label);
    const float width =
        ImGui::CalcTextSize(text.c_str(), nullptr, true).x + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SameLine(0, 6 * context.scale);
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    if (ImGui::SmallButton(text.c_str())) set_tile(*context.state, tile.tile);
    std::string tip = timed ? wording("{} {}", name_of(tile.standing), tile.date)
                            : tr("By the model; registers and spills are known after the compile");
    if (timed && tile.modelled_gain) {
      tip += wording("; the model expects ~{:+.0f} %", 100 * *tile.modelled_gain);
    }
    tooltip(context, wording("{}\nSets the sliders", tip));
  }
}

void better(AppContext& context, const BetterTiles& found) {
  const auto modelled = std::ranges::find_if(
      found.tiles, [](const BetterTile& tile) { return !is_timed(tile.standing); });
  const std::span<const BetterTile> all(found.tiles);
  const auto timed = static_cast<size_t>(modelled - found.tiles.begin());
  tile_buttons(context, "One notch away, faster as timed:", all.first(timed));
  tile_buttons(context, "One notch away, faster by the model:", all.subspan(timed));
  if (found.tiles.empty() || !found.complete) {
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    elided(context,
           !found.complete ? "…"
           : found.fastest ? "No tile one notch away is faster."
                           : "No neighbouring tile is faster, by the model or as far as timed.",
           Tone::dim);
    ImGui::PopFont();
  }
  if (found.fastest) tile_buttons(context, "The fastest that was timed:", {&*found.fastest, 1});
  tile_buttons(context, "Faster by the model, slower as timed:", found.refuted);
}

}  // namespace

void time_parts(AppContext& context) {
  if (!context.state->derived.legal()) {
    return elided(context, "The model's time comes back with a legal tile.", Tone::dim);
  }
  const Kept& k = kept(*context.state);
  const WhyTime& why = k.why;
  const Prediction& shown = context.state->derived.prediction;
  const std::string remark = shown.remark();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, wording("~{}, likely {} to {}, bound by {}{}{}", model::time_text(shown.us),
                          model::time_text(shown.low_us), model::time_text(shown.high_us),
                          shown.bound, remark.empty() ? "" : "; ", remark));
  tooltip(context,
          "By the model, with the L2 empty before the launch. Of five measured launches four were "
          "between these (docs/performance.md, \"The time model\").");
  ImGui::PopFont();
  const double whole =
      std::max(why.now.us, why.reference ? why.reference->prediction.us : why.now.us);
  bar(context, why.now, whole, 14 * context.scale);
  if (why.reference) {
    bar(context, why.reference->prediction, whole, 8 * context.scale);
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    elided(context, why.reference->name, Tone::dim);
    tooltip(
        context,
        "The shorter bar: the last pinned tile of this problem, else the tile before. Both from "
        "the plan alone, without what the compiler said.");
    ImGui::PopFont();
  }
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  table(context, why);
  ImGui::PopFont();
  if (!k.turning.empty()) {
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    ImGui::PushStyleColor(ImGuiCol_Text,
                          to_vec4(k.disagree ? context.theme->warning : context.theme->dim));
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(k.turning.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::PopFont();
    tooltip(context,
            k.disagree
                ? "How far the model is from cards: docs/performance.md, \"The time model\""
                : "The model, with one thing of the card changed at a time, up to eight times as "
                  "much or as little; DRAM at best, registers as before the compile");
  }
  better(context, k.better);
  for (const FeatureWindow* window : feature_windows()) {
    if (window->slots.under_times) window->slots.under_times(context);
  }
}

}  // namespace tilescope::widgets
