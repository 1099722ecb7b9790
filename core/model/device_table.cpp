#include "core/model/device_table.h"

#include <algorithm>
#include <string>

#include "core/model/format.h"

namespace tilescope::model {
namespace {

// sm, SMs, shared per block, per SM, reserved, threads per block, per SM, CTAs per SM.
// Source of these: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr DeviceLimits limits(int sm, int sm_count, int shared_per_sm_kib, int threads_per_sm,
                              int ctas_per_sm) {
  DeviceLimits l;
  l.sm = sm;
  l.sm_count = sm_count;
  l.shared_per_sm = shared_per_sm_kib * 1024;
  l.shared_per_block = (shared_per_sm_kib - 1) * 1024;
  l.threads_per_sm = threads_per_sm;
  l.ctas_per_sm = ctas_per_sm;
  return l;
}

constexpr double kMiB = 1024.0 * 1024.0;

constexpr DeviceRow kDevices[] = {
    {.name = "NVIDIA H200",
     .limits = limits(90, 132, 228, 2048, 32),
     .clock_mhz = 1980,
     .dram_gb_per_second = 4800,
     .l2_bytes = 50 * kMiB,
     .l2_kept_share = 0.66,
     .l2_bytes_per_clock = 6150,
     .fp32_tflops = 66.9,
     .tensor_tflops = 989.4,
     .mma_sync_share = 0.65,
     .measured_mma_sync_tflops = 621,
     .measured_fp32_tflops = 63.5,
     .measured_dram_gb_per_second = 4270,
     .mma_sync_flop_per_clock = 2589,
     .source =
         "NVIDIA H200 Tensor Core GPU datasheet; SMs, clocks and L2 as in the NVIDIA H100 Tensor "
         "Core "
         "GPU Architecture whitepaper; L2 bandwidth, mma.sync and FFMA from registers, copies in "
         "DRAM: published measurements"},
    {.name = "NVIDIA H100 80GB HBM3",
     .limits = limits(90, 132, 228, 2048, 32),
     .clock_mhz = 1980,
     .dram_gb_per_second = 3350,
     .l2_bytes = 50 * kMiB,
     .l2_kept_share = 0.66,
     .l2_bytes_per_clock = 6150,
     .fp32_tflops = 66.9,
     .tensor_tflops = 989.4,
     .mma_sync_share = 0.65,
     .measured_mma_sync_tflops = 621,
     .measured_fp32_tflops = 63.5,
     .mma_sync_flop_per_clock = 2589,
     .source =
         "NVIDIA H100 Tensor Core GPU Architecture whitepaper and datasheet (SXM5); L2 "
         "bandwidth and "
         "mma.sync share: published measurements; mma.sync and FFMA from registers as on an H200"},
    {.name = "NVIDIA A100 SXM 80GB",
     .limits = limits(80, 108, 164, 2048, 32),
     .clock_mhz = 1410,
     .dram_gb_per_second = 2039,
     .l2_bytes = 40 * kMiB,
     .l2_kept_share = 0.66,
     .l2_bytes_per_clock = 5120,
     .fp32_tflops = 19.5,
     .tensor_tflops = 312,
     .mma_sync_share = 1.0,
     .source =
         "NVIDIA A100 Tensor Core GPU Architecture whitepaper; A100 80GB datasheet for the memory"},
    {.name = "NVIDIA GeForce RTX 4090",
     .limits = limits(89, 128, 100, 1536, 24),
     .clock_mhz = 2520,
     .dram_gb_per_second = 1008,
     .l2_bytes = 72 * kMiB,
     .l2_bytes_per_clock = 3072,
     .fp32_tflops = 82.6,
     .tensor_tflops = 165.2,
     .mma_sync_share = 1.0,
     .source = "NVIDIA Ada GPU Architecture whitepaper; L2 bandwidth estimated: 48 slices of 64 B "
               "per clock"},
    {.name = "NVIDIA GeForce RTX 3090",
     .limits = limits(86, 82, 100, 1536, 16),
     .clock_mhz = 1695,
     .dram_gb_per_second = 936,
     .l2_bytes = 6 * kMiB,
     .l2_bytes_per_clock = 3072,
     .fp32_tflops = 35.58,
     .tensor_tflops = 71.16,
     .mma_sync_share = 1.0,
     .source = "NVIDIA Ampere GA102 GPU Architecture whitepaper; L2 bandwidth estimated: 48 slices "
               "of 64 B a "
               "clock"},
};

}  // namespace

std::span<const DeviceRow> known_devices() { return kDevices; }

const DeviceRow* find_device(std::string_view name) {
  const std::string wanted = lower_case(name);
  if (wanted.empty()) return nullptr;
  for (const DeviceRow& row : device_table()) {
    if (lower_case(row.name) == wanted) return &row;
  }
  // Those of the program first: what somebody adds takes no name from them.
  const std::span<const DeviceRow> all = device_table(), known = all.first(std::size(kDevices));
  for (const std::span<const DeviceRow>& some : {known, all.subspan(known.size())}) {
    const DeviceRow* found = nullptr;
    for (const DeviceRow& row : some) {
      if (lower_case(row.name).find(wanted) == std::string::npos) continue;
      if (found) return nullptr;
      found = &row;
    }
    if (found) return found;
  }
  return nullptr;
}

std::string device_names() {
  std::string names;
  for (const DeviceRow& row : device_table()) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

}  // namespace tilescope::model
