#include "worker/messages/second_opinion.h"

#include "worker/messages/json_fields.h"

namespace tilescope::worker {

TILESCOPE_JSON(OpinionTile, NEED(block_m, block_n, block_k, warp_m, warp_n, warps_k, stages, splits,
                                 group, us, rank_us, dram_read, dram_write, l2_read, l2_hit_rate))
TILESCOPE_JSON(SecondOpinion, NEED(library, gpu, measured, best, present, why_not))

}  // namespace tilescope::worker
