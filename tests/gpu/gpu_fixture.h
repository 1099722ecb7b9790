// The GPU of these tests, opened once; tests skip without one.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "worker/engine/gpu/measure.h"
#include "worker/service.h"

namespace tilescope::worker {

/// Null if there is no GPU here; `why` then says so in a sentence.
inline GpuSession* gpu_session(std::string* why) {
  static std::string reason;
  static const std::unique_ptr<GpuSession> session = []() -> std::unique_ptr<GpuSession> {
    try {
      return std::make_unique<GpuSession>(0);
    } catch (const RpcError& error) {
      reason = error.message;
      return nullptr;
    }
  }();
  *why = reason;
  return session.get();
}

#define TILESCOPE_NEED_GPU(session)                             \
  std::string why_no_gpu;                                       \
  GpuSession* const session_pointer = gpu_session(&why_no_gpu); \
  if (!session_pointer) GTEST_SKIP() << why_no_gpu;             \
  GpuSession& session = *session_pointer

}  // namespace tilescope::worker
