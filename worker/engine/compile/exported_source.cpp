#include "worker/engine/compile/exported_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/layout/tensor_box.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "worker/engine/compile/exported_main.h"
#include "worker/engine/compile/included_headers.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

std::string_view without_indent(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == line.npos ? std::string_view() : line.substr(first);
}

/// Puts files where they are included, as a preprocessor would: each once, without what is for host
/// code of this project alone.
class Flattener {
 public:
  Flattener(const std::vector<std::string>& names, const std::string& kernel_dir) {
    std::string includes;
    for (const std::string& name : names) includes += "#include \"" + name + "\"\n";
    files_ = included_headers(includes, kernel_dir);
    for (const std::string& name : names) {
      if (!add(name)) fail(kFailed, "The kernel's file " + name + " cannot be read.");
    }
  }
  const std::string& text() const { return text_; }

 private:
  /// False if it is none of this project's and none of the person's own.
  bool add(const std::string& name) {
    const auto file = std::ranges::find(files_, name, &SourceFile::name);
    if (file == files_.end()) return false;
    if (!seen_.insert(name).second) return true;
    std::string body;
    std::vector<bool> shown;  // of each #if that is open
    std::string_view rest = file->text;
    while (!rest.empty()) {
      const size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
      if (!take_directive(without_indent(line), shown) && all_shown(shown)) {
        body += line;
        body += '\n';
      }
    }
    text_ += fmt::format("\n// ---- {}\n", name) + body;
    return true;
  }
  static bool all_shown(const std::vector<bool>& shown) {
    for (const bool one : shown) {
      if (!one) return false;
    }
    return true;
  }
  /// True if the line is not to be kept. Other conditions than __CUDACC__ stay as they are: there
  /// are none in what kernels include.
  bool take_directive(std::string_view line, std::vector<bool>& shown) {
    if (line.starts_with("#pragma once")) return true;
    if (line == "#ifdef __CUDACC__" || line.starts_with("#ifndef __CUDACC__")) {
      shown.push_back(line.starts_with("#ifdef"));
      return true;
    }
    if (line.starts_with("#else") && !shown.empty()) {
      shown.back() = !shown.back();
      return true;
    }
    if (line.starts_with("#endif") && !shown.empty()) {
      shown.pop_back();
      return true;
    }
    constexpr std::string_view kInclude = "#include \"";
    if (!line.starts_with(kInclude)) return false;
    line.remove_prefix(kInclude.size());
    return !all_shown(shown) || add(std::string(line.substr(0, line.find('"'))));
  }

  std::vector<SourceFile> files_;
  std::set<std::string> seen_;
  std::string text_;
};

std::string problem_literal(const Problem& p) {
  const auto type = [](ElementType t) { return std::string("ElementType::") + wire_name(t); };
  const auto order = [](Order o) { return std::string("Order::") + wire_name(o); };
  return fmt::format(
      "constexpr Problem kProblem{{.m = {}, .n = {}, .k = {},\n"
      "                           .type_a = {}, .type_b = {}, .type_c = {},\n"
      "                           .order_a = {}, .order_b = {}, .order_c = {},\n"
      "                           .alpha = {:#}f, .beta = {:#}f, .lda = {}, .ldb = {}, .ldc = {},\n"
      "                           .offset_a = {}, .offset_b = {}, .offset_c = {}, .bias = {}}};\n",
      p.m, p.n, p.k, type(p.type_a), type(p.type_b), type(p.type_c), order(p.order_a),
      order(p.order_b), order(p.order_c), p.alpha, p.beta, p.lda, p.ldb, p.ldc, p.offset_a,
      p.offset_b, p.offset_c, p.bias);
}

/// Compute capability × 10 that the code needs.
int least_sm(const KernelInfo& info, const KernelPlan& plan) {
  const bool async = asynchronous(plan.copy_a.kind) || asynchronous(plan.copy_b.kind);
  return std::max(info.min_sm, async ? 80 : 0);
}

}  // namespace

std::string exported_source(const KernelRequest& request, const KernelEntry& kernel,
                            const std::string& kernel_dir) {
  const KernelPlan plan = plan_of(request, kernel);
  const bool packs = packs_any(plan.spec), maps = has_tensor_maps(plan);
  std::vector<std::string> names = {"core/layout/kernel_plan.h", "kernels/common/args.h",
                                    std::string("kernels/") + kernel.file};
  if (packs) names.push_back("kernels/common/pack.cuh");
  if (maps) names.push_back("core/layout/tensor_box.h");
  const Flattener files(names, kernel_dir);
  const Problem& p = request.problem;
  const int sm = kernel.info.min_sm > 80 ? kernel.info.min_sm : 80;
  // -arch=sm_90a has nvcc compile for compute_90, too.
  const std::string arch = kernel.info.only_sm != 0
                               ? fmt::format("-gencode arch=compute_{0}a,code=sm_{0}a", sm)
                               : fmt::format("-arch=sm_{}", sm);
  const std::string command =
      fmt::format("nvcc -std=c++20 -O3 --expt-relaxed-constexpr {} -o {}", arch, kernel.info.id);
  std::string head = fmt::format(
      "// {0}: {1}.\n"
      "// C = alpha A B + beta C{11}, {2} x {3} x {4}, {5} x {6} -> {7}, layout {8}; tile {9}.\n"
      "//\n"
      "//   {10} {0}.cu && ./{0}\n"
      "//\n"
      "{12}In order: where everything lies, as\n"
      "// constexpr functions (core/layout); copies, instructions, epilogue (kernels/common); the\n"
      "// kernel; its tile and problem, which may be changed; a program that launches it, compares "
      "C\n"
      "// with double precision and prints its time.\n",
      kernel.info.id, kernel.info.idea, p.m, p.n, p.k, model::name_of(p.type_a),
      model::name_of(p.type_b), model::name_of(p.type_c), model::layout_letters(p),
      model::tile_text(request.tile, kernel.sliders), command, p.bias ? " + bias" : "",
      kernel.info.only_sm != 0 ? "// It runs on compute capability 9.0 alone. "
                               : "// -arch=native compiles for the card of this machine. ");
  // Without those options there are errors by the dozen, of which none says what is missing.
  head += fmt::format(
      "#if __cplusplus < 202002L || !defined(__CUDACC_RELAXED_CONSTEXPR__) || \\\n"
      "    (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < {0})\n"
      "#error \"build this file with: {1} FILE.cu{2}\"\n#else\n\n",
      10 * least_sm(kernel.info, plan), command,
      kernel.info.only_sm != 0 ? "" : " (or -arch=native)");
  if (maps) head += "#include <cuda.h>\n";
  head +=
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n#include "
      "<cuda_runtime.h>\n\n"
      "#include <algorithm>\n#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n"
      "#include <vector>\n";
  const Specialization spec = kernel.specialization(request.tile, p);
  const std::string more = std::string(kernel.more_args ? ", more" : "") + (maps ? ", maps" : "");
  std::string end =
      "\n// ---- This tile, this problem\nnamespace tilescope {\n\nconstexpr TileConfig kTile{\n" +
      tile_literal(request.tile) +
      "};\n// What of the problem is compiled in: change it with the problem.\nconstexpr "
      "Specialization kSpec{\n" +
      spec_literal(spec) + "};\n" + problem_literal(p) +
      fmt::format(
          "\nextern \"C\" __global__ void {}__launch_bounds__({}, {})\n{}(const {} args{}) {{\n"
          "  {}<kTile, kSpec>(args{});\n}}\n{}\n}}  // namespace tilescope\n",
          cluster_words(plan), plan.cta_threads(), bounds_ctas(plan), kEntryName, args_type(spec),
          (kernel.more_args ? fmt::format(", const {}::Parameters more", kernel.type) : "") +
              (maps ? kTensorMapsParameter : ""),
          kernel.function, more, packs ? pack_entry_source(spec) : "");
  std::string main = kStandaloneMain;
  const auto fill_in = [&main](const std::string& place, const std::string& text) {
    main.replace(main.find(place), place.size(), text);
  };
  fill_in("@KERNEL@", kernel.type);
  fill_in("@MAKE_MORE@", kernel.more_args ? fmt::format("  const auto more = {}::parameters(plan, "
                                                        "kProblem);\n",
                                                        kernel.type)
                                          : "");
  fill_in("@MAKE_ARGS@", packs ? kStandalonePackedArgs : kStandaloneArgs);
  fill_in("@ARGS@", args_type(spec));
  fill_in("@PACK@", packs ? kStandalonePack : "");
  fill_in("@MORE@", more);
  fill_in("@MAKE_MAPS@", maps ? kStandaloneMaps : "");
  fill_in("@MAP@", maps ? kStandaloneMap : "");
  return head + files.text() + end + main + "#endif\n";
}

}  // namespace tilescope::worker
