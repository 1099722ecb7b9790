#include "worker/engine/compile/source_hash.h"

#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/included_headers.h"
#include "worker/engine/compile/source.h"
#include "worker/service.h"

namespace tilescope::worker {
namespace {

constexpr size_t kMostKnown = 50'000;  // 20 MB, or so

}  // namespace

bool SourceHash::Same::operator()(const KernelRequest& a, const KernelRequest& b) const {
  return a.kernel == b.kernel && a.tile == b.tile && a.problem == b.problem && a.sms == b.sms;
}

size_t SourceHash::Spread::operator()(const KernelRequest& request) const {
  size_t hash = std::hash<std::string>()(request.kernel);
  const auto add = [&hash](int value) {
    hash = hash * 1099511628211u + static_cast<unsigned>(value);
  };
  for (const TileField& field : kTileFields) add(get(request.tile, field.id));
  for (const int extent : {request.problem.m, request.problem.n, request.problem.k}) add(extent);
  return hash;
}

const std::string& SourceHash::headers(const KernelEntry& kernel) {
  std::string& hex = headers_[kernel.file];
  if (!hex.empty()) return hex;
  hex = headers_of(std::string("#include \"kernels/") + kernel.file + "\"\n");
  return hex;
}

std::string SourceHash::headers_of(const std::string& text) const {
  Hash hash;
  try {
    for (const SourceFile& file : included_headers(text, kernel_dir_)) {
      hash.add_field(file.name).add_field(file.text);
    }
  } catch (const RpcError& error) {
    // Whoever compiles it is told why. Here it is a kernel of which nothing is known; what is known
    // of the others of its folder is not lost by it.
    hash.add_field("refused").add_field(error.message);
  }
  return hash.hex();
}

std::string SourceHash::of_text(const std::string& text) const {
  return Hash().add_field(text).add_field(headers_of(text)).hex();
}

std::string SourceHash::of(const KernelRequest& request, const KernelEntry& kernel) {
  if (const auto known = known_.find(request); known != known_.end()) return known->second;
  if (known_.size() >= kMostKnown) known_.clear();
  const Hash hash = Hash().add_field(entry_source(request, kernel)).add_field(headers(kernel));
  return known_[request] = hash.hex();
}

std::string kernel_sources_hash() {
  Hash hash;
  for (const KernelSource& source : kernel_sources()) {
    hash.add_field(source.name).add_field(source.text);
  }
  return hash.hex();
}

}  // namespace tilescope::worker
