#include "core/model/time_constants.h"

namespace tilescope::model {
namespace {

using T = TimeConstants;
constexpr NamedConstant kNamed[] = {
    {"wait_norm", &T::wait_norm, 3},
    {"unit_norm", &T::unit_norm, 5},
    {"memory_norm", &T::memory_norm, 2},
    {"request", &T::request, 1.5},
    {"box_request", &T::box_request, 1.1},
    {"box_request_all", &T::box_request_all, 1.5},
    {"multicast_box", &T::multicast_box, 20},
    {"multicast", &T::multicast, 1},
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
    {"split_access", &T::split_access, 30},
    {"cluster_load", &T::cluster_load, 100},
    {"ahead_instruction", &T::ahead_instruction, 3},
    {"plain_instruction", &T::plain_instruction, 1},
    {"simt_instruction", &T::simt_instruction, 0.5},
    {"spill_wavefronts", &T::spill_wavefronts, 0.5},
    {"spill_wait", &T::spill_wait, 2},
    {"item", &T::item, 1500},
    {"shared_item", &T::shared_item, 1000},
    {"store", &T::store, 0.5},
    {"box_store", &T::box_store, 2},
    {"sum", &T::sum, 5},
};
static_assert(sizeof(kNamed) / sizeof(kNamed[0]) * sizeof(double) == sizeof(TimeConstants));

}  // namespace

std::span<const NamedConstant> time_constants() { return kNamed; }

}  // namespace tilescope::model
