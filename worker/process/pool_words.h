// The sentences a user reads about children.
#pragma once
#include <string>

namespace tilescope::worker {

bool is_gpu(const std::string& kind);
/// "GPU 0", "compiler", "emulator": for the middle of a sentence.
std::string child_title(const std::string& kind);
/// "Kernel faulted: … GPU process restarted; your session is intact." `fault`: what the child said
/// was wrong before it ended itself; otherwise `cause`: how it ended, and `words`: its last ones.
std::string crash_sentence(const std::string& kind, const std::string& method,
                           const std::string& fault, const std::string& cause,
                           const std::string& words);
std::string stopped_sentence(const std::string& kind, int restarts, long seconds,
                             const std::string& cause);
/// `fault`: what is wrong with the card, so that a new process would not help.
std::string hopeless_sentence(const std::string& kind, const std::string& fault);
std::string stuck_sentence(const std::string& kind);
/// Of a call that was ended with its process since it took longer than it may.
std::string too_long_sentence(const std::string& kind, int limit_ms);

}  // namespace tilescope::worker
