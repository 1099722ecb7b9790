// One line a panel: X(NAME) means that app/panels/NAME*.cpp defines `const Panel NAME_panel`.
#pragma once

#define TILESCOPE_PANELS(X) \
  X(welcome)
