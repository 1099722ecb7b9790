// A .cu of somebody's own with all that it includes, made ready for NVRTC.
#pragma once
#include <string>
#include <vector>

#include "core/sheet/signature.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/own/host_code.h"

namespace tilescope::worker {

struct OwnFiles {
  SourceFile main;                       // without host code; as many lines as the file
  std::vector<SourceFile> headers = {};  // own ones without theirs, and stand-ins for the host's
  std::vector<KernelDeclaration> kernels = {};
  std::vector<sheet::FoundLaunch> launches = {};
  std::vector<std::string> remarks = {};  // sentences: what was left out because it is not there
  std::vector<std::string> read = {};     // the files themselves, which a watcher looks at
};

/// `text`: in place of what the file holds. Own headers are looked for beside the file that
/// includes them and in `include_folders`; whoever opens a .cu may read what they name, wherever it
/// lies. A name that a macro makes is none of what is read here: the compiler alone looks it up
/// (docs/security.md). Fails with exit code 2 and a sentence if a file cannot be read, is no
/// regular one, is none of text, has a name that would end a quote in what is compiled, if all that
/// is read is beyond the limits of include_limits.h, or if headers include each other in a circle
/// without #pragma once.
OwnFiles read_own_files(const std::string& file, const std::string* text,
                        const std::vector<std::string>& include_folders);

/// -I options beyond the user's: the CUDA headers', with those of libcu++.
std::vector<std::string> own_include_options();

}  // namespace tilescope::worker
