// NCCL, opened at run time: what moves and adds matrices between the cards of a layer's ranks, each
// in a process of its own.
#pragma once
#include <array>
#include <memory>
#include <string>

#include "core/layout/element_type.h"
#include "worker/engine/gpu/gpu.h"
#include "worker/engine/shared_library.h"

namespace tilescope::worker {

namespace nccl {
// Declared here because toolkits lack the header.
struct UniqueId {
  char internal[128];
};
using Communicator = struct CommunicatorTag*;
struct Functions {
  int (*version)(int* version);
  int (*unique_id)(UniqueId* id);
  int (*init_rank)(Communicator* communicator, int ranks, UniqueId id, int rank);
  int (*abort)(Communicator communicator);
  int (*destroy)(Communicator communicator);
  int (*all_reduce)(const void* from, void* to, size_t count, int type, int operation,
                    Communicator communicator, cuda::Stream stream);
  int (*all_gather)(const void* from, void* to, size_t count_of_one, int type,
                    Communicator communicator, cuda::Stream stream);
  const char* (*error_string)(int result);
};
}  // namespace nccl

class Nccl {
 public:
  /// TILESCOPE_NCCL (the library or its folder), else the loader, else NVIDIA's wheel beside a
  /// Python of PATH; null if there is none: `why_not` says why, with the fix.
  static std::shared_ptr<const Nccl> open(std::string* why_not);

  const nccl::Functions& call() const { return f_; }
  std::string name() const;  // "NCCL 2.28.9"
  const std::string& file() const { return library_->name(); }
  /// Fails (exit code 4) unless `result` is success. `doing`: "to add dX".
  void check(int result, const std::string& doing) const;
  /// What the first rank makes and all others are given, as text.
  std::string unique_id() const;

 private:
  std::unique_ptr<SharedLibrary> library_;
  nccl::Functions f_{};
};

/// This rank's end of what connects all ranks. Every call must be made by all, in the same order.
class NcclRank {
 public:
  /// Waits until all ranks are there.
  NcclRank(std::shared_ptr<const Nccl> nccl, const Gpu& gpu, const std::string& id, int ranks,
           int rank);
  ~NcclRank();
  NcclRank(const NcclRank&) = delete;

  enum class Operation { sum = 0, max = 2 };
  /// Enqueues on `stream`: `count` elements at `at`, f16 or f32, become those of all ranks.
  void all_reduce(cuda::DevicePointer at, size_t count, ElementType type, Operation operation,
                  cuda::Stream stream) const;
  /// Enqueues: `to` gets each rank's `count` elements, one rank's behind the other's.
  void all_gather(cuda::DevicePointer from, cuda::DevicePointer to, size_t count, ElementType type,
                  cuda::Stream stream) const;
  const Nccl& library() const { return *nccl_; }

 private:
  /// As the library's, but a card that is lost under it, or a kernel that faulted, says so itself.
  void check(int result, const std::string& doing) const;
  std::shared_ptr<const Nccl> nccl_;
  const Gpu& gpu_;
  nccl::Communicator communicator_ = nullptr;
};

}  // namespace tilescope::worker
