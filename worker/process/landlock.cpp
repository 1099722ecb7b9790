#include "worker/process/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace tilescope::worker {
namespace {

// As the kernel has them: its header is younger than the oldest that this is built with. The calls
// have the same numbers on every machine.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1, kRuleOfPath = 1;
struct Ruleset {
  uint64_t handled;  // what is denied unless a rule allows it
};
struct __attribute__((packed)) PathRule {
  uint64_t allowed;
  int32_t parent;
};

// What may be done to files; the bit of each is its number.
constexpr uint64_t bit(int number) { return uint64_t{1} << number; }
constexpr uint64_t kWriteFile = bit(1), kTruncate = bit(14), kRefer = bit(13);
/// Folders and files removed; devices, folders, files, sockets, pipes and links made.
constexpr uint64_t kEntries =
    bit(4) | bit(5) | bit(6) | bit(7) | bit(8) | bit(9) | bit(10) | bit(11) | bit(12);

/// What writes, as far as a version knows it. Without kRefer nothing is moved from one folder to
/// another at all.
uint64_t writing(int version) {
  return kWriteFile | kEntries | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

void allow(int ruleset, const std::string& place, uint64_t rights) {
  const int parent = open(place.c_str(), O_PATH | O_CLOEXEC);
  if (parent < 0) return;
  struct stat what {};
  if (fstat(parent, &what) == 0) {
    const uint64_t of_files = kWriteFile | kTruncate;  // of a file the rest means nothing
    const PathRule rule{S_ISDIR(what.st_mode) ? rights : rights & of_files, parent};
    syscall(kAddRule, ruleset, kRuleOfPath, &rule, 0u);
  }
  close(parent);
}

}  // namespace

int landlock_version() {
  const long version = syscall(kCreateRuleset, nullptr, size_t{0}, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

bool write_only_below(const std::vector<std::string>& places) {
  const int version = landlock_version();
  if (version == 0) return false;
  const Ruleset wanted{writing(version)};
  const auto ruleset =
      static_cast<int>(syscall(kCreateRuleset, &wanted, sizeof wanted, uint32_t{0}));
  if (ruleset < 0) return false;
  for (const std::string& place : places) allow(ruleset, place, wanted.handled);
  const bool restricted = syscall(kRestrictSelf, ruleset, 0u) == 0;
  close(ruleset);
  return restricted;
}

}  // namespace tilescope::worker
