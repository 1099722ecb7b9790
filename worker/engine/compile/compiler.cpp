#include "worker/engine/compile/compiler.h"

#include <fmt/format.h>

#include "worker/engine/compile/cubin.h"
#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/included_headers.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

/// The first line of NVRTC's log that names an error: file, line and text.
std::string first_error(const std::string& log) {
  size_t at = 0;
  while (at < log.size()) {
    const size_t end = log.find('\n', at);
    std::string line = log.substr(at, end == log.npos ? log.npos : end - at);
    if (line.find("error") != line.npos) return line;
    if (end == log.npos) break;
    at = end + 1;
  }
  return {};
}

/// Of the GEMM, not of the packing pass beside it.
void put_resources(CompiledKernel& kernel) {
  const auto info = read_cubin(kernel.cubin, kEntryName);
  kernel.result.registers = info ? info->registers : 0;
  kernel.result.spill_bytes = info ? info->local_bytes : 0;
}

DiskCache::Entry to_entry(const CompiledKernel& kernel) {
  const json header = {{"arch", kernel.result.arch},
                       {"revision", kernel.result.revision},
                       {"compile_ms", kernel.result.compile_ms},
                       {"log", kernel.log}};
  return {header.dump(-1, ' ', false, json::error_handler_t::replace), kernel.result.ptx,
          kernel.cubin};
}

std::shared_ptr<const CompiledKernel> from_entry(DiskCache::Entry entry) {
  auto kernel = std::make_shared<CompiledKernel>();
  const json header = json::parse(entry.header, nullptr, false);
  if (!header.is_object()) return nullptr;
  CompileResult& r = kernel->result;
  r.arch = header.value("arch", "");
  r.revision = header.value("revision", "");
  r.compile_ms = header.value("compile_ms", 0.0);
  r.cached = true;
  r.ptx = std::move(entry.ptx);
  kernel->log = header.value("log", "");
  kernel->cubin = std::move(entry.cubin);
  put_resources(*kernel);
  return kernel;
}

}  // namespace

Compiler::Compiler(Options options) : options_(std::move(options)), disk_(options_.cache_folder) {
  disk_.prune(options_.cache_bytes);
}

Compiler& Compiler::shared() {
  static Compiler compiler;
  return compiler;
}

std::shared_ptr<const Nvrtc> Compiler::nvrtc() {
  const std::lock_guard lock(mutex_);
  if (!nvrtc_) nvrtc_ = Nvrtc::open();
  return nvrtc_;
}

Compiler::Plan Compiler::plan(const SourceRequest& source) {
  const auto nvrtc = this->nvrtc();
  Plan plan;
  plan.target = choose_target(source.arch, nvrtc->archs(), nvrtc->version());
  plan.input.text = source.text;
  plan.input.headers = included_headers(source.text, source.kernel_dir);
  plan.input.options = {"-std=c++20", "-default-device", "-lineinfo", "-arch=" + plan.target.arch};
  if (nvrtc->has_cache_option()) plan.input.options.push_back("--no-cache");
  if (nvrtc->has_minimal_option()) plan.input.options.push_back("--minimal");
  plan.input.cubin = plan.target.cubin;

  Hash hash;
  hash.add_field(nvrtc->version()).add_field(plan.input.text);
  for (const SourceFile& header : plan.input.headers) {
    hash.add_field(header.name).add_field(header.text);
  }
  for (const std::string& option : plan.input.options) hash.add_field(option);
  plan.key = hash.hex();
  // Where the system's headers lie does not change what they say: not part of the key.
  for (std::string& option : nvrtc->include_options()) {
    plan.input.options.push_back(std::move(option));
  }
  return plan;
}

std::string Compiler::key(const SourceRequest& source) { return plan(source).key; }

std::shared_ptr<const CompiledKernel> Compiler::from_memory(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return recent_.front().second;
}

void Compiler::remember(const std::string& key, std::shared_ptr<const CompiledKernel> kernel) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) recent_.erase(found->second);
  recent_.emplace_front(key, std::move(kernel));
  by_key_[key] = recent_.begin();
  while (recent_.size() > options_.memory_entries) {
    by_key_.erase(recent_.back().first);
    recent_.pop_back();
  }
}

std::shared_ptr<const CompiledKernel> Compiler::compile(const KernelRequest& request,
                                                        const std::string& arch,
                                                        const std::string& kernel_dir,
                                                        const std::atomic<bool>* cancelled,
                                                        bool ptx_is_enough) {
  const KernelEntry& kernel = kernel_of(request);
  return compile({entry_source(request, kernel), kernel_dir, arch_of(kernel, arch), ptx_is_enough},
                 cancelled);
}

std::shared_ptr<const CompiledKernel> Compiler::compile(const SourceRequest& source,
                                                        const std::atomic<bool>* cancelled) {
  Plan plan = this->plan(source);
  if (auto kernel = from_memory(plan.key)) return kernel;
  if (auto entry = disk_.find(plan.key)) {
    if (auto kernel = from_entry(std::move(*entry))) {
      remember(plan.key, kernel);
      return kernel;
    }
  }

  const bool ptx_alone = source.ptx_is_enough && plan.target.cubin;
  const std::string ptx_key = plan.key + " ptx";
  if (ptx_alone) {
    if (auto kernel = from_memory(ptx_key)) return kernel;
    plan.input.cubin = false;
    for (std::string& option : plan.input.options) {
      // The virtual architecture of the same number: the same PTX.
      if (option.starts_with("-arch=sm_")) option.replace(0, 9, "-arch=compute_");
    }
  }
  plan.input.cancelled = cancelled;
  plan.input.seconds = options_.seconds;
  Nvrtc::Output out = nvrtc()->compile(plan.input);
  if (out.cancelled) fail_cancelled();
  if (out.too_long) {
    fail(kFailed,
         fmt::format("The kernel does not compile within {:.4g} s, after which NVRTC was "
                     "stopped; write less code, or a smaller tile.",
                     options_.seconds),
         {{"log", out.log}});
  }
  if (!out.ok) {
    std::string what = first_error(out.log);
    if (what.empty()) what = out.error + " (" + nvrtc()->path() + ")";
    fail(kFailed, "The kernel does not compile: " + what, {{"log", out.log}});
  }
  auto fresh = std::make_shared<CompiledKernel>();
  fresh->result.arch = plan.target.arch;
  fresh->result.revision = ptx_revision(out.ptx);
  fresh->result.compile_ms = out.ms;
  fresh->result.ptx = std::move(out.ptx);
  fresh->log = std::move(out.log);
  fresh->cubin = std::move(out.cubin);
  put_resources(*fresh);
  if (!ptx_alone) disk_.store(plan.key, to_entry(*fresh));
  auto again = std::make_shared<CompiledKernel>(*fresh);
  again->result.cached = true;
  remember(ptx_alone ? ptx_key : plan.key, again);
  return fresh;
}

}  // namespace tilescope::worker
