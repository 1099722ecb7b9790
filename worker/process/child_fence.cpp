#include "worker/process/child_fence.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/files/cache_folder.h"
#include "worker/process/landlock.h"

namespace tilescope::worker {
namespace {

// Kinds of system calls that a role does without. A role's row adds them up.
enum CallKind : unsigned {
  kMachine = 1,    // of the machine's owner
  kModules = 2,    // of the kernel
  kDebugging = 4,  // other processes
  kAround = 8,     // ways around a fence: others' memory, namespaces, keys, a second door
  kNetwork = 16,   // reaching a host, or a server on this one
  kPrograms = 32   // starting one, and the socket that ties it to us (core/programs)
};

#if defined(__x86_64__)
constexpr uint32_t kNativeCalls = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kNativeCalls = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kNativeCalls = 0;  // no filter
#endif

struct DeniedCall {
  CallKind kind;
  long number;
};
constexpr DeniedCall kDeniedCalls[] = {
    {kDebugging, SYS_ptrace},
    {kMachine, SYS_mount},
    {kMachine, SYS_umount2},
    {kMachine, SYS_pivot_root},
    {kMachine, SYS_kexec_load},
    {kMachine, SYS_kexec_file_load},
    {kModules, SYS_init_module},
    {kModules, SYS_finit_module},
    {kModules, SYS_delete_module},
    {kAround, SYS_process_vm_readv},
    {kAround, SYS_process_vm_writev},
    {kAround, SYS_keyctl},
    {kAround, SYS_add_key},
    {kAround, SYS_request_key},
    {kAround, SYS_bpf},
    {kAround, SYS_unshare},
    {kAround, SYS_setns},
    {kNetwork, SYS_socket},
    {kNetwork, SYS_connect},
    {kPrograms, SYS_execve},
    {kPrograms, SYS_execveat},
    {kPrograms, SYS_socketpair},
// Of later kernels than the oldest headers that this is built with.
#ifdef SYS_io_uring_setup
    {kAround, SYS_io_uring_setup},  // its requests pass by any filter
#endif
#ifdef SYS_pidfd_getfd
    {kAround, SYS_pidfd_getfd},
#endif
#ifdef SYS_move_mount
    {kMachine, SYS_open_tree},
    {kMachine, SYS_move_mount},
    {kMachine, SYS_fsopen},
#endif
};

// Sanitizers reserve terabytes, so no process of theirs is bounded.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kBoundsMemory = false;
#else
constexpr bool kBoundsMemory = true;
#endif

constexpr rlim_t kGiB = 1ull << 30;
constexpr unsigned kSealed = kMachine | kModules | kDebugging | kAround | kNetwork | kPrograms;

// Where a role may write. A row adds them up.
enum WriteKind : unsigned {
  kAnywhere = 1,   // where its person may
  kTemporary = 2,  // the folder for temporary files, and nowhere that is always there
  kCache = 4       // compiled kernels
};

struct Fence {
  const char* role;        // "device" stands for each card's
  int of = RLIMIT_DATA;    // memory: data alone, since address space that is kept free is free
  rlim_t memory = 0;       // 0: as much as there is
  bool may_raise = false;  // it, by itself
  rlim_t files = 1024;
  bool gains_rights = false;  // by programs that it starts (setuid)
  unsigned denied = kMachine;
  unsigned writes = kAnywhere;
};
// The emulator's bound is for what runs between calls; each call sets its own
// (worker/engine/emulate/memory_limit), for which a person may allow more.
//
// A card's driver starts nvidia-modprobe, which is root's and loads modules, where nobody has used
// the card since the machine started; so the modules stay, and nothing keeps what is started from
// gaining rights. Without that the kernel takes a filter from root alone: to anyone else it allows
// none of the machine's calls anyway. ncu is a debugger's kin.
//
// Files: those who parse what strangers wrote, and need no card, write where they must alone. A
// driver's libraries write where they like (caches, sockets, device files), a store where its
// person's results are, which a call says. All read what their person may: includes, buffers and
// NVIDIA's libraries lie anywhere.
constexpr Fence kFences[] = {
    {.role = "compiler",
     .of = RLIMIT_AS,
     .memory = 4 * kGiB,
     .denied = kSealed & ~kPrograms,
     .writes = kTemporary | kCache},
    {.role = "emulator",
     .memory = 2 * kGiB,
     .may_raise = true,
     .denied = kSealed,
     .writes = kTemporary},
    {.role = "store", .memory = kGiB, .denied = kSealed},
    {.role = "heuristics", .memory = kGiB, .denied = kMachine | kModules | kDebugging},
    {.role = "probe",
     .memory = kGiB,
     .files = 4096,
     .gains_rights = true,
     .denied = kMachine | kDebugging},
    {.role = "counters", .files = 4096, .gains_rights = true, .denied = kMachine},
    {.role = "device", .files = 4096, .gains_rights = true, .denied = kMachine | kDebugging},
};

void bound(int resource, rlim_t value, bool may_raise = false) {
  const auto which = static_cast<__rlimit_resource>(resource);
  rlimit limits{};
  if (getrlimit(which, &limits) != 0) return;
  limits.rlim_cur = std::min(value, limits.rlim_cur);
  if (!may_raise) limits.rlim_max = limits.rlim_cur;
  setrlimit(which, &limits);
}

/// Reads the kind of machine and the number of each call, and says EPERM to those of the list and
/// to calls in another machine's words, whose numbers mean others.
std::vector<sock_filter> filter_of(unsigned denied) {
  const auto load = [](size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
  };
  const auto deny = sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> filter = {
      load(offsetof(seccomp_data, arch)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNativeCalls, 1, 0),
      deny,
      load(offsetof(seccomp_data, nr)),
  };
#ifdef __x86_64__
  constexpr uint32_t kX32 = 0x40000000;  // the same machine with short pointers: numbers of its own
  filter.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1));
  filter.push_back(deny);
#endif
  for (const DeniedCall& call : kDeniedCalls) {
    if ((call.kind & denied) == 0) continue;
    const auto number = static_cast<uint32_t>(call.number);
    filter.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(deny);
  }
  filter.push_back(sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

void deny_calls(unsigned denied) {
  if (kNativeCalls == 0) return;
  std::vector<sock_filter> filter = filter_of(denied);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
#ifdef SYS_seccomp
  // Threads that a library has started already are behind it too; and what guards against
  // speculation stays as it was, which would slow the emulator down and hides nothing here.
  constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program) == 0) return;
#endif
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/// The folders and files of a row. A folder that is not there can be named in no rule, so the
/// cache's is made. Programs and libraries go by other variables than we do for temporary files,
/// and by one that names no folder: all are told ours.
std::vector<std::string> places_of(unsigned writes) {
  std::vector<std::string> places{"/dev/null"};
  std::error_code error;
  if (writes & kTemporary) {
    places.push_back(files::temporary_folder());
    setenv("TMPDIR", places.back().c_str(), 1);
  }
  if (const std::string cache = files::cache_folder(); (writes & kCache) && !cache.empty()) {
    std::filesystem::create_directories(cache, error);
    places.push_back(cache);
  }
  return places;
}

}  // namespace

void fence_child(const std::string& role) {
  bound(RLIMIT_CORE, 0);
  const std::string kind = role.substr(0, role.find(':'));
  for (const Fence& fence : kFences) {
    if (kind != fence.role) continue;
    bound(RLIMIT_NOFILE, fence.files);
    if (kBoundsMemory && fence.memory > 0) bound(fence.of, fence.memory, fence.may_raise);
    if (!fence.gains_rights) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!(fence.writes & kAnywhere)) write_only_below(places_of(fence.writes));
    deny_calls(fence.denied);
  }
}

}  // namespace tilescope::worker
