#include "kernels/registry.h"

#include "kernels/kernel_list.h"
#include "kernels_includes.h"  // generated: an #include for each NN_name.cuh
#ifdef TILESCOPE_EXTRA_KERNEL_LIST
#include TILESCOPE_EXTRA_KERNEL_LIST
#else
#define TILESCOPE_EXTRA_KERNELS(X)
#endif

namespace tilescope {
namespace {

bool same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

#define TILESCOPE_ENTRY(type, function, file)                    \
  {type::info(),    #function,     file,        type::sliders(), \
   &type::validate, &type::launch, &type::plan, &type::specialization},
const KernelEntry kEntries[] = {TILESCOPE_KERNELS(TILESCOPE_ENTRY)
                                    TILESCOPE_EXTRA_KERNELS(TILESCOPE_ENTRY)};
#undef TILESCOPE_ENTRY

}  // namespace

KernelTable kernel_table() {
  return {kEntries, static_cast<int>(sizeof(kEntries) / sizeof(kEntries[0]))};
}

const KernelEntry* find_kernel(const char* id) {
  for (const KernelEntry& entry : kernel_table()) {
    if (same(entry.info.id, id)) return &entry;
  }
  return nullptr;
}

void set_layout(Problem& problem, int bit) {
  problem.order_a = bit == kTN || bit == kTT ? Order::row_major : Order::column_major;
  problem.order_b = bit == kNT || bit == kTT ? Order::row_major : Order::column_major;
}

Problem default_problem(const KernelInfo& info) {
  Problem p;
  p.type_a = info.type_a, p.type_b = info.type_b, p.type_c = info.type_c;
  set_layout(p, info.default_layout);
  return p;
}

}  // namespace tilescope
