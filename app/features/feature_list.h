// One line per feature, in the order of tabs that share a dock: TILESCOPE_FEATURE(NAME) means a
// folder app/features/NAME with the rows NAME_feature and NAME_window (app/state/feature.h,
// app/panel.h). Included more than once on purpose, with TILESCOPE_FEATURE meaning something else
// each time.
TILESCOPE_FEATURE(tile)
TILESCOPE_FEATURE(own)
TILESCOPE_FEATURE(second_opinion)
TILESCOPE_FEATURE(tiling)
TILESCOPE_FEATURE(access)
TILESCOPE_FEATURE(timeline)
TILESCOPE_FEATURE(fragment)
TILESCOPE_FEATURE(source)
TILESCOPE_FEATURE(step)
TILESCOPE_FEATURE(output)
TILESCOPE_FEATURE(findings)
TILESCOPE_FEATURE(benchmark)
TILESCOPE_FEATURE(traffic)
TILESCOPE_FEATURE(l2)
TILESCOPE_FEATURE(occupancy)
TILESCOPE_FEATURE(tune)
TILESCOPE_FEATURE(compare)
TILESCOPE_FEATURE(layer)
TILESCOPE_FEATURE(notes)
TILESCOPE_FEATURE(documents)
