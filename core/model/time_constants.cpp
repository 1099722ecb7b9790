#include "core/model/time_constants.h"

namespace tilescope::model {
namespace {

using T = TimeConstants;
constexpr NamedConstant kNamed[] = {
    {"wait_norm", &T::wait_norm, 3},
    {"unit_norm", &T::unit_norm, 5},
    {"memory_norm", &T::memory_norm, 2},
    {"request", &T::request, 1.5},
    {"box_l2", &T::box_l2, 1},
    {"conflict", &T::conflict, 1},
    {"clash", &T::clash, 0.2},
    {"clash_fade", &T::clash_fade, 0.4},
    {"load", &T::load, 600},
    {"dram", &T::dram, 200},
    {"staged_each", &T::staged_each, 30},
    {"direct", &T::direct, 70},
    {"direct_dram", &T::direct_dram, 50},
    {"async_slice", &T::async_slice, 100},
    {"staged_slice", &T::staged_slice, 400},
    {"warp", &T::warp, 6},
    {"plain_step", &T::plain_step, 50},
    {"wmma_step", &T::wmma_step, 100},
    {"promotion", &T::promotion, 100},
    {"ahead_instruction", &T::ahead_instruction, 3},
    {"plain_instruction", &T::plain_instruction, 1},
    {"simt_instruction", &T::simt_instruction, 0.5},
    {"spill_wavefronts", &T::spill_wavefronts, 0.5},
    {"spill_wait", &T::spill_wait, 2},
    {"item", &T::item, 1500},
    {"sum", &T::sum, 5},
};
static_assert(sizeof(kNamed) / sizeof(kNamed[0]) * sizeof(double) == sizeof(TimeConstants));

}  // namespace

std::span<const NamedConstant> time_constants() { return kNamed; }

}  // namespace tilescope::model
