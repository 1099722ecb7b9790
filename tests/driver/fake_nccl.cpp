// NCCL without a link between cards: the ranks of a run share a file in memory. It checks that all
// ranks make the same calls in the same order, which the real one takes for granted.
//
//   TILESCOPE_FAKE_NCCL_DIES     RANK:N   that rank's process is killed at its call number N (from
//   0;
//                                         connecting is call 0)
//   TILESCOPE_FAKE_NCCL_HANGS    RANK:N   it never returns from it
//   TILESCOPE_FAKE_NCCL_FAILS    RANK:N   it returns an error
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/driver/faults.h"

namespace {

using tilescope::worker::cuda::DevicePointer;
using tilescope::worker::cuda::Stream;

enum Result : int { kSuccess = 0, kUnhandledCudaError = 1, kInternalError = 3, kInvalidUsage = 5 };
enum class Kind : int { connect, all_reduce, all_gather };
constexpr int kFloat16 = 6, kFloat32 = 7, kSum = 0, kMax = 2;
constexpr int kMostRanks = 8;
constexpr size_t kRoom = size_t{64} << 20;  // bytes of a rank

struct Call {
  Kind kind = Kind::connect;
  size_t count = 0;
  int type = 0, operation = 0;
  bool operator==(const Call&) const = default;
};

/// In memory that all ranks map.
struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int ranks = 0, here = 0, left = 0, round = 0;
  bool wrong = false;
  Call call;  // of this round
};

struct Communicator {
  Shared* shared = nullptr;
  int rank = 0, calls = 0;
  std::byte* room(int of) const {
    return reinterpret_cast<std::byte*>(shared) + 4096 + static_cast<size_t>(of) * kRoom;
  }
};
constexpr size_t kFileBytes = 4096 + kMostRanks * kRoom;

Shared* map_file(const char* path) {
  const int fd = open(path, O_RDWR);
  if (fd < 0) return nullptr;
  void* at = mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return at == MAP_FAILED ? nullptr : static_cast<Shared*>(at);
}

/// Whether a wish of the environment is for this rank's present call.
bool is_wished(const char* name, const Communicator& c) {
  const char* wish = std::getenv(name);
  return wish && wish == std::to_string(c.rank) + ":" + std::to_string(c.calls);
}

/// Waits until all ranks have come to a point of their present call; false if they do not all make
/// the same one.
bool meet(Communicator& c, const Call& call) {
  Shared& s = *c.shared;
  pthread_mutex_lock(&s.mutex);
  if (s.here == 0) s.call = call;
  if (s.call != call) s.wrong = true;
  const int round = s.round;
  if (++s.here == s.ranks) {
    s.here = 0, ++s.round;
    pthread_cond_broadcast(&s.changed);
  }
  while (s.round == round) pthread_cond_wait(&s.changed, &s.mutex);
  const bool right = !s.wrong;
  pthread_mutex_unlock(&s.mutex);
  return right;
}

/// What a test asks to happen at this call.
Result begin(Communicator& c) {
  if (is_wished("TILESCOPE_FAKE_NCCL_DIES", c)) raise(SIGKILL);
  if (is_wished("TILESCOPE_FAKE_NCCL_HANGS", c)) {
    tilescope::emulated_driver::leave_mark("nccl-hanging-" + std::to_string(getpid()));
    for (;;) pause();
  }
  const bool fails = is_wished("TILESCOPE_FAKE_NCCL_FAILS", c);
  ++c.calls;
  return fails ? kInternalError : kSuccess;
}

/// The driver that this process has open already.
template <class Function>
Function driver_function(const char* name) {
  void* library = dlopen(std::getenv("TILESCOPE_CUDA_DRIVER"), RTLD_NOW | RTLD_NOLOAD);
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}
bool synchronize(Stream stream) {
  const auto f = driver_function<int (*)(Stream)>("cuStreamSynchronize");
  return f && f(stream) == 0;
}
/// Something on the stream, so that the device's clock goes on.
bool pass_time(void* at, size_t bytes, Stream stream) {
  const auto f = driver_function<int (*)(DevicePointer, DevicePointer, size_t, Stream)>(
      "cuMemcpyDtoDAsync_v2");
  const auto address = reinterpret_cast<DevicePointer>(at);
  return f && f(address, address, bytes, stream) == 0;
}
bool read(void* to, const void* from, size_t bytes) {
  const auto f = driver_function<int (*)(void*, DevicePointer, size_t)>("cuMemcpyDtoH_v2");
  return f && f(to, reinterpret_cast<DevicePointer>(from), bytes) == 0;
}
bool write(void* to, const void* from, size_t bytes) {
  const auto f = driver_function<int (*)(DevicePointer, const void*, size_t)>("cuMemcpyHtoD_v2");
  return f && f(reinterpret_cast<DevicePointer>(to), from, bytes) == 0;
}

float at(const std::byte* room, size_t i) {
  float value;
  std::memcpy(&value, room + 4 * i, 4);
  return value;
}

}  // namespace

extern "C" {

struct UniqueId {
  char internal[128];
};

int ncclGetVersion(int* version) {
  *version = 29999;
  return kSuccess;
}
const char* ncclGetErrorString(int result) {
  return result == kInvalidUsage ? "ranks make different calls" : "internal error";
}

int ncclGetUniqueId(UniqueId* id) {
  const char* folder = std::getenv("TMPDIR");
  std::snprintf(id->internal, sizeof id->internal, "%s/fake-nccl-XXXXXX", folder ? folder : "/tmp");
  const int fd = mkstemp(id->internal);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(kFileBytes)) != 0) return kInternalError;
  close(fd);
  Shared* shared = map_file(id->internal);
  if (!shared) return kInternalError;
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &mutex);
  pthread_condattr_t condition;
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->changed, &condition);
  munmap(shared, kFileBytes);
  return kSuccess;
}

int ncclCommInitRank(Communicator** made, int ranks, UniqueId id, int rank) {
  if (ranks < 2 || ranks > kMostRanks || rank < 0 || rank >= ranks) return kInvalidUsage;
  auto* c = new Communicator{map_file(id.internal), rank};
  if (!c->shared) return kInternalError;
  c->shared->ranks = ranks;
  if (const Result wished = begin(*c); wished != kSuccess) return wished;
  if (!meet(*c, {Kind::connect, static_cast<size_t>(ranks)})) return kInvalidUsage;
  if (rank == 0) unlink(id.internal);  // all have it open
  *made = c;
  return kSuccess;
}

int ncclCommAbort(Communicator* c) {
  munmap(c->shared, kFileBytes);
  delete c;
  return kSuccess;
}
int ncclCommDestroy(Communicator* c) { return ncclCommAbort(c); }

int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation,
                  Communicator* c, Stream stream) {
  if (const Result wished = begin(*c); wished != kSuccess) return wished;
  if (type != kFloat32 || (operation != kSum && operation != kMax) || count * 4 > kRoom) {
    return kInvalidUsage;
  }
  if (!synchronize(stream) || !read(c->room(c->rank), from, count * 4)) return kUnhandledCudaError;
  const Call call{Kind::all_reduce, count, type, operation};
  if (!meet(*c, call)) return kInvalidUsage;
  std::vector<float> all(count);
  for (size_t i = 0; i < count; ++i) {
    all[i] = at(c->room(0), i);
    for (int rank = 1; rank < c->shared->ranks; ++rank) {
      const float other = at(c->room(rank), i);
      all[i] = operation == kSum ? all[i] + other : std::max(all[i], other);
    }
  }
  if (!meet(*c, call)) return kInvalidUsage;  // until all have read
  const bool written = write(to, all.data(), count * 4) && pass_time(to, count * 4, stream);
  return written ? kSuccess : kUnhandledCudaError;
}

int ncclAllGather(const void* from, void* to, size_t count, int type, Communicator* c,
                  Stream stream) {
  if (const Result wished = begin(*c); wished != kSuccess) return wished;
  if (type != kFloat16 && type != kFloat32) return kInvalidUsage;
  const size_t bytes = count * (type == kFloat16 ? 2 : 4);
  if (bytes > kRoom) return kInvalidUsage;
  if (!synchronize(stream) || !read(c->room(c->rank), from, bytes)) return kUnhandledCudaError;
  const Call call{Kind::all_gather, count, type};
  if (!meet(*c, call)) return kInvalidUsage;
  bool written = true;
  for (int rank = 0; rank < c->shared->ranks; ++rank) {
    written &= write(static_cast<std::byte*>(to) + static_cast<size_t>(rank) * bytes, c->room(rank),
                     bytes);
  }
  if (!meet(*c, call)) return kInvalidUsage;
  return written && pass_time(to, bytes, stream) ? kSuccess : kUnhandledCudaError;
}

}  // extern "C"
