#include "worker/engine/own/own_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/model/format.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/error.h"
#include "worker/engine/own/found_launches.h"
#include "worker/engine/own/host_headers.h"
#include "worker/engine/own/own_nvcc.h"

namespace tilescope::worker {
namespace {

std::string name_without_list(const std::string& expression) {
  return expression.substr(0, expression.find('<'));
}

const KernelDeclaration* template_named(const OwnFiles& files, const std::string& name) {
  const auto found = std::ranges::find_if(files.kernels, [&](const KernelDeclaration& k) {
    const bool same =
        k.name == name || k.name.ends_with("::" + name) || name.ends_with("::" + k.name);
    return same && !k.template_parameters.empty();
  });
  return found == files.kernels.end() ? nullptr : &*found;
}

/// What templates are instantiated with: by the entry that is asked for, and by launches.
std::vector<std::string> instances_of(const OwnFiles& files, const OwnOptions& options,
                                      bool with_launches) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& expression) {
    const KernelDeclaration* kernel = template_named(files, name_without_list(expression));
    if (!kernel || expression.find('<') == expression.npos) return;
    // A launch names it as it is seen from there.
    const std::string whole = kernel->name + expression.substr(expression.find('<'));
    if (std::ranges::find(all, whole) == all.end()) all.push_back(whole);
  };
  add(options.entry);
  if (!with_launches) return all;
  for (const sheet::FoundLaunch& launch : files.launches) {
    if (is_instance(launch)) add(launch.kernel);
  }
  return all;
}

std::string template_text(const KernelDeclaration& kernel) {
  std::string list;
  for (const std::string& p : kernel.template_parameters) list += (list.empty() ? "" : ", ") + p;
  return kernel.name + "<" + list + ">";
}

/// Templates alone, of which nobody says an instance.
[[noreturn]] void refuse_templates(const std::string& file, const OwnFiles& files) {
  std::string names;
  for (const KernelDeclaration& k : files.kernels) {
    names += (names.empty() ? "" : ", ") + template_text(k);
  }
  fail(kUsage,
       fmt::format("{}: all kernels are templates that no launch in the file gives numbers: "
                   "{}. Name an instance with --entry '{}<…>'.",
                   file, names, files.kernels.front().name));
}

/// The first line that names an error, with what the headers were called.
std::string first_error_of(const std::string& log) {
  size_t at = 0;
  std::string any;
  while (at < log.size()) {
    const size_t end = std::min(log.find('\n', at), log.size());
    std::string line = log.substr(at, end - at);
    at = end + 1;
    const bool error = line.find("error") != line.npos;
    if (error && line.find("catastrophic") == line.npos && line.find("limit reached") == line.npos)
      return line;
    if (error && any.empty()) any = line;
  }
  return any;
}

struct Tried {
  bool ok = false;
  OwnPtx ptx;
  std::string error;
};

Tried try_nvrtc(const Nvrtc& nvrtc, const OwnFiles& files, const OwnOptions& options,
                const std::vector<std::string>& instances) {
  Nvrtc::Input input;
  input.text = files.main.text;
  input.name = files.main.name;
  input.headers = files.headers;
  input.cancelled = options.cancelled;
  input.seconds = options.seconds;
  input.expressions = instances;
  Target target = choose_target(options.arch, nvrtc.archs(), nvrtc.version());
  // At "sm_90" one call gives the PTX of "compute_90" and the cubin.
  input.cubin = options.with_cubin && target.cubin;
  if (!input.cubin && target.arch.starts_with("sm_")) target.arch.replace(0, 3, "compute_");
  input.options = {"-std=c++17", "-default-device", "-lineinfo", "-arch=" + target.arch,
                   std::string("--pre-include=") + kBeforeName};
  if (nvrtc.has_cache_option()) input.options.push_back("--no-cache");
  for (const std::string& define : options.defines) input.options.push_back("-D" + define);
  for (const std::string& folder : options.include_folders) input.options.push_back("-I" + folder);
  for (std::string& option : own_include_options()) input.options.push_back(std::move(option));
  Nvrtc::Output out = nvrtc.compile(input);
  if (out.cancelled) fail_cancelled();
  Tried tried;
  tried.ok = out.ok;
  tried.ptx = {std::move(out.ptx), options.arch, "NVRTC " + nvrtc.version(), std::move(out.log),
               out.ms};
  if (out.ok) {
    tried.ptx.cubin = std::move(out.cubin);
    for (size_t i = 0; i < instances.size(); ++i) {
      tried.ptx.instances.push_back({instances[i], out.lowered[i]});
    }
    return tried;
  }
  tried.error = out.too_long ? fmt::format("NVRTC was stopped after {:.0f} s", options.seconds)
                             : first_error_of(tried.ptx.log);
  if (tried.error.empty()) tried.error = out.error;
  return tried;
}

Tried by_nvrtc(const OwnFiles& files, const OwnOptions& options) {
  std::shared_ptr<const Nvrtc> nvrtc;
  try {
    nvrtc = Compiler::shared().nvrtc();
  } catch (const RpcError& error) {
    return {false, {}, error.message};
  }
  const auto all = instances_of(files, options, true), asked = instances_of(files, options, false);
  Tried tried = try_nvrtc(*nvrtc, files, options, all);
  // An instance that a launch names may not be one that can be compiled.
  if (!tried.ok && all != asked) {
    Tried fewer = try_nvrtc(*nvrtc, files, options, asked);
    if (fewer.ok) return fewer;
  }
  return tried;
}

/// Of the header that the error names, else the last, which is nearest to the file.
const std::string& telling_remark(const std::vector<std::string>& remarks,
                                  const std::string& error) {
  constexpr std::string_view kBefore = " includes ";
  for (const std::string& remark : remarks) {
    const size_t from = remark.find(kBefore) + kBefore.size();
    const size_t end = remark.find(',', from);
    if (error.find(remark.substr(from, end - from)) != error.npos) return remark;
  }
  return remarks.back();
}

bool has_entry(const std::string& ptx) { return ptx.find(".entry") != std::string::npos; }

}  // namespace

OwnPtx compile_own(const std::string& file, const OwnFiles& files, const OwnOptions& options) {
  if (files.kernels.empty()) {
    fail(kUsage, file + " has no kernel: no function in it or in its own headers is __global__.");
  }
  Tried tried = by_nvrtc(files, options);
  if (tried.ok && !has_entry(tried.ptx.ptx)) refuse_templates(file, files);
  if (!tried.ok) {
    const NvccRun nvcc = compile_with_nvcc(file, instances_of(files, options, false), options);
    if (nvcc.ok && has_entry(nvcc.ptx)) {
      tried.ok = true;
      tried.ptx = {nvcc.ptx, options.arch, nvcc.compiler, nvcc.log, nvcc.ms};
    } else if (nvcc.found && !nvcc.error.empty()) {
      tried.error = nvcc.error;
      tried.ptx.log += nvcc.log;
    } else if (!nvcc.found) {
      tried.error += "; nvcc, which takes host code too, is not on this machine";
    } else if (!nvcc.refused.empty()) {
      tried.error += "; nvcc, which takes host code too, is not started, since " + nvcc.refused;
    }
  }
  if (!tried.ok) {
    std::string sentence = file + " does not compile: " + tried.error + ".";
    for (const std::string& remark : files.remarks) tried.ptx.log += remark + "\n";
    // All are in the log; most of a large library's are of other compilers and in nobody's way.
    if (!files.remarks.empty()) sentence += " " + telling_remark(files.remarks, tried.error);
    if (files.remarks.size() > 1) {
      sentence += fmt::format(" So were {} other headers.", files.remarks.size() - 1);
    }
    fail(kFailed, sentence, {{"log", tried.ptx.log}});
  }
  if (tried.ptx.ptx.size() > kMostOwnPtx) {
    fail(kFailed,
         fmt::format("{}: its PTX has {} bytes, above {}; leave out kernels, or compile it "
                     "with nvcc -ptx and give the PTX.",
                     file, model::grouped(static_cast<long long>(tried.ptx.ptx.size())),
                     model::grouped(kMostOwnPtx)));
  }
  for (const std::string& remark : files.remarks) tried.ptx.log += remark + "\n";
  return std::move(tried.ptx);
}

}  // namespace tilescope::worker
