// What the panels of stepping share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/features/step/step_view.h"
#include "app/panel.h"

namespace tilescope::widgets {

/// The present place; where there is none, says so in the panel and returns null. The panel is in
/// view: it is asked for.
const worker::StepAnswer* step_answer_or_why(AppContext& context);

/// A cell that nothing is to be read from: diagonal strokes.
void hatch(ImDrawList* draw, ImVec2 from, ImVec2 to, ImU32 color);

/// Of a popup: motions that end where some value is written or read. `place`: as motions name it,
/// "s+128:4", "%f12.3"; `words`: as a person does.
void until_items(AppContext& context, const char* kind, const std::string& place,
                 const std::string& words);

/// Of a popup: the way back to where the elements that a value was made of were read.
void origin_items(AppContext& context, const std::optional<worker::OriginQuestion>& question);

}  // namespace tilescope::widgets

namespace tilescope {

/// Source's slots.
void draw_step_bar(AppContext& context);
void draw_breakpoint(AppContext& context, CodeText text, int line, ImVec2 at, ImVec2 size);
void click_breakpoint(AppContext& context, CodeText text, int line);

std::vector<Command> step_commands();

}  // namespace tilescope
