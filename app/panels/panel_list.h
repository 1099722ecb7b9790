// One line a panel, in the order of tabs that share a dock: TILESCOPE_PANEL(NAME) means that a .cpp
// of this folder defines `extern const Panel NAME_panel{…}` (app/panel.h).
// Included more than once on purpose, with TILESCOPE_PANEL meaning something else each time.
TILESCOPE_PANEL(controls)
TILESCOPE_PANEL(tiling)
TILESCOPE_PANEL(timeline)
TILESCOPE_PANEL(fragment)
TILESCOPE_PANEL(source)
TILESCOPE_PANEL(benchmark)
TILESCOPE_PANEL(traffic)
TILESCOPE_PANEL(l2)
TILESCOPE_PANEL(occupancy)
TILESCOPE_PANEL(ladder)
TILESCOPE_PANEL(landscape)
TILESCOPE_PANEL(notes)
