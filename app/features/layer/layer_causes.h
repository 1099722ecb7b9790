// Why something in a layer's schedule begins when it does, in words.
#pragma once
#include <string>

#include "app/state/app_state.h"
#include "core/workload/schedule.h"

namespace tilescope {

/// "part of dX 2": what is made, and which chunk of it where there are several.
std::string chunk_name(const workload::Workload& w, workload::ChunkOf what);
/// What a bar of a schedule waited for, in one or two sentences.
std::string cause_words(const workload::Workload& w, const workload::Bar& bar);
/// The same of the chosen layer, by the model's schedule; empty: it has none. `rank`: −1 of a
/// transfer.
std::string begin_words(const AppState& state, workload::ChunkOf what, int rank);

}  // namespace tilescope
