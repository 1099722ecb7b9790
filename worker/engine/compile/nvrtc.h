// NVRTC, opened at run time. One call gives PTX and cubin.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "worker/engine/compile/source.h"
#include "worker/engine/shared_library.h"

namespace tilescope::worker {

/// What to compile for: "sm_90", or "compute_120" where only PTX can be made.
struct Target {
  std::string arch;
  bool cubin = true;
};

class Nvrtc {
 public:
  /// Searches TILESCOPE_NVRTC (a file or a folder; if set, nothing else), the folders found when
  /// this was built, the loader. Fails with one sentence that says what was searched and the fix.
  static std::shared_ptr<const Nvrtc> open();

  struct Input {
    std::string text;
    std::vector<SourceFile> headers;
    std::vector<std::string> options;
    bool cubin = true;
    const std::atomic<bool>* cancelled = nullptr;
    std::string name = kEntryFile;              // of the text, in its log and its lines
    std::vector<std::string> expressions = {};  // instances of templates to be compiled: "f<128>"
    double seconds = 0;                         // then it is stopped (12.8 and later); 0 = no limit
  };
  struct Output {
    bool ok = false, cancelled = false, too_long = false;
    std::string error;  // NVRTC's name for it, if !ok
    std::string log;
    std::string ptx;
    std::vector<std::byte> cubin;
    std::vector<std::string> lowered;  // of the expressions: what the PTX calls them
    double ms = 0;
  };
  Output compile(const Input& input) const;

  std::string version() const;                              // "13.0"
  const std::vector<int>& archs() const { return archs_; }  // as sm numbers, ascending
  const std::string& path() const { return library_->name(); }
  /// -I options for <cuda_fp16.h> and the like.
  std::vector<std::string> include_options() const;
  /// NVRTC's own cache (12.9 and later) would hide the cold compile time, and ours is enough.
  bool has_cache_option() const { return major_ > 12 || (major_ == 12 && minor_ >= 9); }
  /// --minimal leaves out textures and the device runtime's library, and 5 ms of each compile.
  bool has_minimal_option() const { return major_ >= 13; }

 private:
  using Program = void*;
  struct Functions {
    int (*version)(int*, int*);
    int (*arch_count)(int*);
    int (*archs)(int*);
    const char* (*error_string)(int);
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(Program*);
    int (*compile)(Program, int, const char* const*);
    int (*log_size)(Program, size_t*);
    int (*log)(Program, char*);
    int (*ptx_size)(Program, size_t*);
    int (*ptx)(Program, char*);
    int (*cubin_size)(Program, size_t*);
    int (*cubin)(Program, char*);
    int (*add_expression)(Program, const char*);
    int (*lowered)(Program, const char*, const char**);
    int (*set_flow_callback)(Program, int (*)(void*, void*), void*);  // 12.8 and later, else null
  };
  bool load();
  /// NVRTC opens this one itself, at the first compile and by its name alone: where the loader does
  /// not look into NVRTC's folder, as of a wheel, it must be there already. Null where it is not
  /// beside it.
  void open_builtins();

  std::unique_ptr<SharedLibrary> library_, builtins_;
  Functions functions_{};
  int major_ = 0, minor_ = 0;
  std::vector<int> archs_;
};

/// The compiler's target for a request of "sm_NN" (or "compute_NN"): itself if listed; PTX of the
/// nearest older one if not, which the driver then compiles. Fails if even the oldest is newer.
Target choose_target(const std::string& arch, std::span<const int> listed,
                     const std::string& nvrtc_version);

}  // namespace tilescope::worker
