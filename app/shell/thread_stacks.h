// Where the other threads are, for the report of a crash: each is sent a signal, and takes its own
// stack.
#pragma once

namespace tilescope {

/// Before there is a fault: what the signal does.
void prepare_thread_stacks();

/// "thread 1234 (file-watch)".
void write_thread_name(int fd, int thread);

/// Names and stacks of all threads but the one that asks, or why there is no stack: a thread has
/// its signals blocked, or has not answered after `patience` milliseconds, which is how long this
/// takes at most. Calls what may be called in a handler of signals alone.
void write_other_threads(int fd, int patience = 1000);

}  // namespace tilescope
