#include "worker/engine/gpu/printed_output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "core/model/format.h"

namespace tilescope::worker {

PrintedOutput::PrintedOutput()
    : before_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)),
      kept_(memfd_create("printed", MFD_CLOEXEC)) {
  std::fflush(stdout);
  if (kept_ >= 0) dup2(kept_, STDOUT_FILENO);
}

PrintedOutput::~PrintedOutput() {
  std::fflush(stdout);
  if (before_ >= 0) dup2(before_, STDOUT_FILENO);
  if (before_ >= 0) close(before_);
  if (kept_ >= 0) close(kept_);
}

std::string PrintedOutput::text() const {
  std::fflush(stdout);
  struct stat all {};
  if (kept_ < 0 || fstat(kept_, &all) != 0) return {};
  std::string text(std::min<size_t>(static_cast<size_t>(all.st_size), kMost), '\0');
  const ssize_t got = pread(kept_, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  const long long rest = static_cast<long long>(all.st_size) - static_cast<long long>(text.size());
  if (rest > 0) text += "\n… and " + model::grouped(rest) + " bytes more\n";
  return text;
}

void PrintedOutput::ignore() {
  std::fflush(stdout);
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return;
  dup2(null, STDOUT_FILENO);
  close(null);
}

}  // namespace tilescope::worker
