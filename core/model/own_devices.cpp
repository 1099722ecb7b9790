#include "core/model/own_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <mutex>
#include <set>

#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::model {
namespace {

constexpr double kKibibyte = 1024, kMebibyte = 1024 * 1024;

constexpr DeviceField kFields[] = {
    {.key = "sm",
     .label = "Compute capability × 10",
     .unit = "",
     .tip = "90 of 9.0: which instructions there are",
     .whole = true,
     .least = 75,
     .most = 129,
     .get = [](const DeviceRow& r) { return 1.0 * r.limits.sm; },
     .set = [](DeviceRow& r, double v) { r.limits.sm = static_cast<int>(v); }},
    {.key = "sm_count",
     .label = "SMs",
     .unit = "",
     .tip = "",
     .whole = true,
     .least = 1,
     .most = 1024,
     .get = [](const DeviceRow& r) { return 1.0 * r.limits.sm_count; },
     .set = [](DeviceRow& r, double v) { r.limits.sm_count = static_cast<int>(v); }},
    {.key = "shared_per_sm_kib",
     .label = "Shared memory of an SM",
     .unit = "KiB",
     .tip = "of all its CTAs",
     .whole = true,
     .least = 16,
     .most = 1024,
     .get = [](const DeviceRow& r) { return r.limits.shared_per_sm / kKibibyte; },
     .set = [](DeviceRow& r,
               double v) { r.limits.shared_per_sm = static_cast<int>(v * kKibibyte); }},
    {.key = "shared_per_block_kib",
     .label = "Shared memory of a CTA",
     .unit = "KiB",
     .tip = "at most, by opt-in",
     .whole = true,
     .least = 16,
     .most = 1024,
     .get = [](const DeviceRow& r) { return r.limits.shared_per_block / kKibibyte; },
     .set = [](DeviceRow& r,
               double v) { r.limits.shared_per_block = static_cast<int>(v * kKibibyte); }},
    {.key = "threads_per_sm",
     .label = "Threads of an SM",
     .unit = "",
     .tip = "",
     .whole = true,
     .least = 1024,
     .most = 4096,
     .get = [](const DeviceRow& r) { return 1.0 * r.limits.threads_per_sm; },
     .set = [](DeviceRow& r, double v) { r.limits.threads_per_sm = static_cast<int>(v); }},
    {.key = "ctas_per_sm",
     .label = "CTAs of an SM",
     .unit = "",
     .tip = "",
     .whole = true,
     .least = 1,
     .most = 64,
     .get = [](const DeviceRow& r) { return 1.0 * r.limits.ctas_per_sm; },
     .set = [](DeviceRow& r, double v) { r.limits.ctas_per_sm = static_cast<int>(v); }},
    {.key = "clock_mhz",
     .label = "Clock",
     .unit = "MHz",
     .tip = "boost",
     .whole = false,
     .least = 100,
     .most = 10'000,
     .get = [](const DeviceRow& r) { return r.clock_mhz; },
     .set = [](DeviceRow& r, double v) { r.clock_mhz = v; }},
    {.key = "dram_gb_per_second",
     .label = "DRAM",
     .unit = "GB/s",
     .tip = "decimal",
     .whole = false,
     .least = 1,
     .most = 100'000,
     .get = [](const DeviceRow& r) { return r.dram_gb_per_second; },
     .set =
         [](DeviceRow& r, double v) {
           r.dram_gb_per_second = v;
           r.measured_dram_gb_per_second = 0;
         }},
    {.key = "l2_mib",
     .label = "L2",
     .unit = "MiB",
     .tip = "",
     .whole = false,
     .least = 0.25,
     .most = 4096,
     .get = [](const DeviceRow& r) { return r.l2_bytes / kMebibyte; },
     .set = [](DeviceRow& r, double v) { r.l2_bytes = v * kMebibyte; }},
    {.key = "l2_bytes_per_clock",
     .label = "L2 to all SMs",
     .unit = "B/clock",
     .tip = "what the whole chip receives a clock",
     .whole = false,
     .least = 1,
     .most = 1'000'000,
     .get = [](const DeviceRow& r) { return r.l2_bytes_per_clock; },
     .set = [](DeviceRow& r, double v) { r.l2_bytes_per_clock = v; }},
    {.key = "fp32_tflops",
     .label = "FP32",
     .unit = "TFLOPS",
     .tip = "at that clock, FMA counted as two",
     .whole = false,
     .least = 0.01,
     .most = 10'000,
     .get = [](const DeviceRow& r) { return r.fp32_tflops; },
     .set =
         [](DeviceRow& r, double v) {
           r.fp32_tflops = v;
           r.measured_fp32_tflops = 0;
         }},
    {.key = "tensor_tflops",
     .label = "Tensor cores, 16 bit",
     .unit = "TFLOPS",
     .tip = "dense, sums of FP32",
     .whole = false,
     .least = 0.01,
     .most = 100'000,
     .get = [](const DeviceRow& r) { return r.tensor_tflops; },
     .set =
         [](DeviceRow& r, double v) {
           r.tensor_tflops = v;
           r.measured_mma_sync_tflops = r.mma_sync_flop_per_clock = 0;
         }},
    {.key = "mma_sync_share",
     .label = "Share that mma.sync reaches",
     .unit = "",
     .tip = "1, but where the rest needs wgmma (0.65 on Hopper)",
     .whole = false,
     .least = 0.01,
     .most = 1,
     .get = [](const DeviceRow& r) { return r.mma_sync_share; },
     .set = [](DeviceRow& r, double v) { r.mma_sync_share = v; }},
};

/// One table and all before it: who has a span or a row of one keeps it.
struct Table {
  std::vector<DeviceRow> rows;
  std::vector<OwnDevice> own;
};
std::atomic<const Table*> present = nullptr;
std::mutex writing;

const char* kept_name(const std::string& name) {
  static std::set<std::string> names;  // whose elements stay where they are; guarded by `writing`
  return names.insert(name).first->c_str();
}

}  // namespace

std::span<const DeviceField> device_fields() { return kFields; }

std::span<const DeviceRow> device_table() {
  const Table* table = present.load();
  return table ? std::span<const DeviceRow>(table->rows) : known_devices();
}

OwnDevice device_like(const DeviceRow& known) { return {"", known.name, known}; }

std::string why_no_device(const OwnDevice& device) {
  constexpr size_t kMostName = 60;
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 32; };
  if (device.name.empty()) return "The card needs a name.";
  if (device.name.size() > kMostName || std::ranges::any_of(device.name, control)) {
    return wording("A card's name is one line of at most {} bytes.", kMostName);
  }
  for (const DeviceRow& row : known_devices()) {
    if (lower_case(row.name) == lower_case(device.name)) {
      return wording("{} is known already: give yours another name.", std::string(row.name));
    }
  }
  for (const DeviceField& field : kFields) {
    const double value = field.get(device.row);
    if (std::isfinite(value) && value >= field.least && value <= field.most) continue;
    return wording("{}: {:g} is not within {:g} to {:g}{}{}.", field.label, value, field.least,
                   field.most, *field.unit ? " " : "", field.unit);
  }
  const DeviceLimits& l = device.row.limits;
  if (l.shared_per_block + l.shared_reserved_per_block > l.shared_per_sm) {
    return "A CTA's shared memory and the 1 KiB that the system takes of it are more than the "
           "SM's.";
  }
  return {};
}

void set_own_devices(const std::vector<OwnDevice>& devices) {
  static std::deque<Table> all;
  const std::scoped_lock lock(writing);
  Table table;
  table.own = devices;
  table.rows.assign(known_devices().begin(), known_devices().end());
  for (const OwnDevice& device : devices) {
    DeviceRow row = device.row;
    row.name = kept_name(device.name);
    row.source = "a sheet that was filled in by hand";
    table.rows.push_back(row);
  }
  present = &all.emplace_back(std::move(table));
}

std::vector<OwnDevice> own_devices() {
  const Table* table = present.load();
  return table ? table->own : std::vector<OwnDevice>();
}

}  // namespace tilescope::model
