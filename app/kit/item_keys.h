// The keyboard for items of our own: whoever has the focus takes the keys before any shortcut.
#pragma once

namespace tilescope::widgets {

struct ItemKeys {
  int step = 0;  // arrows: right and up +1, left and down −1
  bool enter = false;
};
/// What was pressed for the last item, if it has the focus. Tab goes on to the next item that takes
/// keys or text, with Shift to the one before.
ItemKeys item_keys();

/// Has a person given the last item the focus, by a click or a key? ImGui gives it to the first
/// item of each window that appears, too; such a one takes no keys from the shortcuts.
bool has_keys();
/// Gives an item of the present window the focus, as a click would.
void give_keys(unsigned int item);

}  // namespace tilescope::widgets
