// What each of the worker's children may do: a row a role, put around it before it reads anything
// that a stranger may have written. A child that is made to misbehave cannot take the machine's
// memory, reach a host or start a program, nor write outside the folders of its work.
#pragma once
#include <string>

namespace tilescope::worker {

/// The fence of a role ("compiler", "device:0"), for the whole process and what it starts, for
/// good. Where the kernel knows a part of it not, the rest is there. A call that a role may not
/// make fails with EPERM; nothing is ended for it.
void fence_child(const std::string& role);

}  // namespace tilescope::worker
