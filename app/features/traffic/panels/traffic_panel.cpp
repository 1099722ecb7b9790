// Memory traffic: bytes at each level, modelled beside counted beside measured, and the roofline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/features/traffic/counting.h"
#include "app/features/traffic/launch_counter.h"
#include "app/features/traffic/panels/access_table.h"
#include "app/features/traffic/panels/answered_traffic.h"
#include "app/features/traffic/panels/time_parts.h"
#include "app/features/traffic/panels/traffic_table.h"
#include "app/features/traffic/roofline_picture.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/card_counters.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "app/state/json_take.h"
#include "app/state/present.h"
#include "app/state/second.h"
#include "core/language/language.h"
#include "core/model/device_table.h"
#include "core/model/format.h"
#include "core/model/formulas.h"
#include "viz/scene/roofline_scene.h"

namespace tilescope {
namespace {

using namespace widgets;
using model::Count;

/// Of this panel alone, and saved by it.
struct Options {
  int tab = 0;             // Tab; the roofline where there is no room for it beside them
  std::string row = "l2";  // whose formulas are shown
};
Options& options() {
  static Options o;
  return o;
}

/// What stands left of the roofline, or above it.
enum Tab { kLevels, kAccesses, kTime, kRoofline };
constexpr const char* kTabs[] = {"levels", "accesses", "time", "roofline"};
constexpr std::span<const char* const> kBeside(kTabs, kRoofline);

struct View {
  bool roofline_beside = true;  // as drawn last: it has a place of its own
  SceneCache<viz::RooflineState> roofline{&viz::build_roofline};
  // Formulas are kept under all that they follow from.
  struct Key {
    KernelPlan plan;
    Problem problem;
    uint64_t device = 0;  // AppState::device_serial
    Count count = Count::bytes;
    model::CompiledFacts compiled;
    std::optional<double> dram_read;  // as simulated
    uint64_t language = 0;            // language_changes()
    bool operator==(const Key&) const = default;
  };
  std::optional<Key> key;
  std::vector<model::Formula> formulas;
};
View& view() {
  static View v;
  return v;
}

Count count_of(const AppState& state) {
  return state.view.count_elements ? Count::elements : Count::bytes;
}

const std::vector<model::Formula>& formulas_of(const AppState& state) {
  View& v = view();
  const Derived& d = state.derived;
  View::Key key{d.plan,     state.edit.problem,        state.device_serial, count_of(state),
                d.compiled, expected_dram_read(state), language_changes()};
  if (v.key == key) return v.formulas;
  v.formulas =
      model::traffic_formulas(model::analyse(d.plan, state.edit.problem, d.launch, state.gpu,
                                             d.traffic, key.compiled, key.dram_read),
                              key.count);
  v.key = key;
  return v.formulas;
}

/// What the emulator counted of a formula's value; the table has the bytes, here are the
/// wavefronts.
std::optional<uint64_t> counted_wavefronts(const AppState& state, std::string_view key) {
  const Results& r = present_results(state);
  if (!r.emulated) return {};
  const worker::CountedTraffic& c = r.emulated->counted;
  if (key == "shared.read.wavefronts") return c.shared_load.wavefronts;
  if (key == "shared.write.wavefronts") return c.shared_store.wavefronts;
  if (key == "shared.write.copy_wavefronts") return c.shared_copy.wavefronts;
  return {};
}

/// What the card's counters say of it, in words; empty where nobody asked it.
std::string measured_wavefronts(const AppState& state, std::string_view key) {
  const worker::CountersResult* counters = counters_of(state);
  if (!counters) return {};
  const worker::MeasuredTraffic measured = worker::measured_traffic(counters->values);
  // Of loads that ptxas joins a card has no others.
  const bool joined = state.derived.traffic.counts.joins_shared_loads();
  const std::string_view loads =
      joined ? "shared.read.joined_wavefronts" : "shared.read.wavefronts";
  std::optional<double> figure;
  if (key == loads) {
    figure = measured.shared_load_wavefronts;
  } else if (key == "shared.write.wavefronts") {
    figure = measured.shared_store_wavefronts;
  } else if (key == "shared.write.copy_wavefronts") {
    figure = measured.shared_copy_wavefronts;
  } else {
    return {};
  }
  return wording("{} {}", counters->standing == "recorded" ? "recorded" : "measured",
                 figure ? model::grouped(std::llround(*figure)) : "–");
}

/// The formulas behind the chosen row, with the present numbers put in.
void formulas(AppContext& context, const AppState& state) {
  if (!state.of<Counting>().error.empty()) {
    error_box(context, "counting", state.of<Counting>().error, state.of<Counting>().error_details);
  }
  if (const worker::CountersResult* counters = counters_of(state)) {
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    elided(context, counters_source(state, *counters), Tone::dim);
    ImGui::PopFont();
  }
  if (!state.derived.legal()) {
    elided(context, "The formulas' numbers come back with a legal tile.", Tone::dim);
    return;
  }
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  ImGui::PushTextWrapPos(0);
  for (const model::Formula& f : formulas_of(state)) {
    if (!f.key.starts_with(options().row)) continue;
    ImGui::TextUnformatted(wording("{} = {}", f.title.c_str(), f.symbols).c_str());
    ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
    ImGui::TextUnformatted(wording("= {} = {}{} {}", f.numbers, f.exact ? "" : "~",
                                   model::grouped(std::llround(f.value)), f.unit.c_str())
                               .c_str());
    if (const auto counted = counted_wavefronts(state, f.key)) {
      ImGui::TextUnformatted(
          wording("counted {}", model::grouped(static_cast<long long>(*counted))).c_str());
    }
    if (const std::string measured = measured_wavefronts(state, f.key); !measured.empty()) {
      ImGui::TextUnformatted(measured.c_str());
    }
    ImGui::PopStyleColor();
  }
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

/// Lines and formulas. In a low panel each scrolls by itself, so that the header stays.
void levels(AppContext& context, const AppState& state, bool whole = false) {
  static float table_height = 0, formula_height = 0;  // as they were drawn last
  const Count count = count_of(state);
  const float room = ImGui::GetContentRegionAvail().y, gap = ImGui::GetStyle().ItemSpacing.y;
  const bool low = !whole && table_height + gap + formula_height > room;
  const float below = std::min(formula_height, std::floor(room * 0.35f));
  const float height = low ? std::max(80 * context.scale, room - below - gap) : 0;
  TrafficHeads heads;
  heads.accesses = ImGui::GetContentRegionAvail().x >= kRoomForAccesses * context.scale;
  if (const worker::CountersResult* counters = counters_of(state)) {
    heads.measured = counters->standing == "recorded" ? "recorded" : "measured";
    heads.source = counters_source(state, *counters);
  }
  std::vector<TrafficRow> rows = traffic_rows(state, count);
  if (heads.accesses && state.derived.legal()) put_accesses(rows, access_rows(state));
  const AppState* b = second_of(state);
  std::vector<TrafficRow> second;
  if (b && !b->edit.own() && b->derived.legal() && state.derived.legal()) {
    second = traffic_rows(*b, count);
    heads.second = &second;
  }
  table_height =
      traffic_table(context, rows, flops(state.edit.problem), count, heads, &options().row, height);
  if (low) ImGui::BeginChild("##formulas", {0, 0});
  const float top = ImGui::GetCursorPosY();
  formulas(context, state);
  formula_height = ImGui::GetCursorPosY() - top;
  if (low) ImGui::EndChild();
}

/// What a point stands for: its level, and the speed that was measured or modelled.
std::string point_words(const viz::RooflineState& s, const viz::Pick& pick) {
  if (pick.value < 0 || pick.value >= static_cast<int>(s.levels.size())) return {};
  const viz::RooflineLevel& level = s.levels[static_cast<size_t>(pick.value)];
  std::string text =
      wording("{}: {} FLOP/{}", level.name, model::four_digits(level.intensity), s.unit);
  const auto line = [&](const std::string& name, double flop) {
    text += fmt::format("\n{}: {}", translated(name), model::rate_text(flop / 1e12));
  };
  if (s.achieved) line(s.achieved_name, *s.achieved);
  if (s.modelled) line("modelled", *s.modelled);
  if (level.per_second > 0) {
    line("the roof here", std::min(s.peak_flops, level.intensity * level.per_second));
    const double reached = level.measured > 0 ? level.measured : level.per_second;
    const double peak = s.measured_peak > 0 ? s.measured_peak : s.peak_flops;
    if (level.measured > 0 || s.measured_peak > 0) {
      line("as measured alone", std::min(peak, level.intensity * reached));
    }
  }
  return text;
}

void roofline(AppContext& context, const AppState& state) {
  const viz::Size size = room_for_scene(context);
  const viz::RooflineState picture = roofline_picture(state);
  const SceneInput input =
      show_scene(context, "roofline_scene", view().roofline.get(context, size, picture));
  if (input.hovered && input.hovered->kind == viz::Pick::Kind::point) {
    tooltip(context, point_words(picture, *input.hovered));
  }
}

constexpr const char* kCount = "Count on card";
constexpr const char* kCopy = "Copy ncu command";

/// What is going on, and the way to end it.
HeaderItem counting_item(AppContext& context, const std::string& doing) {
  const float words = std::min(ImGui::CalcTextSize(doing.c_str()).x, 150 * context.scale);
  return {small_button_width("Stop") + 8 * context.scale + words, [&context, doing, words] {
            if (ImGui::SmallButton(tr_id("Stop##counting"))) stop_counting(*context.state);
            tooltip(context, "Ends the counting; the kernel is ended with it");
            ImGui::SameLine(0, 8 * context.scale);
            elided(context, doing, Tone::dim, words);
          }};
}

void draw_header(AppContext& context) {
  if (context.state->edit.own()) return;
  static constexpr const char* kWays[] = {"as in the notes", "in bytes"};
  const HeaderItem ways{
      segmented_width(context, kWays), [&context] {
        int way = context.state->view.count_elements ? 0 : 1;
        if (segmented(context, "count", kWays, &way)) context.state->view.count_elements = way == 0;
        tooltip(context,
                "The notes count elements of the operands and call them bytes; in bytes an element "
                "of each operand has its own size.");
      }};
  if (const std::string doing = counting_text(*context.state); !doing.empty()) {
    const HeaderItem items[] = {counting_item(context, doing), ways};
    return header_row(context, items);
  }
  const HeaderItem part{segmented_width(context, kBeside), [&context] {
                          int left = options().tab == kRoofline ? kLevels : options().tab;
                          if (segmented(context, "traffic_part", kBeside, &left)) {
                            options().tab = left;
                          }
                        }};
  std::vector<HeaderItem> items;
  if (view().roofline_beside) items.push_back(part);
  const HeaderItem others[] = {
      ways,
      {small_button_width(kCount),
       [&context] {
         const std::string why = why_no_counting(*context.state);
         ImGui::BeginDisabled(!why.empty());
         if (ImGui::SmallButton(tr_id(kCount))) context.commands.request("traffic.count");
         ImGui::EndDisabled();
         tooltip(context, why.empty() ? "One launch, not timed, by the card's own counters "
                                        "(through ncu); takes some seconds"
                                      : why);
       }},
      {small_button_width(kCopy), [&context] {
         if (ImGui::SmallButton(tr_id(kCopy))) context.commands.request("traffic.copy_ncu");
         tooltip(context, "A command line that counts this position, for any shell with ncu");
       }}};
  items.insert(items.end(), std::begin(others), std::end(others));
  header_row(context, items);
}

void count_on_card(AppContext& context) { ask_for_counters(*context.state); }
void copy_ncu(AppContext& context) {
  AppState& state = *context.state;
  if (!state.derived.kernel) return;
  ImGui::SetClipboardText(ncu_command(state).c_str());
  say(state, wording("Copied the ncu command of {}.", state.edit.rung().kernel));
}

std::vector<Command> commands() {
  return {{"traffic.count", "Count on the card (ncu)", "", "Device", count_on_card,
           [](AppContext& context) { return why_no_counting(*context.state).empty(); }},
          {"traffic.copy_ncu", "Copy ncu command", "", "Device", copy_ncu}};
}

/// A kernel without a plan: what was counted of it, and the bytes that its lanes asked for.
void draw_own(AppContext& context, const AppState& state) {
  const Results& r = present_results(state);
  if (!r.emulated) {
    empty_panel(context, "No traffic counted yet",
                "The emulator counts it once the kernel is run: Launch sheet.");
    return;
  }
  answered_traffic(context, false);
  const worker::CountedTraffic& c = r.emulated->counted;
  const auto bytes = [](uint64_t n) { return model::bytes_text(static_cast<double>(n)); };
  ImGui::PushTextWrapPos(0);
  ImGui::TextColored(
      tone_color(context, Tone::dim), "%s",
      wording("Counted by the emulator in {} CTAs. A kernel of your own has no plan, so nothing "
              "is modelled: not DRAM, L2, nor a roofline.",
              model::grouped(static_cast<long long>(c.ctas)))
          .c_str());
  ImGui::TextUnformatted(
      wording("Asked for: {} loaded from and {} stored to global memory; {} read from "
              "and {} written to shared memory.",
              bytes(c.global_load.bytes + c.bulk_load.bytes),
              bytes(c.global_store.bytes + c.bulk_store.bytes),
              bytes(c.shared_load.bytes + c.shared_product.bytes),
              bytes(c.shared_store.bytes + c.shared_copy.bytes))
          .c_str());
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  access_table(context);
}

void draw(AppContext& context) {
  const AppState& state = *context.state;
  if (state.edit.own()) return draw_own(context, state);
  if (!state.derived.kernel || state.derived.violation.rule == Rule::extent_range) {
    empty_panel(context, "No traffic to count", state.derived.sentence);
    return;
  }
  const int tab = options().tab;
  answered_traffic(context, tab == kLevels || (tab == kRoofline && view().roofline_beside));
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = 10 * context.scale;
  const auto chosen = [&](bool whole) {
    if (options().tab == kAccesses) return access_table(context);
    if (options().tab == kTime) return time_parts(context);
    levels(context, state, whole);
  };
  view().roofline_beside = room.y > 470 * context.scale || room.x > 560 * context.scale;
  if (room.y > 470 * context.scale) {  // tall: one below the other
    ImGui::BeginChild("##levels", {0, 0}, ImGuiChildFlags_AutoResizeY);
    chosen(true);
    ImGui::EndChild();
    roofline(context, state);
    return;
  }
  if (room.x > 560 * context.scale) {  // wide: side by side
    // Beside a table with all its columns the plot is as wide as is left.
    const float s = context.scale, most = std::max(240 * s, room.x - (kRoomForAccesses + 70) * s);
    const float plot = std::min({most, 420 * s, room.x * 0.36f});
    ImGui::BeginChild("##levels", {room.x - plot - gap, 0});
    chosen(false);
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    ImGui::BeginChild("##roof", {plot, 0});
    roofline(context, state);
    ImGui::EndChild();
    return;
  }
  segmented(context, "traffic_tab", kTabs, &options().tab);
  if (options().tab == kRoofline) return roofline(context, state);
  chosen(false);
}

void save(const AppContext&, nlohmann::json& to) {
  to["tab"] = options().tab;
  to["row"] = options().row;
}
void load(AppContext&, const nlohmann::json& from) {
  take_choice(from, "tab", static_cast<int>(std::size(kTabs)), options().tab);
  take(from, "row", options().row);
}

constexpr Gesture kGestures[] = {
    {"click on a line", "shows the formulas behind it"},
};

}  // namespace

extern const Panel traffic_panel = {
    .id = "traffic",
    .title = "Memory traffic",
    .docks = {Dock::kBottomRight, Dock::kHidden, Dock::kBottomLeft, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
    .save = save,
    .load = load,
    .commands = commands,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
