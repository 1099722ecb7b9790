#include "worker/engine/compile/nvrtc.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"

#if TILESCOPE_HAVE_NVRTC_H
#include <nvrtc.h>
// The declarations in nvrtc.h of ours against the real ones.
static_assert(sizeof(nvrtcResult) == sizeof(int) && sizeof(nvrtcProgram) == sizeof(void*));
static_assert(NVRTC_SUCCESS == 0);
#endif

namespace tilescope::worker {
namespace {

const std::vector<std::string> kLibraryNames = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                                "libnvrtc.so.11.2"};

using Clock = std::chrono::steady_clock;

/// What NVRTC asks on its way.
struct Flow {
  const std::atomic<bool>* cancelled = nullptr;
  Clock::time_point end = Clock::time_point::max();
  bool stopped() const { return cancelled && cancelled->load(); }
  bool late() const { return Clock::now() >= end; }
};
int flow_callback(void* flow, void*) {
  const auto* f = static_cast<const Flow*>(flow);
  return f->stopped() || f->late() ? 1 : 0;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

std::shared_ptr<const Nvrtc> Nvrtc::open() {
  constexpr const char* kFix =
      "; install the wheel nvidia-cuda-nvrtc or a CUDA toolkit, or set TILESCOPE_NVRTC to the "
      "library or its folder.";
  auto nvrtc = std::make_shared<Nvrtc>();
  std::string searched, why;
  const std::string given = environment("TILESCOPE_NVRTC");
  std::vector<std::string> candidates;
  if (!given.empty()) {
    candidates = candidates_at(given, kLibraryNames);
    searched = "TILESCOPE_NVRTC=" + given;
  } else {
    for (const std::string& folder : nvrtc_folders()) {
      const auto in_folder = candidates_at(folder, kLibraryNames);
      candidates.insert(candidates.end(), in_folder.begin(), in_folder.end());
      searched += folder + ", ";
    }
    candidates.insert(candidates.end(), kLibraryNames.begin(), kLibraryNames.end());
    searched += "the system's library path";
  }
  nvrtc->library_ = SharedLibrary::open(candidates, &why);
  if (!nvrtc->library_) {
    fail(kMissing, "NVRTC, the compiler of CUDA kernels, was not found in " + searched + kFix,
         {{"log", why}});
  }
  if (!nvrtc->load()) {
    fail(kMissing, nvrtc->library_->name() + " is no NVRTC of CUDA 11.2 or later" + kFix);
  }
  nvrtc->open_builtins();
  return nvrtc;
}

bool Nvrtc::load() {
  const SharedLibrary& from = *library_;
  Functions& f = functions_;
  const bool loaded =
      from.load(f.version, "nvrtcVersion") &&
      from.load(f.arch_count, "nvrtcGetNumSupportedArchs") &&
      from.load(f.archs, "nvrtcGetSupportedArchs") &&
      from.load(f.error_string, "nvrtcGetErrorString") &&
      from.load(f.create, "nvrtcCreateProgram") && from.load(f.destroy, "nvrtcDestroyProgram") &&
      from.load(f.compile, "nvrtcCompileProgram") &&
      from.load(f.log_size, "nvrtcGetProgramLogSize") && from.load(f.log, "nvrtcGetProgramLog") &&
      from.load(f.ptx_size, "nvrtcGetPTXSize") && from.load(f.ptx, "nvrtcGetPTX") &&
      from.load(f.cubin_size, "nvrtcGetCUBINSize") && from.load(f.cubin, "nvrtcGetCUBIN") &&
      from.load(f.add_expression, "nvrtcAddNameExpression") &&
      from.load(f.lowered, "nvrtcGetLoweredName");
  from.load(f.set_flow_callback, "nvrtcSetFlowCallback");
  int count = 0;
  if (!loaded || f.version(&major_, &minor_) != 0 || f.arch_count(&count) != 0 || count <= 0) {
    return false;
  }
  archs_.resize(static_cast<size_t>(count));
  if (f.archs(archs_.data()) != 0) return false;
  std::sort(archs_.begin(), archs_.end());
  return true;
}

void Nvrtc::open_builtins() {
  const size_t slash = path().rfind('/');
  if (slash == std::string::npos) return;
  builtins_ = SharedLibrary::open({path().substr(0, slash) + "/libnvrtc-builtins.so." + version()});
}

std::string Nvrtc::version() const { return std::to_string(major_) + "." + std::to_string(minor_); }

std::vector<std::string> Nvrtc::include_options() const {
  std::vector<std::string> options;
  for (const std::string& folder : cuda_include_folders()) options.push_back("-I" + folder);
  return options;
}

Nvrtc::Output Nvrtc::compile(const Input& input) const {
  const Functions& f = functions_;
  Output out;
  std::vector<const char*> texts, names, options;
  for (const SourceFile& header : input.headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  for (const std::string& option : input.options) options.push_back(option.c_str());

  const auto start = std::chrono::steady_clock::now();
  Program program = nullptr;
  int result = f.create(&program, input.text.c_str(), input.name.c_str(),
                        static_cast<int>(names.size()), texts.data(), names.data());
  Flow flow{input.cancelled};
  if (input.seconds > 0) {
    flow.end = start + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(input.seconds));
  }
  for (const std::string& expression : input.expressions) {
    if (result == 0) result = f.add_expression(program, expression.c_str());
  }
  if (result == 0) {
    if (f.set_flow_callback) f.set_flow_callback(program, flow_callback, &flow);
    result = f.compile(program, static_cast<int>(options.size()), options.data());
  }
  out.ms = milliseconds_since(start);
  out.cancelled = flow.stopped();
  out.too_long = result != 0 && flow.late();
  // Sizes count the final zero of texts.
  size_t size = 0;
  if (program && f.log_size(program, &size) == 0 && size > 1) {
    out.log.resize(size);
    f.log(program, out.log.data());
    out.log.resize(size - 1);
  }
  if (result == 0 && (result = f.ptx_size(program, &size)) == 0 && size > 0) {
    out.ptx.resize(size);
    result = f.ptx(program, out.ptx.data());
    while (!out.ptx.empty() && out.ptx.back() == '\0') out.ptx.pop_back();
  }
  if (result == 0 && input.cubin && (result = f.cubin_size(program, &size)) == 0) {
    out.cubin.resize(size);
    result = f.cubin(program, reinterpret_cast<char*>(out.cubin.data()));
  }
  for (const std::string& expression : input.expressions) {
    const char* name = nullptr;
    if (result == 0 && (result = f.lowered(program, expression.c_str(), &name)) == 0) {
      out.lowered.emplace_back(name);
    }
  }
  if (program) f.destroy(&program);
  out.ok = result == 0;
  if (!out.ok) out.error = f.error_string(result);
  return out;
}

Target choose_target(const std::string& arch, std::span<const int> listed,
                     const std::string& nvrtc_version) {
  const size_t underscore = arch.find('_');
  int number = 0;
  const bool known_prefix = arch.starts_with("sm_") || arch.starts_with("compute_");
  const char* end = arch.data() + arch.size();
  if (!known_prefix ||
      std::from_chars(arch.data() + underscore + 1, end, number).ec != std::errc() || number <= 0) {
    fail(kUsage, "\"" + arch + "\" is not an architecture; expected sm_NN, such as sm_90.");
  }
  if (arch.starts_with("compute_")) return {arch, false};
  if (std::find(listed.begin(), listed.end(), number) != listed.end()) return {arch, true};
  const auto newer = std::upper_bound(listed.begin(), listed.end(), number);
  if (newer == listed.begin()) {
    fail(kMissing, "NVRTC " + nvrtc_version + " compiles for sm_" + std::to_string(listed.front()) +
                       " and later, not for " + arch +
                       "; install an older NVRTC and set TILESCOPE_NVRTC to it.");
  }
  return {"compute_" + std::to_string(*std::prev(newer)), false};
}

}  // namespace tilescope::worker
