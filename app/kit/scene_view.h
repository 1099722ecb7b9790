// Shows a viz::Scene in a panel: its primitives through ImGui's draw list, its cell grids through
// viz/gl, its picks as hover and click.
#pragma once
#include <optional>
#include <string>

#include "app/panel.h"
#include "viz/scene/scene.h"

namespace tilescope::widgets {

/// Measures as the window draws.
class FontMeasure : public viz::TextMeasure {
 public:
  explicit FontMeasure(const AppContext& context) : context_(context) {}
  float width(std::string_view text, float size, viz::Weight weight) const override;

 private:
  const AppContext& context_;
};

/// The palette of scenes for the present theme.
const viz::Palette& palette_of(const AppContext& context);

struct SceneInput {
  std::optional<viz::Pick> hovered;  // under the pointer, if the panel is hovered
  viz::Point mouse;                  // in scene pixels
  bool clicked = false, double_clicked = false, dragging = false;
  float wheel = 0;
};

/// Draws at the cursor, as large as the scene. `id` names the item for tests and keyboard focus.
SceneInput show_scene(AppContext& context, const char* id, const viz::Scene& scene);

/// Before the tooltip of a thing in a picture is begun: it stands beside the thing that the
/// keyboard went to, else where ImGui puts it, at the mouse.
void place_picture_tooltip(const AppContext& context);

/// What an item showed last; nullptr: nothing yet. For tests, in the frame that follows.
const viz::Scene* shown_scene(const std::string& id);
/// Where its upper left corner was on the screen.
ImVec2 shown_at(const std::string& id);

/// What is left of the panel, in scene pixels; `least` where there is less, and the panel scrolls.
viz::Size room_for_scene(const AppContext& context, viz::Size least = {1, 1});

}  // namespace tilescope::widgets
