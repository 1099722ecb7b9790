// Another program, started by name with arguments, environment and descriptors; and, if it is
// bound, ended with everything that it started when it has ended, when it is told to, and when this
// process is gone, however it went.
//
// libuv starts the worker and its children (worker/protocol/child), which end by themselves when
// their pipes close. It cannot do the last of these for a program that knows nothing of us: between
// the two stands a process that leads their group and watches for our end.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace tilescope {

/// No signal is blocked in it and none of our handlers is there, whatever we do about signals.
struct ProgramStart {
  std::vector<std::string> argv = {};         // [0]: a file, or a name (search_path.h)
  std::vector<std::string> environment = {};  // all of it; empty: ours
  /// Which of ours it has as 0, 1, 2, …; −1: nothing to read, or to write into. No others.
  std::vector<int> descriptors = {0, 1, 2};
  bool bound = true;
};

/// How it ended.
struct ProgramEnd {
  int code = 0;
  int signal = 0;  // that ended it; 0: none did
};

class Program {
 public:
  /// Waits until it runs, or could not be started. Safe where other threads run, but not once CUDA
  /// is initialised: it forks.
  explicit Program(const ProgramStart& start);
  /// Ends what is bound; what is not goes on.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// errno of the start; 0: it was started.
  int error() const { return error_; }
  /// Never blocks. True once it has ended; then end() is known.
  bool ended();
  const ProgramEnd& wait();
  const ProgramEnd& end() const { return end_; }
  /// To the program; it may do as it likes.
  void signal(int number);
  /// The program alone; when it is gone, the rest of its group.
  void kill_first();
  /// The whole group at once. Of one that is not bound the program alone.
  void kill();

 private:
  void take(int status);

  pid_t pid_ = -1;  // of the watcher, where there is one
  int lifeline_ = -1;
  bool bound_ = false, ended_ = true;
  int error_ = 0;
  ProgramEnd end_;
};

/// Our environment without some variables, and with others ("LC_ALL=C") put in. A name that ends
/// with a star stands for all that begin so.
std::vector<std::string> environment_with(const std::vector<std::string>& without,
                                          const std::vector<std::string>& with);

}  // namespace tilescope
