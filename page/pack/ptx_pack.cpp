// ptx_pack: compiles the chosen tiles of every kernel, those that are known from the compiler's own
// cache, and packs their PTX for the page. tools/ptx_pack builds and runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files/whole_file.h"
#include "core/layout/column_sum.h"
#include "page/pack/chosen.h"
#include "page/pack/pack.h"
#include "page/pack/pack_place.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"
#include "worker/messages/messages_json.h"

namespace tilescope::web {
namespace {

namespace fs = std::filesystem;
using worker::KernelRequest;

struct Wanted {
  std::string place, key, source, arch;
};

/// Each source once.
std::vector<Wanted> wanted_of(const std::vector<KernelRequest>& requests) {
  std::vector<Wanted> wanted;
  std::set<std::pair<std::string, std::string>> seen;
  const auto add = [&](std::string place, std::string source, std::string arch) {
    std::string key = pack_key(source);
    if (seen.emplace(place, key).second) {
      wanted.push_back({std::move(place), std::move(key), std::move(source), std::move(arch)});
    }
  };
  for (const KernelRequest& request : requests) {
    const KernelEntry& kernel = worker::kernel_of(request);
    add(pack_place(request), worker::entry_source(request, kernel), worker::arch_of(kernel, {}));
  }
  // What a layer's activations are stored as.
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    for (int width = kColumnSumBytes / element_bytes(type); width >= 1; width /= 2) {
      add(kCommonPack, worker::column_sum_source(type, width), worker::kDefaultArch);
    }
  }
  return wanted;
}

/// The tiles that are packed, for who looks for the nearest: kernel → a list of requests.
Files listed(const std::vector<KernelRequest>& requests) {
  std::map<std::string, nlohmann::json> kernels;
  std::set<std::string> seen;
  for (const KernelRequest& r : requests) {
    const std::string source = worker::entry_source(r, worker::kernel_of(r));
    if (seen.insert(source).second) kernels[r.kernel].push_back(nlohmann::json(r));
  }
  Files files;
  for (const auto& [kernel, list] : kernels) files[kernel] = list.dump();
  return files;
}

/// What is there already is not compressed anew, which takes longer than all the rest.
void write(const fs::path& file, const Files& files) {
  const std::string text = pack_text(files);
  const auto before = files::read_file(file.string());
  if (before && decompressed(*before) == text) return;
  fs::create_directories(file.parent_path());
  const std::string bytes = compressed(text);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) {
    throw std::runtime_error("cannot write " + file.string());
  }
}

void make_packs(const std::vector<Wanted>& wanted, const fs::path& out) {
  std::map<std::string, Files> packs;
  for (const Wanted& one : wanted) packs[one.place][one.key];
  std::atomic<size_t> done{0}, failed{0};
  std::vector<std::string> errors(wanted.size());
  worker::parallel_for(worker::host_threads(), wanted.size(), [&](size_t i) {
    const Wanted& one = wanted[i];
    try {
      const auto compiled =
          worker::Compiler::shared().compile(worker::SourceRequest{one.source, {}, one.arch, true});
      packs.at(one.place).at(one.key) = packed_ptx(compiled->result.ptx);
    } catch (const worker::RpcError& error) {
      errors[i] = error.message;
      ++failed;
    }
    const size_t now = ++done;
    if (now % 100 == 0 || now == wanted.size()) {
      std::fprintf(stderr, "ptx_pack: %zu of %zu compiled\n", now, wanted.size());
    }
  });
  for (const std::string& error : errors) {
    if (!error.empty())
      throw std::runtime_error(fmt::format("{} sources do not compile: {}", failed.load(), error));
  }
  std::vector<std::string> places;
  for (const auto& [place, files] : packs) places.push_back(place);
  std::atomic<uint64_t> bytes{0};
  worker::parallel_for(worker::host_threads(), places.size(), [&](size_t i) {
    write(out / places[i], packs.at(places[i]));
    bytes += fs::file_size(out / places[i]);
  });
  std::printf("%zu PTX in %zu packs, %.2f MB\n", wanted.size(), places.size(),
              static_cast<double>(bytes.load()) / 1e6);
}

void pack_recordings(const std::vector<std::string>& folders, const fs::path& out) {
  Files files;
  for (const std::string& folder : folders) {
    for (const auto& file : fs::directory_iterator(folder)) {
      const auto text = files::read_file(file.path().string());
      if (text) files[file.path().filename().string()] = *text;
    }
  }
  write(out / "recordings.pack", files);
}

int run(int argc, char** argv) {
  CLI::App app("Packs the PTX of chosen tiles, and the recordings, for the page.", "ptx_pack");
  std::string out, presets, extent = "sliders";
  std::vector<std::string> recordings;
  app.add_option("--out", out, "the page's folder")->required();
  app.add_option("--presets", presets, "assets/presets/presets.json")->required();
  app.add_option("--recordings", recordings, "folders of recordings")->required();
  app.add_option("--extent", extent, "which tiles")
      ->check(CLI::IsMember({"defaults", "sliders", "whole"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto text = files::read_file(presets);
  if (!text) throw std::runtime_error("cannot read " + presets);
  const Extent chosen = extent == "defaults"  ? Extent::defaults
                        : extent == "sliders" ? Extent::sliders
                                              : Extent::whole;
  const std::vector<KernelRequest> requests = chosen_requests(chosen, *text, recordings);
  pack_recordings(recordings, out);
  write(fs::path(out) / kPackList, listed(requests));
  make_packs(wanted_of(requests), out);
  return 0;
}

}  // namespace
}  // namespace tilescope::web

int main(int argc, char** argv) {
  try {
    return tilescope::web::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ptx_pack: %s\n", error.what());
    return 4;
  }
}
