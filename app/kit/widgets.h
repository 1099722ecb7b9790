// Small controls that several panels share, in the look of the theme. Each has an ImGui id, so the
// UI tests can reach it by name.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "app/panel.h"

namespace tilescope::widgets {

/// "KERNEL ────────── rung 11 of 14": the heading of a part of a panel.
void heading(const AppContext& context, const char* title, std::string_view right = {});

struct ValueSlider {
  const char* id;
  const char* label;
  std::span<const int> values;  // that are offered, ascending
  bool illegal = false;
  const char* tooltip = "";
};
/// A slider over a list of values. Drag, click; wheel; arrow keys while it has the focus;
/// Ctrl+click or Enter to type a number. True when `value` has changed; it may be one that is not
/// offered. `remark`: set to a sentence when what was typed is not offered.
bool value_slider(const AppContext& context, const ValueSlider& slider, int* value,
                  std::string* remark);
/// The same for values with names: one button for each.
bool choice_row(const AppContext& context, const ValueSlider& slider,
                std::span<const std::string> names, int* value);
/// ImGui id of the last value_slider, by which drags of different sliders are told apart.
int last_slider_id();
SliderTicks last_slider_ticks();

/// Buttons in one frame of which one is chosen; true when the choice changes. Those that are not
/// enabled say `why_not` on hover.
bool segmented(const AppContext& context, const char* id, std::span<const char* const> labels,
               int* chosen, float width = 0, unsigned enabled_mask = ~0u,
               std::string_view why_not = {});

/// What `segmented` takes where there is room for all labels.
float segmented_width(const AppContext& context, std::span<const char* const> labels);

struct Meter {
  const char* label;
  std::string value;   // right
  float fraction = 0;  // of the bar, above 1 = over the limit
  int cells = 0;       // > 1: the bar is cut in this many cells
  bool warning = false;
  const char* tooltip = nullptr;
  float hatched = 0;  // of the bar, beyond `fraction`: what is in no sum
};
void meter(const AppContext& context, const Meter& meter, bool one_line);

enum class Tone { plain, dim, ok, warning, accent };
ImVec4 tone_color(const AppContext& context, Tone tone);
/// Text in a rounded frame: "measured now", "recorded 2026-11-20 on H200".
void badge(const AppContext& context, std::string_view text, Tone tone,
           const char* tooltip = nullptr);

/// Text that shortens with "…" to `width` (0: what is left of the line) and shows all in a tooltip.
void elided(const AppContext& context, std::string_view text, Tone tone = Tone::plain,
            float width = 0);
/// One line: the longest of the texts that fits, else the last one shortened; all in a tooltip.
/// Given nothing it is an empty line, so that what is below stays where it is.
void note_line(const AppContext& context, std::span<const std::string> texts, Tone tone);
/// Draws a string shortened to a width; returns what was drawn.
std::string elide(std::string_view text, float width);

/// The state of a panel that has nothing to show: why, and a button that would change it (may be
/// null). Centred in what is left of the panel. True when the button was pressed.
bool empty_panel(const AppContext& context, const char* title, std::string_view why,
                 const char* button = nullptr, const char* second_button = nullptr,
                 bool* second_pressed = nullptr);

/// An error inside a panel: one sentence, Details, Copy.
void error_box(const AppContext& context, const char* id, std::string_view sentence,
               std::string_view details);

/// What the glossary says of a label, in the tooltip of the last item; nothing where it is no term.
void explain_hovered(const AppContext& context, std::string_view label);

/// Tooltip of the last item, in a box of readable width.
void tooltip(const AppContext& context, std::string_view text);

}  // namespace tilescope::widgets
