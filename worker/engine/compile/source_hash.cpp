#include "worker/engine/compile/source_hash.h"

#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/source.h"
#include "worker/service.h"

namespace tilescope::worker {

const std::string& SourceHash::headers(const KernelEntry& kernel) {
  std::string& hex = headers_[kernel.file];
  if (!hex.empty()) return hex;
  hex = headers_of(std::string("#include \"kernels/") + kernel.file + "\"\n");
  return hex;
}

std::string SourceHash::headers_of(const std::string& text) const {
  Hash hash;
  for (const SourceFile& file : included_headers(text, kernel_dir_)) {
    hash.add_field(file.name).add_field(file.text);
  }
  return hash.hex();
}

std::string SourceHash::of_text(const std::string& text) const {
  return Hash().add_field(text).add_field(headers_of(text)).hex();
}

std::string SourceHash::of(const KernelRequest& request, const KernelEntry& kernel) {
  return Hash().add_field(entry_source(request, kernel)).add_field(headers(kernel)).hex();
}

std::string kernel_sources_hash() {
  Hash hash;
  for (const KernelSource& source : kernel_sources()) {
    hash.add_field(source.name).add_field(source.text);
  }
  return hash.hex();
}

}  // namespace tilescope::worker
