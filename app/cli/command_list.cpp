#include "app/cli/command.h"

namespace tilescope::cli {
namespace {

constexpr CommandRow kCommands[] = {
    {"doctor", "what is there, what is missing, and the fix", make_doctor},
    {"kernels", "the ladder of kernels and their sliders", make_kernels},
    {"model", "bytes per level, occupancy, waves and time of a tile, with formulas", make_model},
    {"fragments", "which lane holds which element of an instruction's operands", make_fragments},
    {"swizzle", "where the 16-byte chunks of shared-memory rows go", make_swizzle},
    {"banks", "wavefronts of one access to shared memory", make_banks},
    {"emulate", "runs a kernel of the ladder, or any PTX file, on the CPU", make_emulate},
    {"trace", "the events of one CTA, in PTX order", make_trace},
    {"bench", "verifies a kernel, then measures it", make_bench},
    {"sweep", "bench over every combination of slider values", make_sweep},
    {"layer", "the GEMMs of a layer, split over ranks: modelled, run, verified", make_layer},
    {"launch", "runs a kernel once on a card: what a profiler is put around", make_launch},
    {"export", "writes a kernel as one .cu with launcher, verification and timing", make_export},
    {"render", "draws a panel into a file", make_render},
    {"worker", "the process that the window starts", make_worker},
};

}  // namespace

std::span<const CommandRow> command_list() { return kCommands; }

}  // namespace tilescope::cli
