// What a panel is, and what it may touch; and what a feature gives the window
// (docs/add_a_panel.md).
#pragma once
#include <imgui.h>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/theme.h"
#include "app/window_command.h"
#include "core/layout/tile_config.h"

namespace tilescope {

class AppModel;             // app/app_model.h: what the shell asks of the state
struct AppState;            // app/state/: problem, kernel, tile, selection, playhead
enum class CodeText : int;  // app/state/code_link.h

inline ImU32 to_imgui(Color c) { return IM_COL32(c.r, c.g, c.b, c.a); }
inline ImVec4 to_vec4(Color c) { return ImGui::ColorConvertU32ToFloat4(to_imgui(c)); }

/// Sizes are pixels at scale 1; ImGui scales them: `ImGui::PushFont(fonts.mono, Fonts::kCaption)`.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  ImFont* mono = nullptr;  // numbers and code
  ImFont* mono_bold = nullptr;
  static constexpr float kText = 13, kLabel = 12, kCaption = 11, kFigure = 46;
};

/// Everything a panel's functions get. Panels read state and results and ask for edits; they
/// compute no layout facts and keep no copy of the state.
struct AppContext {
  AppModel& model;
  AppState* state = nullptr;  // read only; set by the model, never null in a panel that needs it
  CommandTable& commands;
  const Theme* theme = &kDarkTheme;  // never null; changes when the person changes it
  Fonts fonts = {};
  float scale = 1;         // of sizes in pixels: `8 * context.scale`
  bool rendering = false;  // headless: no animation, no blinking, no hover
  bool still = false;      // nothing moves by itself: what would glide is there at once
};

/// Where a panel is at home in a layout. kHidden: not shown until asked for.
enum class Dock {
  kHidden,
  kLeft,
  kLeftBottom,
  kCenter,
  kCenterBottom,
  kRightTop,
  kRightBottom,
  kBottomLeft,
  kBottomRight
};

/// A home in each layout; see app/shell/layouts.cpp for where these are.
struct Docks {
  Dock explore = Dock::kHidden, learn = Dock::kHidden, tune = Dock::kHidden,
       fragment = Dock::kHidden, layer = Dock::kHidden, step = Dock::kHidden,
       compare = Dock::kHidden;
};

/// What the mouse does in a panel, for the list of F1.
struct Gesture {
  const char* hand;    // "wheel"
  const char* effect;  // "one level into what is under the pointer, or out"
};

struct Panel {
  const char* id;     // "tiling": session files, --panel, commands
  const char* title;  // "Tiling": its tab
  Docks docks;
  void (*draw)(AppContext&);
  // All below may be null.
  void (*draw_header)(AppContext&) = nullptr;                  // small widgets right of the tabs
  void (*save)(const AppContext&, nlohmann::json&) = nullptr;  // own options, into an object
  void (*load)(AppContext&, const nlohmann::json&) = nullptr;  // must bear any object
  std::vector<Command> (*commands)() = nullptr;
  ImGuiWindowFlags window_flags = 0;
  std::span<const Gesture> gestures = {};
  /// It is drawn whatever the subject is, a kernel of one's own too. Else the shell says in its
  /// place that there is no plan to draw it from.
  bool without_plan = false;
};

/// Where the first and the last value of the last value_slider stand, in screen pixels.
struct SliderTicks {
  float left = 0, right = 0;
};

/// Places in panels where other features put something of theirs.
struct Slots {
  void (*preset_rows)(AppContext&) = nullptr;  // Controls: in its list of presets
  void (*under_times)(AppContext&) = nullptr;  // Memory traffic: below where the time goes
  /// Controls: a right click on a tile parameter's slider, and what stands below it then.
  void (*slider_clicked)(AppContext&, TileFieldId) = nullptr;
  void (*under_slider)(AppContext&, TileFieldId, SliderTicks) = nullptr;
  void (*above_source)(AppContext&) = nullptr;  // Source: over its text
  /// Lesson: in place of what it shows; false: nothing is to be. And below its list.
  bool (*instead_of_lessons)(AppContext&) = nullptr;
  void (*under_lessons)(AppContext&) = nullptr;
  /// Source: in the margin of a line of a text, and what a click there does.
  void (*source_margin)(AppContext&, CodeText, int line, ImVec2 at, ImVec2 size) = nullptr;
  void (*source_margin_clicked)(AppContext&, CodeText, int line) = nullptr;
};

/// A feature's row with the window: `extern const FeatureWindow NAME_window`.
struct FeatureWindow {
  std::span<const Panel* const> panels = {};
  Slots slots = {};
};

/// In the order of app/features/feature_list.h, which is the order of tabs that share a dock.
std::span<const FeatureWindow* const> feature_windows();
/// One more than theirs, before the window opens: for panels kept elsewhere.
void add_panel(const Panel& panel);
const std::vector<const Panel*>& all_panels();
const Panel* find_panel(const std::string& id);

}  // namespace tilescope
