#include "worker/engine/compile/source.h"

#include <algorithm>
#include <optional>

#include "core/files/whole_file.h"
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

/// A kernel's file without the mistakes that tests plant in it, as kernels/embed.cmake embeds it: a
/// copy of the folder has the same sources.
std::string without_mistakes(std::string text) {
  const size_t begin = text.find("\n/* Mistakes that tests plant");
  if (begin == text.npos) return text;
  constexpr std::string_view kEnd = "*/\n";
  const size_t end = text.find(kEnd, begin);
  // What somebody has written behind them counts.
  return text.erase(begin, end == text.npos ? text.npos : end + kEnd.size() - begin);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? std::string() : path.substr(0, slash + 1);
}

/// An include of `from`: a kernel's file, else a file of the person's own, beside `from` or where
/// this process runs, as a compiler looks for it. Nothing: one of the toolkit's.
std::optional<SourceFile> header_of(const std::string& name, const SourceFile& from,
                                    const std::string& kernel_dir) {
  constexpr std::string_view kFolder = "kernels/";
  if (!kernel_dir.empty() && name.starts_with(kFolder)) {
    const std::string path = kernel_dir + "/" + name.substr(kFolder.size());
    if (auto text = files::read_file(path)) return SourceFile{name, without_mistakes(*text), path};
  }
  for (const KernelSource& source : kernel_sources()) {
    if (name == source.name) return SourceFile{name, source.text, {}};
  }
  const std::string beside = folder_of(from.path);
  for (const std::string& path : {name.starts_with('/') ? name : beside + name, name}) {
    if (auto text = files::read_file(path)) return SourceFile{name, *text, path};
  }
  return std::nullopt;
}

/// Names in `#include "…"` lines, and in `#include <…>` those with a whole path: the others are the
/// toolkit's.
std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    const size_t hash = line.find_first_not_of(" \t");
    if (hash == line.npos || line[hash] != '#') continue;
    const size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == line.npos || !line.substr(word).starts_with("include")) continue;
    const size_t open = line.find_first_of("\"<", word);
    if (open == line.npos) continue;
    const bool quoted = line[open] == '"';
    const size_t close = line.find(quoted ? '"' : '>', open + 1);
    if (close == line.npos) continue;
    if (quoted || line[open + 1] == '/') {
      names.emplace_back(line.substr(open + 1, close - open - 1));
    }
  }
  return names;
}

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

std::vector<SourceFile> included_headers(std::string_view text, const std::string& kernel_dir) {
  std::vector<SourceFile> headers;
  const auto visit = [&](const auto& self, const SourceFile& from) -> void {
    for (const std::string& name : included_names(from.text)) {
      std::optional<SourceFile> found = header_of(name, from, kernel_dir);
      if (!found) continue;
      const auto same = std::ranges::find(headers, name, &SourceFile::name);
      if (same == headers.end()) {
        headers.push_back(*found);
        self(self, *found);
      } else if (same->text != found->text) {
        // The compiler knows headers by their names alone.
        fail(kFailed, "Two files are included as \"" + name + "\", " + same->path + " and " +
                          found->path + "; give them different names.");
      }
    }
  };
  visit(visit, {{}, std::string(text), {}});
  return headers;
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
