#include "worker/engine/compile/source.h"

#include "core/layout/column_sum.h"
#include "core/layout/tensor_box.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

std::string literal(bool value) { return value ? "true" : "false"; }
std::string literal(int value) { return std::to_string(value); }
std::string literal(ElementType value) { return std::string("ElementType::") + wire_name(value); }
std::string literal(Order value) { return std::string("Order::") + wire_name(value); }

}  // namespace

std::string tile_literal(const TileConfig& tile) {
  std::string text;
#define TILESCOPE_FIELD(name, label, what, names) \
  text += "    ." #name " = " + literal(tile.name) + ",\n";
  TILESCOPE_TILE_FIELDS(TILESCOPE_FIELD)
#undef TILESCOPE_FIELD
  return text;
}

std::string spec_literal(const Specialization& spec) {
  std::string text;
  const auto add = [&text](const char* name, const auto& value) {
    text += std::string("    .") + name + " = " + literal(value) + ",\n";
  };
  // Naming all members at once: a new one does not compile until it has its line here.
  const auto& [type_a, type_b, type_c, order_a, order_b, order_c, width_a, width_b, width_c, edge_m,
               edge_n, edge_k, reads_c, pack_a, pack_b, boxes_c, adds_bias] = spec;
  add("type_a", type_a), add("type_b", type_b), add("type_c", type_c);
  add("order_a", order_a), add("order_b", order_b), add("order_c", order_c);
  add("width_a", width_a), add("width_b", width_b), add("width_c", width_c);
  add("edge_m", edge_m), add("edge_n", edge_n), add("edge_k", edge_k), add("reads_c", reads_c);
  add("pack_a", pack_a), add("pack_b", pack_b), add("boxes_c", boxes_c);
  add("adds_bias", adds_bias);
  return text;
}

std::string args_type(const Specialization& spec) {
  return spec.adds_bias ? "BiasedArgs" : "GemmArgs";
}

std::string pack_entry_source(const Specialization& spec) {
  return std::string("\nextern \"C\" __global__ void __launch_bounds__(") + literal(kPackThreads) +
         ")\n" + kPackEntryName + "(const PackArgs args) {\n  pack_lines<" +
         literal(element_bytes(spec.type_a)) + ">(args);\n}\n";
}

std::string column_sum_source(ElementType type, int width) {
  return std::string("#include \"kernels/common/column_sum.cuh\"\n\nnamespace tilescope {\n\n") +
         "extern \"C\" __global__ void __launch_bounds__(" + literal(kColumnSumThreads) + ")\n" +
         kColumnSumEntryName + "(const ColumnSumArgs args) {\n  column_sum<" + literal(type) +
         ", " + literal(width) + ">(args);\n}\n\n}  // namespace tilescope\n";
}

std::string cluster_words(const KernelPlan& plan) {
  const int size = launch_of(plan).cluster;
  return size > 1 ? "__cluster_dims__(" + literal(size) + ", 1, 1) " : "";
}

std::string entry_source(const KernelRequest& request, const KernelEntry& kernel) {
  const KernelPlan plan = plan_of(request, kernel);
  const Specialization spec = kernel.specialization(request.tile, request.problem);
  const std::string type = kernel.type;
  const bool maps = has_tensor_maps(plan);
  const std::string takes = (kernel.more_args ? ", const " + type + "::Parameters more" : "") +
                            (maps ? kTensorMapsParameter : "");
  const bool packs = packs_any(spec);
  return std::string("#include \"kernels/") + kernel.file + "\"\n" +
         (packs ? "#include \"kernels/common/pack.cuh\"\n" : "") +
         "\nnamespace tilescope {\n\nconstexpr TileConfig kTile{\n" + tile_literal(request.tile) +
         "};\nconstexpr Specialization kSpec{\n" + spec_literal(spec) +
         "};\n\nextern \"C\" __global__ void " + cluster_words(plan) + "__launch_bounds__(" +
         literal(plan.cta_threads()) + ", " + literal(bounds_ctas(plan)) + ")\n" + kEntryName +
         "(const " + args_type(spec) + " args" + takes + ") {\n  " + kernel.function +
         "<kTile, kSpec>(args" + (kernel.more_args ? ", more" : "") + (maps ? ", maps" : "") +
         ");\n}\n" + (packs ? pack_entry_source(spec) : "") + "\n}  // namespace tilescope\n";
}

std::string arch_of(const KernelEntry& kernel, const std::string& arch) {
  const std::string asked = arch.empty() ? kDefaultArch : arch;
  const int only = kernel.info.only_sm;
  return only != 0 && asked == "sm_" + std::to_string(only) ? asked + "a" : asked;
}

KernelPlan plan_of(const KernelRequest& request, const KernelEntry& kernel) {
  return kernel.plan(request.tile, request.problem, request.sms);
}

const KernelEntry& kernel_of(const KernelRequest& request) {
  if (const KernelEntry* kernel = find_kernel(request.kernel.c_str())) return *kernel;
  std::string known;
  for (const KernelEntry& entry : kernel_table()) {
    known += (known.empty() ? "" : ", ") + std::string(entry.info.id);
  }
  fail(kUsage, "There is no kernel \"" + request.kernel + "\"; known are " + known + ".");
}

}  // namespace tilescope::worker
