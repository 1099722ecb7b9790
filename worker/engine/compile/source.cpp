#include "worker/engine/compile/source.h"

#include <fstream>
#include <optional>
#include <sstream>

#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

std::string literal(bool value) { return value ? "true" : "false"; }
std::string literal(int value) { return std::to_string(value); }
std::string literal(ElementType value) { return std::string("ElementType::") + wire_name(value); }
std::string literal(Order value) { return std::string("Order::") + wire_name(value); }

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return in.bad() ? std::nullopt : std::optional(text.str());
}

std::optional<std::string> header_text(const std::string& name, const std::string& kernel_dir) {
  constexpr std::string_view kFolder = "kernels/";
  if (!kernel_dir.empty() && name.starts_with(kFolder)) {
    if (auto text = read_file(kernel_dir + "/" + name.substr(kFolder.size()))) return text;
  }
  for (const KernelSource& source : kernel_sources()) {
    if (name == source.name) return source.text;
  }
  return std::nullopt;
}

/// Names in `#include "…"` lines.
std::vector<std::string> quoted_includes(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    const size_t hash = line.find_first_not_of(" \t");
    if (hash == line.npos || line[hash] != '#') continue;
    const size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == line.npos || !line.substr(word).starts_with("include")) continue;
    const size_t open = line.find('"', word);
    const size_t close = open == line.npos ? line.npos : line.find('"', open + 1);
    if (close != line.npos) names.emplace_back(line.substr(open + 1, close - open - 1));
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
               edge_n, edge_k, reads_c] = spec;
  add("type_a", type_a), add("type_b", type_b), add("type_c", type_c);
  add("order_a", order_a), add("order_b", order_b), add("order_c", order_c);
  add("width_a", width_a), add("width_b", width_b), add("width_c", width_c);
  add("edge_m", edge_m), add("edge_n", edge_n), add("edge_k", edge_k), add("reads_c", reads_c);
  return text;
}

std::string entry_source(const KernelRequest& request, const KernelEntry& kernel) {
  const Launch launch = launch_of(plan_of(request, kernel));
  const Specialization spec = kernel.specialization(request.tile, request.problem);
  return std::string("#include \"kernels/") + kernel.file +
         "\"\n\nnamespace tilescope {\n\nconstexpr TileConfig kTile{\n" +
         tile_literal(request.tile) + "};\nconstexpr Specialization kSpec{\n" + spec_literal(spec) +
         "};\n\nextern \"C\" __global__ void __launch_bounds__(" + literal(launch.threads) + ", " +
         literal(launch.min_ctas) + ")\n" + kEntryName + "(const GemmArgs args) {\n  " +
         kernel.function + "<kTile, kSpec>(args);\n}\n\n}  // namespace tilescope\n";
}

std::vector<SourceFile> included_headers(std::string_view text, const std::string& kernel_dir) {
  std::vector<SourceFile> headers;
  const auto visit = [&](const auto& self, std::string_view from) -> void {
    for (const std::string& name : quoted_includes(from)) {
      bool seen = false;
      for (const SourceFile& header : headers) seen = seen || header.name == name;
      if (seen) continue;
      std::optional<std::string> found = header_text(name, kernel_dir);
      if (!found) continue;
      headers.push_back({name, *found});
      self(self, *found);
    }
  };
  visit(visit, text);
  return headers;
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
