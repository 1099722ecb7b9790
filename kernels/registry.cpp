#include "kernels/registry.h"

#include <algorithm>
#include <initializer_list>

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

/// The operand whose order the kernel does not take, if there is one.
Violation check_orders(const Problem& p, const KernelInfo& info) {
  if ((info.layouts & layout_bit(p.order_a, p.order_b)) != 0) return {};
  // A's order alone decides if no layout with it is taken.
  const bool takes_a = (info.layouts & (layout_bit(p.order_a, Order::row_major) |
                                        layout_bit(p.order_a, Order::column_major))) != 0;
  return order_violation(takes_a ? Operand::b : Operand::a);
}

template <class Kernel>
MoreArgs more_args(const KernelPlan& plan, const Problem& p) {
  const typename Kernel::Parameters value = Kernel::parameters(plan, p);
  MoreArgs more;
  static_assert(sizeof value <= sizeof more.data &&
                sizeof(GemmArgs) % alignof(decltype(value)) == 0 &&
                sizeof(BiasedArgs) % alignof(decltype(value)) == 0);
  more.bytes = sizeof value;
  __builtin_memcpy(more.data, &value, sizeof value);
  return more;
}
template <class Kernel>
constexpr auto more_args_of() -> MoreArgs (*)(const KernelPlan&, const Problem&) {
  if constexpr (requires { typename Kernel::Parameters; }) return &more_args<Kernel>;
  return nullptr;
}

#define TILESCOPE_ENTRY(type, function, file) \
  {type::info(),                              \
   #type,                                     \
   #function,                                 \
   file,                                      \
   type::sliders(),                           \
   &type::rules,                              \
   &type::specialization,                     \
   &type::tile_plan,                          \
   more_args_of<type>()},
const KernelEntry kEntries[] = {TILESCOPE_KERNELS(TILESCOPE_ENTRY)
                                    TILESCOPE_EXTRA_KERNELS(TILESCOPE_ENTRY)};
#undef TILESCOPE_ENTRY

}  // namespace

Violation KernelEntry::validate(const TileConfig& tile, const Problem& p,
                                const DeviceLimits& device) const {
  if (info.only_sm != 0 && device.sm != info.only_sm) {
    return {Rule::device_too_new, device.sm, info.only_sm};
  }
  if (device.sm < info.min_sm) return {Rule::device_too_old, device.sm, info.min_sm};
  if (Violation v = check_problem(p); !v.legal()) return v;
  if ((info.types & bit_of_types(types_of(p))) == 0) return {Rule::types, info.types};
  if (Violation v = check_orders(p, info); !v.legal()) return v;
  if (Violation v = check_offered(sliders, tile); !v.legal()) return v;
  if (Violation v = rules(tile); !v.legal()) return v;
  const KernelPlan made = plan(tile, p, device.sm_count);
  if (Violation v = check_parts(made); !v.legal()) return v;
  if (Violation v = check_launch(launch_of(made), sliders, device); !v.legal()) return v;
  return check_registers(made, sliders, device);
}

KernelPlan KernelEntry::plan(const TileConfig& tile, const Problem& p, int sms) const {
  const Problem of = nearest_computed(info, p);
  KernelPlan made = tile_plan(tile, specialization(tile, of));
  set_work(made, tile, of, sms);
  return made;
}

Problem nearest_computed(const KernelInfo& info, Problem p) {
  for (int* extent : {&p.m, &p.n, &p.k}) *extent = std::clamp(*extent, 1, kMaxExtent);
  if ((info.types & bit_of_types(types_of(p))) == 0) set_types(p, types_of_bit(info.default_types));
  if (!check_orders(p, info).legal()) set_layout(p, info.default_layout);
  return p;
}

Launch KernelEntry::launch(const TileConfig& tile, const Problem& p, int sms) const {
  return launch_of(plan(tile, p, sms));
}

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
  set_types(p, types_of_bit(info.default_types));
  set_layout(p, info.default_layout);
  return p;
}

}  // namespace tilescope
