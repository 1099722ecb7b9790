// The compiler of a page: it has none, so PTX comes out of packs that were made with one
// (tools/ptx_pack), found by the hash of the entry source. A pack is fetched when a tile of its
// kernel and block first runs.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "page/pack/nearest_packed.h"
#include "page/pack/pack.h"
#include "page/pack/pack_place.h"
#include "page/standins/fetch.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

/// Packs that were fetched, by their place; of one that is not there, no files.
const web::Files& pack_at(const std::string& place) {
  static std::map<std::string, web::Files> packs;
  const auto known = packs.find(place);
  if (known != packs.end()) return known->second;
  web::Files files;
  if (const auto bytes = web::fetch(place)) {
    const auto text = web::decompressed(*bytes);
    auto read = text ? web::files_of_text(*text) : std::nullopt;
    if (!read) fail(kFailed, place + " is damaged; reload the page.");
    files = std::move(*read);
  }
  return packs.emplace(place, std::move(files)).first->second;  // only what was answered is known
}

std::shared_ptr<const CompiledKernel> out_of_pack(const std::string& place,
                                                  const std::string& source,
                                                  const std::string& arch) {
  // What was asked for before, ready: sliders go to and fro.
  static std::map<std::string, std::shared_ptr<const CompiledKernel>> known;
  if (const auto before = known.find(source); before != known.end()) return before->second;
  const web::Files& files = pack_at(place);
  const auto found = files.find(web::pack_key(source));
  if (found == files.end()) return nullptr;
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->result.arch = arch;
  web::PackedPtx packed = web::ptx_of(found->second);
  kernel->result.revision = std::move(packed.revision);
  kernel->result.ptx = std::move(packed.ptx);
  kernel->result.cached = true;
  known.emplace(source, kernel);
  return kernel;
}

/// The kernel's packed positions; none if the list cannot be fetched.
std::vector<KernelRequest> packed_requests(const std::string& kernel) {
  const web::Files& lists = pack_at(web::kPackList);
  const auto found = lists.find(kernel);
  if (found == lists.end()) return {};
  return nlohmann::json::parse(found->second).get<std::vector<KernelRequest>>();
}

nlohmann::json nearest_data(const KernelRequest& request) {
  const auto nearest = web::nearest_packed(request, packed_requests(request.kernel));
  if (!nearest) return {};
  return {{"instead", nlohmann::json(*nearest)}};
}

}  // namespace

std::string DiskCache::default_folder() { return {}; }
void DiskCache::prune(uint64_t) const {}

Compiler::Compiler(Options options) : options_(std::move(options)), disk_(options_.cache_folder) {}

Compiler& Compiler::shared() {
  static Compiler compiler;
  return compiler;
}

std::shared_ptr<const CompiledKernel> Compiler::compile(const KernelRequest& request,
                                                        const std::string&, const std::string&,
                                                        const std::atomic<bool>*, bool) {
  const KernelEntry& entry = kernel_of(request);
  auto kernel =
      out_of_pack(web::pack_place(request), entry_source(request, entry), arch_of(entry, {}));
  if (!kernel) {
    fail(
        kMissing,
        "This page has no compiled code for this tile and layout: its picture and model are shown, "
        "and nothing runs. The desktop program compiles any tile.",
        nearest_data(request));
  }
  return kernel;
}

std::shared_ptr<const CompiledKernel> Compiler::compile(const SourceRequest& source,
                                                        const std::atomic<bool>*) {
  auto kernel = out_of_pack(web::kCommonPack, source.text, kDefaultArch);
  if (!kernel)
    fail(kMissing, "This page has no compiled code for this; the desktop program does it.");
  return kernel;
}

}  // namespace tilescope::worker
