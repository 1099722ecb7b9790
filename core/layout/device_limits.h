// What a GPU allows one CTA and one SM. Filled from core/model's device table or from the card.
#pragma once

namespace tilescope {

struct DeviceLimits {
  int sm = 90;  // compute capability × 10
  int sm_count = 132;
  int shared_per_block = 232448;         // bytes, opt-in maximum
  int shared_per_sm = 233472;            // bytes
  int shared_reserved_per_block = 1024;  // bytes the system takes of each CTA
  int threads_per_block = 1024;
  int threads_per_sm = 2048;
  int ctas_per_sm = 32;
  int registers_per_sm = 65536;
  int registers_per_thread = 255;
  int register_granularity = 256;  // registers are given to a warp in units of this
  int grid_y = 65535;
};

}  // namespace tilescope
