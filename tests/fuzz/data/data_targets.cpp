#include "data_target.h"

namespace tilescope::fuzz {
namespace {

constexpr DataTarget kTargets[] = {
    {"frames", 20000, read_frames, frame_seeds},
    {"messages", 20000, read_call, call_seeds},
    {"sheets", 8000, read_one_sheet, sheet_seeds},
    {"specs", 300, read_one_spec, spec_seeds},
    {"npy", 2000, read_npy, npy_seeds},
    {"lessons", 20000, read_lesson, lesson_seeds},
    {"sources", 20000, read_source, source_seeds},
    {"sass", 20000, read_sass, sass_seeds},
    {"counts", 8000, read_counts, count_seeds},
    {"recordings", 8000, read_result_line, result_seeds},
    {"layers", 20000, read_layer_line, layer_seeds},
    {"proofs", 4000, read_proof_line, proof_seeds},
    {"databases", 120000, read_database, database_seeds},
    {"states", 20000, read_state, state_seeds},
    {"links", 20000, read_link, link_seeds},
    {"cards", 8000, read_cards, card_seeds},
};

}  // namespace

std::span<const DataTarget> data_targets() { return kTargets; }

}  // namespace tilescope::fuzz
