// GPUs that the model knows: for a prediction without the card, and for recordings made on one.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/layout/device_limits.h"
#include "core/layout/element_type.h"

namespace tilescope::model {

struct DeviceRow {
  const char* name;  // as the driver names it, or nearly
  DeviceLimits limits;
  double clock_mhz;           // boost
  double dram_gb_per_second;  // decimal GB
  double l2_bytes;
  // Share of l2_bytes that holds different data. It is below 1 where the L2 consists of two halves
  // that both keep a copy of what their SMs read. Fitted on an H200 (docs/model.md, "The L2"
  // tells to what); H100 and A100 are taken to be alike.
  double l2_kept_share = 1;
  double l2_bytes_per_clock;          // whole chip; see `source` for how far it is known
  double sm_l2_bytes_per_clock = 64;  // that one SM can receive from the L2
  double fp32_tflops;                 // at the boost clock, FMA counted as two
  double tensor_tflops;               // dense f16 → f32; of other types rate_of_type()
  double mma_sync_share;  // of tensor_tflops that mma.sync reaches (the rest needs wgmma)
  // What kernels that do nothing else reach; 0: not measured, or the nominal figure.
  double measured_mma_sync_tflops = 0, measured_fp32_tflops = 0, measured_dram_gb_per_second = 0;
  // Per SM, measured with operands in registers; 0: tensor_tflops and mma_sync_share say.
  double mma_sync_flop_per_clock = 0;
  const char* source;
};

/// What tensor cores do of a type, over what they do of 16 bits: as much more as it is narrower.
/// Source: NVIDIA H100 Tensor Core GPU Architecture, V1.04, table 3 (TF32 494.7, FP16 989.4, FP8
/// 1978.9 TFLOPS, dense); Ada and Ampere alike.
constexpr double rate_of_type(ElementType operands) { return 16.0 / element_bits(operands); }

/// The first row is the default: the GPU of the recordings. Those that somebody has added come last
/// (core/model/own_devices.h). Rows stay where they are to the end of the process.
std::span<const DeviceRow> device_table();
/// Those that come with the program alone.
std::span<const DeviceRow> known_devices();

/// By name or a distinctive part of it, whatever the case ("H200", "rtx 3090"); nullptr if none
/// fits or several do.
const DeviceRow* find_device(std::string_view name);
/// All of them, "A, B, C": for a sentence.
std::string device_names();

}  // namespace tilescope::model
