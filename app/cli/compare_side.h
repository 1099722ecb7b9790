// SPEC of compare: what one of its two sides is.
#pragma once
#include <string>

#include "app/cli/bench_run.h"
#include "app/cli/own_flags.h"

namespace tilescope::cli {

/// A rung of the ladder, or a file with its sheet.
struct CompareSide {
  std::string flag, spec;  // "--a", as it was typed
  RequestOptions request;  // of a rung; of a file what --gemm has beside it
  OwnFlags own;            // given() of a file
  bool is_file() const { return own.given(); }
};

/// `spec`: KERNEL[:NAME=VALUE,…], FILE[:ENTRY] of a .cu or .ptx, or the name of a pin of the
/// session in `session`. `shared`: what both sides have of --size and the like; it comes before
/// what a pin has. Throws (exit code 2) where the spec is none of these.
CompareSide read_side(const std::string& flag, const std::string& spec,
                      const RequestOptions& shared, const std::string& session);

/// Problems that pins bring are the other side's too, where that is a rung and nothing else says
/// what its problem is.
void share_problem(CompareSide& a, CompareSide& b, const RequestOptions& shared);

/// The session of the window: where it keeps it.
std::string usual_session();

}  // namespace tilescope::cli
