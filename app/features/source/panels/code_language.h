// How the lines of Source are coloured where they are no C++.
#pragma once
#include <ImGuiColorTextEdit/TextEditor.h>

namespace tilescope::widgets {

const TextEditor::Language* ptx_language();
const TextEditor::Language* sass_language();

}  // namespace tilescope::widgets
