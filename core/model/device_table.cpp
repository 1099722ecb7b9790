#include "core/model/device_table.h"

#include <algorithm>
#include <cctype>
#include <string>

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
    {"NVIDIA H200", limits(90, 132, 228, 2048, 32), 1980, 4800, 50 * kMiB, 6150, 66.9, 989.4, 0.65,
     "NVIDIA H200 Tensor Core GPU datasheet; SMs, clocks and L2 as in the NVIDIA H100 Tensor Core "
     "GPU Architecture whitepaper; L2 bandwidth and mma.sync share: published measurements"},
    {"NVIDIA H100 SXM", limits(90, 132, 228, 2048, 32), 1980, 3350, 50 * kMiB, 6150, 66.9, 989.4,
     0.65,
     "NVIDIA H100 Tensor Core GPU Architecture whitepaper and datasheet (SXM5); L2 bandwidth and "
     "mma.sync share: published measurements"},
    {"NVIDIA A100 SXM 80GB", limits(80, 108, 164, 2048, 32), 1410, 2039, 40 * kMiB, 5120, 19.5, 312,
     1.0,
     "NVIDIA A100 Tensor Core GPU Architecture whitepaper; A100 80GB datasheet for the memory"},
    {"NVIDIA GeForce RTX 4090", limits(89, 128, 100, 1536, 24), 2520, 1008, 72 * kMiB, 3072, 82.6,
     165.2, 1.0,
     "NVIDIA Ada GPU Architecture whitepaper; L2 bandwidth estimated: 48 slices of 64 B a clock"},
    {"NVIDIA GeForce RTX 3090", limits(86, 82, 100, 1536, 16), 1695, 936, 6 * kMiB, 3072, 35.58,
     71.16, 1.0,
     "NVIDIA Ampere GA102 GPU Architecture whitepaper; L2 bandwidth estimated: 48 slices of 64 B a "
     "clock"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::span<const DeviceRow> device_table() { return kDevices; }

const DeviceRow* find_device(std::string_view name) {
  const std::string wanted = lower(name);
  if (wanted.empty()) return nullptr;
  const DeviceRow* found = nullptr;
  for (const DeviceRow& row : kDevices) {
    const std::string has = lower(row.name);
    if (has == wanted) return &row;
    if (has.find(wanted) == std::string::npos) continue;
    if (found) return nullptr;
    found = &row;
  }
  return found;
}

}  // namespace tilescope::model
