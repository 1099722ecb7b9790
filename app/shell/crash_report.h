// A crash of the window leaves a report in the folder of the session: the version, the fault, the
// stack, what was looked at, and the stacks of the other threads. It is for the person who sits
// there; nothing sends it anywhere.
#pragma once
#include <string>

namespace tilescope {

/// From now on a fault (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) writes `folder`/crash-PID.txt
/// before it ends the process as it would have (of a stack that is used up, the window's alone).
/// `folder` empty, or under a sanitizer, which has its own: nothing.
void report_crashes(const std::string& folder);

/// What a report shall say of the state, replaced by each call; the last kilobyte of the status
/// line's sentences may be added line by line. Threads: the window's alone.
void keep_for_report(const std::string& state);
void log_for_report(const std::string& sentence);

/// The newest report that nobody was told of yet; from now on they were. Empty: there is none.
std::string new_report(const std::string& folder);

}  // namespace tilescope
