#include "core/model/time_constants.h"

namespace tilescope::model {
namespace {

using T = TimeConstants;
constexpr NamedConstant kNamed[] = {
    {"wait_norm", &T::wait_norm},
    {"unit_norm", &T::unit_norm},
    {"memory_norm", &T::memory_norm},
    {"request", &T::request},
    {"conflict", &T::conflict},
    {"clash", &T::clash},
    {"clash_fade", &T::clash_fade},
    {"load", &T::load},
    {"dram", &T::dram},
    {"staged_each", &T::staged_each},
    {"direct", &T::direct},
    {"direct_dram", &T::direct_dram},
    {"async_slice", &T::async_slice},
    {"staged_slice", &T::staged_slice},
    {"warp", &T::warp},
    {"plain_step", &T::plain_step},
    {"wmma_step", &T::wmma_step},
    {"ahead_instruction", &T::ahead_instruction},
    {"plain_instruction", &T::plain_instruction},
    {"simt_instruction", &T::simt_instruction},
    {"spill_wavefronts", &T::spill_wavefronts},
    {"spill_wait", &T::spill_wait},
    {"item", &T::item},
    {"sum", &T::sum},
};
static_assert(sizeof(kNamed) / sizeof(kNamed[0]) * sizeof(double) == sizeof(TimeConstants));

}  // namespace

std::span<const NamedConstant> time_constants() { return kNamed; }

}  // namespace tilescope::model
