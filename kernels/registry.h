// The ladder as a table for host code, made from kernel_list.h. No std headers: see the folder
// table in docs/architecture.md.
#pragma once
#include "core/layout/rules.h"
#include "kernels/common/info.h"

namespace tilescope {

/// SMs of the card that a plan is made for where nobody says it: an H100's and H200's.
inline constexpr int kDefaultSms = DeviceLimits{}.sm_count;

/// What a kernel takes behind GemmArgs: its `Parameters`, as they lie in the parameter block.
struct MoreArgs {
  int bytes = 0;
  alignas(8) unsigned char data[64] = {};
};

struct KernelEntry {
  KernelInfo info;
  const char* type;      // the struct that makes its plan
  const char* function;  // the kernel's template: function<TileConfig, Specialization>(GemmArgs)
  const char* file;      // in kernels/, as KernelSource::name ends
  Sliders sliders;
  /// The kernel's own rules, after those that all tiles keep.
  Violation (*rules)(const TileConfig&);
  Specialization (*specialization)(const TileConfig&, const Problem&);
  KernelPlan (*tile_plan)(const TileConfig&, const Specialization&);
  /// Null if the kernel takes GemmArgs alone.
  MoreArgs (*more_args)(const KernelPlan&, const Problem&);

  /// The first rule that a tile breaks, or none.
  Violation validate(const TileConfig&, const Problem&, const DeviceLimits&) const;
  /// The same as a function, for searches; lives no longer than the table.
  auto validator() const {
    return [this](const TileConfig& tile, const Problem& problem, const DeviceLimits& device) {
      return validate(tile, problem, device);
    };
  }
  /// `sms`: SMs of the card, of which persistent kernels' grids are made. The tile need not be
  /// legal, but its extents must not be zero.
  KernelPlan plan(const TileConfig&, const Problem&, int sms = kDefaultSms) const;
  Launch launch(const TileConfig&, const Problem&, int sms = kDefaultSms) const;
};

/// All kernels, in the order of their number.
struct KernelTable {
  const KernelEntry* entries;
  int count;
  const KernelEntry* begin() const { return entries; }
  const KernelEntry* end() const { return entries + count; }
};
KernelTable kernel_table();
/// By id ("mma_multistage"); nullptr if there is none.
const KernelEntry* find_kernel(const char* id);

/// A header of core/layout or kernels as it was when this binary was built.
struct KernelSource {
  const char* name;  // as in #include: "kernels/11_mma_multistage.cuh"
  const char* text;
};
struct KernelSources {
  const KernelSource* sources;
  int count;
  const KernelSource* begin() const { return sources; }
  const KernelSource* end() const { return sources + count; }
};
KernelSources kernel_sources();

/// The problem a kernel starts with: its types, its default operand layout, m = n = k = 1024.
Problem default_problem(const KernelInfo& info);
/// The problem that is planned and drawn for one that a kernel does not compute (what another
/// kernel computes stays chosen where one is changed for the other): its extents within what there
/// is, and the kernel's own types and layout where it has not the problem's. One that it computes
/// is itself.
Problem nearest_computed(const KernelInfo& info, Problem problem);
/// Sets the orders of A and B that one of LayoutBits names.
void set_layout(Problem& problem, int layout_bit);

}  // namespace tilescope
