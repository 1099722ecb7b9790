#include "app/cli/compare_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/cli_error.h"
#include "app/common/config_folder.h"
#include "app/common/kept_files.h"
#include "core/files/json_file.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The pins of a session file; a null where there are none.
json pins_of(const std::string& session) {
  std::error_code error;
  if (session.empty() || !fs::exists(session, error)) return {};
  std::string why;
  const auto document = files::read_json(session, kKeptSession.limits, &why);
  if (!document) bad(fmt::format("--session {}: {}", session, clause(why)));
  const auto pins = document->find("pinned");
  return document->is_object() && pins != document->end() && pins->is_array() ? *pins : json();
}

std::string names_of(const json& pins) {
  std::string names;
  for (const json& pin : pins) {
    if (pin.is_object() && pin.contains("name") && pin["name"].is_string()) {
      names += (names.empty() ? "" : ", ") + pin["name"].get<std::string>();
    }
  }
  return names;
}

/// The edit of a pin; of several with one name the last.
const json* pin_named(const json& pins, const std::string& name) {
  const json* found = nullptr;
  for (const json& pin : pins) {
    if (!pin.is_object() || pin.value("name", json()) != name) continue;
    const auto point = pin.find("point");
    if (point == pin.end() || !point->is_object()) continue;
    const auto edit = point->find("edit");
    if (edit != point->end() && edit->is_object()) found = &*edit;
  }
  return found;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "4096x4096x4096", "f16,f16,f32": an array's members one after the other.
std::string joined(const json& list, char between) {
  std::string text;
  for (const json& one : list) text += (text.empty() ? "" : std::string(1, between)) + text_of(one);
  return text;
}

/// What `shared` does not say.
void take(const json& edit, const char* name, std::string& to) {
  const auto found = edit.find(name);
  if (to.empty() && found != edit.end() && !found->is_null()) to = text_of(*found);
}

/// "FILE" or "FILE:ENTRY"; false: it names no file.
bool read_file_spec(const std::string& spec, OwnFlags& own) {
  for (const char* ending : {".cu", ".ptx"}) {
    const std::string with_entry = std::string(ending) + ":";
    const size_t colon = spec.find(with_entry);
    if (colon == std::string::npos && !spec.ends_with(ending)) continue;
    const size_t end = colon == std::string::npos ? spec.size() : colon + with_entry.size() - 1;
    (with_entry == ".cu:" ? own.cu : own.ptx) = spec.substr(0, end);
    if (end < spec.size()) own.entry = spec.substr(end + 1);
    return true;
  }
  return false;
}

/// The problem of the sheet that is kept beside a file, where that is what it is launched by.
std::optional<sheet::GemmSheet> kept_problem(const OwnFlags& own, bool& is_kept) try {
  const auto kept = sheet::saved_sheet(own.file(), "");
  is_kept = kept && kept->guesses.empty() && (own.entry.empty() || own.entry == kept->entry);
  return is_kept ? kept->gemm : std::nullopt;
} catch (const sheet::SheetError& error) {
  bad(clause(error.what()));
}

/// A pin as flags: read by the same functions as flags, with their sentences.
void read_pin(const json& edit, CompareSide& side) {
  RequestOptions& o = side.request;
  if (o.sizes.empty() && edit.contains("size")) o.sizes = {joined(edit["size"], 'x')};
  take(edit, "layout", o.layout), take(edit, "alpha", o.alpha), take(edit, "beta", o.beta);
  if (o.types.empty() && edit.contains("types")) o.types = joined(edit["types"], ',');
  const auto c = edit.find("c");
  if (o.c_order.empty() && c != edit.end()) o.c_order = *c == "column_major" ? "col" : "row";
  if (const auto bias = edit.find("bias"); bias != edit.end()) o.bias = o.bias || *bias == true;
  if (const auto own = edit.find("own"); own != edit.end() && own->is_object()) {
    std::string file;
    take(*own, "file", file);
    (file.ends_with(".ptx") ? side.own.ptx : side.own.cu) = file;
    return;
  }
  o.kernel.clear();
  take(edit, "kernel", o.kernel);
  std::string tile;
  const auto sliders = edit.find("tile");
  const json all = sliders == edit.end() ? json() : *sliders;
  for (const auto& [name, value] : all.items()) {
    tile += (tile.empty() ? "" : ",") + name + "=" + value.dump();
  }
  if (!tile.empty()) o.tiles = {tile};
}

}  // namespace

std::string usual_session() {
  const std::string folder = config_folder();
  return folder.empty() ? folder : folder + "/" + kSessionFile;
}

CompareSide read_side(const std::string& flag, const std::string& spec,
                      const RequestOptions& shared, const std::string& session) {
  CompareSide side{flag, spec, shared, {}};
  if (read_file_spec(spec, side.own)) return side;
  const size_t colon = spec.find(':');
  const std::string id = spec.substr(0, colon);
  if (find_kernel(id.c_str())) {
    side.request.kernel = id;
    if (colon != std::string::npos) side.request.tiles = {spec.substr(colon + 1)};
    return side;
  }
  const json pins = pins_of(session);
  if (const json* edit = pin_named(pins, spec)) {
    read_pin(*edit, side);
    return side;
  }
  std::string ids;
  for (const KernelEntry& kernel : kernel_table()) {
    ids += (ids.empty() ? "" : ", ") + std::string(kernel.info.id);
  }
  const std::string names = names_of(pins);
  bad(fmt::format("{} {}: this is no file (.cu, .ptx), no kernel and no pin; kernels are {}; {}",
                  flag, spec, ids,
                  names.empty() ? "there are no pins in the session" : "pins are " + names));
}

void share_problem(CompareSide& a, CompareSide& b, const RequestOptions& shared) {
  for (CompareSide* side : {&a, &b}) {
    if (!side->is_file()) continue;
    // A file that no sheet stands beside is a GEMM of the size that was asked for.
    bool is_kept = false;
    const auto gemm = kept_problem(side->own, is_kept);
    if (!is_kept && !shared.sizes.empty()) side->own.gemm = shared.sizes.front();
    if (gemm && shared.sizes.empty()) {
      side->request.sizes = {fmt::format("{}x{}x{}", gemm->m, gemm->n, gemm->k)};
      if (side->request.layout.empty()) side->request.layout = gemm->layout;
    }
  }
  const auto share = [&](const RequestOptions& from, RequestOptions& to) {
    if (!to.sizes.empty() || from.sizes.empty()) return;
    to.sizes = from.sizes;
    if (to.layout.empty()) to.layout = from.layout;
    if (to.c_order.empty()) to.c_order = from.c_order;
    if (to.alpha.empty()) to.alpha = from.alpha;
    if (to.beta.empty()) to.beta = from.beta;
    to.bias = from.bias;
  };
  share(a.request, b.request), share(b.request, a.request);
}

}  // namespace tilescope::cli
