// Request → PTX and cubin: in memory, on disk, or compiled now.
#pragma once
#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "worker/engine/compile/disk_cache.h"
#include "worker/engine/compile/nvrtc.h"
#include "worker/engine/compile/source.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct CompiledKernel {
  CompileResult result;
  std::vector<std::byte> cubin;  // empty where only PTX could be made
  std::string log;               // warnings
};

/// A source text for NVRTC and its options. The cache is keyed by both.
struct SourceRequest {
  std::string text;
  std::string kernel_dir;
  std::string arch = kDefaultArch;
  /// The PTX is wanted as soon as possible. Registers and cubin, which take the assembler's time,
  /// are then left out unless they are known already. Not part of the cache's key.
  bool ptx_is_enough = false;
};

/// How long NVRTC may take for a kernel of the ladder or of --kernel-dir; the slowest of ours takes
/// a second or two. It is asked on its way through a kernel, but not while it preprocesses: whoever
/// runs the compiler has to end it where that does not end.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kMostCompileSeconds = 1200;
#else
inline constexpr double kMostCompileSeconds = 120;
#endif

class Compiler {
 public:
  struct Options {
    std::string cache_folder = DiskCache::default_folder();
    uint64_t cache_bytes = 512ull << 20;
    size_t memory_entries = 128;
    double seconds = kMostCompileSeconds;  // of NVRTC, for one kernel
  };
  explicit Compiler(Options options);
  Compiler() : Compiler(Options{}) {}
  /// One per process: made when first asked for.
  static Compiler& shared();

  /// The request must be legal (legal.h). Fails with exit code 3 (no NVRTC) or 4 (compile error,
  /// with
  /// {"log": …}). Thread-safe.
  std::shared_ptr<const CompiledKernel> compile(const KernelRequest& request,
                                                const std::string& arch,
                                                const std::string& kernel_dir = {},
                                                const std::atomic<bool>* cancelled = nullptr,
                                                bool ptx_is_enough = false);
  std::shared_ptr<const CompiledKernel> compile(const SourceRequest& source,
                                                const std::atomic<bool>* cancelled = nullptr);
  /// The cache key of a source: its full text, the options and NVRTC's version.
  std::string key(const SourceRequest& source);
  const DiskCache& disk() const { return disk_; }
  std::shared_ptr<const Nvrtc> nvrtc();

 private:
  struct Plan {
    Nvrtc::Input input;
    Target target;
    std::string key;
  };
  Plan plan(const SourceRequest& source);
  std::shared_ptr<const CompiledKernel> from_memory(const std::string& key);
  void remember(const std::string& key, std::shared_ptr<const CompiledKernel> kernel);

  const Options options_;
  const DiskCache disk_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<const Nvrtc> nvrtc_;
  using Recent = std::list<std::pair<std::string, std::shared_ptr<const CompiledKernel>>>;
  Recent recent_;  // most recent first
  std::unordered_map<std::string, Recent::iterator> by_key_;
};

}  // namespace tilescope::worker
