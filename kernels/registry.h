// The ladder as a table for host code, made from kernel_list.h. No std headers: see the folder
// table in docs/architecture.md.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/info.h"

namespace tilescope {

struct KernelEntry {
  KernelInfo info;
  const char* function;  // the kernel's template: function<TileConfig, Specialization>(GemmArgs)
  const char* file;      // in kernels/, as KernelSource::name ends
  Sliders sliders;
  Violation (*validate)(const TileConfig&, const Problem&, const DeviceLimits&);
  Launch (*launch)(const TileConfig&, const Problem&);
  KernelPlan (*plan)(const TileConfig&, const Problem&);
  Specialization (*specialization)(const TileConfig&, const Problem&);
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
/// Sets the operand orders that one of LayoutBits names.
void set_layout(Problem& problem, int layout_bit);

}  // namespace tilescope
