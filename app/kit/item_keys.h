// The keyboard for controls that we draw ourselves: the one that has the focus gets a key before
// the shortcuts of commands do.
#pragma once

namespace tilescope::widgets {

struct ItemKeys {
  int step = 0;  // arrows: right and up +1, left and down −1
  bool enter = false;
};
/// What was pressed for the last item, if it has the focus. Tab goes on to the next item that takes
/// keys or text, with Shift to the one before.
ItemKeys item_keys();

/// Whether a key was pressed for the last item, which keeps it from frame to frame: an arrow would
/// move the focus instead. Of an item that has the focus by keyboard.
bool take_key(int imgui_key);

/// What has the focus is framed: somebody goes by the keyboard alone.
bool by_keyboard();

/// True if a person has given the last item the focus, by a click or a key. ImGui also gives it to
/// the first item of each window that appears; such an item must not take keys from the shortcuts.
bool has_keys();
/// Gives an item of the present window the focus, as a click would.
void give_keys(unsigned int item);

}  // namespace tilescope::widgets
